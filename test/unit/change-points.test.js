import { readFileSync } from 'node:fs'
import t from '../support/tap.js'
import { findChangePoints, findSteps } from '../../bench/judge/stats/change-points.js'
import { normalQuantile } from '../../bench/shared/normal.js'
import { randomFrom } from '../../bench/shared/random.js'

const { cases, least } = JSON.parse(readFileSync(new URL('reference/change-points.json', import.meta.url), 'utf8'))

/**
 * Makes a series with a level for each segment and normal noise.
 *
 * @param {number[]} levels
 * @param {{ length: number, noise: number, seed: number }} options length: of a segment
 */
function makeSeries (levels, { length, noise, seed }) {
  const random = randomFrom(seed, 'history')
  return levels.flatMap(level =>
    Array.from({ length }, () => level + noise * normalQuantile(Math.max(random(), 1e-9))))
}

t.test('finds the partitions of ruptures', t => {
  for (const { values, penalty, changes } of cases) {
    t.strictSame(findChangePoints(values, penalty, least), changes)
  }
  t.end()
})

t.test('finds a planted step of five percent in noise of one percent, in 50 of 50 series', t => {
  for (let seed = 0; seed < 50; seed++) {
    const [found, ...more] = findSteps(makeSeries([0, Math.log(1.05)], { length: 12, noise: 0.01, seed }))
    t.ok(Math.abs(found - 12) <= 1, `at ${found}`)
    t.strictSame(more, [])
  }
  t.end()
})

t.test('finds a change in at most 2 of 100 series of noise', t => {
  for (const length of [6, 12, 40]) {
    const found = Array.from({ length: 100 }, (_, seed) => findSteps(makeSeries([0], { length, noise: 0.02, seed })))
    const changed = found.filter(changes => changes.length > 0).length
    t.ok(changed <= 2, `${changed} of 100 with ${length} values`)
  }
  t.end()
})

t.test('finds a planted step of ten percent in noise of two percent, in 90 of 100 series', t => {
  const found = Array.from({ length: 100 }, (_, seed) =>
    findSteps(makeSeries([0, Math.log(1.1)], { length: 12, noise: 0.02, seed })))
  const near = found.filter(([first, ...more]) => Math.abs(first - 12) <= 1 && more.length === 0)
  t.ok(near.length >= 90, `${near.length} of 100`)
  t.end()
})

t.test('finds a planted step up and down again', t => {
  t.strictSame(findSteps(makeSeries([0, 0.2, 0], { length: 10, noise: 0.02, seed: 1 })), [10, 20])
  t.end()
})

t.test('takes no outlier for a level, and finds no step in fewer than six values', t => {
  for (const at of [0, 1, 5, 9, 10]) {
    const values = [0, 0.01, 0, 0.01, 0, 0.01, 0, 0.01, 0, 0.01, 0]
    values[at] = 1
    t.strictSame(findSteps(values), [], `at ${at}`)
  }
  t.strictSame(findSteps([0, 0, 1, 1, 1]), [])
  t.strictSame(findSteps([]), [])
  t.end()
})

t.test('a step within the known noise is no change, even if the values hardly vary', t => {
  const values = [0, 0, 0, 0, 0.01, 0.01, 0.01, 0.01]
  t.strictSame(findSteps(values), [4])
  t.strictSame(findSteps(values, 0.02), [])
  t.end()
})
