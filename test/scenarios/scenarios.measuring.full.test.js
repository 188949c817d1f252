/**
 * Scenarios on real programs: each finds a planted fault, and none in its absence; the recipe for a scenario works.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../support/tap.js'
import { hopbench, leavesNothing, makeWorkspace } from '../support/cli.js'
import { skipWithout } from '../support/needs.js'
import { copyForRecipes, SCENARIO_RECIPE, tryRecipe } from '../support/recipes.js'

/** @import { Test } from 'tap' @import { RunRecord } from '../../bench/types.js' */

const workspace = makeWorkspace(t)

/**
 * Runs an experiment and returns its arms, each of which has valid plays.
 * @param {Test} t
 * @param {object} experiment
 */
async function runArms (t, experiment) {
  const whole = { ...experiment, blocks: { full: 1, quick: 1 } }
  writeFileSync(join(workspace.dir, 'experiment.json'), JSON.stringify(whole))
  const args = ['run', './experiment.json', '--smoke', '--json', '-o', workspace.results]
  const { exit, stdout, stderr } = await hopbench(args, { workspace })
  if (exit !== 0) throw new Error(stderr)
  /** @type {RunRecord} */
  const { protocol, contrasts, arms } = JSON.parse(stdout)
  t.strictSame({ protocol, contrasts }, { protocol: 'plays', contrasts: [] })
  return arms.map(({ plays, invalid, invalidTrials }) => {
    t.equal(invalid, null, JSON.stringify(invalidTrials))
    return { groups: plays?.groups ?? [], figures: plays?.figures ?? [] }
  })
}

t.test('idle-502 finds the planted timeout, and no fault without it', { skip: skipWithout('nginx') }, async t => {
  const [planted, longer] = await runArms(t, {
    scenario: 'idle-502',
    options: { busy: '100ms', requests: 20 },
    arms: { planted: 'nginx:keepalive/behaviour+idle=200', longer: 'nginx:keepalive/behaviour' },
    load: { path: '/?wait=20' }
  })
  const lost = planted.groups.flatMap(({ counts }) => counts['status-502'] ?? []).reduce((sum, count) => sum + count, 0)
  t.ok(lost > 0, 'requests that meet the end of a connection are lost')
  t.ok(longer.groups.length > 0)
  for (const { name, requests, counts } of longer.groups) t.same(counts, { ok: requests }, name)
})

t.test('blocked finds an app that blocks its event loop, and no fault in one that waits as long', async t => {
  // 6 requests block for 1.8 s of 3 s.
  const options = { rate: 100, every: 50, block: '300ms', seconds: 3 }
  const app = (/** @type {string} */ respond) => `export default ({ url }, res) => {
  const ms = Number(new URL(url, 'http://localhost').searchParams.get('ms'))
  ${respond}
}
`
  writeFileSync(join(workspace.dir, 'blocks.mjs'), app(`const end = performance.now() + ms
  while (performance.now() < end);
  res.end('response')`))
  writeFileSync(join(workspace.dir, 'waits.mjs'), app("setTimeout(() => res.end('response'), ms)"))
  const [blocks, waits] = await runArms(t,
    { scenario: 'blocked', options, arms: { blocks: './blocks.mjs', waits: './waits.mjs' }, load: { path: '/' } })
  for (const { groups } of [blocks, waits]) {
    t.match(groups, [
      { name: 'others', requests: 294, counts: { ok: 294 } }, { name: 'blocking', requests: 6, counts: { ok: 6 } }
    ])
  }
  const [held, free] = [blocks, waits].map(({ figures }) => figures[0].value)
  t.ok(held > 40, `${held} % of the others wait`)
  t.ok(free < 20, `${free} % of the others wait where the event loop is free`)
})

t.test('the recipe for a scenario works as printed', { skip: skipWithout('nginx') }, t =>
  tryRecipe(t, SCENARIO_RECIPE, copyForRecipes(t)))

t.test('leaves nothing behind', t => leavesNothing(t, workspace))
