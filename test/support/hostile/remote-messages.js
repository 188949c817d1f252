/** Valid messages of a run over several machines. */
import { makeRecord, makeSample } from '../record.js'

/** Counts of errors in a trial without errors. */
const NONE = { non2xx: 0, timeouts: 0, resets: 0, mismatches: 0 }
/** Part of each response of a rig. */
const state = { lost: [], refused: [['a', { code: 'x', text: 'y' }]], tools: { nginx: '1' }, slowerUsers: null }
const measurement = {
  requests: 10,
  errors: NONE,
  bytes: 5,
  seconds: 1,
  latencyMs: { p50: 1, p90: 2, p95: 3, p99: 4, max: 5, rate: null, source: 'x' },
  histograms: { latency: { count: 1, max: 2, counts: [[1, 1]] } }
}
/** Final result of a load generator. */
export const ended = { report: { measurement, sampled: 1 }, logs: { '0.err': 'text' } }
/**
 * A valid response to each request.
 * @type {Record<string, any>}
 */
export const ANSWERS = {
  'host/environment': makeRecord().environment,
  'rig/open': { ...state, engine: 'wrk', switchedFor: { arm: 'a', share: 0.5 }, instead: null },
  'rig/trial': { ...state, sample: makeSample({ arm: 'a', block: 0 }) },
  'rig/finish': [['a', { code: 'x', text: 'y' }]],
  'rig/close': { 'a/nginx.conf': 'text', 'a/logs/error.log': 'line' },
  'load/engine': { version: '1' },
  'load/start': 0,
  'load/cpu': { seconds: 1, atSeconds: 2, alive: true },
  'load/errors': { mismatches: 0, timeouts: 0, resets: 0 },
  'load/counts': { requests: 1, atSeconds: 2, isIdle: true },
  'load/failure': { code: 'host-lost', details: { host: 'a', why: 'b' } },
  'load/end': ended,
  'load/finished': ended
}
/** A valid order to start a load generator. */
export const START = {
  engine: 'autocannon',
  order: {
    name: 'a',
    load: { engine: 'autocannon', connections: 1, path: '/', headers: {} },
    target: { url: 'http://10.0.0.1:80', socketPath: null },
    maxSeconds: 1
  }
}

/**
 * Valid parameters by request, for requests with parameters.
 * @type {Record<string, any>}
 */
export const PARAMS = { 'load/engine': 'wrk', 'load/finished': { id: 0, graceSeconds: 1 }, 'load/start': START }
