/** Report of a sizing: the only code that reads the fields of `record.sizing` for an output (pure). */
import { ZONES, planFleets } from './fleet/plan-fleet.js'
import {
  TOLERANCE, cheapestOfEach, className, findBest, hasOpenRange, hasWideRange, isFirm, listHeadlines, listOpenClasses,
  listUndominated, offeringName
} from './prices/offering-choice.js'
import { toUnits } from './prices/currency.js'
import { limitInFlight, toCertainty } from './prices/emulated-rows.js'
import { shellWord } from '../../errors.js'
import { hasTls } from '../../plan/predicates.js'
import { isForeign, stateCode } from '../../plan/foreign.js'
import { isOwn } from '../../plan/spec.js'
import { finishAnswer } from '../../report/answer.js'
import { printRecord, withText } from '../../report/facts/facts.js'
import latency, { latencySections, loadChart } from '../../report/kinds/latency.js'
import { getSeconds } from '../../report/sentences/run-sentences.js'
import { column } from '../../report/table.js'
import { withoutCommand } from '../../report/winner.js'
import { compact } from '../../report/wrap.js'
import { IN_CLONE } from '../../shared/commands.js'
import { NONE, count, duration, listing, micros, money, percent, plural, rate } from '../../shared/format.js'
import { groupBy } from '../../shared/group-by.js'
import { getRelease } from '../../shared/releases.js'
import { MONTH_HOURS } from '../../shared/units.js'
import { toInFlight } from './little.js'
import {
  headline, instancesText, limitsText, loadText, longOffer, priceCell, readOn, remarksText, scalingText,
  signedCpu, signedName, signsSentence, speedSentences, splitText, trafficOrderText, trafficText
} from './prices/offering-words.js'
import { emulatedSentences } from './prices/emulated-words.js'
import { printReasonsOf, printSizingWhy } from './why-words.js'

/** @import { Column, CommandBlock, CurvePoint, Kind, Metric, PriceRow, RunRecord, Section } from '../../types.js' */
/** @import { SizedTopology, Sizing, Soak, Table, Emulated } from '../../types.js' */
/** @import { BalancerLimit } from './fleet/plan-fleet.js' */
/** @import { FleetPlan } from './fleet/plan-fleet.js' */

/**
 * Names a class whose fleet --max or the provider does not permit.
 * @param {FleetPlan} fleet
 * @returns {string[]} one sentence; empty: the limits permit it
 */
const refusedSentence = ({ offering, instances, why }) => why === null
  ? []
  : [`Left out as a fleet: ${className(offering)} ${count(instances)} × ${offeringName(offering)} over ` +
      `${ZONES} zones, because ${printSizingWhy(why)}.`]

/**
 * @param {FleetPlan[]} plans empty below 100,000 requests a second
 * @param {Sizing['goal']} goal
 * @returns {Section}
 */
function fleetSection (plans, { headroom }) {
  const fleets = plans.filter(({ why }) => why === null)
  /** @type {Table<FleetPlan>} */
  const table = {
    rows: fleets,
    columns: [
      column('offering', ({ offering }) => offeringName(offering), { left: true }),
      column('a zone', ({ perZone }) => count(perZone)),
      column('instances', instancesText, { width: 9 }),
      column('in flight', ({ inFlight }) => count(inFlight)),
      column('each', ({ inFlightEach }) => count(inFlightEach)),
      column('a month', fleet => priceCell(fleet, { isRounded: true }), { width: 13 }),
      column('of it traffic', ({ egress, offering: { currency } }) =>
        egress === null ? '?' : money(Math.round(egress), currency))
    ]
  }
  const refused = plans.flatMap(refusedSentence)
  const free = `At least ${percent(headroom)} of the capacity is free, also while a zone is lost.`
  return {
    id: 'fleet',
    title: 'As a fleet: one zone of three may be lost',
    blocks: fleets.length === 0
      ? refused
      : [table, ...refused, ...columnSentences(fleets[0]), free, ...balancerSentences(fleets[0])],
    brief: fleets.length === 0 ? refused : [table, ...refused, IN_FLIGHT, free]
  }
}

