/** Planned figures in place of measurements by workers. */
import { fromErrorData } from '../../bench/errors.js'
import { YOURS } from '../../bench/plan/changed-spec.js'
import { toCommandLine } from '../../bench/plan/stored-command.js'

/** @import { callWorker } from '../../bench/run/call-worker.js' */
/** @import { RunFlags } from '../../bench/request/types.js' */

const FAILED = { code: /** @type {const} */ ('process-died'), details: { name: 'app', how: 'ended at once' } }

/**
 * Returns a function in place of callWorker() whose records have the rates of a table, and the requests that it gets,
 * as command lines.
 *
 * @param {object} plan
 * @param {Record<string, number>} [plan.rates] by topology
 * @param {boolean} [plan.fails]
 * @param {boolean} [plan.failsOwn] whether a configuration of one's own cannot be measured
 * @param {boolean} [plan.isTooMuch] whether no offering holds the load
 * @param {string[]} [plan.heavy] topologies that complete responses in batches with 100 connections
 * @param {number} [plan.workers] processes of an instance
 */
export function fakeMeasurements (plan) {
  const { rates = {}, fails = false, failsOwn = false, isTooMuch = false, heavy = [], workers = 1 } = plan
  /** @type {string[]} */
  const commands = []
  const call = async (
    /** @type {'run' | 'size' | 'config'} */ task,
    /** @type {{ words: string[], options: RunFlags }} */ request,
    /** @type {Parameters<typeof callWorker>[2]} */ { onEvent = () => {} }
  ) => {
    commands.push(toCommandLine(task, request).join(' '))
    if (fails || (task === 'config' && failsOwn)) return { result: null, error: fromErrorData(FAILED) }
    const record = task === 'size'
      ? toSized(request.words[0], { isTooMuch, workers })
      : toRun(task === 'config' ? withYours(request) : request, { rates, heavy }, onEvent)
    return { result: { record, succeeded: true }, error: null }
  }
  return { commands, call: /** @type {typeof callWorker} */ (/** @type {unknown} */ (call)) }
}

/**
 * Returns the request with the arm of the configuration in place of its path.
 * @param {{ words: string[], options: RunFlags }} request
 */
const withYours = ({ words: [, ...topologies], options }) => ({ words: [...topologies, YOURS], options })

/**
 * @param {string} spec
 * @param {{ isTooMuch: boolean, workers: number }} plan
 */
function toSized (spec, { isTooMuch, workers }) {
  const offering = { provider: 'Acme', name: 'One', vcpu: 1, memoryMiB: 512, currency: 'USD', egress: null }
  const found = isTooMuch
    ? { instances: null, why: { code: 'no-price', params: {} } }
    : { instances: 2, monthly: 10, total: 12, workers: { workers } }
  const topologies = [{ spec, curve: [{ rate: 400, micros: { proxy: 0, server: 1000 } }] }]
  const table = [{ offering, topology: spec, perInstance: 500, ...found }]
  return { run: '2026-11-25T00-00-09Z-size', complete: true, sizing: { topologies, table, goal: { rate: 5000 } } }
}

/**
 * @param {{ words: string[], options: RunFlags }} request words: topologies
 * @param {{ rates: Record<string, number>, heavy: string[] }} plan
 * @param {(event: any) => void} onEvent
 */
function toRun ({ words: [baseline, ...arms], options }, { rates, heavy }, onEvent) {
  const toArm = (/** @type {string} */ name) => ({
    name,
    spec: name,
    load: {},
    bytesPerResponse: name.includes('gzip') ? 1000 : 5000,
    cpuMicrosPerRequest: { proxy: 0, server: 1000 / (rates[name] ?? 1), load: 0 }
  })
  const contrasts = arms.map(arm => {
    const ratio = (rates[arm] ?? 1) / (rates[baseline] ?? 1)
    if (heavy.includes(arm) && options.connections === undefined) {
      return { arm, baseline, ratio, low: ratio / 9, high: ratio * 3, level: 0.95, verdict: 'inconclusive' }
    }
    const verdict = ratio > 1 ? 'faster' : ratio < 1 ? 'slower' : 'no-difference'
    return { arm, baseline, ratio, low: ratio * 0.95, high: ratio * 1.05, level: 0.95, verdict, why: null }
  })
  for (const block of [0, 1]) {
    onEvent({ event: 'block', block, contrasts: contrasts.map(found => ({ ...found, ratio: found.ratio + block })) })
  }
  const isHeavy = contrasts.some(({ verdict }) => verdict === 'inconclusive')
  return {
    warnings: isHeavy ? [{ code: 'batches', params: { fewer: 10 } }] : [],
    contrasts,
    run: `2026-11-25T00-00-0${1 + arms.length}Z-typed`,
    unit: 'requests',
    complete: true,
    arms: [baseline, ...arms].map(toArm)
  }
}
