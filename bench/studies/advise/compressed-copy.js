/** Copies folders of files with compressed files beside the text, as a deploy kit makes them when it is built. */
import { copyFileSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { constants, gzipSync } from 'node:zlib'
import { makeFolder } from '../../machine/make-folder.js'
import { walkFolder } from '../../machine/walk-folder.js'
import { hasOption } from '../../plan/changed-spec.js'
import { isCompressibleFile } from '../../shared/compressible-files.js'

/** @import { FilePrefix } from '../../types.js' */

/** Most entries of a folder, as --files accepts them. */
const MOST_ENTRIES = 100_000

/**
 * Copies folders. Leaves out hidden files, which no proxy serves.
 *
 * @param {FilePrefix[]} prefixes
 * @param {string} dir
 * @returns {FilePrefix[]} with the folders of the copies
 * @throws {Error} the system error of a file that cannot be read or written
 */
export const copyCompressed = (prefixes, dir) => prefixes.map(({ prefix, folder }, i) => {
  const copy = join(dir, String(i))
  for (const { path, entry } of walkFolder(folder, MOST_ENTRIES)) {
    if (!entry.isFile() || entry.name.startsWith('.')) continue
    const [from, to] = [join(folder, path), join(copy, path)]
    makeFolder(dirname(to))
    copyFileSync(from, to)
    if (isCompressibleFile(path, statSync(from).size)) {
      writeFileSync(`${to}.gz`, gzipSync(readFileSync(from), { level: constants.Z_BEST_COMPRESSION }))
    }
  }
  return { prefix, folder: copy }
})

/**
 * Returns the options of a run that name its folders: copies with compressed files, if a topology sends them.
 *
 * @param {string[]} words of its topologies
 * @param {{ prefixes: FilePrefix[], filesWords: string[] }} request
 * @param {string} dir for the copies, which are made once
 * @returns {string[]}
 * @throws {Error} as copyCompressed()
 */
export function toFilesWords (words, { prefixes, filesWords }, dir) {
  if (!words.some(spec => hasOption(spec, 'gzip_static'))) return filesWords
  const copies = existsSync(join(dir, '0'))
    ? prefixes.map(({ prefix }, i) => ({ prefix, folder: join(dir, String(i)) }))
    : copyCompressed(prefixes, dir)
  return copies.flatMap(({ prefix, folder }) => ['--files', `${prefix}=${folder}`])
}
