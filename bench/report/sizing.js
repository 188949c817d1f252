/**
 * How many machines: capacity at the goal, plans with instances and prices, what was verified, as text.
 * @import { Sizing } from '../types.js'
 * @import { Plan } from '../sizing/plans.js'
 * @import { Row } from '../sizing/price.js'
 * @import { Style } from './text.js'
 */
import pc from 'picocolors'
import { count, isNumber, micros, NONE, percent, rate } from './format.js'
import { listing } from './sentences.js'
import { draw, nameWidth } from './table.js'
import { wrap } from './wrap.js'

/** Rows that a terminal shows; all are in the report and in the JSON. */
const MOST_ROWS = 15

/** "Render Standard" @param {Pick<Plan, 'provider' | 'plan'>} plan */
export const planName = ({ provider, plan }) => `${provider} ${plan}`
/** "$50", "EUR 12.50" @param {number | null} price @param {string} currency */
export const money = (price, currency) => !isNumber(price) ? NONE : `${currency === 'USD' ? '$' : `${currency} `}${price.toFixed(Number.isInteger(price) ? 0 : 2)}`
/** Requests per second that an instance serves at the goal. @param {Row} row */
export const perInstance = ({ perInstance, atLeast }) => perInstance === null ? NONE : `${atLeast ? '≥ ' : ''}${rate(perInstance)}`
/** "1, not 4": processes to start, beside what the rule of thumb sets where that is another number. @param {Row} row */
export const workersText = ({ workers }) => workers === null ? NONE : workers.rule === workers.workers ? String(workers.workers) : `${workers.workers}, not ${workers.rule}`

/**
 * The answer in a sentence.
 * @param {Sizing} sizing
 */
export function sizingAnswer ({ goal, table, topologies }) {
  if (topologies.length === 0) return 'Nothing was measured that counts.'
  const best = table.find(({ monthly }) => monthly !== null)
  if (!best) return 'No plan can be recommended: of none both the CPU and the price are told, or none has enough memory.'
  return `${count(best.instances)} × ${planName(best.plan)} with ${best.topology}: ${money(best.monthly, best.plan.currency)} a month for ${count(goal.rate)} requests a second ` +
    `at a p99 of ${micros(goal.p99Ms)} ms, each instance good for ${perInstance(best)}.`
}

/**
 * @param {Sizing} sizing
 * @param {Style} style
 * @returns {string[][]} sections, each of lines
 */
export const sizingText = (sizing, style) => [
  [style.colors.bold(`Capacity: the highest rate with a p99 of ${micros(sizing.goal.p99Ms)} ms or less`), ...capacityTable(sizing, style)],
  sentences(sizing).flatMap(text => wrap(text, style.columns, { first: '- ' })),
  [style.colors.bold(`Plans for ${count(sizing.goal.rate)} requests a second, the cheapest first`), ...planTable(sizing, style), ...planWords(sizing, MOST_ROWS).flatMap(text => wrap(text, style.columns, { first: '- ' }))],
  verified(sizing, style)
].filter(lines => lines.length > 0)

/** What a topology is called in a table that has no room for its name. @param {number} i */
const letter = i => String.fromCharCode(65 + i % 26)

/** @param {Sizing} sizing @param {Style} style */
function capacityTable ({ topologies }, style) {
  const widths = [7, 16, 8, 8, 7, 6]
  const named = topologies.map(({ word }, i) => topologies.length > 1 ? `${letter(i)} ${word}` : word)
  const name = nameWidth(named, style.columns - widths.reduce((a, b) => a + b) - 2 * widths.length)
  return draw(['topology', 'req/s', 'found again', 'p50 idle', 'p99 idle', 'peak', 'MiB'], topologies.map(({ capacity, floor, peak, memoryMiB }, i) => [
    named[i], `${capacity.atLeast ? '≥ ' : ''}${rate(capacity.rate)}`, `${rate(capacity.low)} to ${rate(capacity.high)}`, `${micros(floor.p50Ms)} ms`, `${micros(floor.p99Ms)} ms`, rate(peak), count(Math.round(memoryMiB))
  ]), [name, ...widths], 'lrrrrrr', style)
}

/**
 * What the measurement says beside its tables.
 * @param {Sizing} sizing
 * @returns {string[]}
 */
export function sentences ({ topologies, scaling = [] }) {
  return [...topologies.flatMap(({ word, growth, capacity, trials }) => {
    const [few, many] = [growth.connections[0], growth.connections.at(-1)]
    return [
      ...capacity.atLeast ? [`${word} can do more: the load generator could not go further.`] : [],
      ...few && many && few !== many ? [`${word}: in a closed loop a request costs ${micros(few.micros)} µs of CPU with ${few.x} connections and ${micros(many.micros)} µs with ${many.x}.`] : [],
      ...growth.perKiB !== null ? [`${word}: each KiB of an answer costs ${micros(growth.perKiB)} µs more.`] : [],
      `${word}: found in ${count(trials.length)} trials, ${count(trials.filter(({ holds }) => holds).length)} of which held the goal.`
    ]
  }), ...scaling.map(scalingSentence)]
}

/** @param {Sizing['scaling'][number]} scaling */
const scalingSentence = ({ family, points, usl, predicted: { n, x, low, high } }) =>
  `${family}: fitted to N = ${listing(points.map(point => count(point.n)))}, of each further process ${percent(usl.sigma)} is lost to waiting and ${percent(usl.kappa)} to each other; ` +
  `${count(n)} would serve ${rate(x)} (${rate(low)} to ${rate(high)}), and of more nothing is told.`

