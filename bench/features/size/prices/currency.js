/** Exchange rates of the currencies of offerings, used only to order and compare prices (pure). */

/** @import { PriceRow } from '../../../types.js' */

/** Dollars for one unit of a currency: the reference rates in EXCHANGE_RATES. @type {Record<string, number>} */
const DOLLARS = { USD: 1, EUR: 1.1637 }

/** Source of the exchange rates, in the form of the sources of an offering. */
export const EXCHANGE_RATES = {
  provider: 'European Central Bank',
  name: 'euro',
  sources: [{
    of: 'exchange rate of the euro',
    url: 'https://www.ecb.europa.eu/stats/policy_and_exchange_rates/euro_reference_exchange_rates/html/index.en.html',
    read: '2026-05-27'
  }]
}

/**
 * Returns the unit in which prices of a currency are comparable: dollars if its exchange rate is known, else itself.
 * @param {string} currency
 */
export const toUnit = currency => DOLLARS[currency] === undefined ? currency : 'USD'

/** Returns the price of a row in its unit, with traffic where its price is known. @param {PriceRow} row */
export const toUnits = ({ monthly, total, offering: { currency } }) =>
  (total ?? monthly ?? 0) * (DOLLARS[currency] ?? 1)
