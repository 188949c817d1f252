/** Measures the CPU time that planted work adds to a request, from a server with much of it. */
import { median } from '../../judge/stats/quantile.js'
import { openRig } from '../../measure/rigs/rig.js'
import { orderOfBlock } from '../../plan/plan.js'
import { HopbenchError } from '../../errors.js'
import { createGangPlan, writePlanted } from './planted.js'

/** @import { RigOptions } from '../../measure/types.js' */
/** @import { Sample } from '../../types.js' */

/** About the CPU time of a request, so that the difference exceeds the noise and both servers are saturated. */
const MUCH_MICROS = 150
const LEAST_RATIO = 1.05
const MINUTE = 60

/**
 * @param {Omit<RigOptions, 'engine' | 'mayswitch' | 'maxSeconds'>} rigOptions
 * @param {{ name: (file: string) => string, dir: string, blocks: number, starts: number, seed: number }} options name:
 * converts a file to a spec; dir: folder for the modules; blocks: per start
 * @returns {Promise<ReturnType<typeof fromSamples>>}
 * @throws {HopbenchError} not-saturated
 */
export async function calibrate (rigOptions, { name, dir, blocks, starts, seed }) {
  const plan = await createGangPlan('calibration', {
    title: 'what planted work costs',
    question: 'What does planted work cost?',
    arms: { few: name(writePlanted(dir, 'few', 0)), much: name(writePlanted(dir, 'much', MUCH_MICROS)) },
    startBlocks: blocks
  }, { seed, budgetSeconds: MINUTE })
  const { engine } = plan.arms[0].load
  const rig = await openRig(plan, { ...rigOptions, engine, mayswitch: false, maxSeconds: 600 })
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
 * @param {Pick<Sample, 'arm' | 'block' | 'rps' | 'requests' | 'cpuSeconds' | 'invalid'>[]} samples of the arms few and
 * much
 * @returns {{ microsPerShare: number, microsPerRequest: number }} microsPerShare: nominal microseconds of work that
 * double the cost of a request; microsPerRequest: CPU time of a request without work
 * @throws {HopbenchError} nothing-measured
 */
export function fromSamples (samples) {
  const valid = samples.filter(({ invalid, rps, requests }) => !invalid && rps > 0 && requests > 0)
  const samplesOf = (/** @type {string} */ name) => valid.filter(({ arm }) => arm === name)
  const ratios = samplesOf('few').flatMap(({ block, rps }) =>
    samplesOf('much').filter(sample => sample.block === block).map(other => rps / other.rps))
  // If the work does not reduce the rate, the server was not saturated.
  const tried = ratios.length
  const ratio = tried > 0 ? median(ratios) : NaN
  if (!(ratio > LEAST_RATIO)) throw new HopbenchError('not-saturated', { tried })
  return {
    microsPerShare: MUCH_MICROS / (ratio - 1),
    microsPerRequest: median(samplesOf('few').map(({ cpuSeconds, requests }) => cpuSeconds.server / requests * 1e6))
  }
}
