/** Tests the peak that offered rates are shares of: the lowest of the arms' median windows after a warm-up. */
import t from '../support/tap.js'
import { HopbenchError } from '../../bench/errors.js'
import { findLowestPeak } from '../../bench/measure/peak.js'

const CONNECTIONS = 400

/**
 * Finds the lowest peak with scripted windows.
 * @param {Record<string, (number | null)[]>} rates of each arm's windows; null: invalid
 */
function scripted (rates, plan = {}) {
  const seen = { held: '', seconds: /** @type {(number | 'warm')[]} */ ([]), ended: 0 }
  const windows = structuredClone(rates)
  /** @type {any} */
  const stages = {
    addTool: () => {},
    begin: async (/** @type {any} */ { ladder: { of } }) => (seen.held = of) === 'refused' ? null : { of, staged: {} },
    end: async () => { seen.ended++ }
  }
  const arms = Object.keys(rates).flatMap(of => [0, 1].map(step => ({
    name: `${of} ${step}`, ladder: { of, step }, load: { connections: CONNECTIONS }
  })))
  const measure = async (/** @type {any} */ arm, /** @type {any} */ { seconds, connections }) => {
    t.equal(connections, CONNECTIONS)
    seen.seconds.push(seconds)
    const rps = windows[seen.held].shift()
    return { sample: { rps: rps ?? 0, invalid: rps === null ? { code: 'no-report' } : null }, engine: { name: 'wrk' } }
  }
  /** @type {any} */
  const made = { arms, ...plan }
  /** @type {any} */
  const options = { printProgress: () => {}, measure, warm: async () => { seen.seconds.push('warm') } }
  return { seen, find: () => findLowestPeak(made, stages, options) }
}

t.test('returns the lowest median of the arms, each warmed up and measured once', async t => {
  const { find, seen } = scripted({ fast: [4000, 5000, 6000], slow: [1526, 560, 1028], refused: [] })
  t.equal(await find(), 1028)
  t.strictSame(seen.seconds, ['warm', 2, 2, 2, 'warm', 2, 2, 2], 'measures each arm once, not each of its shares')
  t.equal(seen.ended, 3)
})

t.test('a quick run measures for less time, and a smoke run for the least', async t => {
  const lengths = async (/** @type {object} */ plan) => {
    const { find, seen } = scripted({ app: [1, 2, 3] }, plan)
    await find()
    return seen.seconds
  }
  t.strictSame(await lengths({}), ['warm', 2, 2, 2])
  t.strictSame(await lengths({ quick: true }), ['warm', 1, 1, 1])
  t.strictSame(await lengths({ smoke: true }), ['warm', 1])
})

t.test('ignores arms without a valid window and fails without any peak', async t => {
  t.equal(await scripted({ broken: [null, null, null], app: [100, 100, null] }).find(), 100)
  await t.rejects(scripted({ broken: [null, null, null] }).find(), /no arm has shown a peak/)
})

t.test('the median of an even number of peaks is the lower one', async t => {
  t.equal(await scripted({ app: [3, null, 1] }).find(), 1)
  t.equal(await scripted({ app: [3, 1, 2] }).find(), 2)
})

t.test('a file that would be public ends the run, and another failed start does not', async t => {
  const published = { name: 'app', path: '/a.js', proxy: 'nginx', status: 401, location: null }
  const failing = (/** @type {Error} */ error) => findLowestPeak(/** @type {any} */ ({ arms: [{ name: 'app' }] }),
    /** @type {any} */ ({ begin: async () => { throw error }, end: async () => {} }),
    /** @type {any} */ ({ printProgress: () => {} }))
  await t.rejects(failing(new HopbenchError('file-published', published)), { code: 'file-published' })
  await t.rejects(failing(new Error('it did not start')), /no arm has shown a peak/)
})
