import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../../support/tap.js'
import { listKinds, toFailureRate } from '../../../bench/report/kinds/behaviour.js'
import { listRuns, readRun, REFERENCE_DIR } from '../../../bench/store/store.js'

/** @import { RunRecord } from '../../../bench/types.js' */

/** @typedef {{ arm: string, kind: string, requests: number, failures: number }} Row */
/** @type {{ behaviour: Record<string, { run: string, kinds: Row[] }> }} */
const { behaviour: repeats } = JSON.parse(readFileSync(join(REFERENCE_DIR, 'replications.json'), 'utf8'))

/** Requests of a burst of idle-502. While the app is busy they share their fate, so each burst counts once. */
const BURST = 50

/**
 * Returns the share of failed requests of a kind, with its interval.
 * @param {Pick<Row, 'kind' | 'requests' | 'failures'>} row
 */
function toRate ({ kind, failures, requests }) {
  const together = kind.endsWith('busy app') ? BURST : 1
  return toFailureRate({ failures: failures / together, requests: requests / together })
}

t.test('the intervals of the failures of a repeated run overlap those of the reference run', async t => {
  /** @type {Map<string, RunRecord>} */
  const references = new Map()
  for (const { dir, experiment } of await listRuns(REFERENCE_DIR)) {
    if (!(experiment in repeats)) continue
    const { record } = await readRun(dir, REFERENCE_DIR)
    if (record) references.set(experiment, record)
  }
  for (const [name, { run, kinds }] of Object.entries(repeats)) {
    const reference = references.get(name)
    if (!reference) throw new Error(`${name} has no reference run`)
    t.not(reference.run, run)
    for (const { name: arm, ...played } of reference.arms.filter(({ plays }) => plays)) {
      if (!kinds.some(row => row.arm === arm)) continue
      for (const row of listKinds({ name: arm, ...played })) {
        const again = kinds.find(other => other.arm === arm && other.kind === row.kind)
        const [first, second] = [toRate(row), again && toRate(again)]
        const text = `${name}, ${arm}, ${row.kind}: ${first.rate.toFixed(1)} and ${second?.rate.toFixed(1)} of 10,000`
        t.ok(second && second.low <= first.high && second.high >= first.low, text)
      }
    }
  }
})
