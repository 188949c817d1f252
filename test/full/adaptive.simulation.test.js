/**
 * Two arms compared in ninety seconds of wall time on machines whose truth is known: by one run of each, by runs that
 * are
 * repeated one arm after the other, by slices of the usual length, and by slices whose length the noise has chosen.
 */
import t from 'tap'
import { machines, resultOf, slicedRun } from '../support/simulate-machine.js'
import { seriesOf } from '../support/simulate.js'

const ROUNDS = 200
const percent = (/** @type {number} */ share) => `${(share * 100).toFixed(1)} %`
const names = Object.keys(machines)
/** … and each slice has a long way to rest. */
const WHITE = 'a machine that is slow to come to rest'

t.test('its error is the smallest, and at most six tenths of the others\' unless all noise is white', async t => {
  for (const machine of names) {
    const least = machine === WHITE ? 1 : 0.6
    const [adaptive, single, sequential] = ['adaptive', 'single', 'sequential'].map(way =>
      resultOf(way, machine, { rounds: ROUNDS }).error
    )
    const text = `${machine}: ${percent(adaptive)}, ${percent(single)}, ${percent(sequential)}`
    t.ok(adaptive < least * single, text)
    t.ok(adaptive < least * sequential, text)
  }
})

t.test('it calls equal arms different at most once in twenty runs; the others far more often', async t => {
  for (const machine of names) {
    const [adaptive, single, sequential] = ['adaptive', 'single', 'sequential'].map(way =>
      resultOf(way, machine, { rounds: ROUNDS }).different
    )
    t.ok(adaptive <= 0.05, `${machine}: ${percent(adaptive)}`)
    t.ok(Math.max(single, sequential) > 0.1, `${machine}: ${percent(single)}, ${percent(sequential)}`)
  }
})

t.test('another length is chosen where it pays, and costs nothing where it does not', async t => {
  const gain = (/** @type {string} */ machine) =>
    resultOf('adaptive', machine, { rounds: ROUNDS }).error /
    resultOf('usual slices', machine, { rounds: ROUNDS }).error
  t.ok(gain('a machine whose scheduler throws dice') < 0.9, percent(gain('a machine whose scheduler throws dice')))
  for (const machine of names) t.ok(gain(machine) < 1.1, `${machine}: ${percent(gain(machine))}`)
})

t.test('the difference that was asked for is detected in about four runs of five, or more', async t => {
  const random = seriesOf('detect')
  const runs = Array.from({ length: 100 },
    () =>
      slicedRun(machines['a virtual machine'], 1.05, { adaptive: true, detect: 0.05, budgetSeconds: 1200 }, random))
  const found = runs.filter(({ interval: { low } }) => low > 1).length
  t.ok(found >= 75, `${found} of 100`)
  t.ok(runs.every(({ seconds }) => seconds < 1200), 'within the time')
  const [half] = runs.map(({ seconds }) => seconds).sort((a, b) => a - b).slice(50)
  t.ok(half < 300, `half of them within ${half.toFixed(0)} s`)
})
