/** Words for an offering: its instances, price, bill and reservations, and the list of all offerings (pure). */
import { countMonthlyRequests, findOnce, getRule, toMonthly } from './bill.js'
import { RESERVATIONS, hasWideRange, offeringName } from './offering-choice.js'
import { printSizingWhy } from '../why-words.js'
import { column, textTable } from '../../../report/table.js'
import { compact, toStyle, wrapItems } from '../../../report/wrap.js'
import { count, listing, money, NONE, percent, rangeText, rate } from '../../../shared/format.js'

/** @import { Autoscaling, Offering, OfferingLimits, OpenRange, PriceRow, SizedTopology } from '../../../types.js' */
/** @import { Sizing, Table, UsePrices } from '../../../types.js' */

/** Total from which an answer has no cents. */
const ROUNDED_FROM = 10
/** Significant digits of a price of a second or a gigabyte. */
const sixDigits = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 6 })

/**
 * Words for an answer by reservation, and signs in tables.
 * @type {{ of: keyof typeof RESERVATIONS, words: string, sign?: string, isOfCpu?: boolean, because?: string }[]}
 */
const MARKS = [
  { of: 'traffic', words: 'without traffic' },
  {
    of: 'assumed',
    words: 'CPU assumed',
    sign: '†',
    isOfCpu: true,
    because: ', because the provider promises none: --assume-vcpu sets it'
  },
  {
    of: 'small',
    words: 'measure there',
    sign: '*',
    isOfCpu: true,
    because: ', because at an eighth of a core or less the estimate is often wrong by a quarter'
  },
  { of: 'open', words: 'measure there' },
  { of: 'quoted', words: 'a figure quoted by a third party', sign: '‡' },
  { of: 'closed', words: 'closed to new customers', sign: '§' },
  {
    of: 'tls',
    words: 'TLS not included',
    sign: '¶',
    because: ', because a virtual machine ends it itself, and its cost was not measured'
  }
]

/** @param {PriceRow} row */
const listMarks = row => [
  ...new Set(MARKS.filter(({ of }) => RESERVATIONS[of](row)).map(({ words }) => words))
]

/**
 * Prints the signs of a row, for the cell of its CPU or of its name.
 * @param {PriceRow} row
 * @param {boolean} isOfCpu
 */
const signs = (row, isOfCpu) => MARKS
  .filter(mark => mark.sign && Boolean(mark.isOfCpu) === isOfCpu && RESERVATIONS[mark.of](row))
  .map(({ sign }) => ` ${sign}`).join('')

/**
 * Explains the signs of rows.
 * @param {PriceRow[]} rows
 * @returns {string[]} one sentence at most
 */
export function signsSentence (rows) {
  const used = MARKS.filter(({ sign, of }) => sign && rows.some(RESERVATIONS[of]))
  if (used.length === 0) return []
  return [`${used.map(({ sign, words, because = '' }) => `${sign}: ${words}${because}`).join('; ')}. ` +
    'The answer prefers offerings without †, ‡ and §.']
}

/** Prints the name of a row's offering with its signs. @param {PriceRow} row */
export const signedName = row => `${offeringName(row.offering)}${signs(row, false)}`

/** Prints the vCPU for which a row is calculated, with its signs: "0.5", "0.07 to 0.64 †". @param {PriceRow} row */
export const signedCpu = row => `${cpuText(row.offering)}${signs(row, true)}`

/** Prints the vCPU for which an offering is calculated. @param {Offering} offering */
const cpuText = ({ vcpu, assumed }) => vcpu === null && assumed ? rangeText(assumed, String) : String(vcpu ?? NONE)

/**
 * Prints the number of instances, as a range where it is wide: "4 to 16", "4 to >12" if an offering has 12 at most.
 * @param {Pick<PriceRow, 'instances' | 'range'>} row
 */
export function instancesText (row) {
  const { instances, range } = row
  return range && hasWideRange(row) ? numbersText(range) : count(instances)
}

/** @param {NonNullable<PriceRow['range']>} range */
const numbersText = ({ instances, most }) =>
  most === undefined ? rangeText(instances, count) : `${count(instances.low)} to >${count(most)}`

/**
 * Prints the price of a month, with traffic where its price is known, as a range where the number of instances has one.
 * @param {PriceRow} row
 * @param {{ isRounded?: boolean }} [options] isRounded: without cents from 10 on, as ranges are
 */
export function priceText (row, { isRounded = false } = {}) {
  const { offering: { currency }, monthly, total, range } = row
  const sum = total ?? monthly
  const print = (/** @type {number} */ price) => money(Math.round(price), currency)
  if (range?.total && hasWideRange(row)) return rangeText(range.total, print)
  return sum !== null && isRounded && sum >= ROUNDED_FROM ? print(sum) : money(sum, currency)
}

