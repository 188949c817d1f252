/** What planted work costs a request: the original beside one with much more of it, in gang slices, scaled down. */
import { median } from '../../analysis/stats/quantile.js'
import { openRig } from '../../measure/rig.js'
import { orderOfBlock, planOf } from '../../plan/plan.js'
import { parse } from '../../plan/word.js'
import { aboutProtocol } from '../../plugins.js'
import { HopbenchError } from '../../errors.js'
import { writePlanted } from './planted.js'

/** @import { RigOptions } from '../../measure/shapes.js' */
/** @import { Sample } from '../../types.js' */

/** About as much as a request takes itself: the difference is large beside the noise, and both stay saturated. */
const MUCH_MICROS = 150
const LEAST_RATIO = 1.05
const MINUTE = 60

/** @typedef {{ microsPerShare: number, microsPerRequest: number }} Calibration microsPerShare: nominal microseconds of
 * work by which a request costs twice as much; microsPerRequest: CPU time of a request of the original */

/**
 * @param {Omit<RigOptions, 'engine' | 'mayswitch' | 'maxSeconds'>} ground
 * @param {{ name: (file: string) => string, dir: string, blocks: number, starts: number, seed: number }} order name: a
 * file as a word; dir: takes the modules; blocks: of each start
 * @returns {Promise<Calibration>}
 * @throws {HopbenchError} not-saturated
 */
export async function calibrate (ground, { name, dir, blocks, starts, seed }) {
  const [few, much] = [['few', 0], ['much', MUCH_MICROS]].map(([file, micros]) =>
    name(writePlanted(dir, String(file), Number(micros))))
  const calibration = planOf('calibration', {
    title: 'what planted work costs',
    question: 'What does planted work cost?',
    source: null,
    arms: { few, much },
    protocol: 'gang',
    unit: 'requests',
    load: { path: '/' }
  }, { seed, budgetSeconds: MINUTE }, { parse, protocol: await aboutProtocol('gang') })
  const plan = { ...calibration, startBlocks: blocks }
  const rig = await openRig(plan, { ...ground, engine: plan.arms[0].load.engine, mayswitch: false, maxSeconds: 600 })
  try {
    const samples = []
    for (let block = 0; block < blocks * starts; block++) {
      for await (const made of rig.trials(orderOfBlock(plan, block), block)) samples.push(...made)
    }
    return fromSamples(samples)
  } finally {
    await rig.close()
  }
}

/**
 * @param {Pick<Sample, 'arm' | 'block' | 'rps' | 'requests' | 'cpuSeconds' | 'invalid'>[]} samples of arms few and
 * much, by block
 * @returns {Calibration}
 * @throws {HopbenchError} nothing-measured
 */
export function fromSamples (samples) {
  const valid = samples.filter(({ invalid, rps, requests }) => !invalid && rps > 0 && requests > 0)
  const of = (/** @type {string} */ name) => valid.filter(({ arm }) => arm === name)
  const ratios = of('few').flatMap(({ block, rps }) =>
    of('much').filter(sample => sample.block === block).map(other => rps / other.rps))
  // Planted work that costs nothing was not the server's to do: it was not saturated.
  const tried = ratios.length
  const ratio = tried > 0 ? median(ratios) : NaN
  if (!(ratio > LEAST_RATIO)) throw new HopbenchError('not-saturated', { tried })
  return {
    microsPerShare: MUCH_MICROS / (ratio - 1),
    microsPerRequest: median(of('few').map(({ cpuSeconds, requests }) => cpuSeconds.server / requests * 1e6))
  }
}