const IN_FLIGHT = 'in flight: requests at once, by Little\'s law; each: towards one instance while a zone is lost.'

/**
 * Explains the columns, and the connections and ports towards each hop.
 * @param {FleetPlan} fleet
 */
const columnSentences = ({ instances, ports, addresses, offering }) => [
  `${IN_FLIGHT} There are at least as many connections from the balancers to the instances. A total contains the ` +
  'balancers of a virtual machine where the provider publishes their price; traffic between zones is not included.',
  `A balancer's address has ${count(ports)} ports towards one instance. With a connection for each request a port ` +
  `is occupied for 60 s afterwards, so that balancers in front of ${count(instances)} × ${offeringName(offering)} ` +
  `need ${addresses === 1 ? 'one address' : `${count(addresses)} addresses`}; with kept connections one is enough.`
]

/**
 * Compares the load of the smallest fleet with the published limits of balancers.
 * @param {FleetPlan} fleet
 */
const balancerSentences = ({ balancers }) => balancers.map(({ limit, nodes, fits, monthly }) => {
  const { name, rps, connections, gbits, targets, isMeasured, url, dated } = limit
  const limits = compact([
    !!rps && `${count(rps)} requests a second`,
    !!connections && `${count(connections)} connections`,
    !!gbits && `${count(gbits)} Gbit/s`,
    !!targets && `${count(targets)} targets by default`
  ])
  const per = limit.nodes && limit.nodes > 1 ? ` for each of up to ${count(limit.nodes)} nodes` : ''
  const need = fits ? `${nodes === 1 ? 'one is' : `${count(nodes)} are`} enough by these figures` : 'too small'
  return `${name}: ${listing(limits)}${per}${isMeasured ? ', as its makers measured' : ''}: ${need} ` +
    `(${url}, ${dated ?? 'without a day'})${fits && !isMeasured ? balancerPrice(limit, monthly) : ''}.`
})

/**
 * @param {BalancerLimit} limit
 * @param {{ total: number } | null} monthly
 */
function balancerPrice ({ price }, monthly) {
  if (!price || !monthly) return '; no price of today could be read'
  const units = price.unit ? ', by hours, and by the dearer of connections and data' : ''
  const quoted = price.secondary ? ', quoted by a third party' : ''
  return `; $${count(Math.round(monthly.total))} a month${units} (${price.url}, ${price.read}${quoted})`
}

/** Rows of offerings in a terminal. The page and the JSON have all of them. */
const MAX_ROWS = 15
/** Rows of offerings in the short report: those of the answer, and as many others. */
const MAX_ROWS_IN_BRIEF = 8

/** Kits for the platforms of providers. An offering of another provider runs an image. */
const KITS = new Map([['Fly.io', 'fly'], ['Heroku', 'heroku'], ['Render', 'render']])

/** Before the answer of a sizing that has not ended. */
export const INTERRUPTED = 'The sizing was interrupted.'

/** @type {Kind<RunRecord & { sizing: Sizing }>} */
export default {
  ...latency,
  kind: 'sizing',
  answer: record => finishAnswer(record, { text: answerSizing(record.sizing) }, INTERRUPTED),
  sections: record => [
    ...listSections(record.sizing),
    // The short report has the capacity in place of the response times.
    ...latencySections(record, { goal: record.sizing.goal.p99Ms, share: 'of capacity', hasLag: false })
      .map(({ brief, ...section }) => section)
  ],
  end: record => endSentence(record, record.sizing.topologies),
  next: ({ sizing, plan }, run) => listKitCommands(sizing, run, isForeign(plan)),
  mainChart: record => loadChart(record, record.sizing.goal.p99Ms),
  metrics: record => [...listMetrics(record.sizing), ...latency.metrics(record)],
  printFacts: record => ({ ...printRecord(record), sizing: printSizing(record.sizing) })
}

/**
 * Reports how many trials were made, and how long they took.
 * @param {RunRecord} record
 * @param {{ trials: unknown[], curve: unknown[] }[]} measured
 */
