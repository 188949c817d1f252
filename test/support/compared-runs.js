/** Runs with scripted rates, for tests that compare runs. */
import { randomFrom } from '../../bench/shared/random.js'
import { makeArm, makeRecord, makeContrast, makeSample, makePlan } from './record.js'

/** @import { RunRecord } from '../../bench/types.js' */

/**
 * Makes a run whose arms vary by a few percent around a rate, with a contrast of each arm against the first.
 * @param {Record<string, number>} rates
 * @param {Partial<RunRecord>} [overrides]
 * @param {{ blocks?: number, micros?: Record<string, number>, seed?: number }} [options] micros: CPU time of proxy
 *   and server for each request
 */
export function runOf (rates, overrides = {}, { blocks = 30, micros = {}, seed = 7 } = {}) {
  const random = randomFrom(seed, ...Object.values(rates))
  const noise = () => 1 + (random() - 0.5) * 0.06
  const names = Object.keys(rates)
  const samples = names.flatMap(arm =>
    Array.from({ length: blocks }, (_, block) => {
      const seconds = (micros[arm] ?? 400) * 1e-6 * 1000 * noise()
      return makeSample({
        arm,
        block,
        requests: 1000,
        rps: rates[arm] * noise(),
        cpuSeconds: { load: 0.05, proxy: seconds / 4, server: seconds * 3 / 4, idle: 0 }
      })
    })
  )
  const arms = Object.entries(rates).map(([name, median]) =>
    makeArm({ name, rps: { median, low: median * 0.99, high: median * 1.01 } })
  )
  const plan = { ...makePlan(), arms: names.map(name => ({ ...makePlan().arms[0], name })), twin: null }
  const contrasts = names.slice(1).map(arm => makeContrast({ arm, baseline: names[0] }))
  return { record: makeRecord({ arms, plan, contrasts, ...overrides }), samples }
}
