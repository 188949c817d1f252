/** Helpers of the parts: calls of hopbench, and number formats. */
import { hopbench, makeWorkspace, samplesIn } from '../support/cli.js'

/** @import { Bench } from './index.js' */

/**
 * @param {number} value
 * @param {number} [digits]
 */
export const fixed = (value, digits = 2) => value.toFixed(digits)
/** @param {number} share */
export const percent = share => `${(share * 100).toFixed(1)} %`

/** @param {number[]} values */
export function median (values) {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/**
 * Runs hopbench and reads its record and samples.
 * @param {Bench} bench
 * @param {string[]} args after `run`
 * @param {{ from?: string, timeoutSeconds?: number }} [options]
 * @returns {Promise<{ record: any, samples: any[], wallSeconds: number }>}
 */
export async function measured (bench, args, { from, timeoutSeconds = 400 } = {}) {
  const workspace = makeWorkspace(bench)
  const at = performance.now()
  const { stdout, stderr } = await hopbench(['run', ...args, '--json', '--results', workspace.results], {
    workspace,
    from,
    timeoutSeconds
  })
  const wallSeconds = (performance.now() - at) / 1000
  if (!stdout) throw new Error(`hopbench run ${args.join(' ')} gave no record:\n${stderr}`)
  return { record: JSON.parse(stdout), samples: samplesIn(workspace), wallSeconds }
}
