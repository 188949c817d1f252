/**
 * Checks the figures of the offerings, the exchange rate and the figures of balancers: `npm run prices` lists every
 * figure that is older than half a year or of an unknown day, with its address, and compares prices with public APIs
 * of providers. Without a network the script only lists. Exit code 1: a price differs.
 */
import { BALANCER_FIGURES } from '../bench/features/size/fleet/plan-fleet.js'
import { isOld, readOfferings } from '../bench/features/size/prices/offerings.js'
import { EXCHANGE_RATES } from '../bench/features/size/prices/currency.js'
import { groupBy } from '../bench/shared/group-by.js'

/** @import { Offering } from '../bench/types.js' */

/** Time limit of a request, in milliseconds. A response has less than 1 MB. */
const TIME_LIMIT_MS = 10_000
/** Largest difference between equal prices, as a share: prices are published with three digits or more. */
const TOLERANCE = 0.005
/** Figures that are in no file of offerings: exchange rates, and limits and prices of balancers. */
export const OTHER_FIGURES = [EXCHANGE_RATES, ...BALANCER_FIGURES]

/**
 * A public API without a token.
 *
 * @typedef {object} PriceApi
 * @property {string} provider
 * @property {string} url
 * @property {(body: any) => Map<string, number>} parse returns the published prices by the name of the figure
 * @property {(offering: Offering) => [name: string, price: number | undefined][]} figures returns the stored prices
 * with the same names
 */

/** Labels of Linode's types by plan. @type {Record<string, string>} */
const LINODE_LABELS = { 'Shared 1GB': 'Nanode 1GB', 'Shared 2GB': 'Linode 2GB' }

/**
 * @param {string} service
 * @param {string} region
 */
const azureUrl = (service, region) => {
  const filter = `serviceName eq '${service}' and armRegionName eq '${region}' and priceType eq 'Consumption'`
  return `https://prices.azure.com/api/retail/prices?$filter=${encodeURIComponent(filter)}`
}
/** Indexes prices of Azure by product with SKU, and by meter. Of several tiers the highest price is kept. */
const parseAzure = (/** @type {any} */ { Items }) => new Map(
  Items.toSorted((/** @type {any} */ a, /** @type {any} */ b) => a.retailPrice - b.retailPrice)
    .flatMap((/** @type {any} */ { productName, skuName, meterName, retailPrice }) =>
      [[`${productName}, ${skuName}`, retailPrice], [meterName, retailPrice]])
)

/** Returns the prices of the first way of billing. @param {Offering['use']} use */
const toPrices = use => [use ?? []].flat()[0]

/** @type {PriceApi[]} */
export const PRICE_APIS = [{
  provider: 'Linode',
  url: 'https://api.linode.com/v4/linode/types?page_size=500',
  parse: ({ data }) => new Map(data.flatMap((/** @type {any} */ { label, price }) =>
    [[`${label}, a month`, price.monthly], [`${label}, an hour`, price.hourly]])),
  figures: ({ name, price, hourly }) => {
    const label = LINODE_LABELS[name] ?? name
    return [[`${label}, a month`, price ?? undefined], [`${label}, an hour`, hourly]]
  }
}, {
  provider: 'Linode',
  url: 'https://api.linode.com/v4/nodebalancers/types',
  parse: ({ data }) => new Map(data.map((/** @type {any} */ { label, price }) => [label, price.monthly])),
  figures: ({ plusMonthly }) => [['NodeBalancer', plusMonthly?.price]]
}, {
  provider: 'Linode',
  url: 'https://api.linode.com/v4/network-transfer/prices',
  parse: ({ data }) => new Map(data.map((/** @type {any} */ { id, price }) => [id, price.hourly])),
  figures: ({ egress }) => [['network_transfer', egress?.perGb]]
}, {
  provider: 'Northflank',
  url: 'https://api.northflank.com/v1/plans',
  parse: ({ data }) => new Map(data.plans.map((/** @type {any} */ { id, amountPerHour }) => [id, amountPerHour])),
  figures: ({ name, hourly }) => [[name, hourly]]
}, {
  provider: 'Azure App Service',
  url: azureUrl('Azure App Service', 'westeurope'),
  parse: parseAzure,
  figures: ({ name, hourly }) => [[`Azure App Service Basic Plan - Linux, ${name}`, hourly]]
}, {
  provider: 'Azure Container Apps',
  url: azureUrl('Azure Container Apps', 'westeurope'),
  parse: parseAzure,
  figures: ({ use }) => [
    ['Standard vCPU Active Usage', toPrices(use)?.vcpuSecond],
    ['Standard Memory Active Usage', toPrices(use)?.gibSecond],
    ['Standard Requests', toPrices(use)?.millionRequests]
  ]
}]

