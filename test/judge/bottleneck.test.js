/** Tests which role limits a trial, and how many cores each role can use. */
import t from '../support/tap.js'
import { computeArmResult } from '../../bench/judge/arm-result.js'
import { findBottleneck } from '../../bench/judge/bottleneck.js'
import { loadPlugin, pluginNames } from '../../bench/plan/plugins.js'
import { makePlan, makeSample } from '../support/record.js'
import { armOf, cores } from '../support/samples.js'

/** @import { Arm, Cores, Sample } from '../../bench/types.js' */

/**
 * Finds the bottleneck of a closed loop, unless another mode is given.
 * @param {Parameters<typeof findBottleneck>[0]} cpuSeconds
 * @param {Cores} cores
 * @param {number} seconds
 * @param {Partial<Parameters<typeof findBottleneck>[3]>} [context]
 */
const bottleneckOf = (cpuSeconds, cores, seconds, context) =>
  findBottleneck(cpuSeconds, cores, seconds, { mode: 'closed', maxCores: {}, ...context })

/** @param {Parameters<typeof bottleneckOf>} measured */
const boundOf = (...measured) => bottleneckOf(...measured).bound

/**
 * Returns the bottleneck of an arm that is served on eight cores.
 * @param {Arm} arm
 * @param {{ proxy?: number, server?: number }} busyCores
 * @param {Partial<Sample['proof']>} [proof]
 */
function boundOfArm (arm, busyCores, proof) {
  const sample = makeSample({ seconds: 1, cpuSeconds: { load: 0.2, proxy: 0, server: 0, idle: 0, ...busyCores } })
  return computeArmResult({
    arm,
    samples: [{ ...sample, proof: { ...sample.proof, ...proof } }],
    blocks: new Map([[0, 1]]),
    failure: null,
    cores: { load: [0], served: [1, 2, 3, 4, 5, 6, 7, 8] }
  }).bound
}

t.test('the load generator is the bottleneck when its thread saturates a core', async t => {
  t.equal(boundOf({ load: 4.6, proxy: 1, server: 4 }, cores, 5), 'load')
  t.equal(boundOf({ load: 4.6, proxy: 1, server: 4 }, { load: [0, 1], served: [0, 1] }, 5), 'load',
    'one thread uses only one core')
})

t.test('there is no bottleneck when served side and generator both wait', async t => {
  t.strictSame(bottleneckOf({ load: 2, proxy: 0.5, server: 1 }, cores, 5), { bound: 'none', waits: true })
  t.strictSame(bottleneckOf({ load: 0.002, proxy: 0, server: 0.01 }, cores, 5), { bound: 'none', waits: true },
    'hanging connections')
  t.strictSame(bottleneckOf({ load: 2, proxy: 1, server: 2.2 }, cores, 5), { bound: 'none', waits: false })
  t.strictSame(bottleneckOf({ load: 2, proxy: 0.5, server: 1 }, cores, 5, { mode: 'schedule' }),
    { bound: 'none', waits: false }, 'requests leave on a schedule')
})

t.test('the busier role of a busy served side is the bottleneck', async t => {
  t.equal(boundOf({ load: 2, proxy: 1.2, server: 3.6 }, cores, 5), 'server')
  t.equal(boundOf({ load: 2, proxy: 3.6, server: 1.2 }, cores, 5), 'proxy')
})

t.test('a process that saturates its core is the bottleneck although other cores are free', async t => {
  const many = { load: [0], served: [1, 2, 3] }
  t.equal(boundOf({ load: 2, proxy: 1, server: 4.9 }, many, 5, { maxCores: { server: 1, proxy: 3 } }), 'server')
  t.equal(boundOf({ load: 2, proxy: 4.9, server: 1 }, many, 5, { maxCores: { proxy: 1, server: 3 } }), 'proxy')
  t.equal(boundOf({ load: 2, proxy: 4.9, server: 1 }, many, 5), 'none',
    'with an unknown number of processes, the served side is not considered waiting')
})

