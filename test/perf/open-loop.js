/**
 * Open-loop latencies against servers of which they are known by calculation, paced and, where it is on PATH, oha in
 * turn in one run. h2load's --rps and autocannon's rate do not pass it (docs/engines.md).
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { splitCores } from '../../bench/cores.js'
import { DEFAULT, findEngine, localEngines } from '../../bench/find-engine.js'
import { startGenerator } from '../../bench/generator.js'
import { start, tailOf, waitUntil } from '../../bench/process.js'
import { DELAY_MS, STALL } from './known-latency.js'
import { fixed, median } from './measure.js'

const RATES = [100, 1000, 5000]
const GOAL = 0.05
/** Node's timers know whole milliseconds: one of 20 ms comes after 20 to 21, evenly. */
const TIMER_MS = 0.5
const CONNECTIONS = 400
/** Four stalls, and the beginning that is left out of the latencies. */
const SECONDS = 4 * STALL.everyMs / 1000 + 0.5
const server = fileURLToPath(new URL('known-latency.js', import.meta.url))
const cores = splitCores()

/** @typedef {import('../../bench/types.d.ts').Measurement} Measurement */
/** @typedef {import('../../bench/find-engine.js').FoundEngine} FoundEngine */

/** @type {import('./index.js').Part} */
export default {
  title: 'open loop: latencies of servers of which they are known by calculation',
  async run (bench) {
    const engines = [await findEngine('paced'), ...await findEngine('oha').then(oha => [oha], () => [])]
    if (engines.length < 2) bench.note('oha is not on PATH: paced alone')
    const closed = await localEngines.findFaster() ?? await findEngine(DEFAULT)
    const capacity = await withServer(bench, 'plain', async port => {
      const { requests, seconds } = await load(bench, closed, port, { connections: 100 }, bench.short ? 2 : 5)
      return requests / Number(seconds)
    })
    bench.note(`the server does ${Math.round(capacity)} req/s in a closed loop`)
    const lines = []
    for (const rate of RATES) {
      if (rate > 0.9 * capacity) {
        lines.push({ what: `${rate} req/s`, measured: `beyond what this machine's server does (${Math.round(capacity)})`, goal: 'not to be told here', met: true })
        continue
      }
      const wanted = expectedOf(rate, capacity)
      const stalled = await turns(bench, engines, 'stall', rate)
      for (const [name, runs] of stalled) {
        for (const figure of /** @type {const} */ (['p95', 'p99', 'max'])) {
          lines.push(lineOf(`${name}, ${rate} req/s, a stall of ${STALL.ms} ms: ${figure}`, runs, figure, wanted[figure]))
        }
      }
      for (const [name, runs] of await turns(bench, engines, 'delay', rate)) lines.push(lineOf(`${name}, ${rate} req/s, ${DELAY_MS} ms: p50`, runs, 'p50', DELAY_MS + TIMER_MS))
    }
    return lines
  }
}

/**
 * During a stall of S requests queue up, λS of them in the end, and are answered at μ while more come at λ: whoever comes u into it
 * waits S − u(1 − λ/μ), which falls in a straight line to nothing after D = S / (1 − λ/μ). Of a period T the share that
 * waits longer than x is D(1 − x/S) / T, and so the quantile p is S(1 − (1 − p)T/D).
 * @param {number} rate λ
 * @param {number} capacity μ
 */
function expectedOf (rate, capacity) {
  const lasting = STALL.ms / (1 - rate / capacity)
  const quantile = (/** @type {number} */ p) => STALL.ms * (1 - (1 - p) * STALL.everyMs / lasting)
  return { p95: quantile(0.95), p99: quantile(0.99), max: STALL.ms }
}

/**
 * @param {string} what
 * @param {Measurement[]} runs
 * @param {'p50' | 'p95' | 'p99' | 'max'} figure
 * @param {number} wanted ms
 */
function lineOf (what, runs, figure, wanted) {
  const found = median(runs.map(({ latencyMs }) => latencyMs?.[figure] ?? NaN))
  return { what, measured: `${fixed(found, 1)} ms (calculated ${fixed(wanted, 1)})`, goal: `within ${GOAL * 100} %`, met: Math.abs(found / wanted - 1) <= GOAL }
}

/**
 * The engines in turn, so that a slow minute favours none.
 * @param {import('./index.js').Bench} bench
 * @param {FoundEngine[]} engines
 * @param {'stall' | 'delay'} kind
 * @param {number} rate
 * @returns {Promise<Map<string, Measurement[]>>}
 */
const turns = (bench, engines, kind, rate) => withServer(bench, kind, async port => {
  /** @type {Map<string, Measurement[]>} */
  const found = new Map(engines.map(({ name }) => [name, []]))
  for (let turn = 0; turn < (bench.short ? 1 : 3); turn++) {
    for (const engine of turn % 2 ? [...engines].reverse() : engines) {
      const measurement = await load(bench, engine, port, { rate, connections: CONNECTIONS, arrivals: 'constant', seed: turn }, kind === 'stall' ? SECONDS : 4.5)
      const { latencyMs, lagMs } = measurement
      bench.note(`${kind}, ${rate} req/s, ${engine.name}: p50 ${fixed(latencyMs?.p50 ?? NaN, 1)}, p95 ${fixed(latencyMs?.p95 ?? NaN, 1)}, p99 ${fixed(latencyMs?.p99 ?? NaN, 1)}, max ${fixed(latencyMs?.max ?? NaN, 1)} ms${lagMs ? `; its own lag p99 ${fixed(lagMs.p99, 1)} ms` : ''}`)
      found.get(engine.name)?.push(measurement)
    }
  }
  return found
})

/**
 * @template T
 * @param {import('./index.js').Bench} bench
 * @param {string} kind
 * @param {(port: number) => Promise<T>} use
 */
async function withServer (bench, kind, use) {
  const dir = folder(bench)
  const out = join(dir, 'port')
  const child = start({ name: `the server (${kind})`, argv: [process.execPath, server], env: { KIND: kind }, cores: cores.split ? cores.served : null, log: join(dir, 'log'), stdout: out })
  try {
    await waitUntil(child, () => /^\d+$/.test(tailOf(out)))
    return await use(Number(tailOf(out)))
  } finally {
    await child.stop()
  }
}

/**
 * @param {import('./index.js').Bench} bench
 * @param {FoundEngine} engine
 * @param {number} port
 * @param {Partial<import('../../bench/types.d.ts').Load>} load
 * @param {number} seconds
 */
async function load (bench, engine, port, load, seconds) {
  const generator = startGenerator({
    name: 'a known latency',
    engine: engine.plugin,
    program: engine.program,
    env: engine.env,
    load: { engine: engine.name, connections: CONNECTIONS, path: '/', headers: {}, ...load },
    target: { url: `http://127.0.0.1:${port}`, socketPath: null, expectBody: null },
    network: { enter: [] },
    cores: cores.split ? cores.load : null,
    dir: join(folder(bench), 'load'),
    maxSeconds: seconds
  })
  return (await generator.finished(30)).measurement
}

/** @param {import('./index.js').Bench} bench */
function folder (bench) {
  const dir = mkdtempSync(join(tmpdir(), 'hopbench-perf-'))
  bench.teardown(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}
