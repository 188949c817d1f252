/** Every engine that is at hand against real servers: it ends by itself, and both sides count the same. */
import { join } from 'node:path'
import t from 'tap'
import { factsOf, refusal } from '../../bench/capabilities.js'
import { HopbenchError } from '../../bench/errors.js'
import { findEngine } from '../../bench/find-engine.js'
import { startGenerator } from '../../bench/generator.js'
import { loadPlugin, pluginNames } from '../../bench/plugins.js'
import { disagreement } from '../../bench/measure/rig.js'
import { parse } from '../../bench/topology/word.js'
import { hopbench, leavesNothing, placeFor } from '../support/cli.js'
import { staged } from '../support/stage.js'

/** Long enough for a start on a busy machine, and whole: engines take whole seconds. */
const SECONDS = 2
const GRACE_SECONDS = 20

/** @param {string} name @returns {Promise<import('../../bench/find-engine.js').FoundEngine | string>} a string says why it is not here */
const engineOrWhy = name => findEngine(name).catch(error => {
  if (error instanceof HopbenchError && error.code === 'tool-missing') return error.message
  throw error
})

/**
 * One window of an engine on a topology of its own.
 * @param {import('tap').Test} t
 * @param {string} name
 * @param {string} word
 * @param {Partial<import('../../bench/types.d.ts').Load>} more
 */
async function windowOf (t, name, word, more) {
  const load = { engine: name, path: '/1kb.json', connections: 8, headers: {}, ...more }
  // What cannot do it is not brought.
  const { default: { about } } = await loadPlugin('engine', name)
  const what = refusal(about, { load, facts: factsOf(parse(word)), protocol: 'slices' })
  if (what) return `${name} cannot ${what}`
  const engine = await engineOrWhy(name)
  if (typeof engine === 'string') return engine
  const arm = await staged(t, word, { path: '/1kb.json', connections: 8 })
  const before = await arm.running.front()
  const generator = startGenerator({
    engine: engine.plugin,
    program: engine.program,
    env: engine.env,
    name: word,
    load,
    target: arm.target,
    network: arm.network,
    cores: null,
    dir: join(arm.dir, 'engine'),
    maxSeconds: SECONDS
  })
  try {
    const { measurement, sampled } = await generator.finished(GRACE_SECONDS)
    const after = await arm.running.front()
    return { measurement, sampled, connections: Number(after.connections) - Number(before.connections), served: after.requests - before.requests }
  } finally {
    await generator.kill()
  }
}

for (const name of pluginNames('engine')) {
  t.test(`${name}: kept connections`, async t => {
    const seen = await windowOf(t, name, 'nginx/files', {})
    if (typeof seen === 'string') return t.pass(seen, { skip: seen })
    const { measurement: { requests, seconds, errors, latencyMs }, connections } = seen
    t.ok(requests > 0)
    t.same(errors, { non2xx: 0, timeouts: 0, resets: 0, mismatches: 0 })
    t.equal(disagreement({ ...seen, connections: 8 }), null, 'both sides count the same')
    t.ok(seconds !== null && seconds >= SECONDS * 0.9, 'its window had its length')
    // One more to try the address, and the sampler's.
    t.ok(connections <= 8 + 2, `${connections} connections`)
    if (latencyMs) t.ok(latencyMs.p50 <= latencyMs.p90 && latencyMs.p90 <= latencyMs.p95 && latencyMs.p95 <= latencyMs.p99 && latencyMs.p99 <= latencyMs.max, JSON.stringify(latencyMs))
  })

  t.test(`${name}: a new connection for every request`, async t => {
    const seen = await windowOf(t, name, 'nginx/files', { fresh: true })
    if (typeof seen === 'string') return t.pass(seen, { skip: seen })
    t.equal(disagreement({ ...seen, connections: 8 }), null, 'both sides count the same')
    t.ok(seen.connections >= seen.measurement.requests, `${seen.connections} connections for ${seen.measurement.requests} requests`)
  })

  t.test(`${name}: over TLS`, async t => {
    const fresh = name === 's-time'
    const seen = await windowOf(t, name, 'nginx+tls=ecdsa-p256/files', { fresh })
    if (typeof seen === 'string') return t.pass(seen, { skip: seen })
    t.ok(seen.measurement.requests > 0)
    t.equal(disagreement({ ...seen, connections: 8 }), null, 'both sides count the same')
  })
}

t.test('h2load goes through a list of paths', async t => {
  const seen = await windowOf(t, 'h2load', 'nginx/files', { paths: ['/1kb.json', '/nothing-there'] })
  if (typeof seen === 'string') return t.pass(seen, { skip: seen })
  const { requests, errors: { non2xx } } = seen.measurement
  t.ok(non2xx >= requests / 2 - 8 && non2xx <= requests / 2 + 8, `${non2xx} of ${requests} are not there`)
})

t.test('hopbench engines runs all of them in turn against one topology, and leaves nothing behind', async t => {
  const place = placeFor(t)
  const { exit, stdout, stderr } = await hopbench(['engines', 'nginx:keepalive/http-json', '--quick', '--connections', '10', '--json'], { place, timeoutSeconds: 150 })
  t.equal(exit, 0) || t.comment(stderr)
  const { comparisons: [{ engines, leftOut, blocks, connections }] } = JSON.parse(stdout)
  t.match({ blocks, connections }, { blocks: 6, connections: 10 })
  t.ok(engines.length > 1, 'more than one is at hand')
  t.same([...engines, ...leftOut].map(({ name }) => name).sort(), pluginNames('engine'), 'none is silently absent')
  t.match(leftOut.find((/** @type {{ name: string }} */ { name }) => name === 's-time')?.why, /cannot speak HTTP without TLS/)
  for (const { name, windows, failures, rps, ownRps, share, latencyNote } of engines) {
    t.equal(windows + failures.length, 6, `${name}: every window is told of`)
    t.ok(rps.median > 0 && ownRps > 0 && share > 0, `${name}: both sides counted`)
    t.ok(latencyNote.length > 0)
  }
  await leavesNothing(t, place)
})
