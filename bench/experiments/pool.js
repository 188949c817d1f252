// How large must the pool of upstream connections be, for bursts of 200 requests that are in flight at once?

/** @import { ExperimentFile } from '../types.js' */

const SIZES = [8, 32, 128, 1000]
/** Returns an arm for each size of the pool. @param {string} proxy */
const toArms = proxy => Object.fromEntries(SIZES.map(size =>
  [`${proxy} ${size}`, `${proxy}:keepalive+pool=${size}/behaviour`]))
/** @satisfies {ExperimentFile['answer']} */
const answer = { by: /** @type {const} */ ('behaviour'), figure: 'new upstream connections' }

/**
 * Returns the same experiment with another proxy.
 * @param {string} proxy
 * @param {string} title
 */
const withOther = (proxy, title) => ({
  title: `the same with ${title}`,
  question: `How large must the pool of upstream connections of ${title} be?`,
  answer,
  arms: toArms(proxy)
})

/** @type {ExperimentFile} */
export default {
  title: 'bursts of requests through upstream pools of nginx with 8 to 1,000 connections',
  question: 'How large must the pool of upstream connections be?',
  scenario: 'pool',
  answer,
  arms: toArms('nginx'),
  // All requests of a burst are in flight at once.
  load: { path: '/?wait=20' },
  budgetSeconds: { full: 150, quick: 75 },
  variants: { haproxy: withOther('haproxy', 'HAProxy'), caddy: withOther('caddy', 'Caddy') }
}
