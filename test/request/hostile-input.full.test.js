/**
 * The first part of the corpus of hostile inputs: stored runs, sizings, experiments, offerings, access logs, URLs,
 * orders, names of runs, and output of other machines. test/request/hostile-input.soak.test.js reads the others. No
 * case ends in an error that is not of the catalog, takes 5 s or 512 MiB, or writes outside of its folder; no terminal,
 * page or generated script receives more than from a valid input. `HOPBENCH_HOSTILE_CASE=123` repeats one case.
 */
import t from '../support/tap.js'
import { FULL, PLACES } from '../support/hostile/cases.js'
import { readAll } from '../support/hostile/watchdog.js'
import { reportFailures } from '../support/hostile/report.js'

/** Largest share of the cases of a place that may be refused. */
const MAX_SHARE = 0.97
const chosen = process.env.HOPBENCH_HOSTILE_CASE
const range = chosen === undefined ? { first: 0, end: FULL } : { first: Number(chosen), end: Number(chosen) + 1 }

t.test(`${range.end - range.first} hostile inputs are read, or refused with an error of the catalog`, async t => {
  const { failures, read, byPlace } = await readAll(t.testdir({}), range)
  reportFailures(t, failures)
  t.equal(read, range.end - range.first)
  if (chosen !== undefined) return
  // A place whose valid input had become invalid would test nothing.
  for (const name of Object.keys(PLACES)) {
    const { cases, refused } = byPlace.get(name) ?? { cases: 0, refused: 0 }
    t.ok(refused <= MAX_SHARE * cases, `${name}: ${refused} of ${cases} are refused`)
  }
})
