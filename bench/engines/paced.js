// An open loop: requests are sent on a schedule, and time runs from when each was scheduled. A
// generator of the project's own (bench/load/generators/paced/paced-child.js): of those at hand, autocannon and h2load
// turn coordinated omission round or do not know it, and oha is in no Debian release (docs/engines.md).
import { fileURLToPath } from 'node:url'
import { Histogram } from '../load/histogram.js'
import { ANY_METHOD, bodyFile } from '../load/request-body.js'

/** @import { EngineFile } from '../types.js' */

const generator = fileURLToPath(new URL('../load/generators/paced/paced-child.js', import.meta.url))
/** What one process can send with its lag far below a millisecond on a slow core; more are started for more. They share
 * the cores of the load. */
const RATE_PER_PROCESS = 6000
/** Connections are opened and code is compiled in this part of a window, which is left out of the latencies. */
const SETTLE = { seconds: 0.5, share: 0.2 }
const PATIENCE_SECONDS = 5

/** @type {EngineFile} */
export default {
  about: {
    title: 'paced',
    program: 'node',
    closedLoop: false,
    rate: true,
    unixTarget: true,
    freshConnections: true,
    methods: ANY_METHOD,
    resumption: 'never',
    timeouts: 'all',
    latencyResolutionMicros: 1,
    latencyNote: 'counts from the scheduled send time of each request, whether or not a connection was free',
    stop: 'SIGINT',
    checksBodies: true
  },

  version: 'own',

  command (load, target, { dir, maxSeconds }) {
    const body = bodyFile(load, dir)
    const rate = load.rate ?? 0
    const processes = Math.min(Math.max(1, Math.ceil(rate / RATE_PER_PROCESS)), load.connections)
    const order = {
      url: target.url + load.path,
      socketPath: target.socketPath,
      caFile: target.caFile ?? null,
      headers: load.headers,
      method: load.method ?? 'GET',
      bodyFile: body.file,
      expectBodyFile: target.expectBody?.file ?? null,
      fresh: load.fresh ?? false,
      rate: rate / processes,
      arrivals: load.arrivals ?? 'poisson',
      seed: load.seed ?? 1,
      seconds: maxSeconds,
      settleSeconds: Math.min(SETTLE.seconds, SETTLE.share * maxSeconds),
      patienceSeconds: load.timeoutSeconds ?? PATIENCE_SECONDS
    }
    return {
      files: body.files,
      processes: Array.from({ length: processes }, (_, i) => ({
        argv: [process.execPath, generator],
        // The connections are spread like the cards of a pack.
        env: {
          HOPBENCH_GENERATOR: JSON.stringify({
            ...order,
            process: i,
            connections: Math.ceil((load.connections - i) / processes)
          })
        }
      }))
    }
  },

  parse (results) {
    const reports = results.map(({ stdout, stderr }) => {
      try {
        return JSON.parse(stdout)
      } catch {
        throw new TypeError(`paced's report is no JSON: ${(stdout + stderr).slice(-200)}`)
      }
    })
    const sum = (/** @type {(report: any) => number} */ of) =>
      reports.reduce((total, report) => total + of(report), 0)
    const errors = {
      non2xx: sum(r => r?.errors?.non2xx),
      timeouts: sum(r => r?.errors?.timeouts),
      resets: sum(r => r?.errors?.resets),
      mismatches: sum(r => r?.errors?.mismatches)
    }
    const [requests, bytes, sent, seconds] = [sum(r => r?.answers), sum(r => r?.bytes), sum(r => r?.sent),
      sum(r => r?.seconds) / reports.length]
    if (![...Object.values(errors), requests, bytes, sent, seconds].every(Number.isFinite)) {
      throw new TypeError(`paced's report has no totals: ${results[0].stdout.slice(0, 200)}`)
    }
    // Percentiles of several processes are those of all their answers, never an average.
    const latency = Histogram.of(reports.map(report => report.latency))
    const lag = Histogram.of(reports.map(report => report.lag))
    const { p50, p99, max } = lag.milliseconds()
    return {
      requests,
      errors,
      bytes,
      seconds,
      latencyMs: latency.count === 0
        ? null
        : { ...latency.milliseconds(), rate: sent / seconds, source: 'paced, open loop' },
      lagMs: { p50, p99, max },
      histograms: { latency: latency.toJSON(), lag: lag.toJSON() }
    }
  }
}
