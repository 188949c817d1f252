/** Trials in which the machine was suspended, or its clock set: nothing of them is a number, and the run goes on. */
import t from 'tap'
import { createSlicer } from '../../bench/measure/slicer.js'
import { measureWindow } from '../../bench/measure/measure-window.js'
import { armOf } from '../support/samples.js'

const suspended = { code: 'suspended', text: 'the machine was suspended for 9.0 s within it' }
/** Clocks that find fault with the first trial only. */
const oneDisturbed = () => {
  const reasons = [suspended]
  return () => {
    const reason = reasons.pop() ?? null
    return { end: () => reason }
  }
}

/** An arm that answers a request each time it is asked for its counts. */
function scripted () {
  let requests = 0
  const counts = () => ({
    atSeconds: performance.now() / 1000,
    requests: requests++,
    connections: 10,
    non2xx: 0,
    listening: 'tcp',
    lost: 0,
    pids: [],
    workers: []
  })
  const seen = { frozen: true, freezes: 0 }
  return {
    seen,
    staged: {
      arm: armOf('http-json'),
      dir: '/nowhere',
      network: { link: null, enterBeside: [] },
      target: { url: 'http://127.0.0.1:1' },
      bytesPerResponse: null,
      running: {
        proxied: false,
        countsLate: false,
        front: async () => counts(),
        origin: async () => counts(),
        noted: () => [],
        logged: () => [],
        pids: () => ({ proxy: [], server: [] }),
        failure: () => null
      }
    },
    generator: {
      thaw: async () => { seen.frozen = false },
      freeze: async () => { seen.frozen = true; seen.freezes++ },
      cpu: async () => ({ seconds: performance.now() / 1000, atSeconds: performance.now() / 1000, alive: true }),
      look: async () => {},
      errors: async () => ({ mismatches: 0, timeouts: 40, resets: 40 }),
      failure: async () => null,
      finished: async () => ({
        measurement: {
          requests: 500,
          errors: { non2xx: 0, timeouts: 40, resets: 0, mismatches: 0 },
          bytes: null,
          seconds: 1,
          latencyMs: null
        },
        sampled: 0
      }),
      kill: async () => {}
    }
  }
}
const nothing = {
  requests: 0,
  rps: 0,
  errors: { non2xx: 0, timeouts: 0, resets: 0, mismatches: 0 },
  invalid: suspended
}

t.test('a slice says nothing, and the next one of the same arm is as good as any', async t => {
  const arm = scripted()
  const slicer = createSlicer(new Map([['it', /** @type {any} */ (arm)]]), 'requests', oneDisturbed())
  t.match(await slicer.trial('it', 0), { ...nothing, block: 0 })
  t.match(arm.seen, { frozen: true, freezes: 1 }, 'its generator is frozen again')
  t.strictSame([...slicer.lost()], [], 'the arm is not lost for it')
  t.match(await slicer.trial('it', 1), { block: 1, invalid: null, requests: Number })
  slicer.close()
})

t.test('readings that fail in such a slice are no fault of the arm', async t => {
  const arm = scripted()
  arm.staged.running.front = async () => { throw new Error('the proxy\'s counters did not answer within 5 s') }
  const slicer = createSlicer(new Map([['it', /** @type {any} */ (arm)]]), 'requests', oneDisturbed())
  t.match(await slicer.trial('it', 0), nothing, 'who wakes up finds time limits passed')
  t.match(await slicer.trial('it', 1), { invalid: { code: 'no-reading', text: /within 5 s/ } },
    'in any other slice they are')
  slicer.close()
})

t.test('a window says nothing', async t => {
  const { staged, generator } = scripted()
  /** @type {any} */
  const order = {
    arm: staged.arm,
    block: 3,
    startedAt: '2024-05-06T07:08:09.000Z',
    staged,
    engine: { plugin: { about: { title: 'an engine', users: true } }, start: async () => generator },
    cores: { split: false },
    kind: { warm: false, series: false },
    seconds: 1,
    unit: 'requests',
    watch: oneDisturbed()
  }
  t.match(await measureWindow(order), { ...nothing, block: 3 })
  t.match(await measureWindow(order), { requests: 500 }, 'the next one does')
})