/** Prints the price of a row for a cell: "$53", "$50 + ?". @type {typeof priceText} */
export const priceCell = (row, options) =>
  `${priceText(row, options)}${row.total === null && row.monthly !== null ? ' + ?' : ''}`

/**
 * Prints the load of a goal: "10,000 req/s at constant load", "2,000 req/s at the peak of the day "office"".
 * @param {Pick<Sizing['goal'], 'rate' | 'profile'>} goal
 */
export const loadText = ({ rate: peak, profile }) => `${count(peak)} req/s at ` +
  (profile && profile.shares.length > 1 ? `the peak of the day "${profile.name}"` : 'constant load')

/**
 * Prints the offering to buy, with the ranges of its number and price, the load, and the certainty of both: "Buy 5 (4
 * to 7) × Acme One for 10,000 req/s at constant load, $255 (219 to 327) a month; estimated, cores assumed …".
 * @param {PriceRow} row
 * @param {{ load: string, certainty: string, topology?: string, zones?: number }} of topology: named if several were
 *   sized; zones: of a fleet
 */
export function headline (row, { load, certainty, topology, zones }) {
  const { instances, range = null } = row
  const number = withEnds(count(instances), range && numbersText(range))
  const price = withEnds(priceCell({ ...row, range: null }, { isRounded: true }),
    range?.total ? rangeText(toWhole(range.total), count) : null)
  return `Buy ${number} × ${offeringName(row.offering)}${topology ? ` with ${topology}` : ''}` +
    `${zones ? ` over ${zones} zones` : ''} for ${load}, ${price} a month; ` +
    `${[certainty, `cores ${speedText(row)}`, ...listMarks(row)].join(', ')}.`
}

/**
 * Adds a range in parentheses, unless both of its ends are equal.
 * @param {string} middle
 * @param {string | null} ends null: unknown
 */
const withEnds = (middle, ends) => ends?.includes(' ') ? `${middle} (${ends})` : middle

/** @param {OpenRange} range */
const toWhole = ({ low, high }) => ({ low: Math.round(low), ...high !== undefined && { high: Math.round(high) } })

/**
 * Prints compute and traffic apart: "Compute $190 + traffic $64.78: a CDN or compression changes the traffic.".
 * @param {PriceRow} row
 */
export const splitText = ({ monthly, egress, offering: { currency } }) => !!monthly && !!egress &&
  `Compute ${money(monthly, currency)} + traffic ${money(egress, currency)}: a CDN or compression changes this part.`

/**
 * Reports that the order of rows follows from prices of traffic, if more than half of them pay more for traffic than
 * for compute.
 * @param {PriceRow[]} rows
 */
export function trafficOrderText (rows) {
  const known = rows.filter(({ total }) => total)
  const heavy = known.filter(({ egress, total }) => Number(egress) > Number(total) / 2)
  return heavy.length > known.length / 2 &&
    `Traffic is more than half of ${heavy.length} of ${known.length} bills here, so the order of the offerings is ` +
    'that of their prices of traffic.'
}

/**
 * Prints a row with its bill: "3 × Acme One ($39 a month: 3 × $10 and $9 of traffic; CPU assumed)".
 * @param {PriceRow} row
 */
export function longOffer (row) {
  const { offering: { purpose, read }, old } = row
  const remarks = compact([
    billText(row),
    minimumText(row),
    ...listMarks(row),
    purpose && `in its provider's words ${purpose}`,
    old && `by a price of ${read ? read.slice(0, 7) : 'an unknown day'}`
  ])
  return `${instancesText(row)} × ${offeringName(row.offering)} (${remarks.join('; ')})`
}

/**
 * Prints the price of a month and its parts: "$53 a month: 3 × $11, $10 for a balancer and $10 of traffic".
 * @param {PriceRow} row
 */
export const billText = row => `${priceText(row)} a month: ` +
  `${row.range?.total && hasWideRange(row) ? 'as estimated ' : ''}${listing(listParts(row))}`

/** @param {PriceRow} row */
function listParts (row) {
  const { offering, instances, monthly, egress, total = null } = row
  const { currency } = offering
  const once = findOnce(offering, Number(instances))
  return compact([
    instancesPart(row, once?.price ?? 0),
    once && `${money(once.price, currency)} for ${once.why}`,
    trafficPart(row),
    total !== null && total > Number(monthly) + Number(egress) + 0.005 && `${money(total, currency)} at least`
  ])
}

/**
 * Prints the price of the instances: "3 × $11", or "$20.50 by use" where it depends on what they use.
 * @param {PriceRow} row
 * @param {number} once price that is paid once
 */
function instancesPart ({ offering, instances, meanInstances, monthly }, once) {
  const { currency } = offering
  const each = toMonthly(offering)
  if (each === null) return `${money(Number(monthly) - once, currency)} by use`
  const isEqual = meanInstances == null || meanInstances === instances
  return `${isEqual ? count(instances) : `${rate(meanInstances)} on average`} × ${money(each, currency)}`
}

