/** Tests the peak that offered rates are shares of: the lowest of the arms' median windows after a warm-up. */
import t from 'tap'
import { findLowestPeak, findMiddlePeak } from '../../bench/measure/peak.js'

/**
 * Finds the lowest peak with scripted windows.
 * @param {Record<string, (number | null)[]>} rates of each arm's windows, the warm-up first; null: invalid
 */
function scripted (rates, plan = {}) {
  const seen = { held: '', seconds: /** @type {number[]} */ ([]), ended: 0 }
  const windows = structuredClone(rates)
  /** @type {any} */
  const stages = {
    addTool: () => {},
    begin: async (/** @type {any} */ { ladder: { of } }) => (seen.held = of) === 'refused' ? null : { of, staged: {} },
    end: async () => { seen.ended++ }
  }
  const arms = Object.keys(rates).flatMap(of => [0, 1].map(step => ({ name: `${of} ${step}`, ladder: { of, step } })))
  const measure = async (/** @type {any} */ arm, /** @type {any} */ { seconds }) => {
    seen.seconds.push(seconds)
    const rps = windows[seen.held].shift()
    return { sample: { rps: rps ?? 0, invalid: rps === null ? { code: 'no-report' } : null }, engine: { name: 'wrk' } }
  }
  /** @type {any} */
  const made = { arms, ...plan }
  /** @type {any} */
  const options = { note: () => {}, measure }
  return { seen, find: () => findLowestPeak(made, stages, options) }
}

t.test('returns the lowest median of the arms, measured once and without the warm-up', async t => {
  const { find, seen } = scripted({ fast: [9000, 4000, 5000, 6000], slow: [1, 1526, 560, 1028], refused: [] })
  t.equal(await find(), 1028)
  t.same(seen.seconds.length, 8, 'measures each arm once, not each of its shares')
  t.ok(seen.seconds[0] > seen.seconds[1], 'a warm-up is longer than a window')
  t.equal(seen.ended, 3)
})

t.test('a quick run measures for less time, and a smoke run for the least', async t => {
  const total = async (/** @type {object} */ plan) => {
    const { find, seen } = scripted({ app: [1, 2, 3, 4] }, plan)
    await find()
    return seen.seconds.reduce((a, b) => a + b)
  }
  const [full, quick, smoke] = [await total({}), await total({ quick: true }), await total({ smoke: true })]
  t.ok(full > quick && quick > smoke)
})

t.test('ignores arms without a valid window and fails without any peak', async t => {
  t.equal(await scripted({ broken: [null, null, null, null], app: [1, 100, 100, null] }).find(), 100)
  await t.rejects(scripted({ broken: [null, null, null, null] }).find(), /no arm has shown a peak/)
})

t.test('the median of an even number of peaks is the lower one', async t => {
  t.equal(findMiddlePeak([3, 1]), 1)
  t.equal(findMiddlePeak([3, 1, 2]), 2)
})
