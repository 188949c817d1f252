/** Whether the unit tests notice changes of the code that judges. mutations.js does the same for a chosen sample. */
import t from '../support/tap.js'
import { GOAL, runMutants, score } from '../mutations.js'

t.test(`the unit tests notice ${100 * GOAL} % of sampled mutants`, { timeout: 7200_000 }, async t => {
  const results = await runMutants({ count: 200 }, line => t.comment(line))
  t.equal(results.length, 200)
  const { killed, share } = score(results)
  t.ok(share >= GOAL, `${killed} of ${results.length}`)
})
