/** The options of the commands that an advice calls. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { toFilesWords } from './compressed-copy.js'
import { toWords } from './request.js'

/** @import { AdviseFlags, AdviseRequest } from './request.js' */

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