/** @param {PriceRow} row */
function trafficPart ({ offering, egress = null }) {
  if (egress === null) {
    return offering.egress ? 'no traffic, because the size of a response is unknown' : 'traffic at an unpublished price'
  }
  if (egress > 0) return `${money(egress, offering.currency)} of traffic`
  return offering.egress?.perGb === 0 ? 'free traffic' : 'traffic included'
}

/**
 * Prints the traffic to the internet that totals are computed from: "1,254 bytes a response, 32,955 GB a month".
 * @param {Pick<SizedTopology, 'bytesPerResponse'>} topology
 * @param {Sizing['goal']} goal
 * @returns {string | null} null: the size of a response is unknown
 */
export function trafficText ({ bytesPerResponse }, goal) {
  if (bytesPerResponse == null) return null
  const gigabytes = countMonthlyRequests(goal) * bytesPerResponse / 1e9
  return `${count(Math.round(bytesPerResponse))} bytes a response, ${count(Math.round(gigabytes))} GB a month`
}

/**
 * Prints the day on which the figures of an offering were read: "read on 2026-08-04".
 * @param {Pick<Offering, 'read'>} offering
 */
export const readOn = ({ read }) => read === null ? 'of an unknown day' : `read on ${read}`

/**
 * Prints the price that is paid once a month: "$10 a month for a NodeBalancer, from 2 instances on".
 * @param {Pick<Offering, 'plusMonthly' | 'currency'>} offering
 * @returns {string | null} null: there is no such price
 */
function onceText ({ plusMonthly, currency }) {
  if (!plusMonthly) return null
  const { price, why, from = 1 } = plusMonthly
  return `${money(price, currency)} a month for ${why}${from > 1 ? `, from ${from} instances on` : ''}`
}

/** Published limits by field, in words. @type {[keyof OfferingLimits, string][]} */
const LIMITS = [
  ['most', 'instances'],
  ['mostRps', 'requests a second'],
  ['mostConnections', 'connections'],
  ['mostConcurrency', 'requests in flight of an instance']
]

/** Prints the published limits of an offering: "instances: 100; connections: unknown". @param {Offering} offering */
export const limitsText = offering => LIMITS.map(([field, words]) =>
  `${words}: ${offering[field] == null ? 'unknown' : count(offering[field])}`).join('; ')

/** Targets of an autoscaler by its metric. @type {Record<Autoscaling['by'], (target: number) => string>} */
const TARGETS = {
  concurrency: target => `${count(target)} requests in flight each`,
  cpu: target => `${percent(target)} of the CPU`,
  requests: target => `${count(target)} requests a second each`
}

/** Prints the rule of an autoscaler: "60 % of the CPU". @param {Autoscaling} rule */
const ruleText = ({ by, target }) => target === null ? 'a target that you set' : TARGETS[by](target)

/** Prints how an offering scales: "by itself, at 60 % of the CPU". @param {Offering} offering */
export function scalingText (offering) {
  const rule = getRule(offering)
  return rule ? `by itself, at ${ruleText(rule)}` : 'a fixed number'
}

/** Prints the minimum to set in the autoscaler of a row's offering. @param {PriceRow} row */
function minimumText ({ minimum, offering }) {
  const rule = getRule(offering)
  return minimum != null && rule &&
    `set the minimum of its autoscaler to ${count(minimum)}, because its rule (${ruleText(rule)}) keeps fewer`
}

/** Lists the reservations about a row and the conditions of its offering. @param {PriceRow} row */
export const remarksText = row => {
  const { assumed, burst, sleeps, closed, purpose, note, ...offering } = row.offering
  return compact([
    printSizingWhy(row.why),
    minimumText(row),
    ...listMarks(row),
    closed && `closed since ${closed}`,
    onceText(offering),
    assumed && `vCPU assumed: ${assumed.why}`,
    burst?.rule,
    sleeps && `sleeps ${sleeps}`,
    purpose && `in its provider's words ${purpose}`,
    note
  ]).join('; ')
}

/**
 * Prints offerings, then what is billed by use, and the sources of their figures.
 * @param {Offering[]} offerings
 * @param {{ columns?: number, isOld?: (figure: Pick<Offering, 'read'>) => boolean }} [options]
 */
export function listText (offerings, { columns, isOld = () => false } = {}) {
  const style = toStyle(columns)
  const sentences = new Set([
    ...offerings.flatMap(listUsePrices),
    ...offerings.map(trafficSentence),
    ...offerings.flatMap(offering => offering.plusMonthly ? [`${offering.provider}: ${onceText(offering)}.`] : []),
    ...offerings.map(offering => `${offering.provider}, limits: ${limitsText(offering)}.`),
    ...offerings.flatMap(offering => listSources(offering, isOld))
  ])
  return [...textTable(offeringsTable(offerings), style), '', ...wrapItems([...sentences], style)].join('\n') + '\n'
}

