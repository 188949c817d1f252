import { armOf } from './samples.js'

/** Makes an arm whose request count grows by one with each reading. */
export function scriptedArm () {
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
  const seen = { paused: true, pauses: 0, served: 'resumed' }
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
        failure: () => null,
        pause: () => { seen.served = 'paused' },
        resume: () => { seen.served = 'resumed' }
      }
    },
    generator: {
      resume: async () => { seen.paused = false },
      pause: async () => { seen.paused = true; seen.pauses++ },
      cpu: async () => ({ seconds: performance.now() / 1000, atSeconds: performance.now() / 1000, alive: true }),
      findProcesses: async () => {},
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

/**
 * Returns the order of a window of a scripted arm.
 * @param {ReturnType<typeof scriptedArm>} arm
 * @param {object} [overrides]
 * @returns {any}
 */
export const windowOf = ({ staged, generator }, overrides) => ({
  arm: staged.arm,
  block: 0,
  startedAt: '2024-05-06T07:08:09.000Z',
  staged,
  engine: { plugin: { about: { title: 'an engine', users: true } }, start: async () => generator },
  cores: { split: false },
  seconds: 1,
  unit: 'requests',
  watch: () => ({ end: () => null }),
  ...overrides
})
