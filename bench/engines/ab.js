// ab of Apache: one thread, HTTP/1.0, with keep-alive or a new connection for every request.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ANY_METHOD, bodyFile } from '../load/request-body.js'

/** @import { EngineFile, Latency } from '../types.js' */

/** -t alone would mean 50,000 requests. ab is slower than this on any machine: it ends by its clock. */
const MOST_PER_SECOND = 200_000
/** It sets 32 bytes aside for every request of -n (and fills them as they come): 1.6 GB of address space. */
const MOST_REQUESTS = 50_000_000
const PERCENTAGES = 'percentages.csv'
/** What it sends a file by; with any other method it has no body. @type {Record<string, string>} */
const CARRIES = { POST: '-p', PUT: '-u' }

/** @type {EngineFile} */
export default {
  about: {
    title: 'ab',
    program: 'ab',
    packages: { debian: ['apache2-utils'], fedora: ['httpd-tools'], alpine: ['apache2-utils'], brew: ['httpd'] },
    freshConnections: true,
    methods: { ...ANY_METHOD, withBody: Object.keys(CARRIES) },
    counted: 'writes',
    resumption: 'never',
    // Its -s is no timeout of one answer: it ends ab, without a report, when no connection has moved for so long.
    latencyResolutionMicros: 1,
    latencyNote:
      'prints whole milliseconds (its file of percentages, read here, has microseconds) and counts connecting as ' +
      'part of an answer',
    stop: 'SIGINT'
  },

  version: { args: ['-V'], parse: output => /ApacheBench, Version (\d[\w.-]*)/.exec(output)?.[1] ?? null },

  command (load, target, { program, dir, maxSeconds }) {
    const { method = 'GET', headers: { 'Content-Type': type, ...named } } = load
    const body = bodyFile(load, dir)
    const headers = Object.entries(named).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
    // Of a body it sets the type itself, and twice where it is named as a header.
    const typed = type ? ['-H', `Content-Type: ${type}`] : []
    const carried = body.file ? [CARRIES[method], body.file, '-T', type ?? 'text/plain'] : typed
    return {
      files: body.files,
      processes: [{
        // -n stands after -t, which sets it. -r: a reset is counted and does not end it. -l: bodies of
        // another length are the sampler's to judge.
        argv: [program, '-q', '-r', '-l', ...load.fresh ? [] : ['-k'], '-c', `${load.connections}`,
          '-t', `${maxSeconds}`, '-n', `${Math.min(MOST_REQUESTS, maxSeconds * MOST_PER_SECOND)}`,
          // Frozen between slices, it must not take the pause for a server that hangs.
          '-s', `${maxSeconds + 60}`, '-e', join(dir, PERCENTAGES),
          ...method === 'GET' || body.file ? [] : ['-m', method], ...carried, ...headers, target.url + load.path],
        env: {}
      }]
    }
  },

  parse (results) {
    const { stdout, stderr, dir } = results[0]
    const value = (/** @type {string} */ name) =>
      Number(new RegExp(`^${name}: +([\\d.]+)`, 'm').exec(stdout)?.[1] ?? NaN)
    const [completed, seconds, bytes] = ['Complete requests', 'Time taken for tests', 'Total transferred'].map(value)
    if (![completed, seconds, bytes, value('Failed requests'), value('Requests per second')].every(Number.isFinite)) {
      throw new TypeError(`ab printed no report: ${(stdout + stderr).slice(-200)}`)
    }
    const [connect, receive, exceptions] =
      (/\(Connect: (\d+), Receive: (\d+), Length: \d+, Exceptions: (\d+)\)/.exec(stdout)?.slice(1) ?? [0, 0, 0]).map(
        Number
      )
    // One broken connection may count as both, and is "complete" all the same.
    const broken = Math.max(receive, exceptions)
    const answers = completed - broken
    const kept = value('Keep-Alive requests')
    // The line is there with -k only.
    if (kept < answers) {
      throw new TypeError(
        `ab kept its connection after ${kept} of ${answers} answers: to HTTP/1.0 the server must answer with ` +
        'Content-Length and Connection: keep-alive'
      )
    }
    return {
      requests: answers,
      errors: {
        non2xx: value('Non-2xx responses') || 0,
        timeouts: 0,
        resets: connect + broken + (value('Write errors') || 0),
        mismatches: 0
      },
      bytes,
      seconds,
      latencyMs: answers > 0 ? latency(dir, stdout) : null
    }
  }
}

/** Its file has a line for each percentage up to 99, its printed table the longest. @param {string} dir
 * @param {string} stdout @returns {Latency | null} null where there is no file: it was ended before it wrote it */
function latency (dir, stdout) {
  const lines = read(join(dir, PERCENTAGES)).split('\n')
  const at = (/** @type {number} */ percentage) =>
    Number(lines.find(line => line.startsWith(`${percentage},`))?.split(',')[1] ?? NaN)
  const max = Number(/^ 100% +(\d+) /m.exec(stdout)?.[1] ?? NaN)
  const [p50, p90, p95, p99] = [50, 90, 95, 99].map(at)
  if (![p50, p90, p95, p99, max].every(Number.isFinite)) return null
  // Whole milliseconds, rounded: it is no shorter than the 99th percentile.
  return { p50, p90, p95, p99, max: Math.max(max, p99), rate: null, source: 'ab, closed loop' }
}

/** @param {string} file */
function read (file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
