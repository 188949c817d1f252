/** @import { Rig, Sample } from '../../bench/types.js' */

/**
 * Makes one trial of one arm.
 * @param {Rig} rig
 * @param {string} arm
 * @param {number} block
 * @returns {Promise<Sample>}
 */
export async function makeTrial (rig, arm, block) {
  const samples = []
  for await (const made of rig.trials([arm], block)) samples.push(...made)
  if (samples.length !== 1) throw new Error(`${samples.length} trials of ${arm} were made`)
  return samples[0]
}
