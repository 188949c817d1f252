import { join } from 'node:path'
import t from '../support/tap.js'
import { PROJECT } from '../../bench/plugins.js'
import { listKinds, toFailureRate } from '../../bench/report/tables/behaviour.js'
import { listRuns, readRun, REFERENCE_DIR } from '../../bench/store/store.js'

/** @import { ArmResult, RunRecord } from '../../bench/types.js' */

const REPEATS = join(PROJECT, 'results/replications/behaviour')

/**
 * Returns the complete runs with plays, the last one of each experiment.
 * @param {string} folder
 * @returns {Promise<Map<string, RunRecord>>}
 */
async function readPlayed (folder) {
  /** @type {Map<string, RunRecord>} */
  const found = new Map()
  for (const { dir } of await listRuns(folder)) {
    const { record } = await readRun(dir, folder)
    if (record?.plan.result === 'behaviour') found.set(record.plan.experiment, record)
  }
  return found
}

/** Requests of a burst of idle-502. While the app is busy they share their fate, so each burst counts once. */
const BURST = 50

/**
 * Returns the shares of failed requests of an arm that was played, by kind of request.
 * @param {ArmResult} arm
 */
const rates = arm => listKinds(arm).map(({ kind, failures, requests }) => {
  const together = kind.endsWith('busy app') ? BURST : 1
  return { kind, ...toFailureRate({ failures: failures / together, requests: requests / together }) }
})

t.test('the failures of a repeated run lie within the intervals of the reference run', async t => {
  const [references, repeats] = await Promise.all([readPlayed(REFERENCE_DIR), readPlayed(REPEATS)])
  t.ok(repeats.size > 0)
  for (const [name, repeat] of repeats) {
    const reference = references.get(name)
    if (!reference) throw new Error(`${name} has no reference run`)
    t.not(reference.run, repeat.run)
    for (const arm of reference.arms.filter(({ plays }) => plays)) {
      const other = repeat.arms.find(({ name }) => name === arm.name)
      if (!other?.plays) continue
      for (const { kind, rate, low, high } of rates(arm)) {
        const again = rates(other).find(row => row.kind === kind)
        const text = `${name}, ${arm.name}, ${kind}: ${rate.toFixed(1)} and ${again?.rate.toFixed(1)} of 10,000`
        t.ok(again && again.low <= high && again.high >= low, text)
      }
    }
  }
})
