// wrk: closed loop with keep-alive or a new connection for every request. About three times as fast as autocannon on
// one core, for targets that autocannon cannot saturate.
import { latencyWithoutRate, headerArguments, noReport } from '../load/engine-reports.js'
import { ANY_METHOD, decodeBody, findMix, toBodyFile } from '../load/request-body.js'

/** @import { EngineFile, Load } from '../types.js' */
/** @typedef {NonNullable<ReturnType<typeof findMix>>} Mixed */

/** Lua script that prints the totals as JSON, with times in microseconds. */
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

/**
 * Limits the timeout, because wrk allocates 8 bytes for each microsecond of it, 1 GB for this one. Longer than the
 * pauses of an arm. A later response is counted as a response and as late.
 */
const MAX_TIMEOUT_SECONDS = 120

/** @param {number} index of a request with a body */
const toMixBodyName = index => `request-${index}.body`

/**
 * Lua script that sends requests in their order. It formats each of them once, as soon as wrk has set the header Host.
 * @param {Mixed} mix
 * @param {Record<string, string>} headers of all requests
 * @param {string} dir of the bodies
 */
const toSequence = ({ requests, sequence }, headers, dir) => `
local sequence = { ${sequence.map(index => index + 1).join(', ')} }
local length = ${sequence.length}
local texts = {}
local at = 0
init = function()
  local requests = {}
${requests.map((request, i) => `  requests[${i + 1}] = wrk.format(${[
  JSON.stringify(request.method ?? 'GET'),
  JSON.stringify(request.path),
  toTable({ ...request.headers, ...headers }),
  request.body ? toLuaRead(`${dir}/${toMixBodyName(i)}`) : 'nil'
].join(', ')})`).join('\n')}
  for i = 1, length do texts[i] = requests[sequence[i]] end
end
request = function()
  at = at + 1
  if at > length then at = 1 end
  return texts[at]
end
`

/** @param {Record<string, string>} headers */
const toTable = headers => `{ ${Object.entries(headers)
  .map(([name, value]) => `[${JSON.stringify(name)}] = ${JSON.stringify(value)}`).join(', ')} }`

/** @param {string} file */
const toLuaRead = file => `io.open(${JSON.stringify(file)}, "rb"):read("*a")`

/**
 * Lua script for requests that differ from a plain GET.
 * @param {Load} load
 * @param {string | null} file of the body
 */
const toRequests = ({ method }, file) => [
  ...method ? [`wrk.method = ${JSON.stringify(method)}`] : [],
  ...file ? [`wrk.body = ${toLuaRead(file)}`] : []
].join('\n')

/**
 * Returns the files of the bodies of a mix.
 * @param {Mixed} mix
 * @returns {Record<string, Buffer>}
 */
const toMixBodies = ({ requests }) => Object.fromEntries(requests.flatMap((request, i) => {
  const body = decodeBody(request)
  return body ? [[toMixBodyName(i), body]] : []
}))

/** @type {EngineFile} */
export default {
  about: {
    title: 'wrk',
    program: 'wrk',
    packages: { debian: ['wrk'] },
    freshConnections: true,
    // wrk reuses the TLS state of a connection for the next one, including its session.
    resumption: 'always',
    paths: true,
    requests: true,
    methods: ANY_METHOD,
    counted: 'writes',
    countedBytes: 64 * 1024,
    // wrk checks the time of a response after its arrival.
    timeouts: 'late',
    stop: 'SIGINT'
  },

  // wrk prints its version with its help, and exits with 1.
  version: { args: ['--version'], parse: output => /^wrk (?:debian\/)?v?(\d[\w.~+-]*)/m.exec(output)?.[1] ?? null },

  command (load, target, { program, dir, maxSeconds }) {
    const body = toBodyFile(load, dir)
    const mix = findMix(load)
    const headers = { ...load.headers, ...load.fresh && { Connection: 'close' } }
    // wrk prints its usage for a duration that is no whole number.
    const [seconds, timeoutSeconds] =
      [maxSeconds, load.timeoutSeconds ?? Math.min(maxSeconds, MAX_TIMEOUT_SECONDS)].map(Math.ceil)
    return {
      files: {
        ...body.files,
        ...mix && toMixBodies(mix),
        'report.lua': REPORT + (mix ? toSequence(mix, headers, dir) : toRequests(load, body.file))
      },
      processes: [{
        // The default timeout of 2 s would count every pause.
        argv: [program, '-t1', `-c${load.connections}`, `-d${seconds}s`, '--timeout', `${timeoutSeconds}s`,
          '-s', `${dir}/report.lua`,
          ...headerArguments(headers), target.url + load.path]
      }]
    }
  },

  parse (results) {
    const line = results[0].stdout.split('\n').find(line => line.startsWith('{"requests"'))
    if (!line) throw noReport('wrk', results[0])
    const report = JSON.parse(line)
    const { requests, bytes, micros, status, timeout, connect, read, write } = report
    if (![requests, bytes, micros, status, timeout, connect, read, write].every(Number.isFinite)) {
      throw new TypeError(`wrk's report has no totals: ${line}`)
    }
    return {
      requests,
      errors: { non2xx: status, timeouts: timeout, mismatches: 0, resets: connect + read + write },
      bytes,
      seconds: micros / 1e6,
      latencyMs: requests > 0 ? toLatency(report) : null
    }
  }
}

/** @param {Record<string, number>} report times in microseconds */
function toLatency ({ p50, p90, p95, p99, max }) {
  const milliseconds = [p50, p90, p95, p99, max].map(micros => micros / 1000)
  return latencyWithoutRate(milliseconds, 'wrk, closed loop, with its own correction')
}
