/** Offerings, their prices by use and by traffic, and the source of each figure, for `hopbench size --list`. */
import { offeringName } from '../judge/offering-choice.js'
import { count, listing, NONE } from '../shared/format.js'
import { MONTH_HOURS } from '../shared/month.js'
import { column, textTable } from './table.js'
import { currencySign, money, onceText, readOn, vcpuText } from './tables/sizing.js'
import { toStyle, wrapItems } from './wrap.js'

/** @import { Offering, Table, UsePrices } from '../types.js' */

/** Significant digits of a price of a second or a gigabyte. */
const DIGITS = 6

/**
 * Prints offerings, then what is billed by use, and the sources of their figures.
 * @param {Offering[]} offerings
 * @param {{ columns?: number, isOld?: (figure: Pick<Offering, 'read'>) => boolean }} [options]
 */
export function offeringsText (offerings, { columns, isOld = () => false } = {}) {
  const style = toStyle(columns)
  const sentences = new Set([
    ...offerings.flatMap(listUsePrices),
    ...offerings.map(trafficSentence),
    ...offerings.flatMap(listOnce),
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
function usePrices ({ vcpuSecond, gibSecond, millionRequests, least }, currency) {
  return listing([
    `${unitPrice(vcpuSecond, currency)} a vCPU-second`,
    `${unitPrice(gibSecond, currency)} a GiB-second`,
    ...millionRequests ? [`${money(millionRequests, currency)} a million requests`] : [],
    ...least ? [`${money(least, currency)} a month at least`] : []
  ])
}

/** Prints the amounts that are free of charge, after a space. @param {UsePrices} prices */
function freeText ({ freeVcpuSeconds, freeGibSeconds, freeRequests }) {
  const amounts = [
    ...freeVcpuSeconds ? [`${count(freeVcpuSeconds)} vCPU-seconds`] : [],
    ...freeGibSeconds ? [`${count(freeGibSeconds)} GiB-seconds`] : [],
    ...freeRequests ? [`${count(freeRequests)} requests`] : []
  ]
  return amounts.length > 0 ? ` Free of charge in a month: ${listing(amounts)}.` : ''
}

/**
 * Prints a price that may be less than a cent: "$0.0000024".
 * @param {number} price
 * @param {string} currency
 */
const unitPrice = (price, currency) =>
  `${currencySign(currency)}${price.toPrecision(DIGITS).replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '')}`

/** @param {Offering} offering */
function trafficSentence ({ provider, egress, includedGb, currency }) {
  if (!egress) return `${provider}: the price of traffic is not published.`
  if (egress.perGb === 0) return `${provider}: traffic is free.`
  const included = includedGb === undefined ? '' : ' beyond what an instance includes'
  const free = egress.freeGb ? ` after ${count(egress.freeGb)} GB an account` : ''
  return `${provider}: ${unitPrice(egress.perGb, currency)} a GB of traffic${included}${free}.`
}

/** Returns the price that is paid once a month. @param {Offering} offering */
const listOnce = offering => offering.plusMonthly ? [`${offering.provider}: ${onceText(offering)}.`] : []

/**
 * Lists the sources of an offering.
 * @param {Offering} offering
 * @param {(figure: Pick<Offering, 'read'>) => boolean} isOld
 */
function listSources ({ provider, url, source, read, sources = [{ of: 'figures', url, read }] }, isOld) {
  return sources.map(figure => [
    `${provider}, ${figure.of}: ${figure.url}, ${readOn(figure)}`,
    figure.secondary ? ', quoted by a third party' : '',
    isOld(figure) ? ' – look it up before you buy' : '',
    source ? ` (${source})` : ''
  ].join(''))
}

/**
 * @param {Offering[]} offerings
 * @returns {Table<Offering>}
 */
const offeringsTable = offerings => ({
  rows: offerings,
  columns: [
    column({ text: 'offering' }, offeringName, { left: true }),
    column({ text: 'vCPU' }, vcpuText),
    column({ text: 'MiB' }, ({ memoryMiB }) => count(memoryMiB), { width: 8 }),
    column({ text: 'a month' }, ({ price, hourly, use, currency }) =>
      use ? 'by use' : money(price ?? (hourly && hourly * MONTH_HOURS), currency)),
    column({ text: 'read on' }, ({ read }) => read ?? NONE, { width: 10 })
  ]
})