/** @param {Offering} offering */
const listUsePrices = ({ provider, use = [], currency }) =>
  [use].flat().map(prices => `${provider}${prices.name ? ` ${prices.name}` : ''}: ${usePrices(prices, currency)}.` +
    freeText(prices))

/**
 * @param {UsePrices} prices
 * @param {string} currency
 */
const usePrices = ({ vcpuSecond, gibSecond, millionRequests, least }, currency) => listing(compact([
  `${unitPrice(vcpuSecond, currency)} a vCPU-second`,
  `${unitPrice(gibSecond, currency)} a GiB-second`,
  !!millionRequests && `${money(millionRequests, currency)} a million requests`,
  !!least && `${money(least, currency)} a month at least`
]))

/** Prints the amounts that are free of charge, after a space. @param {UsePrices} prices */
function freeText ({ freeVcpuSeconds, freeGibSeconds, freeRequests }) {
  const amounts = compact([
    !!freeVcpuSeconds && `${count(freeVcpuSeconds)} vCPU-seconds`,
    !!freeGibSeconds && `${count(freeGibSeconds)} GiB-seconds`,
    !!freeRequests && `${count(freeRequests)} requests`
  ])
  return amounts.length > 0 ? ` Free of charge in a month: ${listing(amounts)}.` : ''
}

/** Prints a price that may be less than a cent: "$0.0000024". @type {(price: number, currency: string) => string} */
const unitPrice = (price, currency) => money(price, currency, price => sixDigits.format(price))

/** @param {Offering} offering */
function trafficSentence ({ provider, egress, includedGb, plusMonthly, currency }) {
  if (!egress) return `${provider}: the price of traffic is not published.`
  if (egress.perGb === 0) return `${provider}: traffic is free.`
  const includes = plusMonthly?.includedGb ? 'one instance, or the balancer of several,' : 'an instance'
  const included = includedGb === undefined ? '' : ` beyond what ${includes} includes`
  const free = egress.freeGb ? ` after ${count(egress.freeGb)} GB an account` : ''
  return `${provider}: ${unitPrice(egress.perGb, currency)} a GB of traffic${included}${free}.`
}

/**
 * Lists the sources of an offering.
 * @param {Offering} offering
 * @param {(figure: Pick<Offering, 'read'>) => boolean} isOld
 */
const listSources = ({ provider, url, source, read, sources = [{ of: 'figures', url, read }] }, isOld) =>
  sources.map(figure => `${provider}, ${figure.of}: ${figure.url}, ${readOn(figure)}` +
    `${figure.secondary ? ', quoted by a third party' : ''}` +
    `${isOld(figure) ? ' – look it up before you buy' : ''}${source ? ` (${source})` : ''}`)

/**
 * @param {Offering[]} offerings
 * @returns {Table<Offering>}
 */
const offeringsTable = offerings => ({
  rows: offerings,
  columns: [
    column('offering', offeringName, { left: true }),
    column('vCPU', offering => `${cpuText(offering)}${offering.vcpu === null && offering.assumed ? ' (assumed)' : ''}`),
    column('MiB', ({ memoryMiB }) => count(memoryMiB), { width: 8 }),
    column('a month', offering => offering.use ? 'by use' : money(toMonthly(offering), offering.currency)),
    column('read on', ({ read }) => read ?? NONE, { width: 10 })
  ]
})

/** Prints a ratio with two digits. @param {number} value */
const ratio = value => String(Number(value.toPrecision(2)))

/**
 * States the speed of an offering's cores: "assumed 0.41 to 1.4 × these", "scored on 2026-11-28, 0.9 to 1.1 × these".
 * @param {Pick<PriceRow, 'offering' | 'portability' | 'speed'>} row
 */
function speedText ({ offering: { score }, portability, speed }) {
  if (!speed) return 'assumed as fast as here'
  const source = portability === 'known' && score ? `scored on ${score.read},` : 'assumed'
  return `${source} ${ratio(speed.low)} to ${ratio(speed.high)} × these`
}

/**
 * Explains the speed of cores and the capacity of several processes.
 * @param {PriceRow[]} rows
 * @returns {string[]}
 */
export const speedSentences = rows => compact([
  rows.some(({ portability }) => portability === 'assumed') &&
    'The cores of an offering without a score are taken to be as fast as here; the range has the slowest and the ' +
    'fastest of 12 cloud instances. hopbench doctor --score OFFERING, on an instance of it, stores its score.',
  rows.some(({ scaling }) => scaling === 'law') &&
    'Several processes are estimated by the scaling law of published tables, not measured; the low end has two ' +
    'vCPUs on each core.'
])
