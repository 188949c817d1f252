/** Exports what other features use of this one. */
export { MEMORY_HEADROOM } from './prices/instance.js'
export { findBest, isFirm, isUncertain, listHeadlines, offeringName } from './prices/offering-choice.js'
export { findBeginning, getCores, ofProviders, readOfferings } from './prices/offerings.js'
export { countInstances } from './prices/price.js'
export { withTodaysPrices } from './prices/todays-prices.js'
export { limitInFlight } from './prices/emulated-rows.js'
export { rejectUnfit } from './record.js'
export { printSizingWhy } from './why-words.js'