t.test('a proxy with one event loop is saturated by one core', async t => {
  const isSaturatedBy = (/** @type {number} */ busyCores, /** @type {string} */ spec) =>
    boundOfArm(armOf(spec), { proxy: busyCores * 0.95 }) === 'proxy'
  t.equal(isSaturatedBy(1, 'nginx:keepalive/express-json'), true)
  t.equal(isSaturatedBy(1, 'nginx+workers=4/files'), false)
  t.equal(isSaturatedBy(4, 'nginx+workers=4/files'), true)
  t.equal(isSaturatedBy(1, 'haproxy:uds+threads=2/express-json'), false)
  t.equal(isSaturatedBy(2, 'haproxy:uds+threads=2/express-json'), true)
  t.equal(isSaturatedBy(2, 'caddy:keepalive/express-json'), false, 'starts threads as it needs them')
  t.equal(boundOf({ load: 3, proxy: 4.7, server: 0 }, { load: [0, 1], served: [0, 1] }, 5, { maxCores: { proxy: 1 } }),
    'proxy')
  for (const name of pluginNames('proxy')) {
    const { options } = (await loadPlugin('proxy', name)).default.about
    const hasOneLoop = options.workers?.default === 'auto' || options.threads?.default === 1
    t.equal(isSaturatedBy(1, `${name}:keepalive/express-json`), hasOneLoop, name)
  }
})

t.test('a command is saturated by as many cores as it has processes, if each runs its code in one thread', async t => {
  const { topology, load } = armOf('express-json')
  const app = { run: 'npm start', listen: [], readySeconds: 60 }
  const arm = /** @type {any} */ ({ load, topology: { ...topology, server: { ...topology.server, command: app } } })
  const isSaturatedBy = (/** @type {number} */ busyCores, /** @type {Partial<Sample['proof']>} */ proof) =>
    boundOfArm(arm, { server: busyCores * 0.95 }, proof) === 'server'
  t.equal(isSaturatedBy(1, { program: 'node 26.1.0', processes: 1 }), true)
  t.equal(isSaturatedBy(1, { program: 'python3.11', processes: 4 }), false)
  t.equal(isSaturatedBy(4, { program: 'python3.11', processes: 4 }), true)
  t.equal(isSaturatedBy(1, { program: 'java', processes: 1 }), false, 'runs in many threads')
  t.equal(isSaturatedBy(1, { program: 'node 26.1.0' }), false, 'an older run')
  t.equal(isSaturatedBy(1, {}), false)
  t.equal(boundOf({ load: 2, proxy: 0, server: 5 }, { load: [0], served: [1, 2] }, 5, { maxCores: { server: 1 } }),
    'server')
})

t.test('there is no bottleneck when the served side is neither busy nor waiting', async t => {
  t.equal(boundOf({ load: 2, proxy: 1, server: 2.2 }, cores, 5), 'none')
  t.equal(boundOf({ load: 0, proxy: 0, server: 0 }, cores, 0), 'none', 'nothing was measured')
})

t.test('subtracts the CPU time of the generator from shared cores', async t => {
  const shared = { load: [0, 1], served: [0, 1] }
  t.equal(boundOf({ load: 4, proxy: 1, server: 4.8 }, shared, 5), 'server')
  t.strictSame(bottleneckOf({ load: 4, proxy: 0.5, server: 1 }, shared, 5), { bound: 'none', waits: true })
})

t.test('a system that reports no CPU time of the generator shows no bottleneck', async t => {
  const [arm] = makePlan().arms
  const boundWith = (/** @type {number} */ load) => {
    const sample = makeSample({ seconds: 0.5, cpuSeconds: { load, proxy: 0.132, server: 0.48, idle: 0 } })
    return computeArmResult({ arm, samples: [sample], blocks: new Map([[0, 1]]), failure: null, cores }).bound
  }
  t.equal(boundWith(0.05), 'server')
  t.equal(boundWith(0), 'none')
})
