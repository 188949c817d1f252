/** A sizing as text: capacity at the goal, offerings with instances and prices, verification. */
import { listFleets } from '../judge/fleet/size-fleets.js'
import { cheapestOfEach, isFirm, listHeadlines, offeringName } from '../judge/offering-choice.js'
import { hasTls } from '../plan/predicates.js'
import { count, duration, listing, micros, percent, rate } from '../shared/format.js'
import { toInFlight } from '../shared/little.js'
import { printSizingWhy } from './facts/sizing-texts.js'
import { textTable, titledTable } from './table.js'
import { headlineSentences, openClasses, rangeSentence } from './sizing-answer.js'
import { capacityTable, isUncertain, money, pricesTable, readOn } from './tables/sizing.js'
import { briefVerification, verificationSentences } from './verification-text.js'
import { compact, titled, wrap, wrapItems } from './wrap.js'

/** @import { PriceRow, SizedTopology, Sizing, Soak } from '../types.js' */
/** @import { Style } from './wrap.js' */

const MOST_ROWS = 15 // Rows in a terminal. The page and the JSON have all of them.

/** Offerings in the short report: those of the answer, and as many others. */
const MOST_ROWS_IN_BRIEF = 8

/**
 * Prints the tables of a sizing without their notes.
 * @param {Sizing} sizing
 * @param {Style} style
 * @returns {string[][]} sections, each of lines
 */
export function sizingBrief (sizing, style) {
  const rows = chooseRows(sizing, MOST_ROWS_IN_BRIEF)
  return [
    headlineSection(sizing, style),
    capacitySection(sizing, style),
    [
      ...titledTable(offeringsTitle(sizing), pricesTable({ ...sizing, table: rows }), style),
      ...wrapItems(compact([smallSentence(rows), markSentence(rows), tlsMarkSentence(rows)]), style)
    ],
    titled('Verified', wrap(briefVerification(sizing), style.columns), style)
  ]
}

/** Sources of the figures of an answer. The command has an item of its own, so that it stays on one line. */
const SOURCES = [
  'Formula and model: docs/sizing.md.', 'Address and day of each price: npm run hopbench -- size --list'
]

/** @type {(sizing: Sizing, style: Style) => string[]} */
function headlineSection (sizing, style) {
  const sentences = headlineSentences(sizing)
  return titled(`The cheapest of each class${listFleets(sizing).length > 0 ? ', in one zone' : ''}`,
    wrapItems(sentences.length > 0 ? [...sentences, ...SOURCES] : [], style), style)
}

/** @type {(sizing: Sizing, style: Style) => string[]} */
const capacitySection = (sizing, style) =>
  titledTable(`Capacity: the highest rate with a p99 of ${micros(sizing.goal.p99Ms)} ms or less`,
    capacityTable(sizing), style)

/** @param {Sizing} sizing */
const offeringsTitle = ({ goal }) =>
  `Offerings for ${count(goal.rate)} requests a second, the cheapest with traffic first`

/**
 * @param {Sizing} sizing
 * @param {Style} style
 * @returns {string[][]} sections, each of lines
 */
export function sizingText (sizing, style) {
  const shown = chooseRows(sizing, MOST_ROWS)
  const offerings = shown.length === 0
    ? ['There is no estimate for any offering.']
    : textTable(pricesTable({ ...sizing, table: shown }), style)
  const notes = compact([markSentence(shown), tlsMarkSentence(shown), ...priceSentences(sizing, shown.length)])
  return [
    headlineSection(sizing, style),
    capacitySection(sizing, style),
    wrapItems(capacitySentences(sizing), style),
    titled(offeringsTitle(sizing), [...offerings, ...wrapItems(notes, style)], style),
    titled('Verified', wrap(verificationSentences(sizing), style.columns), style)
  ]
}

/**
 * Returns the measurements that the tables do not show.
 * @param {Sizing} sizing
 * @returns {string[]}
 */
export const capacitySentences = ({ goal: { confidence, p99Ms }, table, topologies, scaling = [] }) => [
  `The capacity is the rate at which ${confidence === 0.5 ? 'half' : percent(confidence)} of the 3 s windows meet ` +
    `the goal${confidence === 0.5 ? ' (--confidence 95% requires more)' : ''}.`,
  ...topologies.flatMap(topologySentences),
  ...topologies.map(topology => inFlightSentence(topology, p99Ms)),
  ...compareTopologies(topologies, table),
  ...scaling.map(scalingSentence)
]

