import t from '../support/tap.js'
import { HopbenchError } from '../../bench/errors.js'
import { armFrom } from '../../bench/request/request.js'
import { measureMore } from '../../bench/features/size/study.js'
import { sizeTopology } from '../../bench/features/size/topology.js'
import { makeSample } from '../support/record.js'

const arm = await armFrom('express-json', { connections: 10 })
const options = {
  p99Ms: 50,
  quick: false,
  seed: 1,
  temp: '/nowhere',
  lab: false,
  cores: { split: true, load: [0, 1], served: [2, 3], why: null },
  cwd: process.cwd(),
  printProgress: () => {},
  interrupted: () => false,
  now: () => 0
}

/**
 * Returns a rig that meets the goal up to a rate.
 * @param {number} limit in requests per second
 * @param {string[]} opened receives the spec of each opened topology
 * @returns {Parameters<typeof measureMore>[2]}
 */
const rig = (limit, opened) => async ({ spec }) => {
  opened.push(spec)
  return {
    tools: {},
    processes: 2,
    warm: async () => null,
    closed: async () => makeSample({ rps: limit }),
    paced: async ({ rate }) => makeSample({
      rps: rate,
      latencyMs: {
        p50: 2, p90: 3, p95: 4, p99: rate > limit ? 400 : 20, max: 500, rate, source: 'paced, open loop'
      }
    }),
    limitStats: () => null,
    close: async () => {}
  }
}

t.test('measures two processes when each has a core', async t => {
  /** @type {string[]} */
  const opened = []
  const [more, ...others] = await measureMore(arm, options, rig(9000, opened))
  t.same([opened, others], [['express-json@cluster:2'], []])
  t.equal(more.processes, 2)
  t.ok(Math.abs(more.rate / 9000 - 1) < 0.05)
})

t.test('measures no second process on one core or when several processes already run', async t => {
  const never = async () => { throw new Error('a rig was opened') }
  t.same(await measureMore(arm, { ...options, cores: { ...options.cores, served: [2] } }, never), [])
  t.same(await measureMore(await armFrom('express-json@cluster:2', { connections: 10 }), options, never), [])
})

t.test('measures the CPU time of requests up to the number of connections of the arm', async t => {
  const numbersUpTo = async (/** @type {number} */ connections) => {
    const limited = await armFrom('express-json', { connections })
    const { growth } = await sizeTopology(limited, { ...options, quick: true }, rig(1000, []))
    return growth.connections.map(({ x }) => x)
  }
  t.same(await numbersUpTo(5), [5])
  t.same(await numbersUpTo(50), [10, 50])
  t.same(await numbersUpTo(400), [10, 100, 400])
})

t.test('skips a server that cannot be clustered and rethrows other errors', async t => {
  t.same(await measureMore(arm, options, async () => {
    throw new HopbenchError('cannot-size', { name: 'express-json', why: 'it is a test' })
  }), [])
  await t.rejects(measureMore(arm, options, async () => { throw new TypeError('a fault of ours') }),
    { message: 'a fault of ours' })
})
