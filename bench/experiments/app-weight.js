// Does the hop in front of an app matter, once the app itself has work to do?

/** @import { ExperimentFile } from '../types.js' */

/** CPU time of the app for each request, in ms: routing only, a page from templates, a heavy page. */
const WEIGHTS = [0.1, 1, 5]
const APP = 'behaviour'
/** Transports between nginx and the app, in the words of an answer. */
const POOLED = { keepalive: 'nginx over keepalive', 'uds-keepalive': 'nginx over a pooled Unix socket' }
/** Topologies by name. */
const FRONTS = { direct: APP, ...Object.fromEntries(Object.keys(POOLED).map(name => [name, `nginx:${name}/${APP}`])) }

/**
 * Compares pooled hops with no hop at each weight.
 * @param {{ weights?: number[], wait?: number }} [work] of the app for each request, in ms
 */
function compareWeights ({ weights = WEIGHTS, wait = 0 } = {}) {
  const pairs = weights.flatMap(cpu => Object.entries(POOLED).map(([name, words]) =>
    toPair(`${name} ${cpu} ms`, `direct ${cpu} ms`, `${words} at ${cpu} ms`)))
  const names = Object.fromEntries(weights.map(cpu => [`direct ${cpu} ms`, 'the app alone']))
  return {
    answer: { pairs, names },
    arms: Object.fromEntries(weights.flatMap(cpu => Object.entries(FRONTS).map(([name, topology]) =>
      [`${name} ${cpu} ms`, { topology, load: { path: `/?cpu=${cpu}&wait=${wait}` } }]))),
    contrasts: pairs.map(([arm, baseline]) => /** @type {[string, string]} */ ([arm, baseline]))
  }
}

/** @type {(arm: string, baseline: string, words: string) => [string, string, string]} */
const toPair = (...pair) => pair

/**
 * Returns an experiment about an app that also waits. Timers run on while processes are paused, so it measures windows.
 * Each weight is an experiment, because a window takes a start and a warm-up of its own, 14 s in all.
 * @param {number} cpu in ms
 * @param {number} connections whose CPU time together exceeds the wait: with fewer the app idles until timers expire
 */
const whileWaiting = (cpu, connections) => ({
  group: /** @type {const} */ ('load'),
  title: `nginx in front of an app that uses ${cpu} ms and waits for a database`,
  question: `Does the hop matter for an app that uses ${cpu} ms of CPU time and waits for 30 ms in each request?`,
  ...compareWeights({ weights: [cpu], wait: 30 }),
  protocol: 'window',
  // Time for ten blocks. Two contrasts have intervals from seven on.
  budgetSeconds: { full: 600, quick: 110 },
  load: { connections, path: '/' }
})

/**
 * Returns an experiment about response times at half of the lowest peak of all arms. Each weight is an experiment,
 * because peaks depend on the weight.
 * @param {number} cpu
 */
const atHalfLoad = cpu => ({
  group: /** @type {const} */ ('load'),
  title: `response times at half load behind nginx, for an app that uses ${cpu} ms`,
  question: `How long do users wait for an app that uses ${cpu} ms of CPU time, at half of its load?`,
  answer: /** @type {const} */ ({ by: 'latency' }),
  arms: Object.fromEntries(Object.entries(FRONTS)
    .map(([name, topology]) => [name, { topology, load: { path: `/?cpu=${cpu}` } }])),
  protocol: 'rates',
  shares: [0.5],
  // A p99 of 1,000 responses rests on ten of them: at 5 ms half load is about 90 requests a second.
  windowSeconds: { full: 6, quick: 2 },
  // Time for three blocks, each with a start and its warm-up for each arm.
  budgetSeconds: { full: 480, quick: 76 },
  load: { engine: 'paced', connections: 400, path: '/' }
})

/** @type {ExperimentFile} */
export default {
  group: 'behaviour',
  title: 'nginx in front of an app with work to do',
  question: 'Does the hop matter for an app that uses 0.1, 1 or 5 ms of CPU time for each request?',
  ...compareWeights(),
  load: { connections: 50, path: '/' },
  budgetSeconds: { full: 180, quick: 76 },
  variants: {
    'waiting-light': whileWaiting(0.1, 400),
    waiting: whileWaiting(1, 100),
    'waiting-heavy': whileWaiting(5, 50),
    'p99-light': atHalfLoad(0.1),
    p99: atHalfLoad(1),
    'p99-heavy': atHalfLoad(5)
  }
}
