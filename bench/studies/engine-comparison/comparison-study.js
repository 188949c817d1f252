/** Carries out `hopbench engines`: compares the engines on one topology after the other, and prints the results. */
import { enginesText } from '../../report/engine-table.js'
import { checkLimits } from '../plan-checks.js'
import { openSession } from '../session.js'
import { terminal } from '../show-record.js'
import { measureEngines } from './windows.js'

/** @import { Arm } from '../../types.js' */

/** Quick: the fewest blocks for which a 95 % interval exists. */
const PLANS = { quick: { blocks: 6, windowSeconds: 1 }, full: { blocks: 12, windowSeconds: 2 } }

/**
 * @param {{ arms: Arm[], quick: boolean, seed: number, lab: boolean, json: boolean }} request
 * @param {() => boolean} interrupted
 * @returns {Promise<number>} exit code
 */
export async function runEngineComparison ({ arms, quick, seed, lab: wanted, json }, interrupted) {
  const { lab, cores, environment, folder, cwd, progress, note, close } = await openSession({ lab: wanted })
  try {
    checkLimits({ arms }, environment.limits.openFiles)
    const options = { ...PLANS[quick ? 'quick' : 'full'], seed, note, interrupted }
    const comparisons = []
    for (const [i, arm] of arms.entries()) {
      if (interrupted()) break
      const comparison = await measureEngines(arm, { temp: folder(`e${i}`), lab, cores, cwd }, options)
      comparisons.push(comparison)
      progress.end()
      if (!json) process.stdout.write(`${i > 0 ? '\n\n' : ''}${enginesText(comparison, terminal())}`)
    }
    if (json) process.stdout.write(`${JSON.stringify({ seed, environment, comparisons }, null, 2)}\n`)
    return !interrupted() && comparisons.every(({ engines }) => engines.length > 0 && engines.every(({ rps }) => rps))
      ? 0
      : 1
  } finally {
    close()
  }
}
