/**
 * A server with a planted warm-up: each of its first 100,000 requests costs 40 % more. No measured request is one of
 * them. `hopbench selftest` and test/soak compare it with an equal server.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import t from '../../support/tap.js'
import { EARLY_MORE, EARLY_REQUESTS, writePlanted } from '../../../bench/studies/selftest/planted.js'
import { hopbench, makeWorkspace, samplesIn } from '../../support/cli.js'

/** About the CPU time of a request to Express, in microseconds. */
const MICROS = 50

t.test('measures no request of a planted warm-up, or says that the arm was not warm', async t => {
  const workspace = makeWorkspace(t)
  const { dir } = workspace
  const planted = writePlanted(dir, 'planted', 0, EARLY_MORE * MICROS)
  const times = join(dir, 'times.txt')
  const late = join(dir, 'late.js')
  writeFileSync(late, `import { appendFileSync } from 'node:fs'
import planted, { about } from ${JSON.stringify(planted)}
export { about }
let served = 0
export default async context => {
  const app = await planted(context)
  return (req, res) => {
    if (++served === ${EARLY_REQUESTS}) appendFileSync(${JSON.stringify(times)}, new Date().toISOString() + '\\n')
    app(req, res)
  }
}
`)
  writeFileSync(times, '')
  const { exit, stderr } = await hopbench(
    ['run', `./${relative(dir, late)}`, '--budget', '150s', '--results', workspace.results],
    { workspace, timeoutSeconds: 240 }
  )
  if (!t.equal(exit, 0, stderr)) return
  const samples = samplesIn(workspace)
  const ends = readFileSync(times, 'utf8').trim().split('\n')
  for (const sample of samples) {
    const { start = 0, startedAt, unsteady } = sample
    t.ok(unsteady || ends[start] < startedAt, `block ${sample.block} of start ${start}: ${ends[start]} < ${startedAt}`)
  }
  t.ok(samples.some(({ unsteady }) => !unsteady), 'at least one start was warm')
})
