// oha: closed loop with keep-alive or a new connection for every request, over TCP, TLS and Unix sockets.
import { latencyWithoutRate, headerArguments, parseJsonReport } from '../load/engine-reports.js'
import { ANY_METHOD, toBodyFile } from '../load/request-body.js'
import { sum } from '../shared/group-by.js'
import { isErrorStatus } from '../shared/trial.js'

/** @import { EngineFile } from '../types.js' */

/** oha's name of requests in flight at its end. */
const AT_THE_END = 'aborted due to deadline'
const TIMEOUT = 'timeout'
const PATIENCE_SECONDS = 5 // Timeout of an open loop, as in bench/engines/paced.js.

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
    // Selects from the list at random, so proportions hold on average. Headers, method and body are those of all paths.
    paths: true,
    timeouts: 'all',
    stop: 'SIGINT'
  },

  version: { args: ['--version'], parse: output => /^oha (\d[\w.~+-]*)/m.exec(output)?.[1] ?? null },

  command (load, target, { program, dir, maxSeconds }) {
    const body = toBodyFile(load, dir)
    // -w waits without limit for missing responses, so it needs a timeout.
    const timeout = load.timeoutSeconds ?? (load.rate === undefined ? undefined : PATIENCE_SECONDS)
    return {
      files: {
        ...body.files, ...load.paths && { 'urls.txt': load.paths.map(path => `${target.url}${path}\n`).join('') }
      },
      processes: [{
        argv: [program, '--no-tui', '--output-format', 'json', '-z', `${maxSeconds}s`, '-c', `${load.connections}`,
          // Open loop: latency is measured from the schedule, and -w waits for requests in flight at the end.
          ...load.rate === undefined ? [] : ['-q', `${load.rate}`, '--latency-correction', '-w'],
          ...timeout === undefined ? [] : ['-t', `${timeout}s`],
          ...load.fresh ? ['--disable-keepalive'] : [],
          ...target.http2 ? ['--http2', '-p', `${load.streams ?? 1}`] : [],
          ...target.socketPath === null ? [] : ['--unix-socket', target.socketPath],
          ...target.url.startsWith('https:') ? ['--insecure'] : [],
          // oha requests compression by default.
          '--disable-compression', '--redirect', '0', ...load.method ? ['-m', load.method] : [],
          ...body.file ? ['-D', body.file] : [],
          ...headerArguments(load.headers),
          ...load.paths ? ['--urls-from-file', `${dir}/urls.txt`] : [target.url + load.path]],
        // A single thread, like the other engines. The default is one for each core.
        env: { TOKIO_WORKER_THREADS: '1' }
      }]
    }
  },

  parse (results) {
    const report = parseJsonReport('oha', results[0])
    const { summary, statusCodeDistribution: statuses, errorDistribution: errors } = report ?? {}
    if (!(summary?.total > 0) || !isCounts(statuses) || !isCounts(errors)) {
      throw new TypeError(`oha's report has no totals: ${results[0].stdout.slice(0, 200)}`)
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
      // oha counts bytes of bodies only.
      bytes: null,
      seconds: summary.total,
      latencyMs: requests > 0 ? toLatency(report) : null
    }
  }
}

/** @param {{ latencyPercentiles?: Record<string, number>, summary: { slowest: number } }} report times in seconds */
function toLatency ({ latencyPercentiles, summary }) {
  const { p50, p90, p95, p99 } = latencyPercentiles ?? {}
  const seconds = [p50, p90, p95, p99, summary.slowest]
  return latencyWithoutRate(seconds.map(value => Number(value ?? NaN) * 1000), 'oha, closed loop')
}

/**
 * @param {unknown} value
 * @returns {value is Record<string, number>}
 */
const isCounts = value => typeof value === 'object' && value !== null && Object.values(value).every(Number.isFinite)
