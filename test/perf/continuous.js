/**
 * Gang slices against a continuous run, on the same processes: one arm alone runs without a pause while all others
 * stand still, in the order A B B A, so that a drift of the machine cancels.
 */
import { createGang } from '../../bench/measure/gang.js'
import { orderOfBlock } from '../../bench/plan/plan.js'
import { planFrom } from '../../bench/studies/request.js'
import { withEverythingUp } from './everything-up.js'
import { fixed } from './measure.js'

/** @import { Plan, Sample } from '../../bench/types.js' */
/** @import { Part } from './index.js' */

const EXPERIMENTS = ['uds', 'cache', 'tls', 'static-html', 'connections', 'gzip', 'static-sizes', 'tls-by-cpu']
/** Of each experiment: the first contrasts of its list. */
const PAIRS = 2
const FULL = { rounds: 3, seconds: 5, blocks: 24 }
const SHORT = { rounds: 1, seconds: 1, blocks: 4 }
const WARM_SECONDS = 1
const GOAL = 3
/** More than any pair has. */
const BLOCKS_APART = 1000

/** @typedef {{ mean: number, error: number }} Estimate of a log-ratio, with its standard error */

/** @type {Part} */
export default {
  title: 'gang slices against one arm alone without a pause, A B B A: the ratios themselves',
  async run (bench) {
    const { rounds, seconds, blocks } = bench.short ? SHORT : FULL
    const lines = []
    for (const name of bench.short ? EXPERIMENTS.slice(0, 1) : EXPERIMENTS) {
      const { plan } = await planFrom([name], { seed: 1, quick: true, lab: true })
      const pairs = plan.contrasts.slice(0, PAIRS)
      const found = await withEverythingUp(bench, plan, async up => {
        const gang = createGang(up.load.arms, plan)
        const slices = await gangSlices(gang, plan, blocks)
        gang.close()
        // A turn as long as the whole window: who has it is not paused.
        const alone = createGang(up.load.arms, { ...plan, quantumSeconds: seconds })
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

/** @typedef {ReturnType<typeof createGang>} Gang */

/**
 * @param {Gang} gang
 * @param {Plan} plan
 * @param {number} blocks
 */
async function gangSlices (gang, plan, blocks) {
  const samples = []
  for (let block = 0; block < blocks; block++) samples.push(...await gang.round(orderOfBlock(plan, block), block, {}))
  return samples
}

/**
 * @param {Gang} gang
 * @param {[string, string]} pair
 * @param {{ rounds: number, seconds: number, from: number }} how from: the first block
 * @returns {Promise<number[]>} log-ratios, two of each round
 */
async function inTurn (gang, [arm, baseline], { rounds, seconds, from }) {
  // Both at once first: who belongs to an arm is looked up now and then, of those that have a turn.
  let block = from
  await gang.round([arm, baseline], block++, { seconds: WARM_SECONDS })
  const rate = async (/** @type {string} */ name) => {
    // Caches are cold after a pause, and another arm has just been there.
    await gang.round([name], block++, { seconds: WARM_SECONDS })
    const [{ rps, invalid }] = await gang.round([name], block++, { seconds })
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
