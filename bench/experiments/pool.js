// How large must the pool of upstream connections be, for bursts of 200 requests that are in flight at once?

/** @import { ExperimentFile } from '../types.js' */

const PROXIES = ['nginx', 'haproxy', 'caddy']
const SIZES = [8, 32, 128, 1000]

/** @type {ExperimentFile} */
export default {
  title: 'bursts of requests through upstream pools of 8 to 1,000 connections',
  question: 'How large must the pool of upstream connections be?',
  scenario: 'pool',
  answer: { by: 'behaviour', figure: 'new upstream connections per request' },
  arms: Object.fromEntries(PROXIES.flatMap(proxy => SIZES.map(size =>
    [`${proxy} ${size}`, `${proxy}:keepalive+pool=${size}/behaviour`]))),
  // All requests of a burst are in flight at once.
  load: { path: '/?wait=20' },
  blocks: { full: 1, quick: 1 },
  budgetSeconds: { full: 180, quick: 180 }
}
