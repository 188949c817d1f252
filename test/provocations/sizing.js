/**
 * Goals and plans that `hopbench size` cannot meet. Searches on real programs take minutes, so a rig returns their
 * results. test/features/size/size.system.test.js has a goal below the floor of real ones.
 */
import { join } from 'node:path'
import { splitCores } from '../../bench/machine/cores.js'
import { findEngine } from '../../bench/load/find-engine.js'
import { toStagedUrl } from '../../bench/measure/url-arm.js'
import { createArm } from '../../bench/plan/plan.js'
import { parse } from '../../bench/plan/spec.js'
import { armFrom } from '../../bench/request/request.js'
import { openEmulation } from '../../bench/features/size/capacity/emulation.js'
import { assumeCores, findOffering, readOfferings } from '../../bench/features/size/prices/offerings.js'
import { readProfile } from '../../bench/features/size/capacity/profile.js'
import { openSizingRig } from '../../bench/features/size/rig.js'
import { sizeTopology } from '../../bench/features/size/topology.js'
import { rejectUnfit } from '../../bench/features/size/record.js'
import { toUrlRig } from '../../bench/features/size/url/rig.js'
import { findNext } from '../../bench/features/size/emulate.js'
import { skipWithout } from '../support/needs.js'
import { price } from '../support/offerings.js'
import { makeSample } from '../support/record.js'
import { sizing } from '../support/sizing.js'
import { tempRoot } from '../support/temp.js'

/** @import { Sample } from '../../bench/types.js' */
/** @import { Provocations } from '../support/provoke.js' */

/** Returns response times with this 99th percentile. @param {number} p99 */
const taking = p99 => ({ p50: 2, p90: p99 / 2, p95: p99 / 2, p99, max: 2 * p99, rate: 100, source: 'paced, open loop' })

/**
 * Sizes a topology for a p99 goal.
 * @param {number} p99Ms
 * @param {Partial<Sample>} answers result of each window of the open loop
 */
const size = async (p99Ms, answers) =>
  sizeTopology(await armFrom('http-json', { connections: 10 }), {
    p99Ms,
    quick: true,
    seed: 1,
    temp: '/nowhere',
    lab: false,
    cores: splitCores(),
    cwd: process.cwd(),
    printProgress: () => {},
    interrupted: () => false,
    now: () => 0
  }, async () => ({
    tools: {},
    processes: 1,
    warm: async () => null,
    closed: async () => makeSample({ rps: 1000 }),
    paced: async ({ rate }) => makeSample({ rps: rate, ...answers }),
    limitStats: () => null,
    close: async () => {}
  }))

/** @type {Provocations} */
export default {
  'unknown-plan': () => findOffering(readOfferings(), 'Render Startr'),
  'bad-plans': t => readOfferings(join(t.testdir({ 'plans.json': '{ "plans": [{ "plan": "One" }] }' }), 'plans.json')),
  'assumed-too-much': () => assumeCores(readOfferings(), ['Heroku Standard-1X=4096']),
  'bad-profile': t => readProfile(join(t.testdir({ 'day.json': '[0, 0, 0]' }), 'day.json')),
  'rate-out-of-reach': () => rejectUnfit({
    ...sizing, table: [{ ...sizing.table[0], instances: null, why: { code: 'no-cpu-promised', params: {} } }]
  }),
  'app-leaks': () => rejectUnfit({
    ...sizing,
    topologies: [{
      ...sizing.topologies[0],
      soak: { seconds: 600, rate: 1500, points: [], slope: 900, low: 850, high: 960, leaks: true }
    }]
  }),
  'goal-below-floor': () => size(1, { latencyMs: taking(9) }),
  // Half of the responses are in time, and one in a hundred is late at any rate.
  'goal-out-of-reach': () => size(50, { latencyMs: taking(400) }),
  'generator-late': () => size(50, {
    latencyMs: taking(400),
    lagMs: { p50: 300, p99: 390, max: 400 },
    invalid: { code: 'behind-schedule', params: { p99Ms: 390, limitMs: 10 } }
  }),
  'cannot-size': () => size(50, { latencyMs: null, invalid: { code: 'nothing-served', params: {} } }),
  'load-cap': async () => {
    const arm = createArm(parse('http://127.0.0.1:1'))
    const rig = toUrlRig(arm, {
      staged: toStagedUrl(arm, '/nowhere'),
      engine: await findEngine('paced'),
      cores: splitCores('shared'),
      caps: { mostRps: 100, mostRequests: 100, seconds: 60 },
      roundTrip: { p50Ms: 1, maxMs: 1 },
      startedAt: 0,
      now: () => 0,
      interrupted: () => false,
      measure: async () => makeSample()
    })
    await rig.paced({ rate: 100, seconds: 3, seed: 1 })
  },
  'nothing-to-emulate': () =>
    findNext(price([{ ...findOffering(readOfferings(), 'Render Starter'), memoryMiB: 64 }], {
      topologies: [{
        spec: 'http-json',
        capacity: 5000,
        atLeast: false,
        cores: 1,
        usages: [{ rate: 5000, cores: 0.8 }],
        burst: null,
        delay: 0.05,
        goalSeconds: 0.05,
        memoryMiB: 100,
        processMiB: 80
      }],
      rate: 7000
    }), { rate: 7000, cores: 1 }),
  'no-limits': () => openEmulation({ cpu: 1, memoryMiB: 512 }, { mounts: '', self: '' }),
  'plan-too-small': {
    skip: skipWithout('limits'),
    provoke: async t => {
      const temp = tempRoot(t)
      const rig = await openSizingRig(await armFrom('http-json', { connections: 10 }), {
        temp: join(temp.path, 's'),
        lab: false,
        cores: splitCores(),
        cwd: process.cwd(),
        limits: { name: 'Acme Tiny', cpu: 1, memoryMiB: 8 }
      })
      await rig.close()
    }
  }
}
