/** The scenarios about WebSockets and idle connections on real programs: nothing is lost behind a proxy that passes on
 * upgrades. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { hopbench, leavesNothing, makeWorkspace } from '../../support/cli.js'
import { skipWithout } from '../../support/needs.js'

/** @import { RunRecord } from '../../../bench/types.js' */

const workspace = makeWorkspace(t)

/**
 * @param {string} name
 * @param {object} experiment
 * @returns {Promise<RunRecord['arms']>}
 */
async function runArms (name, experiment) {
  writeFileSync(join(workspace.dir, `${name}.json`),
    JSON.stringify({ blocks: { full: 1, quick: 1 }, load: { path: '/' }, ...experiment }))
  const { exit, stdout, stderr } =
    await hopbench(['run', `./${name}.json`, '--quick', '--json', '-o', workspace.results], { workspace })
  t.equal(exit, 0, stderr)
  return JSON.parse(stdout).arms
}

t.test('messages pass through nginx over a Unix socket', { skip: skipWithout('nginx') }, async t => {
  const arms = await runArms('messages', {
    scenario: 'websockets',
    options: { connections: 10, rate: 500, broadcasts: 20, seconds: 1 },
    arms: { direct: 'behaviour', nginx: 'nginx:uds-keepalive+websocket/behaviour' }
  })
  for (const { name, plays, invalidTrials } of arms) {
    t.ok(plays, JSON.stringify(invalidTrials))
    for (const { name: kind, requests, counts } of plays?.groups ?? []) {
      t.same(counts, { ok: requests }, `${name} ${kind}`)
    }
    t.equal(plays?.figures.length, 4, name)
    t.ok(plays?.figures.every(({ value }) => value > 0), name)
  }
})

t.test('idle WebSockets stay open behind nginx, and their memory is read', { skip: skipWithout('nginx') }, async t => {
  const app = 'behaviour+flags=expose-gc'
  const arms = await runArms('idle', {
    scenario: 'idle-connections',
    options: { kind: 'websocket', connections: 500 },
    arms: { direct: app, nginx: `nginx:keepalive+websocket/${app}` }
  })
  for (const { name, plays, invalidTrials } of arms) {
    t.ok(plays, JSON.stringify(invalidTrials))
    t.match(plays?.groups, [{ name: 'websocket', requests: 500, counts: { ok: 500 } }], name)
    t.strictSame(plays?.evidence, [], `${name}: the app collects its garbage`)
  }
  const proxied = arms.find(({ name }) => name === 'nginx')?.plays?.figures ?? []
  t.ok(proxied.some(({ name }) => name === 'memory of the proxy at 500 connections'))
})

t.test('leaves nothing behind', t => leavesNothing(t, workspace))