/** @param {Sizing} sizing @param {Style} style */
function planTable ({ table, topologies }, style) {
  const told = table.filter(({ instances }) => instances !== null)
  if (told.length === 0) return ['None of which anything can be told.']
  const several = topologies.length > 1
  const head = ['plan', ...several ? [''] : [], 'each', 'instances', 'a month', 'per 1,000', 'processes']
  const numbers = [...several ? [1] : [], 8, 9, 8, 9, 9]
  const name = nameWidth(told.map(({ plan }) => planName(plan)), style.columns - numbers.reduce((a, b) => a + b) - 2 * numbers.length)
  return draw(head, told.slice(0, MOST_ROWS).map(row => [
    planName(row.plan), ...several ? [letter(topologies.findIndex(({ word }) => word === row.topology))] : [], perInstance(row), count(row.instances), money(row.monthly, row.plan.currency), money(row.perThousand, row.plan.currency), workersText(row)
  ]), [name, ...numbers], `l${several ? 'l' : ''}rrrrr`, style)
}

/**
 * What the table stands on.
 * @param {Sizing} sizing
 * @param {number} [shown] rows; left out: all of them
 * @returns {string[]}
 */
export function planWords ({ goal, table, emulation, verification }, shown = Infinity) {
  const told = table.filter(({ instances }) => instances !== null)
  const shares = told.flatMap(({ usable }) => usable ?? [])
  return [
    `${percent(goal.headroom)} of each instance's capacity is kept free, and there are ${goal.fewestInstances} instances at least. each: requests a second at the goal; per 1,000: the price a month of 1,000 req/s at the goal, before both.`,
    'processes: WEB_CONCURRENCY by the memory measured and the plan\'s cores; behind "not", what the rule of a process for each 512 MB would set.',
    ...told.some(({ atLeast }) => atLeast) ? ['≥: the plan has more cores than this machine could give, or the generator could not go further: it may be more.'] : [],
    ...told.some(({ limit }) => limit === 'quota') && !verification ? ['A plan\'s share of a core is reckoned with by the CPU time that requests cost, on this machine\'s cores: --verify tries it.'] : [],
    ...shares.length > 0 ? [`Of a plan's share of a core ${range(Math.min(...shares), Math.max(...shares))} can be used: CPU time is used unevenly, and what comes when a period's share is gone waits for the next.`] : [],
    ...told.length > shown ? [`${told.length - shown} more are on the report page.`] : [],
    ...untoldSentences(table),
    ...emulation.version === null ? [`Limits cannot be set on this machine (${emulation.why}): the table stands on the model alone.`] : []
  ]
}

/** @param {number} least @param {number} most */
const range = (least, most) => percent(least) === percent(most) ? percent(least) : `${percent(least)} to ${percent(most)}`

/** @param {Row[]} table */
function untoldSentences (table) {
  const untold = table.filter(({ instances }) => instances === null)
  return [...new Set(untold.map(({ why }) => why))].map(why => `Left out: ${listing([...new Set(untold.filter(row => row.why === why).map(({ plan }) => planName(plan)))])}, since ${why}.`)
}

/** @param {Sizing} sizing @param {Style} style */
function verified ({ verification, goal }, style) {
  if (!verification) return []
  return [style.colors.bold('Verified'), ...wrap(verificationSentence(verification, goal), style.columns)]
}

/**
 * @param {NonNullable<Sizing['verification']>} verification
 * @param {Sizing['goal']} goal
 */
export function verificationSentence ({ plan, topology, rate: share, seconds, holds, why, latencyMs, limits }, goal) {
  const throttled = `CPU time ran out in ${count(limits.throttledPeriods)} of ${count(limits.periods)} periods of 100 ms, for ${micros(limits.throttledSeconds * 1000)} ms in all`
  const outcome = holds ? `the goal of ${micros(goal.p99Ms)} ms holds` : `the goal of ${micros(goal.p99Ms)} ms does not hold: ${why}`
  return `One instance of ${topology} under the limits of ${plan}, ${rate(share)} requests a second for ${count(seconds)} s: p50 ${micros(latencyMs?.p50)} ms, p99 ${micros(latencyMs?.p99)} ms; ${outcome}. ` +
    `${throttled}; the kernel counted ${count(Math.round(limits.memoryPeakMiB))} MiB at most${limits.oomKills > 0 ? `, and ${count(limits.oomKills)} processes were ended for want of memory` : ''}.`
}

/**
 * The plans there are, and where their figures come from.
 * @param {Plan[]} plans
 * @param {{ columns?: number }} [options]
 */
export function plansText (plans, { columns = 80 } = {}) {
  const style = { columns: Math.max(40, columns), colors: pc.createColors(false) }
  const widths = [6, 8, 9, 10]
  const name = nameWidth(plans.map(planName), style.columns - widths.reduce((a, b) => a + b) - 2 * widths.length)
  const sources = [...new Set(plans.map(({ source, date, provider }) => `${provider}: ${source}, ${date}`))]
  return [
    ...draw(['plan', 'vCPU', 'MiB', 'a month', 'read on'], plans.map(plan => [
      planName(plan), plan.vcpu === null ? NONE : String(plan.vcpu), count(plan.memoryMiB), money(plan.price, plan.currency), plan.date
    ]), [name, ...widths], 'lrrrr', style),
    '',
    ...sources.flatMap(text => wrap(text, style.columns, { first: '- ' }))
  ].join('\n') + '\n'
}
