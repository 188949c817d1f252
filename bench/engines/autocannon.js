// autocannon: closed loop with keep-alive, the default engine. Runs in bench/load/generators/autocannon-child.js,
// because its command line cannot check bodies cheaply and cannot end early with a report.
import { fileURLToPath } from 'node:url'
import { parseJsonReport } from '../load/engine-reports.js'
import { Histogram } from '../load/histogram.js'
import { toPeer, withAddress } from '../load/generators/peer.js'
import { ANY_METHOD, toBodyFile, toMixFile } from '../load/request-body.js'
import { CONTROL_SOCKET } from '../load/request-counts.js'

/** @import { EngineFile } from '../types.js' */

const generator = fileURLToPath(new URL('../load/generators/autocannon-child.js', import.meta.url))

/** @type {EngineFile} */
export default {
  about: {
    title: 'autocannon',
    program: 'autocannon',
    // Has no rate, because its rate mode corrects coordinated omission by steps of 1 ms, and sends each second's
    // requests in a burst.
    unixTarget: true,
    takesAddress: true,
    // Has no new connections, because with Connection: close its latencies would include the time before it connects.
    paths: true,
    requests: true,
    methods: ANY_METHOD,
    counted: 'responses',
    timeouts: 'all',
    stop: 'SIGINT',
    checksBodies: true,
    errorLog: 'errors.jsonl'
  },

  version: { npm: 'autocannon' },

  command (given, named, { dir, maxSeconds }) {
    const { load, target } = withAddress(given, named)
    const body = toBodyFile(load, dir)
    const mix = toMixFile(load, target, dir)
    const options = {
      url: target.url + load.path,
      socketPath: target.socketPath,
      serverName: toPeer(new URL(named.url)).servername,
      mixFile: mix.file,
      connections: load.connections,
      headers: load.headers,
      method: load.method ?? 'GET',
      bodyFile: body.file,
      countsErrorResponses: target.countsErrorResponses ?? false,
      expectBodyFile: target.expectBody?.file ?? null,
      errorLog: `${dir}/errors.jsonl`,
      controlSocket: `${dir}/${CONTROL_SOCKET}`,
      timeoutSeconds: load.timeoutSeconds ?? null,
      maxSeconds
    }
    return {
      files: { ...body.files, ...mix.files },
      processes: [{ argv: [process.execPath, generator], env: { HOPBENCH_GENERATOR: JSON.stringify(options) } }]
    }
  },

  parse (results) {
    const report = parseJsonReport('autocannon', results[0])
    const { timeouts, mismatches, non2xx, errors, requests, latencyMicros } = report ?? {}
    if (![timeouts, mismatches, non2xx, errors, requests?.total].every(Number.isFinite)) {
      throw new TypeError(`autocannon's report has no totals: ${results[0].stdout.slice(0, 200)}`)
    }
    const latency = Histogram.of([latencyMicros])
    return {
      requests: requests.total,
      errors: { non2xx, timeouts, mismatches, resets: errors - timeouts },
      bytes: report.throughput?.total ?? null,
      // Not report.duration, which is rounded to hundredths.
      seconds: (Date.parse(report.finish) - Date.parse(report.start)) / 1000 || null,
      latencyMs: latency.count === 0
        ? null
        : { ...latency.milliseconds(), rate: null, source: 'autocannon, closed loop' },
      ...latency.count > 0 && { histograms: { latency: latency.toJSON() } }
    }
  }
}