/** @param {SizedTopology} topology */
function topologySentences ({ spec, growth, capacity, trials, curve, soak }) {
  const disturbed = curve.filter(point => point.disturbed).map(({ share }) => percent(share))
  const [fewest, most] = [growth.connections[0], growth.connections.at(-1)]
  const sentences = compact([
    capacity.atLeast && 'the capacity may be higher, because the load generator was the bottleneck.',
    fewest && most && fewest !== most &&
      `in a closed loop a request costs ${micros(fewest.micros)} µs of CPU with ${fewest.x} connections and ` +
      `${micros(most.micros)} µs with ${most.x}.`,
    growth.perKiB !== null && `each KiB of a response costs ${micros(growth.perKiB)} µs more.`,
    `found in ${count(trials.length)} trials, of which ${count(trials.filter(({ holds }) => holds).length)} met the ` +
      'goal.',
    disturbed.length > 0 && `at ${listing(disturbed)} of its capacity the machine was disturbed: more load was faster.`,
    soak && soakSentence(soak)
  ])
  return sentences.map(sentence => `${spec}: ${sentence}`)
}

/**
 * @param {SizedTopology} topology
 * @param {number} p99Ms the goal
 */
function inFlightSentence ({ spec, capacity, curve }, p99Ms) {
  const busy = curve.findLast(({ invalid }) => invalid === null)
  const measured = busy?.latencyMs
    ? `, and ${count(toInFlight(busy.rate, busy.latencyMs.p90))} at ${percent(busy.share)} of it by the p90 there`
    : ''
  return `${spec}: at its capacity ${count(toInFlight(capacity.rate, p99Ms))} requests are in flight if each takes ` +
    `as long as the goal${measured}. Kits for Fly.io limit an instance so, at the capacity of its offering.`
}

/** @param {Soak} soak */
function soakSentence ({ seconds, slope, low, high, leaks }) {
  const interval = low === null || high === null
    ? 'too few readings for an interval'
    : `${micros(low)} to ${micros(high)}`
  return `in ${duration(seconds)} at half its capacity memory grew by ${micros(slope)} MiB an hour (${interval})` +
    `${leaks ? ': it leaks' : ''}.`
}

/**
 * Compares each topology with a proxy to the same server without the proxy, on one offering: the cheapest firm one of
 * the server alone that serves both, else the cheapest one.
 * @param {SizedTopology[]} topologies
 * @param {PriceRow[]} table the cheapest first
 */
const compareTopologies = (topologies, table) => topologies.flatMap(({ spec, topology }) => {
  const alone = topologies.find(other => topology.proxy && !other.topology.proxy && spec.endsWith(`/${other.spec}`))
  if (!alone) return []
  const pairs = table.filter(row => row.topology === alone.spec && row.monthly !== null).flatMap(bare => {
    const proxied = table.find(row =>
      row.topology === spec && offeringName(row.offering) === offeringName(bare.offering) && row.monthly !== null)
    return proxied ? [{ proxied, bare }] : []
  })
  const pair = pairs.find(({ bare, proxied }) => isFirm(bare) && isFirm(proxied)) ?? pairs[0]
  if (!pair) return []
  const { proxied, bare } = pair
  return [`${spec.slice(0, -alone.spec.length - 1)} in front of ${alone.spec} ${costDifference(proxied, bare)} on ` +
    `${offeringName(bare.offering)}: ${count(proxied.instances)} instead of ${count(bare.instances)} instances.`]
})

/**
 * @param {PriceRow} proxied
 * @param {PriceRow} bare on the same offering
 */
function costDifference (proxied, bare) {
  const more = Number(proxied.total ?? proxied.monthly) - Number(bare.total ?? bare.monthly)
  if (Math.abs(more) < 0.005) return 'costs as much'
  return `${more > 0 ? 'costs' : 'saves'} ${money(Math.abs(more), proxied.offering.currency)} a month`
}

/** @param {Sizing['scaling'][number]} scaling */
function scalingSentence ({ family, points, usl, predicted, refused }) {
  const numbers = listing(points.map(point => count(point.n)))
  if (!usl || !predicted) {
    return `${family}: no estimate for more processes from N = ${numbers}: ${printSizingWhy(refused)}.`
  }
  const { n, x, low, high } = predicted
  return `${family}: fitted to N = ${numbers}, of each further process ` +
    `${percent(usl.sigma)} is lost to contention and ${percent(usl.kappa)} to coherency; ` +
    `${count(n)} would serve ${rate(x)} (${rate(low)} to ${rate(high)}), with no estimate beyond that.`
}

/**
 * Returns the rows for a terminal: all offerings that fit, else those of the answer and the cheapest of each provider.
 * @param {Pick<Sizing, 'table'>} sizing
 * @param {number} most
 */
function chooseRows ({ table }, most) {
  const possible = table.filter(({ instances }) => instances !== null)
  if (possible.length <= most) return possible
  const named = listHeadlines(table).map(({ row }) => row)
  const chosen = [...new Set([...named, ...cheapestOfEach(possible)])].slice(0, most)
  return possible.filter(row => chosen.includes(row))
}

/**
 * Explains the columns of the table of offerings and lists its assumptions.
 * @param {Sizing} sizing
 * @param {number} [shown] rows that are printed; default: all
 * @returns {string[]}
 */
