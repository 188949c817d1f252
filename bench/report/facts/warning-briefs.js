/** Short texts of warnings, one line each. bench/report/facts/warning-texts.js has the full texts. */
import { count, isNumber, listing, percent, plural } from '../../shared/format.js'
import { distanceFromOne } from '../phrases.js'
import { findText } from './find-text.js'
import { printWarning } from './facts.js'

/** @import { Warning, WarningParams } from '../../types.js' */

/** Prints nothing: another part of the report shows the fact, or it does not change how the figures are read. */
const LEFT_OUT = () => null

/**
 * Texts by code. names: of the arms, or their number.
 * @type {{ [Code in keyof WarningParams]: (params: WarningParams[Code], names: string) => string | null }}
 */
const briefs = {
  'cut-off': LEFT_OUT,
  smoke: LEFT_OUT,
  autocorrelation: LEFT_OUT,
  'engine-switched': LEFT_OUT,
  'disturbed-trials': LEFT_OUT,
  quick: () => 'a quick look: of several verdicts one may well be wrong',
  'few-blocks': ({ blocks, needed }) => `only ${plural(blocks, 'block')}; reliable intervals need ${count(needed)}`,
  'not-steady': (_, names) => `${names} had not reached the steady state: contrasts are inconclusive`,
  'precision-not-reached': ({ target, halfWidth }) =>
    `the precision of ±${percent(target)} was not reached` +
    (halfWidth === null ? '' : `: the widest interval is ±${percent(halfWidth)}`),
  'noise-floor': floor =>
    `an arm differed from its own twin: differences below ${percent(distanceFromOne(floor))} are open`,
  'generator-bound': ({ engine }, names) => `${engine} was the limit in ${names}: the rate is a lower bound`,
  'network-bound': (_, names) => `the link was the limit in ${names}: the rate is a lower bound`,
  'both-waited': (_, names) => `nothing was busy in ${names}: the rate shows latency, not capacity`,
  batches: ({ connections, fewer }, names) =>
    `${count(connections)} connections are many for ${names}: slices differ; try --connections ${fewer}`,
  'engine-missing': ({ engine, wanted }) => `${engine} made the load; the published figures are from ${wanted}`,
  'files-differ': ({ arm, headers }) => headers.length > 0
    ? `files of ${arm} differ from those of the app in ${listing(headers.map(({ name }) => name))}`
    : `not all files of ${arm} were compared`,
  'too-many-to-stop': ({ processes }) =>
    `an arm has ${count(processes)} processes, too many to pause: more noise than usual`,
  'slower-users': () => 'users made fewer requests a second than planned; their number is as planned',
  'invalid-trials': ({ arm, invalid, trials }) => `${count(invalid)} of ${plural(trials, 'trial')} of ${arm} ` +
    `${invalid === 1 ? 'is' : 'are'} invalid`,
  'app-closes-connections': (_, names) => `the app of ${names} closes its connections, so none is kept`,
  'app-hangs': (_, names) => `connections to ${names} waited while nothing was busy`,
  'app-writes-output': (_, names) => `the app of ${names} writes output for each request (see --quiet-app)`,
  'runtime-past-its-end': ({ lines }, names) =>
    `${names} ran under Node ${listing(lines.map(({ line }) => line))}, past its end; newer lines are faster`,
  'confined-by-node': (_, names) => `Node's permission model checked paths and slowed ${names}`,
  'not-confined': (_, names) => `${names} has known vulnerabilities and was not confined`,
  'counted-by-client': (_, names) => `only the client counted ${names}: no proof, no CPU time`,
  'unproven-transport': (_, names) => `that ${names} kept its connections is not proven`,
  'no-cpu-time': () => 'this system reports no CPU time, so the limiting side is unknown',
  'shared-loopback': () => 'all arms shared one network: one can slow the next',
  'congestion-control': ({ control }) => `TCP used ${control} in place of cubic: large responses may cost more`,
  'shared-cores': () => 'load and servers shared the same cores: rates are lower than on separate ones',
  'shared-cores-on-purpose': () => 'load and servers shared all cores: compare the CPU time, too',
  'fewer-cores-than-workers': ({ cores }, names) =>
    `more processes than the ${plural(cores, 'core')} in ${names}: compare the CPU time`,
  'busy-machine': ({ busyShare, loadAverage, cores, process }) => {
    const most = process ? `, most of all ${process.name}` : ''
    return isNumber(busyShare)
      ? `other programs used ${percent(busyShare)} of ${plural(cores, 'core')} at the start${most}`
      : `other programs were busy at the start, load average ${loadAverage.toFixed(1)}${most}`
  },
  'steal-time': ({ share }) => `other guests of this host took ${percent(share)} of the CPU time`,
  'governor-powersave': () => 'the CPU saves power: its speed may change during a run',
  'open-files': ({ limit, needed }) =>
    `only ${count(limit)} open files are allowed, and this load can need ${count(needed)}`
}

/**
 * Returns a warning in one line.
 * @param {Warning} warning
 * @param {{ name: string }[]} arms of the record
 * @param {number} room most letters
 * @returns {string | null} null: it does not change how the figures are read
 */
export function printBrief (warning, arms, room) {
  const texts = [listing, countArms].map(print => findBrief(warning, print(getArms(warning))))
  if (Object.hasOwn(briefs, warning.code) && texts[0] === null) return null
  const fitting = texts.find(text => text !== null && text.length <= room)
  return fitting ?? shorten(texts[1] ?? printWarning(warning).text, room)
}

const countArms = (/** @type {unknown[]} */ arms) => plural(arms.length, 'arm')

/**
 * Returns the names of the arms of a warning.
 * @param {Warning} warning
 * @returns {string[]}
 */
function getArms ({ params }) {
  if (!('arms' in params)) return []
  return params.arms.map(arm => typeof arm === 'string' ? arm : arm.arm)
}

/**
 * Returns the text of a warning.
 * @param {Warning} warning
 * @param {string} names
 */
const findBrief = (warning, names) => findText({
  [warning.code]: (/** @type {any} */ params) => briefs[warning.code]?.(/** @type {never} */ (params), names) ?? null
}, /** @type {any} */ (warning))

/**
 * Shortens a text to its first clause, and this to whole words.
 * @param {string} text
 * @param {number} room
 */
function shorten (text, room) {
  const [sentence] = text.split(/(?<=\w)[.:;] /)
  if (sentence.length <= room) return sentence.replace(/\.$/, '')
  const cut = sentence.slice(0, room - 1)
  return `${cut.slice(0, Math.max(cut.lastIndexOf(' '), room / 2))}…`
}
