/**
 * Effect of the length of a turn in gang slices: CPU time per request and rates with turns of a twentieth of a second,
 * longer ones, and one turn of a whole block, alternating on the same processes.
 */
import { GangScheduler } from '../../bench/measure/gang-scheduler.js'
import { orderOfBlock } from '../../bench/plan/plan.js'
import { planFrom } from '../../bench/request/request.js'
import { withEverythingUp } from './everything-up.js'
import { fixed, median } from './measure.js'

/** @import { Sample } from '../../bench/types.js' */
/** @import { Part } from './index.js' */

/** Arms with cheap and expensive requests, in native code and Node. */
const ARMS = ['express-json', 'nginx:uds-keepalive/express-json', 'nginx:uds-keepalive+cache=5s/express-json',
  'haproxy:uds-keepalive/express-json']
const TURNS = [0.05, 0.1, 0.25, 0.5]
const BLOCKS = { full: 24, short: 3 }
const GOAL = 0.05

/** @type {Part} */
export default {
  title: 'length of a turn: CPU time per request against turns of a whole block',
  async run (bench) {
    const { plan } = await planFrom(ARMS, { seed: 1, quick: true, lab: true })
    /** @type {Map<number, Sample[]>} */
    const measured = new Map(TURNS.map(turn => [turn, []]))
    await withEverythingUp(bench, plan, async up => {
      for (let block = 0; block < (bench.short ? BLOCKS.short : BLOCKS.full); block++) {
        for (const [turn, samples] of measured) {
          const gang = new GangScheduler(up.load.arms, { ...plan, turnSeconds: turn })
          samples.push(...await gang.measureBlock(orderOfBlock(plan, block), block))
          gang.close()
        }
      }
    })
    const whole = Math.max(...TURNS)
    for (const turn of TURNS) {
      const samples = measured.get(turn)
      const figures = plan.arms.map(({ name }) =>
        `${name} ${fixed(costOf(samples, name) * 1e6, 1)} µs, ${fixed(rateOf(samples, name), 0)} req/s`)
      bench.note(`turns of ${turn * 1000} ms: ${figures.join('; ')}`)
    }
    return TURNS.filter(turn => turn !== whole).map(turn => {
      const costs = plan.arms.map(({ name }) =>
        ({ name, cost: costOf(measured.get(turn), name) / costOf(measured.get(whole), name) }))
      const spread = Math.max(...costs.map(({ cost }) => cost)) / Math.min(...costs.map(({ cost }) => cost)) - 1
      return {
        what: `turns of ${turn * 1000} ms, CPU time per request against turns of ${whole * 1000} ms`,
        measured: costs.map(({ name, cost }) => `${name} ${fixed(cost, 2)}`).join(', '),
        goal: `equal within ${GOAL * 100} %`,
        met: spread <= GOAL
      }
    })
  }
}

/**
 * @param {Sample[] | undefined} samples
 * @param {string} name
 */
const valid = (samples = [], name) => samples.filter(({ arm, invalid }) => arm === name && !invalid)

/**
 * Computes the median CPU time of proxy and server per request, in seconds.
 * @param {Sample[] | undefined} samples
 * @param {string} name
 */
const costOf = (samples, name) => median(valid(samples, name)
  .map(({ cpuSeconds: { proxy, server }, requests }) => (proxy + server) / requests))

/**
 * @param {Sample[] | undefined} samples
 * @param {string} name
 */
const rateOf = (samples, name) => median(valid(samples, name).map(({ rps }) => rps))
