/**
 * The scenarios about WebSockets and idle connections on real programs: nothing is lost behind proxies that pass on
 * upgrades. A client that is late makes a play invalid, and loses no message, so stored plays are compared.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../support/tap.js'
import { hopbench, leavesNothing, makeWorkspace, samplesIn } from '../support/cli.js'
import { skipWithout } from '../support/needs.js'

/** @import { Test } from 'tap' */
/** @import { Sample } from '../../bench/types.js' */

/**
 * @param {Test} t
 * @param {{ arms: Record<string, string>, scenario: string, options: object }} experiment
 * @returns {Promise<Map<string, Sample>>} the last play of each arm, because an invalid one is repeated
 */
async function playArms (t, experiment) {
  const workspace = makeWorkspace(t)
  writeFileSync(join(workspace.dir, 'sockets.json'),
    JSON.stringify({ blocks: { full: 1, quick: 1 }, load: { path: '/' }, ...experiment }))
  const { stderr } = await hopbench(['run', './sockets.json', '--smoke', '-o', workspace.results], { workspace })
  /** @type {Sample[]} */
  const samples = samplesIn(workspace)
  const plays = new Map(samples.map(sample => [sample.arm, sample]))
  t.strictSame([...plays.keys()].sort(), Object.keys(experiment.arms).sort(), stderr)
  await leavesNothing(t, workspace)
  return plays
}

t.test('messages pass through nginx and HAProxy over a Unix socket', { skip: skipWithout('nginx', 'haproxy') },
  async t => {
    const samples = await playArms(t, {
      scenario: 'websockets',
      options: { connections: 10, rate: 500, broadcasts: 20, seconds: 1, warmUp: 1 },
      // Without a proxy: test/scenarios/websockets.test.js.
      arms: { nginx: 'nginx:uds-keepalive+websocket/behaviour', haproxy: 'haproxy:uds-keepalive/behaviour' }
    })
    for (const [name, { play, invalid, errorLog }] of samples) {
      t.strictSame(play?.groups.map(({ name, counts }) => [name, counts]),
        [['open', { ok: 20 }], ['echo', { ok: 500 }], ['fan-out', { ok: 200 }]], `${name}: ${invalid?.code}`)
      t.equal(play?.figures.length, 4, name)
      t.ok(play?.figures.every(({ value }) => value > 0), name)
      t.equal(errorLog, undefined, `${name}: status 101 is no error`)
    }
  })

t.test('idle WebSockets stay open behind nginx, and their memory is read', { skip: skipWithout('nginx') }, async t => {
  const app = 'behaviour+flags=expose-gc'
  const samples = await playArms(t, {
    scenario: 'idle-connections',
    options: { connections: 500 },
    arms: { direct: app, nginx: `nginx:keepalive+websocket/${app}` }
  })
  for (const [name, { play, invalid }] of samples) {
    t.match(play?.groups, [{ name: 'websocket', requests: 500, counts: { ok: 500 } }], `${name}: ${invalid?.code}`)
    t.strictSame(play?.evidence, [], `${name}: the app collects its garbage`)
  }
  const proxied = samples.get('nginx')?.play?.figures ?? []
  t.ok(proxied.some(({ name }) => name === 'memory of the proxy at 500 connections'))
})
