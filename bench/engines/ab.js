// ab of Apache: one thread, HTTP/1.0, with keep-alive or a new connection for every request.
import { join } from 'node:path'
import { latencyWithoutRate, headerArguments, noReport, readReportFile } from '../load/engine-reports.js'
import { ANY_METHOD, toBodyFile } from '../load/request-body.js'

/** @import { EngineFile } from '../types.js' */

/** Above the rate of ab on any machine, so that ab ends by its clock. With -t alone, ab ends after 50,000 requests. */
const MAX_PER_SECOND = 200_000
/** Limits -n, because ab reserves 32 bytes of address space for each request: 1.6 GB. */
const MAX_REQUESTS = 50_000_000
const PERCENTAGES = 'percentages.csv'
/** Arguments that send a file as the body. No other method can have a body. @type {Record<string, string>} */
const BODY_ARGUMENTS = { POST: '-p', PUT: '-u' }

/** @type {EngineFile} */
export default {
  about: {
    title: 'ab',
    program: 'ab',
    packages: { debian: ['apache2-utils'], fedora: ['httpd-tools'], alpine: ['apache2-utils'], brew: ['httpd'] },
    freshConnections: true,
    methods: { ...ANY_METHOD, withBody: Object.keys(BODY_ARGUMENTS) },
    counted: 'writes',
    countedBytes: 64 * 1024,
    resumption: 'never',
    // Has no timeouts, because -s ends ab without a report if all connections were idle for this long.
    stop: 'SIGINT'
  },

  version: { args: ['-V'], parse: output => /ApacheBench, Version (\d[\w.-]*)/.exec(output)?.[1] ?? null },

  command (load, target, { program, dir, maxSeconds }) {
    const { method = 'GET' } = load
    const { 'Content-Type': type, ...otherHeaders } = load.headers
    const body = toBodyFile(load, dir)
    // With a body, ab sends the type itself, and would send a header of that name in addition.
    const content = body.file
      ? [BODY_ARGUMENTS[method], body.file, '-T', type ?? 'text/plain']
      : headerArguments(type ? { 'Content-Type': type } : {})
    return {
      files: body.files,
      processes: [{
        // -n follows -t, because -t sets it, too. -r: a reset is counted and does not end ab. -l: accepts bodies of
        // any length, because the sampler checks them.
        argv: [program, '-q', '-r', '-l', ...load.fresh ? [] : ['-k'], '-c', `${load.connections}`,
          '-t', `${maxSeconds}`, '-n', `${Math.min(MAX_REQUESTS, maxSeconds * MAX_PER_SECOND)}`,
          // Longer than any pause of ab, which would look like a server that hangs.
          '-s', `${maxSeconds + 60}`, '-e', join(dir, PERCENTAGES),
          ...method === 'GET' || body.file ? [] : ['-m', method], ...content,
          ...headerArguments(otherHeaders), target.url + load.path]
      }]
    }
  },

  parse (results) {
    const { stdout, dir } = results[0]
    const value = (/** @type {string} */ name) =>
      Number(new RegExp(`^${name}: +([\\d.]+)`, 'm').exec(stdout)?.[1] ?? NaN)
    const [completed, seconds, bytes] = ['Complete requests', 'Time taken for tests', 'Total transferred'].map(value)
    if (![completed, seconds, bytes, value('Failed requests'), value('Requests per second')].every(Number.isFinite)) {
      throw noReport('ab', results[0])
    }
    const [connect, receive, exceptions] =
      (/\(Connect: (\d+), Receive: (\d+), Length: \d+, Exceptions: (\d+)\)/.exec(stdout)?.slice(1) ?? [0, 0, 0]).map(
        Number
      )
    // A broken connection can count as both, and as complete, too.
    const broken = Math.max(receive, exceptions)
    const responses = completed - broken
    const kept = value('Keep-Alive requests')
    // NaN without -k, because then the line is missing.
    if (kept < responses) {
      throw new TypeError(
        `ab kept its connection after ${kept} of ${responses} responses: to HTTP/1.0 requests the server must send ` +
        'Content-Length and Connection: keep-alive'
      )
    }
    return {
      requests: responses,
      errors: {
        non2xx: value('Non-2xx responses') || 0,
        timeouts: 0,
        resets: connect + broken + (value('Write errors') || 0),
        mismatches: 0
      },
      bytes,
      seconds,
      latencyMs: responses > 0 ? readLatency(dir, stdout) : null
    }
  }
}

/**
 * Reads percentiles up to 99 from ab's file and the maximum from its output. The file is missing if ab was killed.
 * @param {string} dir
 * @param {string} stdout
 */
function readLatency (dir, stdout) {
  const lines = (readReportFile(join(dir, PERCENTAGES)) ?? '').split('\n')
  const at = (/** @type {number} */ percentage) =>
    Number(lines.find(line => line.startsWith(`${percentage},`))?.split(',')[1] ?? NaN)
  const max = Number(/^ 100% +(\d+) /m.exec(stdout)?.[1] ?? NaN)
  // The maximum is rounded to whole milliseconds, so it can be below the 99th percentile.
  return latencyWithoutRate([...[50, 90, 95, 99].map(at), Math.max(max, at(99))], 'ab, closed loop')
}
