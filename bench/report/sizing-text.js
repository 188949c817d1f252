/** How many machines: capacity at the goal, plans with instances and prices, what was verified, as text.
 * @import { Offering, PriceRow, Sizing, Soak } from '../types.js' @import { Style } from './text.js' */
import pc from 'picocolors'
import { count, duration, listing, micros, percent, rate } from '../shared/format.js'
import { textTable } from './table.js'
import { compareTopologies } from './sizing-topologies.js'
import {
  capacityTable, cheapestOfEach, money, offeringsTable, perInstance, planName, plansTable, readOn
} from './tables/sizing.js'
import { wrap } from './wrap.js'

const MOST_ROWS = 15 // Rows that a terminal shows; all are in the report and in the JSON.

/** The answer in a sentence. @param {Sizing} sizing */
export function sizingAnswer ({ goal, table, topologies }) {
  if (topologies.length === 0) return 'There is no valid measurement.'
  const best = table.find(({ monthly }) => monthly !== null)
  if (!best) {
    return 'No plan can be recommended: none states both CPU and price, or none has enough memory.'
  }
  const { vcpu, assumed: known } = best.plan
  const assumed = vcpu === null && known ? ` (${known.vcpu} vCPU, assumed)` : ''
  const day = goal.profile && goal.profile.shares.length > 1 ? ` at the peak of the day "${goal.profile.name}"` : ''
  return `${count(best.instances)} × ${planName(best.plan)}${assumed} with ${best.topology}: ` +
  `${money(best.monthly, best.plan.currency)} a month for ${count(goal.rate)} requests a second${day} ` +
    `at a p99 of ${micros(goal.p99Ms)} ms, each instance serves ${perInstance(best)}.`
}

/** @param {Sizing} sizing @param {Style} style @returns {string[][]} sections, each of lines */
export const sizingText = (sizing, style) =>
  [
    [style.colors.bold(`Capacity: the highest rate with a p99 of ${micros(sizing.goal.p99Ms)} ms or less`),
      ...textTable(capacityTable(sizing), style)],
    sentences(sizing).flatMap(text => wrap(text, style.columns, { first: '- ' })),
    [style.colors.bold(`Plans for ${count(sizing.goal.rate)} requests a second, the cheapest first`),
      ...planTable(sizing, style),
      ...planWords(sizing, shownOf(sizing).length).flatMap(text => wrap(text, style.columns, { first: '- ' }))],
    verified(sizing, style)
  ].filter(lines => lines.length > 0)

/** What the measurement says beside its tables. @param {Sizing} sizing @returns {string[]} */
export function sentences ({ goal, table, topologies, scaling = [] }) {
  return [capacityMeans(goal), ...topologies.flatMap(({ word, growth, capacity, trials, curve, soak }) => {
    const disturbed = curve.filter(point => point.disturbed).map(({ share }) => percent(share))
    const [few, many] = [growth.connections[0], growth.connections.at(-1)]
    return [
      ...capacity.atLeast ? [`${word} can do more: the load generator could not go further.`] : [],
      ...few && many && few !== many
        ? [
          `${word}: in a closed loop a request costs ${micros(few.micros)} µs of CPU with ${few.x} connections and ` +
          `${micros(many.micros)} µs with ${many.x}.`
          ]
        : [],
      ...growth.perKiB !== null ? [`${word}: each KiB of an answer costs ${micros(growth.perKiB)} µs more.`] : [],
      `${word}: found in ${count(trials.length)} trials, ${count(trials.filter(({ holds }) => holds).length)} of ` +
      'which held the goal.',
      ...disturbed.length > 0
        ? [`${word}: at ${listing(disturbed)} of its capacity the machine was disturbed: more load was faster.`]
        : [],
      ...soak ? [soakSentence(word, soak)] : []
    ]
  }), ...compareTopologies(topologies, table), ...scaling.map(scalingSentence)]
}

/** @param {Sizing['goal']} goal */
const capacityMeans = ({ confidence = 0.5 }) =>
  `The capacity is the rate at which ${confidence === 0.5 ? 'half' : percent(confidence)} of the 3 s windows hold ` +
  `the goal${confidence === 0.5 ? ' (--confidence 95% asks for more)' : ''}.`

/** @param {string} word @param {Soak} soak */
const soakSentence = (word, { seconds, slope, low, high, leaks }) =>
  `${word}: in ${duration(seconds)} at half its capacity memory grew by ${micros(slope)} MiB an hour ` +
  `(${low === null || high === null ? 'too few readings for an interval' : `${micros(low)} to ${micros(high)}`})` +
  `${leaks ? ': it leaks' : ''}.`

/** @param {Sizing['scaling'][number]} scaling */
function scalingSentence ({ family, points, usl, predicted, refused }) {
  const numbers = listing(points.map(point => count(point.n)))
  if (!usl || !predicted) return `${family}: no estimate for more processes from N = ${numbers}: ${refused}.`
  const { n, x, low, high } = predicted
  return `${family}: fitted to N = ${numbers}, of each further process ` +
    `${percent(usl.sigma)} is lost to contention and ${percent(usl.kappa)} to coherency; ` +
    `${count(n)} would serve ${rate(x)} (${rate(low)} to ${rate(high)}), with no estimate beyond that.`
}

/** The cheapest that fit, of those that can be estimated: of each provider one where there are many.
 * @param {Sizing} sizing @param {Style} style */
function planTable (sizing, style) {
  const rows = shownOf(sizing)
  if (rows.length === 0) return ['No plan can be estimated.']
  return textTable(plansTable({ ...sizing, table: rows }), style)
}