export function endSentence (record, measured) {
  const trials = measured.reduce((sum, { trials, curve }) => sum + trials.length + curve.length, 0)
  return `${plural(trials, 'trial')} in ${duration(getSeconds(record))}` +
    `${record.ended === 'interrupted' ? ', interrupted' : ''}. Seed ${record.plan.seed}.`
}

/**
 * Returns the command that writes a kit for the recommended offering, if an app of the user's own was sized.
 * @param {Sizing} sizing
 * @param {string} run as a word of a shell
 * @param {boolean} foreign whether this account has not made the run here
 * @returns {CommandBlock[]} one at most
 */
function listKitCommands ({ table, topologies }, run, foreign) {
  const best = findBest(table)
  const sized = topologies.find(({ spec }) => spec === best?.topology)
  const { proxy, server } = sized?.topology ?? {}
  if (!best || !sized || !server || !isOwn(server) || (proxy && getRelease(proxy))) return []
  const statement = foreign ? stateCode([sized]) : null
  if (statement !== null) return [{ label: 'Kit', sentence: withoutCommand(statement), command: [] }]
  const target = KITS.get(best.offering.provider) ?? 'docker'
  return [{
    label: 'Kit',
    sentence: 'Its kit:',
    command: [
      `${IN_CLONE} config ${shellWord(best.topology)}`,
      `--from ${run} --target ${target}`,
      `--plan ${shellWord(offeringName(best.offering))}`
    ]
  }]
}

/**
 * Lists the capacities as plain numbers.
 * @param {Sizing} sizing
 * @returns {Metric[]}
 */
const listMetrics = ({ topologies }) => topologies.map(({ spec, capacity: { rate: value, low, high } }) =>
  ({ subject: spec, measure: 'capacity', unit: 'req/s', better: 'bigger', value, low, high }))

/**
 * Adds texts to all reasons in a sizing.
 * @param {Sizing} sizing
 */
const printSizing = sizing => ({
  ...sizing,
  topologies: sizing.topologies.map(topology => ({
    ...topology,
    trials: topology.trials.map(printWhy),
    curve: topology.curve.map(point => ({ ...point, invalid: withText(point.invalid) }))
  })),
  table: sizing.table.map(printWhy),
  ...sizing.refuted && { refuted: sizing.refuted.map(printWhy) },
  ...sizing.emulated && { emulated: sizing.emulated.map(printWhy) },
  scaling: sizing.scaling?.map(family =>
    family.refused ? { ...family, refused: { ...family.refused, text: printSizingWhy(family.refused) } } : family)
})

/**
 * Adds its text to the reason in a part of a sizing.
 * @template {{ why: Emulated['why'] }} T
 * @param {T} part
 */
const printWhy = part => part.why ? { ...part, why: { ...part.why, text: printSizingWhy(part.why) } } : part

/**
 * Returns the offering to buy in a sentence: the cheapest firm one, or without a firm one the cheapest with its
 * reservations. Offerings are fleets over several zones from 100,000 requests a second.
 * @param {Sizing} sizing
 */
export function answerSizing (sizing) {
  const { goal, table, topologies } = sizing
  if (topologies.length === 0) return 'There is no valid measurement.'
  const best = findBest(table)
  if (!best) return `No offering can be recommended: ${printReasonsOf(table) || 'the table is empty'}.`
  const plans = planFleets(sizing)
  const [fleet] = plans.filter(({ why }) => why === null).sort((a, b) => toUnits(a) - toUnits(b))
  const row = fleet ?? best
  const answer = headline(row, {
    load: loadText(goal),
    certainty: fleet ? 'estimated' : toCertainty(best, sizing),
    ...topologies.length > 1 && { topology: row.topology },
    ...fleet && { zones: ZONES }
  })
  return [answer, ...plans.flatMap(refusedSentence)].join(' ')
}

/**
 * Prints the memory of a topology under load and that added for drivers and agents: "76 + 128 MiB".
 * @param {Pick<SizedTopology, 'spec' | 'memoryMiB'>} topology
 * @param {Sizing['goal']} goal
 */
function memoryText ({ spec, memoryMiB }, { memoryExtraMiB = {} }) {
  const extra = memoryExtraMiB[spec]
  return `${count(Math.round(memoryMiB))}${extra ? ` + ${count(extra)}` : ''} MiB`
}

