/**
 * Scenarios on real programs: nginx loses requests to an app that closes idle connections first, and to another app
 * none; the recipe for a scenario works.
 */
import t from 'tap'
import { leavesNothing, makeWorkspace } from '../../support/cli.js'
import { skipWithout } from '../../support/needs.js'
import { runPlanted } from '../../support/planted-play.js'
import { copyForRecipes, SCENARIO_RECIPE, tryRecipe } from '../../support/recipes.js'

const workspace = makeWorkspace(t)

t.test('idle-502 finds the planted timeout, and no fault without it', { skip: skipWithout('nginx') }, async t => {
  const plays = await runPlanted(t, workspace, 'idle', {
    scenario: 'idle-502',
    options: { busy: '100ms', requests: 20 },
    arms: { planted: 'nginx:keepalive/behaviour+idle=200', longer: 'nginx:keepalive/behaviour' },
    load: { path: '/?wait=20' }
  })
  if (!plays) return
  const { planted, longer } = plays
  const lost = planted.groups.reduce((sum, { counts }) => sum + (counts['status-502'] ?? 0), 0)
  t.ok(lost > 0, 'requests that meet the end of a connection are lost')
  t.ok(longer.groups.length > 0)
  for (const { name, requests, counts } of longer.groups) t.same(counts, { ok: requests }, name)
})

t.test('the recipe for a scenario works as printed', { skip: skipWithout('nginx') }, t =>
  tryRecipe(t, SCENARIO_RECIPE, copyForRecipes(t)))

t.test('leaves nothing behind', t => leavesNothing(t, workspace))
