/**
 * Compares gang slices with continuous runs of the same processes. In a continuous run one arm runs without a pause
 * while all others are paused, in the order A B B A, so that linear drift of the machine cancels.
 */
import { GangScheduler } from '../../bench/measure/gang-scheduler.js'
import { orderOfBlock } from '../../bench/plan/plan.js'
import { planFrom } from '../../bench/request/request.js'
import { withEverythingUp } from './everything-up.js'
import { fixed } from './measure.js'

/** @import { Plan, Sample } from '../../bench/types.js' */
/** @import { Part } from './index.js' */

const EXPERIMENTS = ['uds', 'cache', 'tls', 'static-html', 'connections', 'gzip', 'static-sizes', 'tls-by-cpu']
/** Contrasts of each experiment, the first ones of its list. */
const PAIRS = 2
const FULL = { rounds: 3, seconds: 5, blocks: 24 }
const SHORT = { rounds: 1, seconds: 1, blocks: 4 }
const WARM_SECONDS = 1
const GOAL = 3
/** Offset between the block numbers of pairs, above the number of blocks of a pair. */
const BLOCKS_APART = 1000

/** @typedef {{ mean: number, error: number }} Estimate of a log-ratio, with its standard error */

/** @type {Part} */
export default {
  title: 'ratios of gang slices against those of continuous runs, A B B A',
  async run (bench) {
    const { rounds, seconds, blocks } = bench.short ? SHORT : FULL
    const lines = []
    for (const name of bench.short ? EXPERIMENTS.slice(0, 1) : EXPERIMENTS) {
      const { plan } = await planFrom([name], { seed: 1, quick: true, lab: true })
      const pairs = plan.contrasts.slice(0, PAIRS)
      const found = await withEverythingUp(bench, plan, async up => {
        const gang = new GangScheduler(up.load.arms, plan)
        const slices = await gangSlices(gang, plan, blocks)
        gang.close()
        // A turn of the whole window, so that the arm is not paused.
        const alone = new GangScheduler(up.load.arms, { ...plan, turnSeconds: seconds })
        try {
          /** @type {number[][]} */
          const continuous = []
          for (const [i, pair] of pairs.entries()) {
            continuous.push(await inTurn(alone, pair, { rounds, seconds, from: i * BLOCKS_APART }))
          }
          return pairs.map((pair, i) => ({ pair, gang: gangRatio(slices, pair), continuous: estimate(continuous[i]) }))
        } finally {
          alone.close()
        }
      })
      for (const { pair: [arm, baseline], gang, continuous } of found) {
        const line = lineOf(`${name}, ${arm} / ${baseline}`, gang, continuous)
        bench.note(`${line.what}: ${line.measured}`)
        lines.push(line)
      }
    }
    return lines
  }
}

/**
 * @param {GangScheduler} gang
 * @param {Plan} plan
 * @param {number} blocks
 */
async function gangSlices (gang, plan, blocks) {
  const samples = []
  for (let block = 0; block < blocks; block++) {
    samples.push(...await gang.measureBlock(orderOfBlock(plan, block), block))
  }
  return samples
}

/**
 * @param {GangScheduler} gang
 * @param {[string, string]} pair
 * @param {{ rounds: number, seconds: number, from: number }} options from: the first block
 * @returns {Promise<number[]>} log-ratios, two of each round
 */
async function inTurn (gang, [arm, baseline], { rounds, seconds, from }) {
  // Measures both arms once, because the processes of an arm are looked up when it has a turn.
  let block = from
  await gang.measureBlock([arm, baseline], block++, WARM_SECONDS)
  const rate = async (/** @type {string} */ name) => {
    // Warms up the CPU caches, which another arm has just used.
    await gang.measureBlock([name], block++, WARM_SECONDS)
    const [{ rps, invalid }] = await gang.measureBlock([name], block++, seconds)
    return invalid ? NaN : Math.log(rps)
  }
  const found = []
  for (let round = 0; round < rounds; round++) {
    const [a, b] = [await rate(arm), await rate(baseline)]
    const [later, last] = [await rate(baseline), await rate(arm)]
    found.push(a - b, last - later)
  }
  return found.filter(Number.isFinite)
}

/**
 * @param {Sample[]} samples
 * @param {[string, string]} pair
 * @returns {Estimate}
 */
function gangRatio (samples, [arm, baseline]) {
  const logs = (/** @type {string} */ name) => new Map(samples.filter(one => one.arm === name && !one.invalid)
    .map(({ block, rps }) => [block, Math.log(rps)]))
  const [of, against] = [logs(arm), logs(baseline)]
  return estimate([...of].flatMap(([block, x]) => against.has(block) ? [x - Number(against.get(block))] : []))
}

/**
 * @param {number[]} values
 * @returns {Estimate}
 */
function estimate (values) {
  const n = values.length
  const mean = values.reduce((a, b) => a + b, 0) / n
  return { mean, error: Math.sqrt(values.reduce((sum, x) => sum + (x - mean) ** 2, 0) / (n - 1) / n) }
}

/**
 * @param {string} what
 * @param {Estimate} gang
 * @param {Estimate} continuous
 * @returns {import('./index.js').Line}
 */
function lineOf (what, gang, continuous) {
  const z = (gang.mean - continuous.mean) / Math.hypot(gang.error, continuous.error)
  const shown = ({ mean, error } = gang) => `${fixed(Math.exp(mean), 3)} ± ${fixed(error * 100, 1)} %`
  return {
    what,
    measured: `gang ${shown(gang)}, continuous ${shown(continuous)}: ${fixed(z, 1)} standard errors`,
    goal: `within ${GOAL}`,
    met: Math.abs(z) <= GOAL
  }
}
