/** Streams and slow clients behind nginx, each with a planted fault that is found and a configuration without it. */
import t from 'tap'
import { leavesNothing, makeWorkspace } from '../../support/cli.js'
import { skipWithout } from '../../support/needs.js'
import { runPlanted } from '../../support/planted-play.js'

/** @import { PlaysResult } from '../../../bench/types.js' */

const workspace = makeWorkspace(t)

t.test('streaming finds events that nginx holds back over HTTP/1.0', { skip: skipWithout('nginx') }, async t => {
  const plays = await runPlanted(t, workspace, 'streams', {
    scenario: 'streaming',
    options: { streams: 2, events: 3, every: 1500 },
    arms: { planted: 'nginx:tcp+http10/behaviour', chunked: 'nginx:keepalive/behaviour' }
  })
  if (!plays) return
  const { planted, chunked } = plays
  for (const { name, counts } of planted.groups) t.same(counts, { 'late-event': 2 }, name)
  for (const { name, counts } of chunked.groups) t.same(counts, { ok: 2 }, name)
})

t.test('slow-clients finds temporary files of nginx only where it buffers', { skip: skipWithout('nginx') }, async t => {
  // More bytes than buffers of the kernel hold.
  const plays = await runPlanted(t, workspace, 'readers', {
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

t.test('leaves nothing behind', t => leavesNothing(t, workspace))
