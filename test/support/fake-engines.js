/** Scripted load generators. */
import { enginesFrom } from '../../bench/load/find-engine.js'

/** @import { Generator } from '../../bench/load/shapes.js' */

export const NO_ERRORS = { non2xx: 0, timeouts: 0, resets: 0, mismatches: 0 }

/**
 * @param {Partial<Generator>} [overrides]
 * @returns {Generator}
 */
export const fakeGenerator = overrides => ({
  resume: async () => {},
  pause: async () => {},
  look: async () => {},
  cpu: async () => ({ seconds: 1, atSeconds: 5, alive: true }),
  errors: async () => ({ mismatches: 1, timeouts: 0, resets: 0 }),
  counts: async () => ({ requests: 5, atSeconds: 5, isIdle: true }),
  failure: async () => null,
  end: async () => null,
  finished: async () => ({
    measurement: { requests: 10, errors: NO_ERRORS, bytes: 1, seconds: 1, latencyMs: null },
    sampled: 2
  }),
  kill: async () => {},
  ...overrides
})

/**
 * @param {string} version
 * @param {(order: any) => Generator} start
 */
export const fakeEngines = (version, start) =>
  enginesFrom(async name => /** @type {any} */ ({
    name,
    version,
    plugin: {},
    program: '',
    env: {},
    start: async (/** @type {any} */ order) => start(order)
  })
  )
