/** Tests that hanging connections are detected, and that slow connections and busy servers are not reported. */
import t from '../support/tap.js'
import { compareCounts } from '../../bench/measure/rigs/all-up.js'
import { findHangingSlice, HangWatch } from '../../bench/measure/rigs/arm-sampler.js'

/**
 * Returns an arm whose connections can be watched.
 * @param {number} connections
 * @returns {any}
 */
const stagedOf = connections =>
  ({ arm: { load: { connections } }, network: { enterBeside: [] }, target: { url: 'http://127.0.0.1:8080' } })

/**
 * Returns what is found after a slice, of connections of which `hung` have received nothing.
 * @param {{ served: number, hung: number, at: number, rate: number, connections: number }} load served: number of
 *   connections that received bytes; at: length of the slice, in seconds; rate: responses per second
 */
async function findAfter ({ served, hung, at, rate, connections }) {
  let looks = 0
  const watch = new HangWatch(stagedOf(connections), async () => {
    looks++
    return new Map(Array.from({ length: served + hung }, (_, i) => [String(i), i < served ? looks : 7]))
  })
  await watch.begin()
  return watch.after({ requests: rate * at, seconds: at })
}
const slice = { requests: 5, seconds: 0.5, cpuSeconds: { load: 0.0002, proxy: 0.001, server: 0.002, idle: 0 } }

t.test('reports an arm when 97 of 100 connections hang, at any rate of the others', async t => {
  for (const [served, hung, at, rate, hanging] of [[4, 97, 12, 9000, 97], [1, 100, 12, 10, 100],
    [0, 101, 2, 0, 100]]) { // The connection of the sampler hangs, too.
    t.match(await findAfter({ served, hung, at, rate, connections: 100 }),
      { code: 'clients-hang', params: { hanging, connections: 100, seconds: at } })
  }
})

t.test('ignores a single hanging connection and arms on which all connections wait long', async t => {
  // Half a second is too early for a decision. With 1,000 connections and 50 responses per second, each connection
  // waits 20 s.
  for (const [served, hung, at, rate, connections] of [[100, 0, 12, 9000, 100], [100, 1, 12, 9000, 100],
    [0, 100, 0.5, 0, 100], ...[1, 4, 12].map(at => [50 * at, 1000 - 50 * at, at, 50, 1000])]) {
    t.equal(await findAfter({ served, hung, at, rate, connections }), null, `${hung} after ${at} s`)
  }
})

t.test('rejects a slice with few responses while every process is idle', async t => {
  t.match(findHangingSlice(slice), { code: 'clients-hang', params: { requests: 5, seconds: 0.5 } })
  t.equal(findHangingSlice({ ...slice, requests: 500 }), null, 'slow responses')
  t.equal(findHangingSlice({ ...slice, cpuSeconds: { ...slice.cpuSeconds, server: 0.4 } }), null, 'expensive responses')
  t.equal(findHangingSlice({ ...slice, linkShare: 0.9 }), null, 'responses that saturate the link')
})

t.test('reads connections from the kernel periodically and keeps the result in between', async t => {
  let looks = 0
  const watch = new HangWatch(stagedOf(10), async (_, port) => {
    t.equal(port, 8080)
    return new Map(Array.from({ length: 10 }, (_, i) => [String(i), i < 3 ? looks++ : 7]))
  })
  await watch.begin()
  const slices = []
  for (let i = 0; i < 6; i++) slices.push((await watch.after({ requests: 1000, seconds: 0.25 }))?.code ?? null)
  t.strictSame(slices, [null, null, null, 'clients-hang', 'clients-hang', 'clients-hang'])
  t.equal(looks, 12, 'once before, three times after')
})

t.test('reports no hanging connection when the kernel provides no list', async t => {
  const watch = new HangWatch(stagedOf(10), async () => null)
  await watch.begin()
  for (let i = 0; i < 9; i++) t.equal(await watch.after({ requests: 0, seconds: 0.5 }), null)
})

t.test('counts aborted responses from the final report of an engine', async t => {
  const problemOf = async (/** @type {number} */ resets, server = {}) => {
    const errors = { non2xx: 0, timeouts: 900, mismatches: 0, resets }
    /** @type {any} */
    const arm = {
      staged: {
        ...stagedOf(1),
        arm: { load: { connections: 100 }, topology: { server } },
        running: { front: async () => ({ requests: 9000 }), failure: () => null }
      },
      generator: { end: async () => ({ measurement: { requests: 9000, errors }, sampled: 0 }) },
      frontBefore: 0
    }
    return (await compareCounts(new Map([['it', arm]]), new Set())).get('it')
  }
  t.equal(await problemOf(0), undefined, 'timeouts occurred in a pause')
  t.equal(await problemOf(1), undefined, 'a single reset')
  t.match(await problemOf(900), { code: 'errors', params: { errors: { resets: 900 }, countedBy: 'generator' } })
  t.match(await problemOf(100), { params: { errors: { resets: 100 } } })
  t.equal(await problemOf(100, { command: {} }), undefined, 'an app closed the connections that waited for other arms')
  t.match(await problemOf(200, { command: {} }), { params: { errors: { resets: 100 } } })
})

t.test('reports that the server has ended when counts cannot be compared', async t => {
  const silent = (/** @type {Error | null} */ ended) => /** @type {any} */ ({
    staged: {
      arm: { load: { connections: 1 }, topology: { server: null } },
      target: {},
      running: { front: () => Promise.reject(new Error('no process answers')), failure: () => ended }
    },
    generator: { end: async () => ({ measurement: { requests: 9, errors: { non2xx: 0, resets: 0 } } }) },
    frontBefore: 0
  })
  const arms = new Map([['died', silent(new Error('it ended with exit code 1'))], ['silent', silent(null)]])
  const problems = await compareCounts(arms, new Set())
  t.match(problems.get('died'), { code: 'process-died', params: { message: /exit code 1/ } })
  t.match(problems.get('silent'), { code: 'no-report', params: { message: /no process answers/ } })
})
