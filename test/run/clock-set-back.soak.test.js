/** The time of day is set back by an hour during a run, and while a run waits for another one. */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from '../support/tap.js'
import { findFault } from '../../bench/store/record-format.js'
import { listRuns } from '../../bench/store/store.js'
import { begin, hopbench, leavesNothing, makeWorkspace, project, recordIn, samplesIn } from '../support/cli.js'
import { skipWithout } from '../support/needs.js'

const HOUR_SECONDS = 3600
const BUDGET_SECONDS = 15
/** Time in addition to the budget: the end of the programs, and the report. */
const SPARE_SECONDS = 30

/** @param {string} flag file that sets the clock back */
const withClock = flag => ({
  NODE_OPTIONS: `--import=${pathToFileURL(join(project, 'test/support/clock-set-back.mjs'))}`,
  HOPBENCH_TEST_CLOCK: flag
})

t.test('a run whose clock is set back discards one trial, keeps its budget, and is stored and read', {
  skip: skipWithout('nginx')
}, async t => {
  const workspace = makeWorkspace(t)
  const flag = join(workspace.dir, 'set-back')
  const startedAt = performance.now()
  const call = begin(t, ['run', 'http-json', 'nginx:uds/http-json', '--details', '--precision', '0.01%', '--budget',
    `${BUDGET_SECONDS}s`, '--results', workspace.results], { workspace, env: withClock(flag) })
  await call.until(() => samplesIn(workspace).length > 0)
  const before = samplesIn(workspace)
  writeFileSync(flag, '')
  await call.child.exited
  const seconds = (performance.now() - startedAt) / 1000
  t.ok(seconds < BUDGET_SECONDS + SPARE_SECONDS, `ended after ${seconds.toFixed(1)} s`)

  const record = recordIn(workspace)
  t.equal(findFault('record', record), null)
  t.match(record, { complete: true, ended: 'budget' })
  t.ok(Date.parse(record.endedAt) < Date.parse(record.startedAt), 'the clock was set back')
  const { setupSeconds, measuredSeconds, sliceWallSeconds } = record.timing
  for (const duration of [setupSeconds, measuredSeconds, sliceWallSeconds]) {
    t.ok(duration > 0 && duration < BUDGET_SECONDS + SPARE_SECONDS, `a duration of ${duration} s`)
  }
  const samples = samplesIn(workspace)
  t.strictSame(samples.slice(0, before.length), before, 'earlier samples are kept')
  const stepped = samples.filter(({ invalid }) => invalid?.code === 'clock-stepped')
  t.equal(new Set(stepped.map(({ block }) => block)).size, 1, 'one block is discarded')
  for (const { invalid } of stepped) {
    t.ok(Math.abs(invalid.params.seconds + HOUR_SECONDS) < 1, `${invalid.params.seconds} s`)
  }
  t.ok(samples.some(({ block, invalid }) => block > stepped[0]?.block && invalid === null), 'later trials are valid')
  t.match(call.stdout(), /the\s+clock\s+was\s+set\s+back\s+by\s+3600\.0\s+s/)
  t.equal((await hopbench(['report', '--results', workspace.results], { workspace })).exit, 0)
  await leavesNothing(t, workspace)
})

t.test('a run that waits for another one begins when that one ends, also with a clock that was set back', async t => {
  const workspace = makeWorkspace(t)
  const flag = join(workspace.dir, 'set-back')
  const args = ['run', 'http-json', '--smoke', '--results', workspace.results]
  const first = begin(t, args, { workspace, env: withClock(flag) })
  await first.until(() => existsSync(workspace.results))
  const second = hopbench(args, { workspace, env: withClock(flag) })
  writeFileSync(flag, '')
  t.match(await first.child.exited, { code: 0 })
  const { exit, stderr } = await second
  t.equal(exit, 0, stderr)
  t.equal((await listRuns(workspace.results)).length, 2)
  await leavesNothing(t, workspace)
})
