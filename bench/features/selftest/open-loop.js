/** Checks whether open loops measure the calculated latencies of servers. */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isHopbenchError } from '../../errors.js'
import { findEngine } from '../../load/find-engine.js'
import { start, readLastLines, waitUntil } from '../../machine/process.js'
import { median } from '../../judge/stats/quantile.js'
import { DELAY_MS, STALL } from './known-latency.js'

/** @import { FoundEngine } from '../../load/types.js' */
/** @import { CoreSplit } from '../../machine/types.js' */
/** @import { Load, Measurement, OpenLoopAccuracy } from '../../types.js' */

const TIMER_MS = 0.5 // Mean delay of Node's timers, whose resolution is 1 ms.
const CONNECTIONS = 400
/** Duration of a window: four stalls and the start, which is excluded from latencies; shorter for a fixed delay. */
const SECONDS = { stall: 4 * STALL.everyMs / 1000 + 0.5, delay: 4.5 }
const MAX_SHARE = 0.9 // At a higher share of the capacity, the queue of the server dominates the latency.
const END_SECONDS = 30 // Responses to all requests of the planted stall.
/** @type {OpenLoopAccuracy['kind'][]} */
const KINDS = ['stall', 'delay']
const server = fileURLToPath(new URL('known-latency.js', import.meta.url))

/**
 * Finds the engines whose latencies are checked: paced, and oha where it is installed.
 *
 * @returns {Promise<FoundEngine[]>}
 */
export async function findOpenLoops () {
  const oha = await findEngine('oha').catch(error => {
    if (isHopbenchError(error)) return null
    throw error
  })
  return [await findEngine('paced'), ...oha ? [oha] : []]
}

/**
 * @param {{ engines: FoundEngine[], closed: FoundEngine }} loads engines: of open loops, which
 * alternate; closed: measures the capacity
 * @param {{ rates: number[], turns: number, cores: CoreSplit, dir: string, printProgress: (text: string) => void }}
 *   options
 * dir: an empty folder
 * @returns {Promise<{ capacity: number, accuracies: OpenLoopAccuracy[], beyond: number[] }>} capacity in
 * requests per second; beyond: rates that exceed it
 */
export async function measureOpenLoop ({ engines, closed }, { rates, turns, cores, dir, printProgress }) {
  let folders = 0
  const site = { cores, newDir: () => join(dir, `k${folders++}`) }
  const capacity = await withServer('plain', site, async port => {
    const { requests, seconds } = await load(closed, port, { connections: 100 }, 2, site)
    return requests / Number(seconds)
  })
  printProgress(`a server of known latency: ${Math.round(capacity)} req/s in a closed loop`)
  /** @type {OpenLoopAccuracy[]} */
  const accuracies = []
  const possible = rates.filter(rate => rate <= MAX_SHARE * capacity)
  for (const rate of possible) {
    for (const kind of KINDS) {
      for (const [engine, runs] of await inTurn(engines, { kind, rate, turns, printProgress }, site)) {
        const calculatedMetrics = kind === 'stall' ? expectedOf(rate, capacity) : { p50: DELAY_MS + TIMER_MS }
        for (const [key, calculated] of Object.entries(calculatedMetrics)) {
          const figure = /** @type {OpenLoopAccuracy['figure']} */ (key)
          const measured = median(runs.map(({ latencyMs }) => latencyMs?.[figure] ?? NaN))
          accuracies.push({ engine, rate, kind, figure, calculated, measured })
        }
      }
    }
  }
  return { capacity, accuracies, beyond: rates.filter(rate => !possible.includes(rate)) }
}

/**
 * Calculates the latencies under periodic stalls. During a stall of length S, requests arrive at λ and wait. Afterwards
 * they are processed at μ. A request that arrives at time u after the start of the stall waits S − u(1 − λ/μ), which is
 * 0 for u ≥ D = S / (1 − λ/μ). In a period T, a share D(1 − x/S) / T of the requests waits longer than x. Hence
 * quantile p is S(1 − (1 − p)T/D).
 *
 * @param {number} rate λ
 * @param {number} capacity μ
 */
export function expectedOf (rate, capacity) {
  const lasting = STALL.ms / (1 - rate / capacity)
  const quantile = (/** @type {number} */ p) => STALL.ms * (1 - (1 - p) * STALL.everyMs / lasting)
  return { p95: quantile(0.95), p99: quantile(0.99), max: STALL.ms }
}

/**
 * @param {FoundEngine[]} engines
 * @param {{ kind: 'stall' | 'delay', rate: number, turns: number, printProgress: (text: string) => void }} order
 * @param {{ cores: CoreSplit, newDir: () => string }} site
 */
const inTurn = (engines, { kind, rate, turns, printProgress }, site) =>
  withServer(kind, site, async port => {
    /** @type {Map<string, Measurement[]>} */
    const found = new Map(engines.map(({ name }) => [name, []]))
    for (let turn = 0; turn < turns; turn++) {
      for (const engine of turn % 2 ? [...engines].reverse() : engines) {
        printProgress(`${engine.name} at ${rate} req/s against a ${kind} that is known`)
        const order = /** @type {const} */ ({ rate, arrivals: 'constant', seed: turn })
        found.get(engine.name)?.push(await load(engine, port, order, SECONDS[kind], site))
      }
    }
    return found
  })

/**
 * @template T
 * @param {string} kind
 * @param {{ cores: CoreSplit, newDir: () => string }} site
 * @param {(port: number) => Promise<T>} use
 */
async function withServer (kind, { cores, newDir }, use) {
  const base = newDir()
  const out = `${base}.port`
  const child = start({
    name: `the server of known latency (${kind})`,
    argv: [process.execPath, server],
    env: { HOPBENCH_KNOWN_LATENCY: kind },
    cores: cores.split ? cores.served : null,
    log: `${base}.log`,
    stdout: out
  })
  try {
    await waitUntil(child, () => /^\d+$/.test(readLastLines(out)))
    return await use(Number(readLastLines(out)))
  } finally {
    await child.stop()
  }
}

/**
 * @param {FoundEngine} engine
 * @param {number} port
 * @param {Partial<Load>} load
 * @param {number} seconds
 * @param {{ cores: CoreSplit, newDir: () => string }} site
 */
async function load (engine, port, load, seconds, { cores, newDir }) {
  const generator = await engine.start({
    name: 'a known latency',
    load: { engine: engine.name, connections: CONNECTIONS, path: '/', headers: {}, ...load },
    target: { url: `http://127.0.0.1:${port}`, socketPath: null, expectBody: null },
    network: { enter: [] },
    cores: cores.split ? cores.load : null,
    dir: newDir(),
    maxSeconds: seconds
  })
  try {
    return (await generator.finished(END_SECONDS)).measurement
  } finally {
    await generator.kill()
  }
}
