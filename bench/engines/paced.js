// paced: open loop, which sends requests on a schedule and measures latency from each scheduled time. Part of the
// project (bench/load/generators/paced/paced-child.js), because autocannon and h2load do not handle coordinated
// omission, and oha is in no Debian release (docs/engines.md).
import { fileURLToPath } from 'node:url'
import { parseJsonReport } from '../load/engine-reports.js'
import { Histogram, mergeKinds } from '../load/histogram.js'
import { ANY_METHOD, toBodyFile, toMixFile } from '../load/request-body.js'
import { ERROR_KINDS, toRecord } from '../shared/group-by.js'

/** @import { EngineFile } from '../types.js' */

const generator = fileURLToPath(new URL('../load/generators/paced/paced-child.js', import.meta.url))
/** Requests per second of one process, which a slow core sends with a lag far below 1 ms. */
const RATE_PER_PROCESS = 6000
/** Start of a window, excluded from latencies and send lag, in which connections are opened. The handshakes
 * of 400 TLS connections kept nginx busy for more than half a second, so that a virtual machine missed a goal of 50 ms
 * at half of its capacity. */
const SETTLE = { seconds: 0.5, tlsSeconds: 2, share: 0.2 }
/** A process lasts for one window, in which V8 would compile on the core that sends: at 5,000 requests a second the p99
 * of the send lag was 1.0 to 2.2 ms with TurboFan, and 0.2 to 0.4 ms without (Node 20 and 26). */
const FLAGS = ['--no-opt']
/** Time to wait for responses after the end of the schedule. */
const PATIENCE_SECONDS = 5

/** @type {EngineFile} */
export default {
  about: {
    title: 'paced',
    program: 'node',
    closedLoop: false,
    rate: true,
    unixTarget: true,
    takesAddress: true,
    freshConnections: true,
    paths: true,
    requests: true,
    methods: ANY_METHOD,
    resumption: 'never',
    timeouts: 'all',
    stop: 'SIGINT',
    checksBodies: true
  },

  version: 'own',

  command (load, target, { dir, maxSeconds }) {
    const body = toBodyFile(load, dir)
    const mix = toMixFile(load, target, dir)
    const rate = load.rate ?? 0
    const settleSeconds = target.url.startsWith('https:') ? SETTLE.tlsSeconds : SETTLE.seconds
    const processes = Math.min(Math.max(1, Math.ceil(rate / RATE_PER_PROCESS)), load.connections)
    const options = {
      url: target.url + load.path,
      socketPath: target.socketPath,
      address: target.address ?? null,
      caFile: target.caFile ?? null,
      headers: load.headers,
      method: load.method ?? 'GET',
      bodyFile: body.file,
      mixFile: mix.file,
      expectBodyFile: target.expectBody?.file ?? null,
      fresh: load.fresh ?? false,
      rate: rate / processes,
      arrivals: load.arrivals ?? 'poisson',
      seed: load.seed ?? 1,
      seconds: maxSeconds,
      settleSeconds: Math.min(settleSeconds, SETTLE.share * maxSeconds),
      patienceSeconds: load.timeoutSeconds ?? PATIENCE_SECONDS
    }
    return {
      files: { ...body.files, ...mix.files },
      processes: Array.from({ length: processes }, (_, i) => ({
        argv: [process.execPath, ...FLAGS, generator],
        env: {
          HOPBENCH_GENERATOR: JSON.stringify({
            ...options,
            process: i,
            ...load.mostRequests !== undefined && { mostRequests: Math.floor(load.mostRequests / processes) },
            connections: Math.ceil((load.connections - i) / processes)
          })
        }
      }))
    }
  },

  parse (results) {
    const reports = results.map(result => parseJsonReport('paced', result))
    const sum = (/** @type {(report: any) => number} */ getCount) =>
      reports.reduce((total, report) => total + getCount(report), 0)
    const errors = toRecord(ERROR_KINDS, kind => sum(r => r?.errors?.[kind]))
    const requests = sum(r => r?.answers)
    const bytes = sum(r => r?.bytes)
    const sent = sum(r => r?.sent)
    const seconds = sum(r => r?.seconds) / reports.length
    if (![...Object.values(errors), requests, bytes, sent, seconds].every(Number.isFinite)) {
      throw new TypeError(`paced's report has no totals: ${results[0].stdout.slice(0, 200)}`)
    }
    // Merges histograms, because percentiles of several processes cannot be averaged.
    const latency = Histogram.of(reports.map(report => report.latency))
    const lag = Histogram.of(reports.map(report => report.lag))
    const isByKind = reports.every(({ byKind }) => byKind)
    const { p50, p99, max } = lag.milliseconds()
    return {
      requests,
      errors,
      bytes,
      seconds,
      latencyMs: latency.count === 0
        ? null
        : { ...latency.milliseconds(), rate: sent / seconds, source: 'paced, open loop' },
      lagMs: lag.count === 0 ? null : { p50, p99, max },
      backlog: toRecord(['middle', 'end', 'answered'], moment => sum(r => r?.backlog?.[moment])),
      histograms: {
        latency: latency.toJSON(),
        lag: lag.toJSON(),
        ...isByKind && { byKind: mergeKinds(reports.map(({ byKind }) => byKind)) }
      }
    }
  }
}
