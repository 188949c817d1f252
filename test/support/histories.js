/** Runs of one experiment with planted steps, for tests of the history. */
import { normalQuantile } from '../../bench/shared/normal.js'
import { randomFrom } from '../../bench/shared/random.js'
import { makeArm, makeContrast, makeRecord } from './record.js'

/** @import { RunRecord } from '../../bench/types.js' */

const DAY_MS = 86_400_000
const FIRST_MS = Date.UTC(2026, 9, 1, 12)
const NOISE = 0.01 // Standard deviation of each figure between runs.

/** @param {number} i index of the run */
const toHash = i => `${(0xa1b2c3d + i * 0x10101).toString(16)}${'0'.repeat(40)}`.slice(0, 40)

/**
 * Makes daily runs in which uds changes at some of them, and keepalive stays.
 *
 * @param {number} count
 * @param {Record<number, number>} [steps] factor of the rate of uds from a run on
 * @param {{ seed?: number, overrides?: (i: number) => Partial<RunRecord> }} [options]
 * @returns {RunRecord[]} the oldest first
 */
export function makeHistory (count, steps = {}, { seed = 1, overrides = () => ({}) } = {}) {
  const random = randomFrom(seed, 'runs')
  const noisy = (/** @type {number} */ value) =>
    value * Math.exp(NOISE * normalQuantile(Math.max(random(), 1e-9)))
  return Array.from({ length: count }, (_, i) => {
    const factor = Object.entries(steps).reduce((all, [at, step]) => i >= Number(at) ? all * step : all, 1)
    const arm = (/** @type {string} */ name, /** @type {number} */ rate) => {
      const median = noisy(rate)
      return makeArm({
        name,
        rps: { median, low: median * 0.985, high: median * 1.012 },
        cpuMicrosPerRequest: { load: 8, proxy: 20, server: noisy(1e6 / rate) }
      })
    }
    const ratio = noisy(0.8 * factor)
    const startedAt = new Date(FIRST_MS + i * DAY_MS).toISOString()
    const base = makeRecord()
    return makeRecord({
      run: `${startedAt.slice(0, 19).replaceAll(':', '-')}Z-uds`,
      startedAt,
      plan: { ...base.plan, commit: { hash: toHash(i), changed: i === count - 1 } },
      arms: [arm('keepalive', 12_000), arm('uds', 9600 * factor)],
      contrasts: [makeContrast({ arm: 'uds', ratio, low: ratio * 0.98, high: ratio * 1.02, verdict: 'slower' })],
      ...overrides(i)
    })
  })
}
