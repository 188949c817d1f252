/**
 * Reproducibility of runs: `npm run test:soak`, about an hour and a half. replicate.js runs a single part and names the
 * folder of the runs. HOPBENCH_SOAK_KEEP sets another folder.
 */
import t from '../../support/tap.js'
import { parts, replicate, report } from '../../perf/replicate.js'

for (const [name, { runs, goal }] of Object.entries(parts)) {
  t.test(`${runs} runs of ${name} meet the goal`, { timeout: 7200_000 }, async t => {
    const found = await replicate(name, { keep: process.env.HOPBENCH_SOAK_KEEP })
    for (const line of report(name, found)) t.comment(line)
    t.equal(found.length, runs)
    const { what, measured, goal: wanted, met } = goal(found)
    t.ok(met, `${what}: ${measured} (goal: ${wanted})`)
  })
}