export function priceSentences ({ goal, table, topologies, emulation, verification }, shown = Infinity) {
  const possible = table.filter(({ instances }) => instances !== null)
  const isCapped = possible.some(({ limit }) => limit === 'quota')
  return compact([
    `There are at least ${goal.fewestInstances} instances. each: requests a second at the goal.`,
    'a month: instances, traffic to the internet, and balancers or subscriptions that are needed; + ?: the price of ' +
    'traffic or the size of a response is unknown. Databases, logs and taxes are not included.',
    ...topologies.map(topology => tlsSentence(topology, goal)),
    rangeSentence(possible),
    smallSentence(possible),
    ...openClasses(possible),
    'processes: WEB_CONCURRENCY by the measured memory and the cores of the offering; after "not": the rule of one ' +
    'process for each 512 MB.',
    possible.some(({ atLeast }) => atLeast) &&
      '≥: lower bound, because the offering has more cores than this machine, or the generator was the bottleneck.',
    isCapped && !verification &&
      "An offering's share of a core is estimated from the CPU time of requests on the cores of this machine: " +
      '--verify tests it.',
    possible.some(({ offering }) => offering.vcpu === null) &&
      'Where the provider promises no CPU, a range is assumed. The report page lists its source; --assume-vcpu ' +
      'replaces it.',
    oldSentence(possible),
    usableSentence(possible),
    possible.length > shown &&
      `Those of the answer, and the cheapest of each provider; ${possible.length - shown} more are on the report page.`,
    ...excludedSentences(table),
    emulation.version === null &&
      `Limits cannot be set on this machine (${emulation.why}): the table is based on the model alone.`
  ])
}

/**
 * @param {SizedTopology} topology
 * @param {Sizing['goal']} goal
 */
function tlsSentence ({ spec, topology, tls }, { newConnections }) {
  if (hasTls(topology)) {
    return `${spec}: TLS is in every row, on kept connections, and --new-connections changes no row.`
  }
  if (!tls || newConnections === undefined) return `${spec}: TLS is not included; platforms end it at their router.`
  return `${spec}: virtual machines end TLS themselves, which costs ${micros(tls.requestMicros)} µs of CPU a request ` +
    `and ${micros(tls.handshakeMicros)} µs a connection, new for ${percent(newConnections)} of the requests.`
}

/** @param {PriceRow[]} rows */
const smallSentence = rows => rows.some(isUncertain) &&
  '*: at an eighth of a core or less the estimate is often wrong by a quarter: measure it there.'

/**
 * Explains the marks of offerings that an answer names only where its class has no other.
 * @param {PriceRow[]} rows
 */
function markSentence (rows) {
  const marks = compact([
    rows.some(({ offering }) => offering.vcpu === null) && '†: the provider promises no CPU, and a range is assumed',
    rows.some(({ offering }) => offering.secondary) && '‡: a third party quotes a figure',
    rows.some(({ offering }) => offering.closed) && '§: closed to new customers'
  ])
  return marks.length > 0 && `${marks.join('; ')}. The answer prefers offerings without these marks.`
}

/** @param {PriceRow[]} rows */
const tlsMarkSentence = rows => rows.some(({ withoutTls }) => withoutTls) &&
  '¶: TLS is not included. A virtual machine ends it itself, and its cost was not measured.'

/** @param {PriceRow[]} rows */
function oldSentence (rows) {
  const old = rows.filter(row => row.old)
  const providers = [...new Set(old.map(({ offering }) => `${offering.provider} (${readOn(offering)})`))]
  return providers.length > 0 &&
    `Look up before you buy: the figures of ${listing(providers)} are older than 180 days or of an unknown day.`
}

/** @param {PriceRow[]} rows */
function usableSentence (rows) {
  const shares = rows.flatMap(({ usable }) => usable ?? [])
  if (shares.length === 0) return null
  const range = [...new Set([Math.min(...shares), Math.max(...shares)].map(percent))].join(' to ')
  return `${range} of an offering's share of a core can be used, because CPU time is used unevenly: requests that ` +
    'arrive after the share of a period is used up wait for the next period. Node starts four V8 threads on any ' +
    'offering (--v8-pool-size), and their parallel garbage collections use the share up, too.'
}

/** @param {PriceRow[]} table */
function excludedSentences (table) {
  const excluded = table.filter(({ instances }) => instances === null)
  return [...new Set(excluded.map(({ why }) => printSizingWhy(why)))].map(why => {
    const rows = excluded.filter(row => printSizingWhy(row.why) === why)
    const hasOther = (/** @type {PriceRow} */ { offering: { provider } }) =>
      table.some(row => row.offering.provider === provider && !rows.includes(row))
    const names = new Set(rows.map(row =>
      hasOther(row) ? offeringName(row.offering) : `all of ${row.offering.provider}`))
    return `Excluded: ${listing([...names])}, because ${why}.`
  })
}
