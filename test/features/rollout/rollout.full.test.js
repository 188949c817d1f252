/** `hopbench rollout` with planted faults. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../../support/tap.js'
import { explainLosses } from '../../../bench/features/rollout/explain.js'
import { countOutcomes, isLost } from '../../../bench/features/rollout/losses.js'
import { sum } from '../../../bench/shared/group-by.js'
import { hopbench, leavesNothing, listRuns, makeWorkspace } from '../../support/cli.js'
import { writeBuilds } from '../../support/rollout-app.js'

/** @import { RolloutResult, RunRecord } from '../../../bench/types.js' */

/** Counts also rollouts whose clients were late, because other tests may use all cores. */
const count = (/** @type {RolloutResult[]} */ rollouts, /** @type {(outcome: string) => boolean} */ matches) =>
  sum(rollouts.map(result => countOutcomes(result, matches)))

t.test('finds what an app loses that exits at SIGTERM, and nothing lost with blue-green', async t => {
  const workspace = makeWorkspace(t)
  const { old, new: next } = writeBuilds(workspace.dir, 'exits')
  const ways = ['stop-start', 'rolling-defaults', 'blue-green']
  const args = ['rollout', old, next, '--smoke', '--path', '/api/items', '--seed', '1', '-o', workspace.results]
  const { exit, stderr } = await hopbench([...args, ...ways.flatMap(way => ['--way', way])],
    { workspace, timeoutSeconds: 200 })
  // 1: the clients were late.
  t.ok(exit === 0 || exit === 1, stderr)
  const [run] = listRuns(workspace.results)
  /** @type {RunRecord} */
  const { kind, complete, rollout } = JSON.parse(readFileSync(join(workspace.results, run, 'run.json'), 'utf8'))
  t.match({ kind, complete, files: rollout?.files }, { kind: 'rollout', complete: true, files: { gone: 2 } })
  const arms = rollout?.arms ?? []
  t.strictSame(arms.map(({ way }) => way), ways)
  const found = arms.map(({ rollouts }) => ({
    sent: count(rollouts, () => true),
    lost: count(rollouts, isLost),
    gone: count(rollouts, outcome => outcome === 'gone')
  }))
  t.ok(found.every(({ sent }) => sent > 200), JSON.stringify(found))
  const [stopStart, rolling, blueGreen] = found
  t.ok(stopStart.lost > 0 && rolling.lost > 0, `${stopStart.lost}, ${rolling.lost}`)
  t.equal(blueGreen.lost, 0)
  t.ok(blueGreen.gone > 0, 'open pages request late files of the old build')
  t.ok(explainLosses(arms[0].rollouts).some(({ text }) => /in which no process listened/.test(text)))
  await leavesNothing(t, workspace)
})
