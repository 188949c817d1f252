/** Parts of the wall time of a run, and adherence to a budget. */
import { fixed, measured, percent } from './measure.js'

/** @import { Part } from './index.js' */

const SHARE = 0.75
const SETUP_SECONDS = 20
const BUDGET_SLACK = 0.1

/** @type {Part} */
export default {
  title: 'wall time of a run',
  async run (bench) {
    const budget = bench.short ? 20 : 60
    const args = bench.short ? ['nginx:tcp/http-json', 'nginx:uds/http-json'] : ['uds']
    const { record: { timing, ended }, wallSeconds } = await measured(bench, [...args, '--budget', `${budget}s`,
      '--precision', '0.01%'])
    bench.printProgress(`${timing.blocks} blocks, ended by ${ended}`)
    const share = timing.measuredSeconds / timing.sliceWallSeconds
    const used = wallSeconds / budget
    return [
      {
        what: 'share measured from the first slice on',
        measured: percent(share),
        goal: `≥ ${percent(SHARE)}`,
        met: share >= SHARE
      },
      {
        what: 'start, gate, pilot and warm-up',
        measured: `${fixed(timing.setupSeconds, 1)} s`,
        goal: `≤ ${SETUP_SECONDS} s`,
        met: timing.setupSeconds <= SETUP_SECONDS
      },
      {
        what: `wall time of a budget of ${budget} s`,
        measured: percent(used),
        goal: 'within 10 %',
        met: Math.abs(used - 1) <= BUDGET_SLACK
      }
    ]
  }
}
