/** The simulations of test/unit as often as the limits of docs/statistics.md can be held to without an allowance. */
process.env.HOPBENCH_TEST_FULL = '1'
await import('../unit/coverage.simulation.test.js')
