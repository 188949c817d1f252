/** Measures the second part of a run with --rate: every arm at the same offered rate, in an open loop. */
import { judgeOpenLoop } from '../judge/open-loop.js'
import { judgeSample } from '../judge/verdict.js'
import { blocks } from '../plan/blocks.js'
import { toOpenLoopPlan } from '../plan/open-loop.js'
import { now } from '../machine/clocks.js'

/** @import { OpenLoop, OpenLoopPlan, Plan, Progress, Rig, Sample } from '../types.js' */

/** Blocks at most, as a multiple of those planned: invalid windows are repeated. */
const MOST_TRIES = 3

/** Whether a plan has an open loop. @type {(plan: Plan) => plan is Plan & { openLoop: OpenLoopPlan }} */
export const hasOpenLoop = plan => plan.openLoop !== undefined

/**
 * @param {Plan & { openLoop: OpenLoopPlan }} plan with secrets
 * @param {object} world
 * @param {(part: Plan) => Promise<Rig>} world.openRig
 * @param {Pick<Progress, 'note' | 'end'>} world.progress
 * @param {() => boolean} world.interrupted
 * @param {number} world.servedCores number of cores of the served side
 * @returns {Promise<OpenLoop>}
 */
export async function measureOpenLoop (plan, { openRig, progress, interrupted, servedCores }) {
  const part = toOpenLoopPlan(plan)
  const { rate, blocks: count, windowSeconds, seconds } = plan.openLoop
  const byName = new Map(part.arms.map(arm => [arm.name, arm]))
  const deadline = now() + 2 * seconds
  /** Arms that need a further window: with fewer than planned, or without a valid one. @type {string[] | null} */
  let needed = null
  progress.note(`open loop, at ${rate} req/s: about ${seconds} s`)
  const rig = await openRig(part)
  /** @type {Sample[]} */
  const samples = []
  try {
    const from = { block: 0, start: 0 }
    const trials = blocks({ plan: part, rig, from, interrupted, needed: () => needed })
    for await (const { block, samples: fresh } of trials) {
      for (const sample of fresh) {
        const arm = /** @type {Plan['arms'][number]} */ (byName.get(sample.arm))
        samples.push({ ...sample, invalid: judgeSample(sample, arm, { servedCores }) })
      }
      const judged = judgeOpenLoop(part, samples, rig.refused)
      needed = judged.filter(({ windows, sustained }) => windows < count || sustained === null).map(({ name }) => name)
      if (needed.length === 0 || block + 1 >= MOST_TRIES * count || now() > deadline) break
    }
  } finally {
    await rig.close().finally(() => progress.end())
  }
  return { rate, windowSeconds, arms: judgeOpenLoop(part, samples, rig.refused) }
}
