// autocannon: closed loop with keep-alive, the default engine. It runs in a program of its own
// (bench/load/generators/autocannon-child.js), because its command line can neither check bodies cheaply nor
// be ended with a report at once.
import { fileURLToPath } from 'node:url'
import { Histogram } from '../load/histogram.js'
import { ANY_METHOD, bodyFile } from '../load/request-body.js'
import { CONTROL_SOCKET } from '../load/request-counts.js'

/** @import { EngineFile, Measurement } from '../types.js' */

const generator = fileURLToPath(new URL('../load/generators/autocannon-child.js', import.meta.url))

/** @type {EngineFile} */
export default {
  about: {
    title: 'autocannon',
    program: 'autocannon',
    // Its rate mode inverts coordinated omission and sends each second's quota in a burst.
    unixTarget: true,
    // With Connection: close its counts would be right, but the time of an answer would begin before it connects.
    paths: true,
    methods: ANY_METHOD,
    counted: 'responses',
    timeouts: 'all',
    latencyResolutionMicros: 1,
    latencyNote:
      'reports whole milliseconds (the suite takes the microseconds of each answer itself) that hold what its event ' +
      'loop had to do first',
    stop: 'SIGINT',
    checksBodies: true,
    errorLog: 'errors.jsonl'
  },

  version: { npm: 'autocannon' },

  command (load, target, { dir, maxSeconds }) {
    const body = bodyFile(load, dir)
    const order = {
      url: target.url + load.path,
      socketPath: target.socketPath,
      paths: load.paths ?? null,
      connections: load.connections,
      headers: load.headers,
      method: load.method ?? 'GET',
      bodyFile: body.file,
      tellStatuses: target.tellStatuses ?? false,
      expectBodyFile: target.expectBody?.file ?? null,
      errorLog: `${dir}/errors.jsonl`,
      controlSocket: `${dir}/${CONTROL_SOCKET}`,
      timeoutSeconds: load.timeoutSeconds ?? null,
      maxSeconds
    }
    return {
      files: body.files,
      processes: [{ argv: [process.execPath, generator], env: { HOPBENCH_GENERATOR: JSON.stringify(order) } }]
    }
  },

  parse (results) {
    const { stdout, stderr } = results[0]
    /** @type {any} */
    let report
    try {
      report = JSON.parse(stdout)
    } catch {
      throw new TypeError(`autocannon's report is no JSON: ${(stdout + stderr).slice(-200)}`)
    }
    const { timeouts, mismatches, non2xx, errors, requests, latencyMicros } = report ?? {}
    if (![timeouts, mismatches, non2xx, errors, requests?.total].every(Number.isFinite)) {
      throw new TypeError(`autocannon's report has no totals: ${stdout.slice(0, 200)}`)
    }
    return {
      requests: requests.total,
      errors: { non2xx, timeouts, mismatches, resets: errors - timeouts },
      bytes: report.throughput?.total ?? null,
      // Its own duration is rounded to hundredths.
      seconds: (Date.parse(report.finish) - Date.parse(report.start)) / 1000 || null,
      ...latencies(Histogram.of([latencyMicros]))
    }
  }
}

/** @param {Histogram} latency @returns {Pick<Measurement, 'latencyMs' | 'histograms'>} */
const latencies = latency =>
  latency.count === 0
    ? { latencyMs: null }
    : {
        latencyMs: { ...latency.milliseconds(), rate: null, source: 'autocannon, closed loop' },
        histograms: { latency: latency.toJSON() }
      }
