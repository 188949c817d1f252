/**
 * Scenarios on real programs, each with a planted fault that it finds and a configuration without it; the recipe for a
 * scenario works.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { hopbench, leavesNothing, makeWorkspace } from '../../support/cli.js'
import { skipWithout } from '../../support/needs.js'
import { copyForRecipes, SCENARIO_RECIPE, tryRecipe } from '../../support/recipes.js'

/** @import { PlaysResult, RunRecord } from '../../../bench/types.js' @import { Test } from 'tap' */

const workspace = makeWorkspace(t)

/**
 * Runs an experiment of two arms, and returns their valid plays.
 * @param {Test} t
 * @param {string} name
 * @param {object} experiment
 * @returns {Promise<Record<string, PlaysResult> | null>} null: the run failed, and so has the test
 */
async function runPlanted (t, name, experiment) {
  writeFileSync(join(workspace.dir, `${name}.json`), JSON.stringify({ ...experiment, blocks: { full: 1, quick: 1 } }))
  const args = ['run', `./${name}.json`, '--quick', '--json', '-o', workspace.results]
  const { exit, stdout, stderr } = await hopbench(args, { workspace })
  if (!t.equal(exit, 0, stderr)) return null
  /** @type {RunRecord} */
  const { protocol, contrasts, arms } = JSON.parse(stdout)
  t.match({ protocol, contrasts }, { protocol: 'plays', contrasts: [] })
  for (const { invalid, invalidTrials } of arms) t.equal(invalid, null, JSON.stringify(invalidTrials))
  return Object.fromEntries(arms.flatMap(({ name, plays }) => plays ? [[name, plays]] : []))
}

t.test('idle-502 finds the planted timeout, and no fault without it', { skip: skipWithout('nginx') }, async t => {
  const plays = await runPlanted(t, 'idle', {
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

t.test('streaming finds events that nginx holds back over HTTP/1.0', { skip: skipWithout('nginx') }, async t => {
  const plays = await runPlanted(t, 'streams', {
    scenario: 'streaming',
    options: { streams: 2, events: 4, every: 500 },
    arms: { planted: 'nginx:tcp+http10/behaviour', chunked: 'nginx:keepalive/behaviour' }
  })
  if (!plays) return
  const { planted, chunked } = plays
  for (const { name, counts } of planted.groups) t.same(counts, { 'late-event': 2 }, name)
  for (const { name, counts } of chunked.groups) t.same(counts, { ok: 2 }, name)
})

t.test('slow-clients finds temporary files of nginx only where it buffers', { skip: skipWithout('nginx') }, async t => {
  // More bytes than buffers of the kernel hold.
  const plays = await runPlanted(t, 'readers', {
    scenario: 'slow-clients',
    options: { count: 5, bytes: 12_000_000, speed: 3_000_000, others: 10 },
    arms: { on: 'nginx:keepalive/behaviour', off: 'nginx:keepalive+buffering=off/behaviour' }
  })
  if (!plays) return
  const temporaryMiB = (/** @type {PlaysResult} */ { figures }) =>
    figures.find(({ name }) => name === 'temporary files of the proxy')?.value ?? NaN
  t.ok(temporaryMiB(plays.on) > 1, `${temporaryMiB(plays.on)} MiB`)
  t.equal(temporaryMiB(plays.off), 0)
})

t.test('the recipe for a scenario works as printed', { skip: skipWithout('nginx') }, t =>
  tryRecipe(t, SCENARIO_RECIPE, copyForRecipes(t)))

t.test('leaves nothing behind', t => leavesNothing(t, workspace))
