// wrk: closed loop with keep-alive or a new connection for every request, about three times as fast as autocannon on
// one core, and so the engine for targets that would outrun it.

import { ANY_METHOD, bodyFile } from '../load/request-body.js'

/** @import { EngineFile, Latency, Load } from '../types.js' */

/** Its own totals as JSON, times in microseconds. */
const REPORT = `
done = function(summary, latency)
  local e = summary.errors
  io.write(string.format(
    '{"requests":%d,"bytes":%d,"micros":%d,"status":%d,"timeout":%d,"connect":%d,"read":%d,"write":%d,',
    summary.requests, summary.bytes, summary.duration, e.status, e.timeout, e.connect, e.read, e.write))
  io.write(string.format('"p50":%d,"p90":%d,"p95":%d,"p99":%d,"max":%d}\\n', latency:percentile(50),
    latency:percentile(90), latency:percentile(95), latency:percentile(99), latency.max))
end
`

/** wrk allocates 8 bytes for each microsecond of its timeout, 1 GB for this one. Longer than the pauses of an arm; what
 * waits beyond it is still counted as an answer, and as late. */
const LONGEST_TIMEOUT_SECONDS = 120

/** One request after the other from a list; every thread begins at the front.
 * @param {string[]} paths as they stand in a request line */
const sequence = paths => `
local paths = { ${paths.map(path => JSON.stringify(encodeURI(decodeURI(path)))).join(', ')} }
local at = 0
request = function()
  at = at % #paths + 1
  return wrk.format("GET", paths[at])
end
`

/** What it sends, where it is no plain GET. @param {Load} load @param {string | null} file of the body */
const requestOf = ({ method, paths }, file) => [
  ...method ? [`wrk.method = ${JSON.stringify(method)}`] : [],
  ...file ? [`wrk.body = io.open(${JSON.stringify(file)}, "rb"):read("*a")`] : [],
  ...paths ? [sequence(paths)] : []
].join('\n')

/** @type {EngineFile} */
export default {
  about: {
    title: 'wrk',
    program: 'wrk',
    packages: { debian: ['wrk'] },
    freshConnections: true,
    // It uses the TLS state of a connection again for the next one, with the session in it.
    resumption: 'always',
    paths: true,
    methods: ANY_METHOD,
    counted: 'writes',
    // It looks at the time of an answer when the answer has come.
    timeouts: 'late',
    latencyResolutionMicros: 1,
    latencyNote:
      'adds answers that it never got for those that took more than twice the usual time, and leaves out those ' +
      'after its timeout',
    stop: 'SIGINT'
  },

  // It prints its version with its help, and ends with 1.
  version: { args: ['--version'], parse: output => /^wrk (?:debian\/)?v?(\d[\w.~+-]*)/m.exec(output)?.[1] ?? null },

  command (load, target, { program, dir, maxSeconds }) {
    const body = bodyFile(load, dir)
    const headers = Object.entries({ ...load.headers, ...load.fresh && { Connection: 'close' } }).flatMap((
      [name, value]
    ) => ['-H', `${name}: ${value}`])
    return {
      files: { ...body.files, 'report.lua': REPORT + requestOf(load, body.file) },
      processes: [{
        // Its own timeout of 2 s would count every pause as one.
        argv: [program, '-t1', `-c${load.connections}`, `-d${maxSeconds}s`, '--timeout',
          `${load.timeoutSeconds ?? Math.min(maxSeconds, LONGEST_TIMEOUT_SECONDS)}s`, '-s', `${dir}/report.lua`,
          ...headers, target.url + load.path],
        env: {}
      }]
    }
  },

  parse (results) {
    const { stdout, stderr } = results[0]
    const line = stdout.split('\n').find(line => line.startsWith('{"requests"'))
    if (!line) throw new TypeError(`wrk printed no report: ${(stdout + stderr).slice(-200)}`)
    const report = JSON.parse(line)
    const numbers = [report.requests, report.bytes, report.micros, report.status, report.timeout, report.connect,
      report.read, report.write]
    if (!numbers.every(Number.isFinite)) throw new TypeError(`wrk's report has no totals: ${line}`)
    return {
      requests: report.requests,
      errors: {
        non2xx: report.status,
        timeouts: report.timeout,
        mismatches: 0,
        resets: report.connect + report.read + report.write
      },
      bytes: report.bytes,
      seconds: report.micros / 1e6,
      latencyMs: report.requests > 0 ? latency(report) : null
    }
  }
}

/** @param {Record<string, number>} report microseconds @returns {Latency | null} */
function latency (report) {
  const [p50, p90, p95, p99, max] = [report.p50, report.p90, report.p95, report.p99, report.max].map(micros =>
    micros / 1000
  )
  if (![p50, p90, p95, p99, max].every(Number.isFinite)) return null
  return { p50, p90, p95, p99, max, rate: null, source: 'wrk, closed loop, with its own correction' }
}
