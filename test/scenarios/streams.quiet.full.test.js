/**
 * Streams and slow clients behind nginx, each with a planted fault that is found and a configuration without it. Judges
 * outcomes that hold on a busy machine, too, so the lateness of the client is ignored.
 */
import t from '../support/tap.js'
import { runClient } from '../../bench/measure/play.js'
import { resolveOptions } from '../../bench/plan/topology-options.js'
import { loadPlugin } from '../../bench/plan/plugins.js'
import { skipWithout } from '../support/needs.js'
import { staged } from '../support/stage.js'

/** @import { OptionValue, Scenario } from '../../bench/types.js' @import { Test } from 'tap' */

/**
 * Plays a scenario against two topologies at the same time.
 * @param {Test} t
 * @param {string} name
 * @param {Record<string, OptionValue>} given options of the scenario
 * @param {[string, string]} words topologies
 */
async function playBoth (t, name, given, words) {
  const { default: scenario } = /** @type {{ default: Scenario }} */ (await loadPlugin('scenario', name))
  const options = resolveOptions(name, scenario.options, given)
  return await Promise.all(words.map(async spec => {
    const { arm, ...running } = await staged(t, spec)
    const load = { ...arm.load, scenario: { name, options } }
    const { played, failed } = await runClient({ arm: { ...arm, load }, ...running }, { cores: null })
    t.equal(failed, null, spec)
    return played
  }))
}

const skip = skipWithout('nginx')
t.jobs = 3 // Plays mostly wait, and start at the same time.

t.test('streaming finds events that nginx holds back over HTTP/1.0', { skip, buffered: true }, async t => {
  const [planted, chunked] = await playBoth(t, 'streaming', { streams: 2, events: 3, every: 1500 },
    ['nginx:tcp+http10/behaviour', 'nginx:keepalive/behaviour'])
  const counts = (/** @type {typeof planted} */ play) => play?.groups.map(({ name, counts }) => [name, counts])
  t.same(counts(planted), [['SSE', { 'late-event': 2 }], ['text', { 'late-event': 2 }]])
  t.same(counts(chunked), [['SSE', { ok: 2 }], ['text', { ok: 2 }]])
})

t.test('slow-clients finds temporary files of nginx only where it buffers', { skip, buffered: true }, async t => {
  // More bytes than buffers of the kernel hold.
  const options = { count: 5, bytes: 12_000_000, speed: 3_000_000, others: 10 }
  const [buffered, passed] = await playBoth(t, 'slow-clients', options,
    ['nginx:keepalive/behaviour', 'nginx:keepalive+buffering=off/behaviour'])
  const temporaryMiB = (/** @type {typeof passed} */ play) =>
    play?.figures?.find(({ name }) => name === 'temporary files of the proxy')?.value ?? NaN
  t.ok(temporaryMiB(buffered) > 1, `${temporaryMiB(buffered)} MiB`)
  t.equal(temporaryMiB(passed), 0)
})

t.test('slow-clients finds that begun requests use up connections', { skip, buffered: true }, async t => {
  const options = { clients: 'starters', count: 200, speed: 1, seconds: 4, others: 10 }
  const [few, enough] = await playBoth(t, 'slow-clients', options,
    ['nginx:keepalive+connections=100/behaviour', 'nginx:keepalive/behaviour'])
  const resetOthers = (/** @type {typeof few} */ play) =>
    play?.groups.flatMap(({ name, counts }) => name === 'others' ? [counts.reset ?? 0] : [])
  const [reset = 0] = resetOthers(few) ?? []
  t.ok(reset > 0, JSON.stringify(few?.groups.map(({ name, counts }) => [name, counts])))
  t.same(resetOthers(enough), [0], JSON.stringify(enough?.groups.map(({ name, counts }) => [name, counts])))
})