/**
 * @param {Sizing} sizing
 * @returns {Section[]}
 */
export function listSections (sizing) {
  const { goal, table, topologies } = sizing
  const plans = planFleets(sizing)
  const capacities = capacityTable(sizing)
  const possible = listUndominated(table.filter(({ instances }) => instances !== null))
  const [shown, shownInBrief] = [MAX_ROWS, MAX_ROWS_IN_BRIEF].map(most => chooseRows(possible, most))
  const columns = priceColumns(topologies)
  return [
    {
      id: 'classes',
      title: `The cheapest of each class${plans.some(({ why }) => why === null) ? ', in one zone' : ''}`,
      blocks: headlineSentences(sizing),
      brief: true
    },
    {
      id: 'capacity',
      title: `Capacity with a p99 of ${micros(goal.p99Ms)} ms or less`,
      blocks: [capacities, ...capacitySentences(sizing)],
      brief: [capacities]
    },
    {
      id: 'plans',
      title: `Offerings for ${count(goal.rate)} requests a second, the cheapest with traffic first`,
      blocks: [
        ...possible.length > 0 ? [{ columns, rows: possible, shown }] : ['There is no estimate for any offering.'],
        ...signsSentence(possible),
        ...priceSentences(sizing, possible)
      ],
      brief: [{ columns, rows: shownInBrief }, ...signsSentence(shownInBrief)]
    },
    {
      id: 'emulated',
      title: 'Emulated here',
      blocks: emulatedSentences(sizing),
      brief: emulatedSentences(sizing, sizing.emulated?.slice(-1))
    },
    fleetSection(plans, goal),
    {
      id: 'further-prices',
      title: 'Further figures of the offerings',
      blocks: [{ columns: furtherPriceColumns(topologies), rows: table }]
    },
    {
      id: 'offering-facts',
      title: 'Sources and conditions of the offerings',
      blocks: [{ columns: FACT_COLUMNS, rows: table }]
    },
    {
      id: 'offering-limits',
      title: 'Limits of the offerings',
      blocks: [{ columns: LIMIT_COLUMNS, rows: table }]
    },
    { id: 'capacity-steps', title: 'Response time at shares of the capacity', blocks: [curveTable(topologies)] },
    trialsSection(topologies)
  ]
}

/**
 * Returns the offering of each class with its bill, the topologies with their memory and traffic, and the margins.
 * @param {Sizing} sizing
 * @returns {string[]}
 */
function headlineSentences (sizing) {
  const { goal, table, topologies } = sizing
  const headlines = listHeadlines(table)
  const best = findBest(table)
  if (!best) return []
  return compact([
    splitText(best),
    ...headlines.map(({ name, row }) => {
      const inFlight = limitInFlight(row, sizing)
      return `${name}${isFirm(row) ? '' : ', with reservations'}: ${longOffer(row)}` +
        `${topologies.length > 1 ? ` with ${row.topology}` : ''}, each serves ${eachText(row)} req/s` +
        `${inFlight === null ? '' : ` with ${plural(inFlight, 'request')} in flight at most`}.`
    }),
    ...topologies.filter(({ spec }) => headlines.some(({ row }) => row.topology === spec)).map(topology => {
      const traffic = trafficText(topology, goal)
      return `${topology.spec}: ${memoryText(topology, goal)} under load` +
        `${goal.memoryExtraMiB?.[topology.spec] ? ' and for drivers and agents' : ''}${traffic ? `; ${traffic}` : ''}.`
    }),
    trafficOrderText(headlines.map(({ row }) => row)),
    `A month is ${MONTH_HOURS} hours of ${loadText(goal)}; --profile sets the load over a day.`,
    `${spareSentence(goal)} Databases, logs and taxes are not included.`,
    'Formula and model: docs/sizing.md.',
    'Address and day of each price: npm run hopbench -- size --list'
  ])
}

/**
 * Names the margins that the numbers of instances contain.
 * @param {Pick<Sizing['goal'], 'headroom' | 'confidence' | 'spare'>} goal
 */