/**
 * Lists the figures that are older than half a year or of an unknown day.
 *
 * @param {Pick<Offering, 'provider' | 'name' | 'sources'>[]} offerings
 * @param {string} today "2026-11-25"
 * @returns {string[]} a line for each figure, the oldest first
 */
export function listOldFigures (offerings, today) {
  const figures = offerings.flatMap(({ provider, name, sources = [] }) =>
    sources.filter(source => isOld(source, today)).map(source => ({ ...source, provider, name })))
  const same = groupBy(figures, ({ provider, of, read, url }) => JSON.stringify([read ?? '', provider, of, url]))
  return [...same].sort(([a], [b]) => a.localeCompare(b, 'en')).map(([, [figure, ...others]]) => {
    const plans = [figure, ...others].map(({ name }) => name)
    const isAll = plans.length === offerings.filter(({ provider }) => provider === figure.provider).length
    return `${figure.read ?? 'unknown   '}  ${figure.provider}: ${figure.of}${isAll ? '' : ` (${plans.join(', ')})`}` +
      `\n            ${figure.url}`
  })
}

/**
 * Compares the stored prices of a provider with those of its API.
 *
 * @param {PriceApi} api
 * @param {Offering[]} offerings
 * @param {(url: string) => Promise<unknown>} [get] returns the body of a response
 * @returns {Promise<{ line: string, differs: boolean }[]>} a line for each price that differs or is not published, or
 * one for the whole API
 */
export async function compareWithApi ({ provider, url, parse, figures }, offerings, get = getJson) {
  const page = url.replace(/\?.*/, '')
  /** @type {Map<string, number>} */
  let published
  try {
    published = parse(await get(url))
  } catch (error) {
    const { message, cause } = /** @type {Error} */ (error)
    const reason = cause instanceof Error && cause.message ? cause.message : message
    return [{ line: `${provider}: not compared with ${page}: ${reason}`, differs: false }]
  }
  const stored = new Map(offerings.filter(offering => offering.provider === provider).flatMap(figures))
  const differences = [...stored].filter(([, price]) => price !== undefined).flatMap(([figure, price = NaN]) => {
    const current = published.get(figure)
    if (current === undefined) return [{ line: `${provider}: ${figure} is not published at ${page}`, differs: false }]
    if (Math.abs(current - price) <= TOLERANCE * price) return []
    return [{ line: `${provider}: ${figure}: ${price} here, ${current} at ${page}`, differs: true }]
  })
  return differences.length > 0 ? differences : [{ line: `${provider}: as published at ${page}`, differs: false }]
}

/** @param {string} url */
async function getJson (url) {
  const response = await fetch(url, { signal: AbortSignal.timeout(TIME_LIMIT_MS) })
  if (!response.ok) throw new Error(`status ${response.status}`)
  return response.json()
}

/** @returns {Promise<number>} exit code */
export async function main () {
  const offerings = readOfferings()
  const old = listOldFigures([...offerings, ...OTHER_FIGURES], new Date().toISOString())
  const compared = (await Promise.all(PRICE_APIS.map(api => compareWithApi(api, offerings)))).flat()
  process.stdout.write([
    `Figures older than 180 days, or of an unknown day: ${old.length}`, '', ...old, '',
    'Compared with APIs:', '', ...compared.map(({ line }) => line), ''
  ].join('\n'))
  return compared.some(({ differs }) => differs) ? 1 : 0
}
