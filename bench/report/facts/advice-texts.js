/** Texts of the recommendation of a static server. bench/judge/recommendation.js decides what is recommended. */
import { count, listing, micros, plural, rate } from '../../shared/format.js'
import { STATIC_CODE, STATIC_FILE } from '../../shared/http/static-code.js'

/** @import { AdvisedServer, AdviceParams } from '../../types.js' */

/** Most failures named beside a recommendation. `hopbench check` prints all of them. */
const MOST_NAMED = 3

/** Title of the probe of RFC 9110, 13.2.2, and its usual observation, which is about one of two requests. */
const PRECEDENCE = {
  title: 'If-None-Match counts and If-Modified-Since beside it does not',
  saw: '200 with the whole file: If-None-Match is ignored',
  text: 'a matching If-None-Match gets no 304 if If-Modified-Since contradicts it'
}

/** Prints an observation in a failed probe. @param {AdvisedServer['failures'][number]} failure */
const observation = ({ title, saw }) =>
  title === PRECEDENCE.title && saw === PRECEDENCE.saw ? PRECEDENCE.text : saw || title

/** Prints the rate, CPU time and memory of a server. @param {AdvisedServer} server */
const figures = ({ perSecond, cpuMicros, memoryMiB }) =>
  `${rate(perSecond)} req/s at ${micros(cpuMicros)} µs of CPU per request and ${count(memoryMiB)} MiB`

/**
 * Prints a factor and its basis. Rounds a lower bound down.
 * @param {number} factor
 * @param {string} other name of the slower server
 * @param {{ isLeast?: boolean, isByMedians?: boolean }} basis
 */
const times = (factor, other, { isLeast = false, isByMedians = false }) =>
  `${isLeast ? 'at least ' : ''}${(isLeast ? Math.floor(factor * 10) / 10 : factor).toFixed(1)} times ${other}` +
  (isByMedians ? ' by the medians' : '')

/**
 * Lists the observations in failed probes: crashes first, then the other failures. Limits their number.
 *
 * @param {AdvisedServer['failures']} failures
 */
function listFailures (failures) {
  const crashes = failures.filter(({ died }) => died)
  const others = failures.filter(({ died }) => !died)
  const crash = crashes.length === 1
    ? `it crashes in "${crashes[0].title}"`
    : `it crashes in ${others.length === 0 ? 'all' : crashes.length} of them`
  const texts = [...crashes.length > 0 ? [crash] : [], ...new Set(others.map(observation))]
  const unnamed = texts.length - MOST_NAMED
  return listing([...texts.slice(0, MOST_NAMED), ...unnamed > 0 ? [`${unnamed} more`] : []])
}

/** Prints the result of the check. A recommended server has failed no safety probe. @param {AdvisedServer} server */
const checkSentence = ({ failures }) => failures.length === 0
  ? 'The check found no failure.'
  : `The check found ${plural(failures.length, 'failure')}, none of them of safety: ${listFailures(failures)}.`

/**
 * Prints the recommended settings, and whether the figures are those with these settings.
 * @param {AdvisedServer} server
 */
const settingsSentence = ({ settings, isMeasuredSo }) => settings
  ? ` Set ${listing(settings)}: the check is of that form${isMeasuredSo ? '' : ', and the rate was measured without'}.`
  : ''

/**
 * Names the servers that are not shown to be slower, and why the recommended one comes before them.
 * @param {AdviceParams['node-serves']} server
 */
function alikeSentence ({ alike = [] }) {
  if (alike.length === 0) return ''
  const list = alike.map(({ arm, perSecond, memoryMiB, failures }) =>
    `${arm} (${rate(perSecond)} req/s, ${count(memoryMiB)} MiB, ${plural(failures, 'failure')})`)
  return ` Not shown to be slower: ${listing(list)}; the order among them is by failures, then by memory where it ` +
    'differs by more than 10 %, then by rate.'
}

/** Texts by code. @type {{ [Code in keyof AdviceParams]: (params: AdviceParams[Code]) => string }} */
export const adviceTexts = {
  'files-alike': ({ files }) =>
    `The rates below are over ${count(files)} files, each requested as often as the others.`,

  'proxy-serves': server => {
    const lead = server.timesNode === null
      ? ''
      : `, ${times(server.timesNode, 'the recommended Node server in one process', server)}`
    return `Where a proxy may serve the files, use ${server.arm}: ${figures(server)}${lead}. ${checkSentence(server)}`
  },

  'node-serves': server => {
    const rank = server.others === 0
      ? 'only one measured that fails no safety probe'
      : `best of ${count(server.others + 1)} that fail no safety probe as recommended` +
        (server.names ? ` (${listing([server.arm, ...server.names])})` : '')
    return `From Node itself use ${server.arm}: ${figures(server)}, the ${rank}. ${checkSentence(server)}` +
      settingsSentence(server) + alikeSentence(server)
  },

  'node-code': ({ server }) => {
    const packages = STATIC_CODE[server]?.packages ?? []
    return `Its packages are ${listing(packages)} (npm install ${packages.join(' ')}). The file ${STATIC_FILE} with ` +
      'the code in docs/static.md serves the folder public beside it, and this writes a deploy kit of it'
  },

  'node-from-disk': server =>
    `${server.inMemory} holds every file in memory and does not see one that is replaced: where files are many or ` +
    `change, use ${server.arm}: ${figures(server)}. ${checkSentence(server)}${settingsSentence(server)}`,

  'more-processes': server =>
    `With more processes ${server.arm} reaches ${figures(server)}, ${times(server.times, server.than, server)}.`,

  unsafe: ({ server, failures, withSettings, withoutSettings }) =>
    `${server} is not recommended: ${withSettings ? 'with its recommended settings, too, ' : ''}it fails ` +
    `${plural(failures.length, 'safety probe')} (${listFailures(failures)})` +
    `${withoutSettings ? ', and no setting of it helps' : ''}.`,

  'unsafe-as-shipped': ({ server, failures, settings }) =>
    `${settings.length > 0 ? `As shipped ${server}` : `With Debian's default site ${server}`} fails ` +
    `${plural(failures.length, 'safety probe')} (${listFailures(failures)}); with ` +
    `${settings.length > 0 ? listing(settings) : 'the recommended configuration'} it does not.`,

  'not-checked': ({ servers }) => `Not checked yet, and so not recommended: ${listing(servers)}. Check with`,

  'checked-under': ({ day, node, otherRuntimes }) => {
    const excluded = otherRuntimes.length > 0
      ? `; arms under ${listing(otherRuntimes)} were not checked there and are not recommended`
      : ''
    return `The check of safety ran on ${day} under Node ${node}${excluded}.`
  }
}
