/**
 * The rest of the corpus of hostile inputs of test/request/hostile-input.full.test.js: `npm run test:soak`, a quarter
 * hour.
 */
import t from '../support/tap.js'
import { ALL, FULL } from '../support/hostile/cases.js'
import { reportFailures } from '../support/hostile/report.js'
import { readAll } from '../support/hostile/watchdog.js'

t.test(`${ALL - FULL} hostile inputs are read, or refused with an error of the catalog`, { timeout: 3600_000 },
  async t => {
    const { failures, read } = await readAll(t.testdir({}), { first: FULL, end: ALL })
    reportFailures(t, failures)
    t.equal(read, ALL - FULL)
  })
