/** The runs and sizings that an advice requests. */
import { copyFileSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { constants, gzipSync } from 'node:zlib'
import { APP_OPTIONS, pick } from './request.js'
import { makeFolder } from '../../machine/files/make-folder.js'
import { walkFolder } from '../../machine/files/walk-folder.js'
import { hasOption } from '../../plan/changed-spec.js'
import { isCompressibleFile } from '../../shared/http/compressible-files.js'

/** @import { AdviseFlags, AdviseRequest } from './request.js' */
/** @import { FilePrefix } from '../../types.js' */
/** @import { RunFlags } from '../../request/types.js' */

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
 * Returns the options of a run.
 * @param {string[]} words topologies
 * @param {Given} given
 * @param {number} budget in seconds, without --quick
 * @returns {RunFlags}
 */
export function toRunOptions (words, given, budget) {
  const { quick, mix, prefixes, paths } = given.request
  return {
    ...toCommonOptions(words, given),
    ...quick ? { quick } : { budget },
    // With folders of files a run requests the page of the path and the files by itself.
    ...prefixes.length > 0 && !mix ? { path: paths[0] } : toMixOptions(given)
  }
}

/**
 * Returns the options of a sizing.
 * @param {string} spec
 * @param {Given} given with a load
 * @returns {import('../size/request.js').SizeFlags}
 */
export function toSizeOptions (spec, given) {
  const { load: { rps, p99Ms }, platform: { provider } } = given.request
  return {
    ...toCommonOptions([spec], given),
    ...toMixOptions(given),
    quick: true,
    rps: Number(rps),
    p99: Number(p99Ms) / 1000,
    ...provider && { provider: [provider] }
  }
}

/**
 * @param {string[]} words topologies
 * @param {Given} given
 * @returns {RunFlags}
 */
const toCommonOptions = (words, { request, options, sharedDir }) => ({
  ...pick(options, [...APP_OPTIONS, 'quietApp', 'warmUp', 'seed', 'results', 'lab']),
  app: [request.run],
  ...toCopies(words, request, join(sharedDir, 'files')),
  lab: options.lab
})

/**
 * Returns the options that name several requests. A list of one path is compared decoded, so that a proxy may compress
 * the response.
 * @param {Given} given
 * @returns {Partial<RunFlags>}
 */
function toMixOptions ({ request: { mix, paths, headers }, options: { header = [] }, dir, page }) {
  if (mix) return mix
  const file = join(dir, 'paths.txt')
  writeFileSync(file, `${(page ?? [paths[0]]).join('\n')}\n`)
  const hasEncodings = Object.keys(headers).some(name => name.toLowerCase() === 'accept-encoding')
  return { paths: file, ...!hasEncodings && { header: [...header, 'Accept-Encoding: gzip'] } }
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
 * Returns the options of a run that name copies of its folders with compressed files, if a topology sends them.
 *
 * @param {string[]} words of its topologies
 * @param {{ prefixes: FilePrefix[] }} request
 * @param {string} dir for the copies, which are made once
 * @returns {Pick<RunFlags, 'files' | 'filesHidden'>}
 * @throws {Error} as copyCompressed()
 */
function toCopies (words, { prefixes }, dir) {
  if (!words.some(spec => hasOption(spec, 'gzip_static'))) return {}
  const copies = existsSync(join(dir, '0'))
    ? prefixes.map(({ prefix }, i) => ({ prefix, folder: join(dir, String(i)) }))
    : copyCompressed(prefixes, dir)
  // Copies have no hidden files.
  return { files: copies.map(({ prefix, folder }) => `${prefix}=${folder}`), filesHidden: undefined }
}
