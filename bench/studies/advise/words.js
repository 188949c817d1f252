/** The options of the commands that an advice calls. */
import { copyFileSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { constants, gzipSync } from 'node:zlib'
import { toWords } from './request.js'
import { makeFolder } from '../../machine/make-folder.js'
import { walkFolder } from '../../machine/walk-folder.js'
import { hasOption } from '../../plan/changed-spec.js'
import { isCompressibleFile } from '../../shared/compressible-files.js'

/** @import { AdviseFlags, AdviseRequest } from './request.js' */
/** @import { FilePrefix } from '../../types.js' */

/** Most entries of a folder, as --files accepts them. */
const MOST_ENTRIES = 100_000

/**
 * @typedef {object} Given
 * @property {AdviseRequest} request
 * @property {AdviseFlags} options
 * @property {string} dir for files that the commands read
 * @property {string} sharedDir for copies of files
 * @property {string[] | null} page paths of a page view, as they were compared; null: nothing was compared yet
 */

/**
 * Returns the options of `hopbench run`.
 * @param {string[]} words of its topologies
 * @param {Given} given
 * @param {number} budgetSeconds without --quick
 * @returns {string[]}
 */
export function toRunWords (words, given, budgetSeconds) {
  const { quick, mixWords, prefixes, paths } = given.request
  return [
    ...toCommonWords(words, given),
    ...quick ? ['--quick'] : ['--budget', `${budgetSeconds}s`],
    // With folders of files a run requests the page of the path and the files by itself.
    ...prefixes.length > 0 && mixWords.length === 0 ? ['--path', paths[0]] : toMixWords(given),
    ...given.options.lab ? [] : ['--no-lab']
  ]
}

/**
 * Returns the options of `hopbench size`.
 * @param {string} spec
 * @param {Given} given with a load
 * @returns {string[]}
 */
export function toSizeWords (spec, given) {
  const { load: { rps, p99Ms }, platform } = given.request
  return [
    ...toCommonWords([spec], given), ...toMixWords(given), '--quick', '--rps', String(rps), '--p99', `${p99Ms}ms`,
    ...platform.provider ? ['--provider', platform.provider] : [],
    ...given.options.lab ? [] : ['--no-lab']
  ]
}

/**
 * @param {string[]} words of topologies
 * @param {Given} given
 */
const toCommonWords = (words, { request, options, sharedDir }) => [
  ...request.appWords, ...toFilesWords(words, request, join(sharedDir, 'files')), ...request.contentWords,
  ...toWords(options, ['warmUp', 'seed', 'results'])
]

/**
 * Returns the options that name several requests. A list of one path is compared decoded, so that a proxy may compress
 * the response.
 * @param {Given} given
 * @returns {string[]}
 */
function toMixWords ({ request: { mixWords, paths, headers }, dir, page }) {
  if (mixWords.length > 0) return mixWords
  const file = join(dir, 'paths.txt')
  writeFileSync(file, `${(page ?? [paths[0]]).join('\n')}\n`)
  const hasEncodings = Object.keys(headers).some(name => name.toLowerCase() === 'accept-encoding')
  return ['--paths', file, ...hasEncodings ? [] : ['--header', 'Accept-Encoding: gzip']]
}

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
function toFilesWords (words, { prefixes, filesWords }, dir) {
  if (!words.some(spec => hasOption(spec, 'gzip_static'))) return filesWords
  const copies = existsSync(join(dir, '0'))
    ? prefixes.map(({ prefix }, i) => ({ prefix, folder: join(dir, String(i)) }))
    : copyCompressed(prefixes, dir)
  return copies.flatMap(({ prefix, folder }) => ['--files', `${prefix}=${folder}`])
}