/** @param {Pick<Sizing, 'table'>} sizing the cheapest first */
function shownOf ({ table }) {
  const possible = table.filter(({ instances }) => instances !== null)
  return possible.length > MOST_ROWS ? cheapestOfEach(possible).slice(0, MOST_ROWS) : possible
}

/** What the table is based on. @param {Sizing} sizing @param {number} [shown] rows; left out: all of them
 * @returns {string[]} */
export function planWords ({ goal, table, emulation, verification }, shown = Infinity) {
  const possible = table.filter(({ instances }) => instances !== null)
  const shares = possible.flatMap(({ usable }) => usable ?? [])
  return [
    `${percent(goal.headroom)} of each instance's capacity is kept free, and there are ${goal.fewestInstances} ` +
    'instances at least. each: requests a second at the goal.',
    'processes: WEB_CONCURRENCY by the memory measured and the plan\'s cores; behind "not", what the rule of a ' +
    'process for each 512 MB would set.',
    ...possible.some(({ atLeast }) => atLeast)
      ? [
          '≥: the plan has more cores than this machine could give, or the generator could not go further: it may ' +
          'be more.'
        ]
      : [],
    ...possible.some(({ limit }) => limit === 'quota') && !verification
      ? [
          "A plan's share of a core is estimated from the CPU time that requests cost on this machine's cores: " +
        '--verify tests it.'
        ]
      : [],
    ...possible.some(({ plan }) => plan.vcpu === null)
      ? ['assumed: the provider promises no CPU; the report page says what it is estimated from, and --assume-vcpu ' +
        'sets what you know.']
      : [],
    ...oldSentences(possible),
    ...shares.length > 0
      ? [
        `Of a plan's share of a core ${range(Math.min(...shares), Math.max(...shares))} can be used: CPU time is ` +
        'used unevenly, and requests that arrive when a period\'s share is used up wait for the next. Node ' +
        'starts four V8 threads on any plan (--v8-pool-size): their parallel collections use the share up, too.'
        ]
      : [],
    ...possible.length > shown
      ? [`The cheapest of each provider; ${possible.length - shown} more are on the report page.`]
      : [],
    ...untoldSentences(table),
    ...emulation.version === null
      ? [`Limits cannot be set on this machine (${emulation.why}): the table is based on the model alone.`]
      : []
  ]
}

/** Of what is shown. @param {PriceRow[]} rows */
function oldSentences (rows) {
  const old = rows.filter(row => row.old).map(({ plan }) => `${plan.provider} (${readOn(plan)})`)
  const providers = [...new Set(old)]
  return providers.length > 0
    ? [`Look up before you buy: the figures of ${listing(providers)} are older than 180 days or of an unknown day.`]
    : []
}

/** @param {number} least @param {number} most */
const range = (least, most) =>
  percent(least) === percent(most) ? percent(least) : `${percent(least)} to ${percent(most)}`

/** @param {PriceRow[]} table */
function untoldSentences (table) {
  const untold = table.filter(({ instances }) => instances === null)
  return [...new Set(untold.map(({ why }) => why))].map(why =>
    `Left out: ${listing([...new Set(untold.filter(row => row.why === why).map(({ plan }) => planName(plan)))])}, ` +
    `since ${why}.`
  )
}

/** @param {Sizing} sizing @param {Style} style */
function verified (sizing, style) {
  const texts = verificationSentences(sizing)
  if (texts.length === 0) return []
  return [style.colors.bold('Verified'), ...texts.flatMap(text => wrap(text, style.columns))]
}

/** Of each plan that was verified, the recommended one last. @param {Sizing} sizing @returns {string[]} */
export const verificationSentences = ({ verification, refuted = [], goal }) =>
  verification ? [...refuted, verification].map(one => verificationSentence(one, goal)) : []

/** @param {NonNullable<Sizing['verification']>} verification @param {Sizing['goal']} goal */
function verificationSentence (verification, goal) {
  const { latencyMs, limits, windows } = verification
  const throttled =
    `CPU time ran out in ${count(limits.throttledPeriods)} of ${count(limits.periods)} periods of the quota, for ` +
    `${micros(limits.throttledSeconds * 1000)} ms in all`
  const outcome = verification.holds
    ? `the goal of ${micros(goal.p99Ms)} ms holds`
    : `the goal of ${micros(goal.p99Ms)} ms does not hold: ${verification.why}`
  const others = windows && windows.of > 1
    ? ` It was the last of ${windows.of} windows, of which ${windows.held} met the goal.`
    : ''
  return `One instance of ${verification.topology} under the limits of ${verification.plan}, ` +
    `${rate(verification.rate)} requests a second for ${count(verification.seconds)} s: p50 ` +
    `${micros(latencyMs?.p50)} ms, p99 ${micros(latencyMs?.p99)} ms; ${outcome}. ` +
    `${throttled}; the kernel counted ${count(Math.round(limits.memoryPeakMiB))} MiB at ` +
    `most${limits.oomKills > 0 ? `, and killed ${count(limits.oomKills)} processes, out of memory` : ''}.${others}`
}

/** The plans there are, and where their figures come from. @param {Offering[]} plans
 * @param {{ columns?: number, isOld?: (plan: Offering) => boolean }} [options] */
export function plansText (plans, { columns = 80, isOld = () => false } = {}) {
  const style = { columns: Math.max(40, columns), colors: pc.createColors(false) }
  const sources = [...new Set(plans.map(plan =>
    `${plan.provider}: ${plan.url}, ${readOn(plan)}${isOld(plan) ? ' – look it up before you buy' : ''}` +
    `${plan.source ? ` (${plan.source})` : ''}`))]
  return [
    ...textTable(offeringsTable(plans), style),
    '',
    ...sources.flatMap(text => wrap(text, style.columns, { first: '- ' }))
  ].join('\n') + '\n'
}