export function spareSentence ({ headroom, confidence, spare }) {
  const held = confidence > 0.5 ? ` that ${percent(confidence)} of the windows hold` : ''
  const loss = spare === 0 ? 'none is spare' : `losing ${spare === 1 ? 'one' : count(spare)} still meets the goal`
  return `Of each instance, ${percent(headroom)} of the capacity${held} is kept free; ${loss}.`
}

/** Prints the requests per second that an instance serves at the goal. @param {PriceRow} row */
const eachText = ({ perInstance, atLeast }) =>
  perInstance === null ? NONE : `${atLeast ? '≥ ' : ''}${rate(perInstance)}`

/**
 * Returns the letter of a topology, for a table without room for its spec.
 * @param {SizedTopology[]} topologies
 * @param {string} spec
 */
const letterOf = (topologies, spec) =>
  String.fromCharCode(65 + topologies.findIndex(topology => topology.spec === spec) % 26)

/**
 * @param {Sizing} sizing
 * @returns {Table<SizedTopology>}
 */
const capacityTable = ({ topologies }) => ({
  rows: topologies,
  columns: [
    column('topology', ({ spec }) => topologies.length > 1 ? `${letterOf(topologies, spec)} ${spec}` : spec,
      { left: true }),
    column('req/s', ({ capacity }) => `${capacity.atLeast ? '≥ ' : ''}${rate(capacity.rate)}`, { width: 7 }),
    column('over searches', ({ capacity }) => `${rate(capacity.low)} to ${rate(capacity.high)}`, { width: 16 }),
    column({ page: 'trials' }, ({ trials }) => count(trials.length)),
    column('p50 idle', ({ floor }) => `${micros(floor.p50Ms)} ms`, { width: 8 }),
    column('p99 idle', ({ floor }) => `${micros(floor.p99Ms)} ms`, { width: 8 }),
    column('peak', ({ peak }) => rate(peak), { width: 7 }),
    column('MiB', ({ memoryMiB }) => count(Math.round(memoryMiB)), { width: 6 }),
    column({ page: 'MiB a process' }, ({ processMiB }) => count(Math.round(processMiB))),
    column({ page: 'µs a connection' }, ({ growth }) => micros(growth.perConnection)),
    column({ page: 'µs a KiB' }, ({ growth }) => micros(growth.perKiB))
  ]
})

/**
 * Returns the measurements that the tables do not show.
 * @param {Sizing} sizing
 * @returns {string[]}
 */
const capacitySentences = ({ goal: { confidence, p99Ms }, table, topologies, scaling = [] }) => [
  `The capacity is the rate at which ${confidence === 0.5 ? 'half' : percent(confidence)} of the 3 s windows meet ` +
    `the goal${confidence === 0.5 ? ' (--confidence 95% requires more)' : ''}.`,
  ...topologies.flatMap(topology =>
    [...topologySentences(topology), inFlightSentence(topology, p99Ms)].map(text => `${topology.spec}: ${text}`)),
  ...compareTopologies(topologies, table),
  ...scaling.map(scalingSentence)
]

/** @param {SizedTopology} topology */
function topologySentences ({ growth, capacity, trials, curve, memory, soak }) {
  const disturbed = curve.filter(point => point.disturbed).map(({ share }) => percent(share))
  const [fewest, most] = [growth.connections[0], growth.connections.at(-1)]
  return compact([
    capacity.atLeast && 'the capacity may be higher, because the load generator was the bottleneck.',
    fewest && most && fewest !== most &&
      `in a closed loop a request costs ${micros(fewest.micros)} µs of CPU with ${fewest.x} connections and ` +
      `${micros(most.micros)} µs with ${most.x}.`,
    growth.perKiB !== null && `each KiB of a response costs ${micros(growth.perKiB)} µs more.`,
    `found in ${count(trials.length)} trials, of which ${count(trials.filter(({ holds }) => holds).length)} met the ` +
      'goal.',
    disturbed.length > 0 && `at ${listing(disturbed)} of its capacity the machine was disturbed: more load was faster.`,
    laggingSentence(curve),
    memory && memorySentence(memory),
    soak && soakSentence(soak)
  ])
}

/** Smallest share of the points with response times that is enough. */
const ENOUGH_POINTS = 0.5

