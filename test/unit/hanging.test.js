/** Clients that wait in vain, and what is not: slow connections, a served side that is busy. */
import t from 'tap'
import { brokenOff, compareCounts } from '../../bench/measure/all-up.js'
import { hangingConnections, hangingSlice, HangWatch, progressOf } from '../../bench/measure/hanging.js'

/**
 * Connections of which some have had no answer for so long.
 * @param {number} served @param {number} hung @param {number} at
 */
const progress = (served, hung, at) => new Map(Array.from({ length: served + hung }, (_, i) =>
  [String(i), { bytes: 1000, since: i < served ? at : 0 }]))
const slice = { requests: 5, seconds: 0.5, cpuSeconds: { load: 0.0002, proxy: 0.001, server: 0.002, idle: 0 } }

t.test('a connection that gets nothing more is reported with the time since its last byte', async t => {
  const first = progressOf(new Map(), new Map([['a', 10], ['b', 10]]), 1)
  const second = progressOf(first, new Map([['a', 20], ['b', 10], ['c', 5]]), 3)
  t.strictSame([...second].map(([client, { since }]) => [client, since]), [['a', 3], ['b', 1], ['c', 3]])
})

t.test('97 of 100 connections that hang are an invalid arm, however fast the others are', async t => {
  t.match(hangingConnections(progress(4, 97, 12), { at: 12, rate: 9000, connections: 100 }),
    { code: 'clients-hang', text: '97 of 100 connections had no answer for 12.0 s of load' })
  t.match(hangingConnections(progress(1, 100, 12), { at: 12, rate: 10, connections: 100 }), { text: /^100 of 100 / })
  t.match(hangingConnections(progress(0, 101, 2), { at: 2, rate: 0, connections: 100 }), { text: /^100 of 100 / },
    'the sampler hangs too')
})

t.test('a stray connection is ignored, and so are those of an arm on which all wait long', async t => {
  t.equal(hangingConnections(progress(100, 0, 12), { at: 12, rate: 9000, connections: 100 }), null)
  t.equal(hangingConnections(progress(100, 1, 12), { at: 12, rate: 9000, connections: 100 }), null)
  t.equal(hangingConnections(progress(0, 100, 0.5), { at: 0.5, rate: 0, connections: 100 }), null, 'too early to say')
  // A thousand connections at fifty answers a second: each waits twenty seconds for its turn.
  for (const at of [1, 4, 12]) {
    t.equal(hangingConnections(progress(50 * at, 1000 - 50 * at, at), { at, rate: 50, connections: 1000 }), null)
  }
})

t.test('a slice in which nearly nothing is answered while nobody is busy is none', async t => {
  t.match(hangingSlice(slice), { code: 'clients-hang', text: /^5 requests were answered in 0.5 s of load/ })
  t.equal(hangingSlice({ ...slice, requests: 500 }), null, 'answers that take their time')
  t.equal(hangingSlice({ ...slice, cpuSeconds: { ...slice.cpuSeconds, server: 0.4 } }), null, 'answers that cost much')
  t.equal(hangingSlice({ ...slice, linkShare: 0.9 }), null, 'answers that fill the link')
})

t.test('the kernel is asked from time to time, and its answer holds until then', async t => {
  let looks = 0
  /** @type {any} */
  const staged = {
    arm: { load: { connections: 10 } }, network: { enterBeside: [] }, target: { url: 'http://127.0.0.1:8080' }
  }
  const watch = new HangWatch(staged, async (_, port) => {
    t.equal(port, 8080)
    return new Map(Array.from({ length: 10 }, (_, i) => [String(i), i < 3 ? looks++ : 7]))
  })
  await watch.begin()
  const slices = []
  for (let i = 0; i < 6; i++) slices.push((await watch.after({ requests: 1000, seconds: 0.25 }))?.code ?? null)
  t.strictSame(slices, [null, null, null, 'clients-hang', 'clients-hang', 'clients-hang'])
  t.equal(looks, 12, 'once before, three times after')
})

t.test('where the kernel does not tell nobody hangs', async t => {
  /** @type {any} */
  const staged = { arm: { load: { connections: 10 } }, network: {}, target: { url: 'http://127.0.0.1:8080' } }
  const watch = new HangWatch(staged, async () => null)
  await watch.begin()
  for (let i = 0; i < 9; i++) t.equal(await watch.after({ requests: 0, seconds: 0.5 }), null)
})

t.test('answers that break off, by the count of an engine that reports at its end only', async t => {
  const errors = { non2xx: 0, timeouts: 900, mismatches: 0, resets: 0 }
  t.equal(brokenOff({ requests: 9000, errors }), null, 'what came late came in a pause')
  t.equal(brokenOff({ requests: 9000, errors: { ...errors, resets: 1 } }), null, 'a stray one')
  t.match(brokenOff({ requests: 9000, errors: { ...errors, resets: 900 } }), { code: 'errors', text: /900 answers/ })
})

t.test('an arm whose server has ended when counts are compared says that, and not that it is silent', async t => {
  const silent = (/** @type {Error | null} */ ended) => /** @type {any} */ ({
    staged: {
      arm: { load: { connections: 1 } },
      target: {},
      running: { front: () => Promise.reject(new Error('no process answers')), failure: () => ended }
    },
    generator: { end: async () => ({ measurement: { requests: 9, errors: { non2xx: 0, resets: 0 } } }) },
    frontBefore: 0
  })
  const arms = new Map([['died', silent(new Error('it ended with exit code 1'))], ['silent', silent(null)]])
  const problems = await compareCounts(arms, new Set())
  t.match(problems.get('died'), { code: 'process-died', text: /exit code 1/ })
  t.match(problems.get('silent'), { code: 'no-report', text: /no process answers/ })
})
