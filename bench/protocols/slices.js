/**
 * Protocol `slices`: all arms are up at once, each with a generator of its own that is frozen while
 * it is not its turn. A trial is a slice of half a second.
 */
import { localEngines } from '../find-engine.js'
import { openLoad } from '../measure/load.js'
import { disagreement, refuseNothingLeft } from '../measure/rig.js'
import { createSlicer } from '../measure/slicer.js'
import { openStage } from '../measure/stage.js'

/** @typedef {import('../types.d.ts').Reason} Reason */

/** @type {import('../measure/rig.js').ProtocolModule['open']} */
export async function open (plan, { temp, keepIn, lab, address, cores, engine, engines = localEngines, mayswitch, cwd, maxSeconds, note }) {
  note(`starting ${plan.arms.length} topologies`)
  const stage = await openStage(plan.arms, { temp, keepIn, lab, address, cores: cores.split ? cores.served : null, cwd, root: plan.root })
  try {
    refuseNothingLeft(plan, stage.refused)
    const load = await openLoad([...stage.arms.values()], { quick: plan.quick, engine, engines, mayswitch, cores: cores.split ? cores.load : null, maxSeconds, note })
    const slicer = createSlicer(load.arms, plan.unit)
    return {
      trial: slicer.trial,
      lost: () => new Set([...stage.refused.keys(), ...slicer.lost()]),
      refused: () => stage.refused,
      engine: load.engine,
      switchedFor: load.switchedFor,
      instead: load.instead,
      tools: () => ({ ...stage.tools, [load.engine]: load.version }),
      finish: () => compareCounts(load.arms, slicer.lost()),
      // Whatever goes wrong with the load, the topologies end.
      close: () => load.close().finally(() => stage.close()).finally(() => slicer.close())
    }
  } catch (error) {
    await stage.close()
    throw error
  }
}

/**
 * Ends every generator and compares what it says it sent with what the served side says it got.
 * @param {Map<string, import('../measure/load.js').LoadedArm>} arms
 * @param {Set<string>} lost arms of which a process has ended: nothing to compare
 * @returns {Promise<Map<string, Reason>>}
 */
async function compareCounts (arms, lost) {
  /** @type {Map<string, Reason>} */
  const problems = new Map()
  await Promise.all([...arms].filter(([name]) => !lost.has(name)).map(async ([name, { staged, generator, frontBefore }]) => {
    try {
      const report = await generator.end()
      if (!report) return
      const served = (await staged.running.front()).requests - frontBefore
      const why = disagreement({ ...report, served, connections: staged.arm.load.connections, countsLate: staged.running.countsLate })
      if (why) problems.set(name, { code: 'counts-disagree', text: why })
    } catch (error) {
      // One arm whose counts are lost is no reason to lose the others' samples.
      problems.set(name, { code: 'no-report', text: `its counts could not be compared: ${/** @type {Error} */ (error).message}` })
    }
  }))
  return problems
}
