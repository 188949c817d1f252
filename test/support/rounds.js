/**
 * How often a simulation is repeated. `npm test` repeats it some hundred times, which finds what is broken;
 * `npm run test:full` as often as the limits of docs/statistics.md can be held to without an allowance for chance.
 */
const FULL = process.env.HOPBENCH_TEST_FULL === '1'
/** Standard errors: one of a thousand simulations that keep their promise exactly is beyond it. */
const ALLOWANCE = 3.1

/** @param {number} full @param {number} [few] */
export const roundsOf = (full, few = 300) => FULL ? full : few

/**
 * What the share of errors may be at most, where it is promised to be `share`.
 * @param {number} share
 * @param {number} rounds
 */
export const atMost = (share, rounds) => FULL ? share : share + ALLOWANCE * Math.sqrt(share * (1 - share) / rounds)
