import t from '../support/tap.js'
import { judgeFailures, judgeMetric } from '../../bench/judge/claims/claims.js'
import { combinePlays } from '../../bench/judge/plays.js'
import { proportionInterval } from '../../bench/judge/stats/quantile.js'
import { findPlayFault } from '../../bench/measure/play.js'
import { histogramOf } from '../support/histogram.js'

const group = { name: 'POST', at: 1, requests: 3, counts: { ok: 2, 'status-502': 1 } }
const played = { groups: [group], lag: histogramOf(1) }

t.test('finds faults of a play: no groups, counts that do not add up, and values that are no numbers', async t => {
  t.equal(findPlayFault(played), null)
  const wrong = /** @type {any} */ ({ count: 2, max: 1, counts: [[1, 1]] })
  /** @type {[play: Parameters<typeof findPlayFault>[0], fault: RegExp][]} */
  const faults = [
    [null, /no groups/],
    [{ ...played, groups: [] }, /no groups/],
    [{ ...played, groups: [{ ...group, requests: 4 }] }, /add up to 3, and it sent 4/],
    [{ ...played, groups: [{ ...group, counts: { ok: 2.5 } }] }, /no whole number/],
    [{ ...played, groups: [{ ...group, delays: { response: wrong } }] }, /delay of POST/],
    [{ ...played, lag: wrong }, /lag of its client/],
    [{ ...played, figures: [{ name: 'memory', value: NaN, unit: 'MiB' }] }, /figure memory/]
  ]
  for (const [play, fault] of faults) t.match(findPlayFault(play), fault)
})

t.test('adds up counts and delays of the same kind and position over plays', async t => {
  const play = (/** @type {number} */ at, /** @type {number} */ memory) => ({
    groups: [{ ...group, at, delays: { response: histogramOf(1000, 2000) } }],
    figures: [{ name: 'memory', value: memory, unit: 'MiB' }],
    evidence: ['a fault']
  })
  const plays = combinePlays([{ play: play(1, 10) }, { play: play(1, 20) }, { play: play(2, 30) }, {}])
  t.equal(plays?.plays, 3)
  t.match(plays?.groups, [
    { name: 'POST', at: 1, requests: 6, counts: { ok: 4, 'status-502': 2 }, delays: { response: { count: 4 } } },
    { name: 'POST', at: 2, requests: 3, counts: { ok: 2, 'status-502': 1 }, delays: { response: { count: 2, max: 2 } } }
  ])
  t.same(plays?.figures, [{ name: 'memory', value: 20, unit: 'MiB', low: 10, high: 30 }])
  t.equal(combinePlays([{}]), null)
})

t.test('computes the interval of a proportion by Wilson', async t => {
  // R 4.2: prop.test(5, 1050, correct = FALSE)
  const { low, high } = proportionInterval(5, 1050)
  t.ok(Math.abs(low - 0.002035) < 1e-5)
  t.ok(Math.abs(high - 0.011095) < 1e-5)
  t.equal(proportionInterval(0, 100).low, 0)
  t.equal(proportionInterval(100, 100).high, 1)
})

/**
 * @param {string} name
 * @param {number} failed
 * @param {number[]} memory lowest, median and highest
 */
const armOf = (name, failed, [low, value, high]) => /** @type {any} */ ({
  name,
  load: {},
  plays: {
    plays: 3,
    groups: [{ name: 'POST', requests: 10, counts: { ok: 10 - failed, reset: failed } }],
    figures: [{ name: 'memory', unit: 'MiB', value, low, high }],
    evidence: []
  }
})
const arms = [armOf('a', 2, [19, 20, 21]), armOf('b', 0, [9.8, 10, 10.2])]

t.test('a claim about failures is confirmed by one failure, and refuted by none', async t => {
  t.match(judgeFailures({ kind: 'failures', in: ['a'], notIn: ['b'] }, arms),
    { status: 'confirmed', measured: 'a: 2 of 10, b: 0 of 10 requests failed (reset)' })
  const [inB, inA] = ['b', 'a'].map(arm => ({ kind: /** @type {const} */ ('failures'), in: [arm], notIn: [] }))
  t.match(judgeFailures(inB, arms),
    { status: 'refuted', why: [{ code: 'trials-disagree', params: { arm: 'b', in: 'none' } }] })
  t.match(judgeFailures({ ...inA, group: 'GET' }, arms), { status: 'inconclusive' })
})

t.test('a claim about a figure is judged by the range of its plays', async t => {
  /** @type {Parameters<typeof judgeMetric>[0]} */
  const test = { kind: 'figure', figure: 'memory', arm: 'a', baseline: 'b' }
  t.match(judgeMetric(test, 2, arms), { status: 'confirmed', measured: 2 })
  t.match(judgeMetric(test, 3, arms), { status: 'refuted' })
  t.match(judgeMetric({ ...test, figure: 'files' }, 2, arms), { status: 'inconclusive', low: null })
})
