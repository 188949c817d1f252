/** Whether the unit tests notice changes of the code that judges. mutations.js prints the same for a chosen sample. */
import t from '../support/tap.js'
import { GOAL, report, runMutants } from './mutations.js'

t.test(`the unit tests notice ${100 * GOAL} % of sampled mutants`, { timeout: 3600_000 }, async t => {
  const results = await runMutants({ count: 200 })
  for (const line of report(results)) t.comment(line)
  t.equal(results.length, 200)
  const killed = results.filter(({ killer }) => killer !== null).length
  t.ok(killed >= GOAL * results.length, `${killed} of ${results.length}`)
})
