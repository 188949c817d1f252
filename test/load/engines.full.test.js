/** Every available engine against real servers: it ends by itself, and both sides count the same. */
import root from '../support/tap.js'
import { rejectImpossible } from '../../bench/load/capabilities.js'
import { findEngine } from '../../bench/load/find-engine.js'
import { loadPlugin, pluginNames } from '../../bench/plan/plugins.js'
import { findDisagreement } from '../../bench/measure/disagreement.js'
import { parse } from '../../bench/plan/spec.js'
import { skipWithoutProgram } from '../support/needs.js'
import { staged, startOn } from '../support/stage.js'

/** @import { Load } from '../../bench/types.js' */
/** @import { Test } from 'tap' */

/** Length of a window. Engines accept whole seconds only, and may start slowly on a busy machine. */
const SECONDS = 2
const GRACE_SECONDS = 20

/** Engines that are refused for each kind of load. All others must work. */
const REFUSED = {
  kept: ['locust', 'paced', 's-time'],
  fresh: ['autocannon', 'h2load', 'locust', 'paced', 's-time'],
  tls: ['locust', 'paced']
}

/**
 * @param {string} name
 * @param {Partial<Load>} more
 * @returns {Load}
 */
const loadOf = (name, more) => ({ engine: name, path: '/1kb.json', connections: 8, headers: {}, ...more })

/**
 * Tests that an engine is refused, or checks one window of it.
 * @param {string} what
 * @param {string} name
 * @param {{ spec: string, more: Partial<Load>, refused: boolean }} order
 * @param {(t: Test, seen: Awaited<ReturnType<typeof windowOf>>) => void} check
 */
async function testOf (what, name, { spec, more, refused }, check) {
  const { default: plugin } = await loadPlugin('engine', name)
  const { program, packages } = plugin.about
  const skip = !refused && packages !== null && skipWithoutProgram(program, packages?.debian ?? [])
  root.test(`${name}: ${what}`, { skip }, async t => {
    const arm = { name: spec, spec, topology: parse(spec), load: loadOf(name, more), twinOf: null }
    if (refused) return t.throws(() => rejectImpossible(plugin, arm, { paused: true }), { code: 'engine-cannot' })
    rejectImpossible(plugin, arm, { paused: true })
    check(t, await windowOf(t, name, spec, more))
  })
}

/**
 * Topologies for engines that keep their connections, by spec. Engines that open new ones could leave no free ports to
 * the next engine.
 * @type {Map<string, ReturnType<typeof staged>>}
 */
const shared = new Map()
let windows = 0

/**
 * @param {Test} t
 * @param {string} spec
 * @param {Partial<Load>} more
 */
function stageOf (t, spec, { fresh = false }) {
  const start = (/** @type {Test} */ t) => staged(t, spec, { path: '/1kb.json', connections: 8 })
  if (fresh) return start(t)
  const arm = shared.get(spec) ?? start(root)
  shared.set(spec, arm)
  return arm
}

/**
 * Measures one window of an engine.
 * @param {Test} t
 * @param {string} name
 * @param {string} spec
 * @param {Partial<Load>} more
 */
async function windowOf (t, name, spec, more) {
  const engine = await findEngine(name)
  const arm = await stageOf(t, spec, more)
  const before = await arm.running.front()
  const generator = startOn(engine, arm, {
    load: loadOf(name, more), maxSeconds: SECONDS, dir: `engine-${windows++}`
  })
  try {
    const { measurement, sampled } = await generator.finished(GRACE_SECONDS)
    const after = await arm.running.front()
    return {
      measurement,
      sampled,
      connections: Number(after.connections) - Number(before.connections),
      served: after.requests - before.requests
    }
  } finally {
    await generator.kill()
  }
}

for (const name of pluginNames('engine')) {
  const refused = (/** @type {keyof typeof REFUSED} */ kind) => REFUSED[kind].includes(name)
  const plain = 'nginx/files'
  const kept = { spec: plain, more: {}, refused: refused('kept') }
  await testOf('loads persistent connections, and counts as the server does', name, kept, (t, seen) => {
    const { measurement: { requests, seconds, errors, latencyMs }, connections } = seen
    t.ok(requests > 0)
    t.same(errors, { non2xx: 0, timeouts: 0, resets: 0, mismatches: 0 })
    t.equal(findDisagreement(seen, { served: seen.served, connections: 8 }), null, 'both sides count the same')
    t.ok(seconds !== null && seconds >= SECONDS * 0.9, 'the window is not shorter')
    // Two more: one that tries the address, and one of the sampler.
    t.ok(connections <= 8 + 2, `${connections} connections`)
    if (latencyMs) {
      t.ok(
        latencyMs.p50 <= latencyMs.p90 && latencyMs.p90 <= latencyMs.p95 && latencyMs.p95 <= latencyMs.p99 &&
          latencyMs.p99 <= latencyMs.max,
        JSON.stringify(latencyMs)
      )
    }
  })

  const fresh = { spec: plain, more: { fresh: true }, refused: refused('fresh') }
  await testOf('opens a new connection for every request', name, fresh, (t, seen) => {
    t.equal(findDisagreement(seen, { served: seen.served, connections: 8 }), null, 'both sides count the same')
    t.ok(seen.connections >= seen.measurement.requests,
      `${seen.connections} connections for ${seen.measurement.requests} requests`)
  })

  const tls = {
    spec: 'nginx+tls=ecdsa-p256/files', more: { fresh: name === 's-time' }, refused: refused('tls')
  }
  await testOf('loads over TLS', name, tls, (t, seen) => {
    t.ok(seen.measurement.requests > 0)
    t.equal(findDisagreement(seen, { served: seen.served, connections: 8 }), null, 'both sides count the same')
  })
}

const paths = { paths: ['/1kb.json', '/nothing-there'] }
const listed = { spec: 'nginx/files', more: paths, refused: false }
await testOf('requests a list of paths in turn', 'h2load', listed, (t, seen) => {
  const { requests, errors: { non2xx } } = seen.measurement
  t.ok(non2xx >= requests / 2 - 8 && non2xx <= requests / 2 + 8, `${non2xx} of ${requests} not found`)
})
