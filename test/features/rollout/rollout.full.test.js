/** `hopbench rollout` with planted faults. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../../support/tap.js'
import { countLosses } from '../../../bench/features/rollout/losses.js'
import { hopbench, leavesNothing, listRuns, makeWorkspace } from '../../support/cli.js'
import { writeBuilds } from '../../support/rollout-app.js'

/** @import { RunRecord } from '../../../bench/types.js' */

t.test('finds the requests that an app loses which exits at SIGTERM, and none with blue-green', async t => {
  const workspace = makeWorkspace(t)
  const { old, new: next } = writeBuilds(workspace.dir, 'exits')
  const ways = ['stop-start', 'rolling', 'blue-green']
  const args = ['rollout', old, next, '--smoke', '--path', '/api/items', '--seed', '1']
  const { exit, stdout, stderr } = await hopbench(
    [...args, ...ways.flatMap(way => ['--way', way]), '-o', workspace.results], { workspace, timeoutSeconds: 150 })
  t.equal(exit, 0, stderr)
  t.match(stdout, /^Blue-green by a reload of nginx loses 0 of [\d,]+ requests in 1 rollout \(at most /)
  const [run] = listRuns(workspace.results)
  /** @type {RunRecord} */
  const { kind, rollout } = JSON.parse(readFileSync(join(workspace.results, run, 'run.json'), 'utf8'))
  t.equal(kind, 'rollout')
  const losses = (rollout?.arms ?? []).map(countLosses)
  t.strictSame(losses.map(({ arm }) => arm.way), ways)
  const [stopStart, rolling, blueGreen] = losses
  t.ok(stopStart.lost > 0 && rolling.lost > 0, `${stopStart.lost}, ${rolling.lost}`)
  t.ok(stopStart.requests > 500 && blueGreen.requests > 500)
  t.equal(blueGreen.lost, 0)
  t.ok(losses.every(({ gone }) => gone > 0), 'old pages request late files that are gone')
  t.match(rollout?.files, { gone: 2 })
  await leavesNothing(t, workspace)
})
