// oha: closed loop with keep-alive or a new connection for every request, over TCP, TLS and Unix sockets.

import { ANY_METHOD, bodyFile } from '../load/request-body.js'
import { isErrorStatus } from '../shared/trial.js'

/** @import { EngineFile, Latency } from '../types.js' */

/** Its word for what was in flight when its time was over. (Asked to wait for it, it waits for ever where no answer
 * comes.) */
const AT_THE_END = 'aborted due to deadline'
const TIMEOUT = 'timeout'
const PATIENCE_SECONDS = 5

/** @type {EngineFile} */
export default {
  about: {
    title: 'oha',
    program: 'oha',
    packages: { debian: [], alpine: ['oha'], brew: ['oha'] },
    install:
      'No release of Debian has oha: install it with "cargo install oha --locked", or put the binary that its ' +
      'authors publish on PATH, or take another engine.',
    rate: true,
    unixTarget: true,
    http2: true,
    freshConnections: true,
    resumption: 'always',
    methods: ANY_METHOD,
    // It draws from a list at random.
    timeouts: 'all',
    latencyResolutionMicros: 1,
    latencyNote: 'times every answer, and keeps all of them (350 bytes each) to the end',
    stop: 'SIGINT'
  },

  version: { args: ['--version'], parse: output => /^oha (\d[\w.~+-]*)/m.exec(output)?.[1] ?? null },

  command (load, target, { program, dir, maxSeconds }) {
    const body = bodyFile(load, dir)
    // With -w it waits for ever where no answer comes.
    const timeout = load.timeoutSeconds ?? (load.rate === undefined ? undefined : PATIENCE_SECONDS)
    const headers = Object.entries(load.headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
    return {
      files: body.files,
      processes: [{
        argv: [program, '--no-tui', '--output-format', 'json', '-z', `${maxSeconds}s`, '-c', `${load.connections}`,
          // An open loop: time runs from the schedule, and what is under way at the end is waited for.
          ...load.rate === undefined ? [] : ['-q', `${load.rate}`, '--latency-correction', '-w'],
          ...timeout === undefined ? [] : ['-t', `${timeout}s`],
          ...load.fresh ? ['--disable-keepalive'] : [],
          ...target.http2 ? ['--http2', '-p', `${load.streams ?? 1}`] : [],
          ...target.socketPath === null ? [] : ['--unix-socket', target.socketPath],
          ...target.url.startsWith('https:') ? ['--insecure'] : [],
          // It requests compression by default; the load says what is accepted.
          '--disable-compression', '--redirect', '0', ...load.method ? ['-m', load.method] : [],
          ...body.file ? ['-D', body.file] : [], ...headers, target.url + load.path],
        // One thread, like all engines here: it would take one for each core.
        env: { TOKIO_WORKER_THREADS: '1' }
      }]
    }
  },

  parse (results) {
    const { stdout, stderr } = results[0]
    /** @type {any} */
    let report
    try {
      report = JSON.parse(stdout)
    } catch {
      throw new TypeError(`oha's report is no JSON: ${(stdout + stderr).slice(-200)}`)
    }
    const { summary, statusCodeDistribution: statuses, errorDistribution: errors } = report ?? {}
    if (!(summary?.total > 0) || !isCounts(statuses) || !isCounts(errors)) {
      throw new TypeError(`oha's report has no totals: ${stdout.slice(0, 200)}`)
    }
    const requests = sum(Object.values(statuses))
    const failed = sum(Object.entries(errors).filter(([name]) => name !== AT_THE_END).map(([, count]) => count))
    const timeouts = errors[TIMEOUT] ?? 0
    return {
      requests,
      errors: {
        non2xx: sum(Object.entries(statuses).filter(([status]) => isErrorStatus(Number(status)))
          .map(([, count]) => count)),
        timeouts,
        resets: failed - timeouts,
        mismatches: 0
      },
      // It counts the bytes of bodies only.
      bytes: null,
      seconds: summary.total,
      latencyMs: requests > 0 ? latency(report) : null
    }
  }
}

/** @param {{ latencyPercentiles?: Record<string, number>, summary: { slowest: number } }} report seconds
 * @returns {Latency | null} */
function latency ({ latencyPercentiles: percentiles, summary: { slowest } }) {
  const [p50, p90, p95, p99, max] = [percentiles?.p50, percentiles?.p90, percentiles?.p95, percentiles?.p99, slowest]
    .map(value => Number(value ?? NaN) * 1000)
  if (![p50, p90, p95, p99, max].every(Number.isFinite)) return null
  return { p50, p90, p95, p99, max, rate: null, source: 'oha, closed loop' }
}

/** @param {unknown} value @returns {value is Record<string, number>} */
const isCounts = value => typeof value === 'object' && value !== null && Object.values(value).every(Number.isFinite)
/** @param {number[]} counts */
const sum = counts => counts.reduce((total, count) => total + count, 0)
