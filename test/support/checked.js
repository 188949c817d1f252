/** Results of `hopbench check`, for tests. */

/** @import { CheckProbe } from '../../bench/types.js' */
/** @typedef {[outcome: string, saw: string, died?: boolean]} Outcome of a probe */

/**
 * Makes the results of a chain.
 * @param {string} spec
 * @param {CheckProbe[]} probes
 * @param {Outcome[]} outcomes by probe
 */
export const makeChain = (spec, probes, outcomes) => ({
  spec,
  proxy: spec.includes('/') ? 'nginx' : null,
  transport: null,
  error: null,
  results: outcomes.map(([outcome, saw, died = false], i) => ({
    probe: probes[i].name,
    outcome: /** @type {any} */ (outcome),
    saw,
    died,
    ...saw.startsWith('old') && { ms: 3000 }
  }))
})

/**
 * Makes the results of a server.
 * @param {string} name
 * @param {any[]} chains
 */
export const makeServer = (name, chains) => ({
  name, about: null, version: '1.0.0', checkedAt: '2026-01-01T00:00:00.000Z', node: '20.0.0', chains
})
