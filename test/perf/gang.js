/**
 * Compares gang slices with slices and with three continuous seconds, in turn on the same processes: the spread of the
 * ratios in half a second of measuring, the ratios themselves, and the cost of pausing.
 */
import { join } from 'node:path'
import { splitCores } from '../../bench/machine/cores.js'
import { labFacts } from '../../bench/machine/network/lab.js'
import { makeTempDir } from '../../bench/machine/files/temp.js'
import { bringUp } from '../../bench/measure/rigs/all-up.js'
import { GangScheduler } from '../../bench/measure/rigs/gang-scheduler.js'
import { SliceScheduler } from '../../bench/measure/rigs/slice-scheduler.js'
import { orderOfBlock } from '../../bench/plan/plan.js'
import { planFrom } from '../../bench/request/request.js'
import { fixed } from './measure.js'
import { tempRoot } from '../support/temp.js'

/** @import { Plan, Sample } from '../../bench/types.js' */
/** @import { Bench, Part } from './index.js' */

const EXPERIMENTS = [
  'uds', 'cache', 'static-html', 'static-gzip', 'gzip', 'tls', 'connections', 'throughput', 'static-sizes', 'tls-by-cpu'
]
const BLOCKS = 12
const CONTINUOUS_SECONDS = 3
/** Blocks for each continuous block, which takes as long as six. */
const CONTINUOUS_EVERY = 6
const GOAL = 0.4
/** Time after which every generator ends by itself. */
const MAX_SECONDS = 900

/** @typedef {'gang' | 'slices' | 'continuous'} Way */
/** @typedef {Record<Way, Sample[]>} Measured */

/** @type {Part} */
export default {
  title: 'gang slices against slices: spread of the ratios, the ratios themselves, CPU time per request',
  async run (bench) {
    const lines = []
    for (const name of bench.short ? EXPERIMENTS.slice(0, 1) : EXPERIMENTS) {
      const { plan } = await planFrom([name], { seed: 1, quick: true, lab: true })
      const measured = await inTurn(bench, plan)
      const pairs = plan.contrasts.map(pair => comparisonOf(pair, measured))
      for (const { text } of pairs) bench.printProgress(`${name}: ${text}`)
      const spread = middle(pairs.map(({ spread }) => spread))
      const farthest = Math.max(...pairs.map(({ z }) => Math.abs(z)))
      lines.push({
        what: `${name}, sd of the log-ratio in half a second, gang ÷ slices`,
        measured: `${fixed(spread, 2)} (middle of ${pairs.length} contrasts)`,
        goal: `≤ ${GOAL}`,
        met: spread <= GOAL
      }, {
        what: `${name}, difference of the two ratios in standard errors`,
        measured: `${fixed(farthest, 1)} at the most, of ${pairs.length}`,
        goal: '≤ 3',
        met: farthest <= 3
      }, {
        what: `${name}, CPU time per request, gang ÷ continuous`,
        measured: plan.arms.map(({ name }) => `${name} ${fixed(costOf(measured, name), 2)}`).join(', '),
        goal: 'within 0.95 to 1.05 (middle)',
        met: Math.abs(middle(plan.arms.map(({ name }) => costOf(measured, name))) - 1) <= 0.05
      })
    }
    return lines
  }
}

/**
 * Starts and warms up all arms of a plan, and measures them in each way.
 * @param {Bench} bench
 * @param {Plan} plan
 * @returns {Promise<Measured>}
 */
async function inTurn (bench, plan) {
  const temp = tempRoot(bench)
  const { network } = await labFacts()
  const { load, close } = await bringUp(plan, {
    temp: makeTempDir(temp.path, 's'),
    keepIn: join(temp.path, 'kept'),
    lab: network === 'namespaces',
    cores: splitCores(plan.cores),
    engine: plan.arms[0].load.engine,
    mayswitch: true,
    cwd: process.cwd(),
    maxSeconds: MAX_SECONDS,
    printProgress: bench.printProgress
  })
  /** @type {Measured} */
  const measured = { gang: [], slices: [], continuous: [] }
  try {
    for (let block = 0; block < (bench.short ? 4 : BLOCKS); block++) {
      const names = orderOfBlock(plan, block)
      const slicer = new SliceScheduler(load.arms, plan)
      for (const name of names) measured.slices.push(await slicer.measureSlice(name, block))
      if (block % CONTINUOUS_EVERY === 0) {
        for (const name of names) {
          measured.continuous.push(await slicer.measureSlice(name, block, CONTINUOUS_SECONDS))
        }
      }
      slicer.close()
      const gang = new GangScheduler(load.arms, plan)
      measured.gang.push(...await gang.measureBlock(names, block))
      gang.close()
    }
  } finally {
    await close()
  }
  return measured
}

/**
 * @param {Sample[]} samples
 * @param {string} name
 * @returns {Map<number, number>} logarithm of the rate by block
 */
const logs = (samples, name) => new Map(samples.filter(({ arm, invalid }) => arm === name && !invalid)
  .map(({ block, rps }) => [block, Math.log(rps)]))

/**
 * @param {[string, string]} pair
 * @param {Measured} measured
 */
function comparisonOf ([arm, baseline], measured) {
  const ratios = (/** @type {Way} */ way) => {
    const [of, against] = [logs(measured[way], arm), logs(measured[way], baseline)]
    const all = [...of].flatMap(([block, value]) => against.has(block) ? [value - (against.get(block) ?? 0)] : [])
    return { mean: mean(all), sd: sd(all), n: all.length }
  }
  const [gang, slices, continuous] = [ratios('gang'), ratios('slices'), ratios('continuous')]
  const z = (gang.mean - slices.mean) / Math.hypot(gang.sd / Math.sqrt(gang.n), slices.sd / Math.sqrt(slices.n))
  const shown = ({ mean, sd, n } = gang) => `${fixed(Math.exp(mean), 3)} (sd ${fixed(sd * 100, 1)} %, ${n})`
  return {
    spread: gang.sd / slices.sd,
    z,
    text: `${arm} / ${baseline}: gang ${shown(gang)}, slices ${shown(slices)}, continuous ${shown(continuous)}`
  }
}

/**
 * Computes the CPU time of proxy and server per request, gang ÷ continuous.
 * @param {Measured} measured
 * @param {string} name
 */
function costOf (measured, name) {
  const cost = (/** @type {Way} */ way) => {
    const all = measured[way].filter(({ arm, invalid }) => arm === name && !invalid)
    const used = all.reduce((sum, { cpuSeconds: { proxy, server } }) => sum + proxy + server, 0)
    return used / all.reduce((sum, { requests }) => sum + requests, 0)
  }
  return cost('gang') / cost('continuous')
}

const mean = (/** @type {number[]} */ values) => values.reduce((a, b) => a + b, 0) / values.length
const middle = (/** @type {number[]} */ values) => [...values].sort((a, b) => a - b)[values.length >> 1]
const sd = (/** @type {number[]} */ values) => {
  const centre = mean(values)
  return Math.sqrt(values.reduce((sum, value) => sum + (value - centre) ** 2, 0) / (values.length - 1))
}
