/** Compares the rate that hopbench measures with that of the same engine without hopbench, to find its overhead. */
import { fileURLToPath } from 'node:url'
import { DEFAULT } from '../../load/find-engine.js'
import { getStagedArm, openStage } from '../../measure/stage.js'
import { measureUndisturbed } from '../../measure/undisturbed.js'
import { ensureWarm } from '../../measure/warm-up.js'
import { run } from '../../machine/process.js'
import { computeWarmUp } from '../../plan/targets.js'
import { median } from '../../judge/stats/quantile.js'

/** @import { Engines } from '../../load/types.js' */
/** @import { CoreSplit } from '../../machine/types.js' */
/** @import { Arm } from '../../types.js' */

const autocannon = fileURLToPath(import.meta.resolve('autocannon'))
const CONNECTIONS = 100
const SECONDS = 3

/**
 * @param {Arm} arm
 * @param {object} order
 * @param {Engines} order.engines
 * @param {number} order.pairs
 * @param {string} order.temp
 * @param {boolean} order.lab
 * @param {CoreSplit} order.cores
 * @param {(text: string) => void} order.note
 * @returns {Promise<{ ratio: number, pairs: number[] }>} rate with hopbench divided by that without it
 */
export async function measureByHand (arm, { engines, pairs, temp, lab, cores, note }) {
  const engine = await engines.find(DEFAULT)
  const loaded = { ...arm, load: { ...arm.load, engine: DEFAULT, connections: CONNECTIONS } }
  const stage = await openStage([loaded], { temp, lab, cores: cores.split ? cores.served : null, cwd: temp })
  try {
    const staged = getStagedArm(stage, arm.name)
    await ensureWarm(loaded, { staged, cores, note, ...computeWarmUp() })
    const pinned = cores.split ? ['taskset', '-c', cores.load.join(',')] : []
    const bySuite = async (/** @type {number} */ block) => {
      const { rps } = await measureUndisturbed({
        arm: loaded,
        block,
        staged,
        engine,
        cores,
        seconds: SECONDS,
        tag: `hand-${block}`
      })
      return rps
    }
    const byHand = async () => {
      const { stdout } = await run([...staged.network.enter, ...pinned, process.execPath, autocannon, '-c',
        `${CONNECTIONS}`, '-d', `${SECONDS}`, '--json', '--no-progress', staged.target.url + arm.load.path])
      const { requests, duration } = JSON.parse(stdout)
      return requests.total / duration
    }
    const ratios = []
    for (let pair = 0; pair < pairs; pair++) {
      note(`hopbench and ${DEFAULT} alone, pair ${pair + 1} of ${pairs}`)
      // Alternates the order, so that a linear drift of the machine cancels.
      const aloneFirst = pair % 2 ? await byHand() : null
      const suite = await bySuite(pair)
      ratios.push(suite / (aloneFirst ?? await byHand()))
    }
    return { ratio: median(ratios), pairs: ratios }
  } finally {
    await stage.close()
  }
}
