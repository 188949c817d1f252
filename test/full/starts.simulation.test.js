/** The simulation of test/unit with as many rounds as its limits need without an allowance. */
process.env.HOPBENCH_TEST_FULL = '1'
await import('../unit/starts.simulation.test.js')
