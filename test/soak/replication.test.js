/**
 * Whether runs repeat, by many of them: `npm run test:soak`, about an hour and a half; a part alone, and where they are
 * kept: replicate.js. HOPBENCH_SOAK_KEEP names another folder.
 */
import t from 'tap'
import { parts, replicate, report } from './replicate.js'

for (const [name, { runs, goal }] of Object.entries(parts)) {
  t.test(`${runs} runs of ${name}`, { timeout: 7200_000 }, async t => {
    const found = await replicate(name, { keep: process.env.HOPBENCH_SOAK_KEEP })
    for (const line of report(name, found)) t.comment(line)
    t.equal(found.length, runs)
    const { what, measured, goal: wanted, met } = goal(found)
    t.ok(met, `${what}: ${measured} (goal: ${wanted})`)
  })
}