/**
 * Reports the points that are left out because of the load generator.
 * @param {CurvePoint[]} curve
 */
function laggingSentence (curve) {
  const lagging = curve.filter(point => point.lagging)
  if (lagging.length === 0) return null
  const left = curve.length - lagging.length
  const remedy = left < ENOUGH_POINTS * curve.length && ' Try: a machine with more cores, or with less other work.'
  return `response times at ${listing(lagging.map(({ share }) => percent(share)))} of its capacity are left out, ` +
    `because more than a tenth of them was the delay of the load generator; ${left} of ${curve.length} points ` +
    `remain.${remedy || ''}`
}

/** @param {NonNullable<SizedTopology['memory']>} memory */
function memorySentence ({ seconds, firstMiB, lastMiB, slope, low, high }) {
  const isGrowth = low !== null && low > 0
  const trend = isGrowth
    ? `a growth of ${count(Math.round(slope))} (${count(Math.round(low))} to ${count(Math.round(high ?? slope))}) ` +
      'MiB an hour: --soak 10m looks for a leak'
    : 'no certain growth'
  return `its memory went from ${count(Math.round(firstMiB))} to ${count(Math.round(lastMiB))} MiB in the ` +
    `${count(Math.round(seconds))} s of the sizing, ${trend}.`
}

/**
 * @param {SizedTopology} topology
 * @param {number} p99Ms the goal
 */
