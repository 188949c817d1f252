/**
 * Scenarios on real programs: nginx loses requests to an app that closes idle connections first, and to another app
 * none; the recipe for a scenario works.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { hopbench, leavesNothing, makeWorkspace } from '../../support/cli.js'
import { skipWithout } from '../../support/needs.js'
import { copyForRecipes, SCENARIO_RECIPE, tryRecipe } from '../../support/recipes.js'

/** @import { RunRecord } from '../../../bench/types.js' */

const workspace = makeWorkspace(t)

t.test('idle-502 finds the planted timeout, and no fault without it', { skip: skipWithout('nginx') }, async t => {
  writeFileSync(join(workspace.dir, 'planted.json'), JSON.stringify({
    scenario: 'idle-502',
    options: { busy: '100ms', requests: 20 },
    arms: { planted: 'nginx:keepalive/behaviour+idle=200', longer: 'nginx:keepalive/behaviour' },
    blocks: { full: 1, quick: 1 },
    load: { path: '/?wait=20' }
  }))
  const args = ['run', './planted.json', '--quick', '--json', '-o', workspace.results]
  const { exit, stdout, stderr } = await hopbench(args, { workspace })
  if (!t.equal(exit, 0, stderr)) return
  /** @type {RunRecord} */
  const { protocol, contrasts, arms } = JSON.parse(stdout)
  t.match({ protocol, contrasts }, { protocol: 'plays', contrasts: [] })
  const [planted, longer] = arms.map(({ plays, invalid, invalidTrials }) => {
    t.equal(invalid, null, JSON.stringify(invalidTrials))
    return plays?.groups ?? []
  })
  const lost = (/** @type {typeof planted} */ groups) => groups.flatMap(({ counts }) => counts['status-502'] ?? [])
    .reduce((sum, count) => sum + count, 0)
  t.ok(lost(planted) > 0, 'requests that meet the end of a connection are lost')
  t.ok(longer.length > 0)
  for (const { name, requests, counts } of longer) t.same(counts, { ok: requests }, name)
})

t.test('the recipe for a scenario works as printed', { skip: skipWithout('nginx') }, t =>
  tryRecipe(t, SCENARIO_RECIPE, copyForRecipes(t)))

t.test('leaves nothing behind', t => leavesNothing(t, workspace))