function inFlightSentence ({ capacity, curve }, p99Ms) {
  const busy = curve.findLast(({ invalid, latencyMs }) => invalid === null && latencyMs)
  const measured = busy?.latencyMs
    ? `, and ${count(toInFlight(busy.rate, busy.latencyMs.p90))} at ${percent(busy.share)} of it by the p90 there`
    : ''
  return `at its capacity ${count(toInFlight(capacity.rate, p99Ms))} requests are in flight if each takes ` +
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
 * Returns the rows for a terminal: all that fit, else those of the answer and the cheapest of each provider.
 * @param {PriceRow[]} possible the cheapest first
 * @param {number} most
 */
function chooseRows (possible, most) {
  if (possible.length <= most) return possible
  const named = listHeadlines(possible).map(({ row }) => row)
  const chosen = [...new Set([...named, ...cheapestOfEach(possible)])].slice(0, most)
  return possible.filter(row => chosen.includes(row))
}

/** @type {Column<PriceRow>} */
const OFFERING = column({ page: 'offering' }, ({ offering }) => offeringName(offering), { left: true })

/**
 * Returns the page's column of topologies, which is left out if all rows have the same one.
 * @param {SizedTopology[]} topologies
 * @returns {Column<PriceRow>[]}
 */
const topologyColumn = topologies =>
  topologies.length > 1 ? [column({ page: 'topology' }, ({ topology }) => topology, { left: true })] : []

/**
 * @param {SizedTopology[]} topologies
 * @returns {Column<PriceRow>[]}
 */
const priceColumns = topologies => [
  column('offering', signedName, { left: true }),
  // Letters of topologies, under an empty heading.
  ...topologies.length > 1
    ? [column({ text: '' }, (/** @type {PriceRow} */ { topology }) => letterOf(topologies, topology),
        { left: true, width: 1 })]
    : [],
  ...topologyColumn(topologies),
  column('vCPU', signedCpu),
  column({ page: 'MiB' }, ({ offering }) => count(offering.memoryMiB)),
  column({ text: 'each', page: 'each, req/s' }, eachText, { width: 8 }),
  column({ page: 'limited by' }, limitText, { left: true }),
  column('instances', instancesText, { width: 9 }),
  // The range is that of the instances.
  column('a month', row => priceCell({ ...row, range: null })),
  column('processes', processesText, { width: 9 })
]

/** Prints the resource that limits an instance. @param {PriceRow} row */
function limitText ({ limit, usable, offering }) {
  if (limit === 'concurrency') return `${count(offering.mostConcurrency)} requests in flight`
  if (limit !== 'quota') return limit ?? NONE
  return `${usable == null ? '' : `${percent(usable)} of `}the offering's CPU`
}

/**
 * Prints the recommended number of processes: "1, not 4" if the rule of thumb gives another number.
 * @param {PriceRow} row
 */
function processesText ({ workers }) {
  if (workers === null) return NONE
  return `${workers.workers}${workers.rule === workers.workers ? '' : `, not ${workers.rule}`}`
}

/**
 * Explains the columns of the table of offerings and lists its assumptions.
 * @param {Sizing} sizing
 * @param {PriceRow[]} possible rows of the table that are printed
 * @returns {string[]}
 */
function priceSentences ({ goal, table, topologies, emulation, emulated }, possible) {
  const isCapped = possible.some(({ limit }) => limit === 'quota')
  return compact([
    `There are at least ${goal.fewestInstances} instances. each: requests a second at the goal.`,
    'a month: instances, traffic to the internet, and balancers or subscriptions that are needed; + ?: the price of ' +
    'traffic or the size of a response is unknown. Databases, logs and taxes are not included.',
    ...topologies.map(topology => tlsSentence(topology, goal)),
    rangeSentence(possible),
    leftOutSentence(table, possible),
    openClassesSentence(table),
    'processes: WEB_CONCURRENCY by the measured memory and the cores of the offering; after "not": the rule of one ' +
    'process for each 512 MB.',
    ...speedSentences(possible),
    possible.some(({ atLeast }) => atLeast) &&
      '≥: lower bound, because the offering has very many cores, or the generator was the bottleneck.',
    isCapped && !emulated &&
      "An offering's share of a core is estimated from the CPU time of requests on the cores of this machine: " +
      '--emulate tests it.',
    oldSentence(possible),
    usableSentence(possible),
    possible.length > MAX_ROWS &&
      'A terminal shows those of the answer and the cheapest of each provider; the report page shows all.',
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
  if (!tls || newConnections === undefined) return `${spec}: TLS is not included; routers and paid balancers end it.`
  const toCost = (/** @type {'requestMicros' | 'handshakeMicros'} */ name) =>
    `${tls.bounds?.includes(name) ? 'at most ' : ''}${micros(tls[name])} µs`
  return `${spec}: instances without a router or a paid balancer end TLS themselves, which costs ` +
    `${toCost('requestMicros')} of CPU a request and ${toCost('handshakeMicros')} a connection, new for ` +
    `${percent(newConnections)} of the requests.`
}

/**
 * @param {PriceRow[]} table
 * @param {PriceRow[]} possible
 */
function leftOutSentence (table, possible) {
  const left = table.filter(({ instances }) => instances !== null).length - possible.length
  return left > 0 && `Left out: ${plural(left, 'row')} dearer and less certain than another one. --provider compares ` +
    'the offerings of one provider.'
}

/**
 * Returns the classes for which no row is firm, in a sentence.
 * @param {PriceRow[]} table
 */
function openClassesSentence (table) {
  const open = listOpenClasses(table)
  return open.length > 0 &&
    'No offering has a promised CPU and a total of published prices, and is open to new customers, in ' +
    `${open.length === 1 ? 'the class' : 'the classes'} ${listing(open)}.`
}

/**
 * Describes how the range of a row came about.
 * @param {PriceRow[]} rows
 */
const rangeSentence = rows => rows.some(hasWideRange) &&
  'A range of instances is from the search, from the CPU that is assumed, from bursts of CPU time that differ ' +
  'between windows, from the speed of the cores, from the 7 % by which two sizings differ in the middle, and from ' +
  'the error of the model for ' +
  `shares of a core: ${percent(TOLERANCE)} as a rule, and up to 56 % at an eighth of a core or less: measure it ` +
  `there.${rows.some(row => hasWideRange(row) && row.range?.most !== undefined) ? MORE_THAN_ITS : ''}` +
  `${rows.some(hasOpenRange) ? OR_MORE : ''}`

const MORE_THAN_ITS = ' >N: the rate may need more instances than its provider or --max permits.'
const OR_MORE = ' N or more: with the largest bursts of CPU time no rate of an instance meets the goal.'

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
  const excluded = groupBy(table.filter(({ instances }) => instances === null), ({ why }) => printSizingWhy(why))
  return [...excluded].map(([why, rows]) => {
    const hasOther = (/** @type {PriceRow} */ { offering: { provider } }) =>
      table.some(row => row.offering.provider === provider && !rows.includes(row))
    const names = new Set(rows.map(row =>
      hasOther(row) ? offeringName(row.offering) : `all of ${row.offering.provider}`))
    return `Excluded: ${listing([...names])}, because ${why}.`
  })
}

/**
 * Returns the further figures of the offerings, for the page.
 * @param {SizedTopology[]} topologies
 * @returns {Column<PriceRow>[]}
 */
const furtherPriceColumns = topologies => [
  OFFERING,
  ...topologyColumn(topologies),
  column({ page: 'instances on average' }, ({ meanInstances }) => rate(meanInstances)),
  column({ page: 'without traffic' }, ({ monthly, offering }) => money(monthly, offering.currency)),
  column({ page: 'sent to the internet' }, ({ egress, offering }) => money(egress, offering.currency)),
  column({ page: 'per 1,000 req/s' }, ({ perThousand, offering }) => money(perThousand, offering.currency))
]

/** Sources of the figures of offerings, and their conditions, for the page. @type {Column<PriceRow>[]} */
const FACT_COLUMNS = [
  OFFERING,
  column({ page: 'class' }, ({ offering }) => className(offering), { left: true }),
  column({ page: 'region' }, ({ offering }) => offering.region, { left: true }),
  // The whole address is in the record.
  column({ page: 'source' }, ({ offering }) => `${offering.url.split('/')[2] ?? offering.url}, ${readOn(offering)}`,
    { left: true }),
  column({ page: 'remarks' }, remarksText, { left: true })
]

/** Limits of providers and the rules of their autoscalers, for the page. @type {Column<PriceRow>[]} */
const LIMIT_COLUMNS = [
  OFFERING,
  column({ page: 'limits' }, ({ offering }) => limitsText(offering), { left: true }),
  column({ page: 'instances' }, ({ offering }) => scalingText(offering), { left: true })
]

/**
 * Returns response times at shares of the capacity.
 * @param {SizedTopology[]} topologies
 * @returns {Table<CurvePoint & { spec: string }>}
 */
const curveTable = topologies => ({
  rows: topologies.flatMap(({ spec, curve }) => curve.map(point => ({ ...point, spec }))),
  columns: [
    column({ page: 'topology' }, ({ spec }) => spec, { left: true }),
    column({ page: 'of the capacity' }, ({ share }) => percent(share)),
    column({ page: 'req/s' }, point => rate(point.rate)),
    column({ page: 'p50, ms' }, ({ latencyMs }) => micros(latencyMs?.p50)),
    column({ page: 'p99, ms' }, ({ latencyMs }) => micros(latencyMs?.p99)),
    column({ page: 'p99 over trials' }, ({ p99Range, trials = 1 }) =>
      p99Range && trials > 1 ? `${micros(p99Range.low)} to ${micros(p99Range.high)} in ${trials}` : NONE),
    column({ page: 'remarks' }, ({ disturbed, lagging }) =>
      disturbed ? 'disturbed: a higher load was faster' : lagging ? 'left out: the load generator was late' : '',
    { left: true })
  ]
})

/**
 * Returns the trials of the search, in the order in which they were made.
 * @param {Pick<SizedTopology, 'spec' | 'trials'>[]} topologies
 * @returns {Section}
 */
export const trialsSection = topologies => ({
  id: 'trials',
  title: 'How the capacity was found',
  blocks: [{
    rows: topologies.flatMap(({ spec, trials }) => trials.map(trial => ({ ...trial, spec }))),
    columns: [
      column({ page: 'topology' }, ({ spec }) => spec, { left: true }),
      column({ page: 'req/s' }, trial => rate(trial.rate)),
      column({ page: 'p99, ms' }, ({ p99Ms }) => micros(p99Ms)),
      column({ page: 'generator late, p99, ms' }, ({ lagMs }) => micros(lagMs)),
      column({ page: 'the goal' }, ({ holds, why }) =>
        holds ? 'holds' : `does not hold: ${printSizingWhy(why)}`, { left: true })
    ]
  }]
})
