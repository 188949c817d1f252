/** One topology that is up, and loaded as sizing asks: at a rate, or in a closed loop, one window after the other. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { HopbenchError } from '../errors.js'
import { findEngine } from '../find-engine.js'
import { measurePeak } from '../measure/peak.js'
import { openStage } from '../measure/stage.js'
import { DIED } from '../measure/rig.js'
import { measureUndisturbed } from '../measure/undisturbed.js'
import { CpuMeter } from '../probe.js'
import { judgeSample } from '../verdict.js'
import { PERIOD_SECONDS, underLoad } from './bursts.js'
import { openEmulation } from './emulation.js'

/** @typedef {import('../types.d.ts').Arm} Arm */
/** @typedef {import('../types.d.ts').Sample} Sample */

/**
 * @typedef {object} RigOptions
 * @property {string} temp short absolute folder of its own
 * @property {boolean} lab private network
 * @property {import('../cores.js').CoreSplit} cores
 * @property {string} cwd what a path to a person's own module is relative to
 * @property {import('./emulation.js').Limits | null} [limits] of a plan; null or left out: none
 * @property {string} [limitsOf] what the plan is called
 * @property {string} [engine] of the open loop; left out: paced
 */

/**
 * @typedef {object} SizingRig
 * @property {Record<string, string>} tools version by program
 * @property {number} processes of the server
 * @property {(order: { rate: number, seconds: number, seed: number, arrivals?: 'constant' | 'poisson' }) => Promise<Sample>} paced judged
 * @property {(order: { seconds: number, connections?: number, path?: string }) => Promise<Sample>} closed as fast as it answers; judged
 * @property {() => import('./emulation.js').LimitStats | null} limitStats null: there are no limits
 * @property {() => Promise<void>} close
 */

/**
 * @param {Arm} arm
 * @param {RigOptions} options
 * @returns {Promise<SizingRig>}
 * @throws {HopbenchError} gate-refused, plan-too-small, no-limits, and whatever keeps a program from starting
 */
export async function openSizingRig (arm, { temp, lab, cores, cwd, limits = null, limitsOf = 'its limits', engine: wanted = 'paced' }) {
  const engine = await findEngine(wanted)
  mkdirSync(temp, { recursive: true })
  const emulation = limits && openEmulation(limits)
  const outOfMemory = () => (emulation?.stats().oomKills ?? 0) > 0
  const tooSmall = () => new HopbenchError('plan-too-small', { name: arm.name, plan: limitsOf, memoryMiB: limits?.memoryMiB ?? null })
  let windows = 0
  let stage
  try {
    stage = await openStage([arm], { temp, certificates: join(temp, 'tls'), lab, cores: cores.split ? cores.served : null, cwd, limit: emulation?.enter })
    const refused = stage.refused.get(arm.name)
    if (refused) throw new HopbenchError('gate-refused', { name: arm.name, why: refused.text })
  } catch (error) {
    const tooLittle = outOfMemory()
    await stage?.close()
    await emulation?.close()
    throw tooLittle ? tooSmall() : error
  }
  const staged = /** @type {import('../measure/stage.js').StagedArm} */ (stage.arms.get(arm.name))

  /** @type {Record<string, string>} */
  const tools = { ...stage.tools, [engine.name]: engine.version }

  /** @param {Sample} sample @param {Arm} loaded */
  const judged = (sample, loaded) => {
    if (sample.invalid?.code === DIED) throw outOfMemory() ? tooSmall() : new HopbenchError('process-died', { name: arm.name, how: 'ended under load', output: sample.invalid.text })
    return { ...sample, invalid: sample.invalid ?? judgeSample(sample, loaded, { servedCores: cores.served.length }) }
  }

  return {
    tools,
    processes: Math.max(1, staged.running.pids().server.length),
    async paced ({ rate, seconds, seed, arrivals }) {
      const loaded = { ...arm, load: { ...arm.load, engine: engine.name, rate, seed, arrivals } }
      const [block, startedAt] = [windows++, new Date().toISOString()]
      const { proxy, server } = staged.running.pids()
      const used = coresUsed([...proxy, ...server])
      try {
        const sample = await measureUndisturbed({
          arm: loaded, block, startedAt, staged, engine, cores, kind: { warm: false, series: false }, seconds, unit: 'requests', tag: `${engine.name}-${block}`
        })
        return { ...judged(sample, loaded), coresUsed: underLoad(used.stop()) }
      } finally {
        used.stop()
      }
    },
    async closed (order) {
      const { sample, engine, arm: loaded } = await measurePeak(arm, { staged, cores, ...order, tag: `closed-${windows++}` })
      tools[engine.name] = engine.version
      return judged(sample, loaded)
    },
    limitStats: () => emulation?.stats() ?? null,
    async close () {
      await stage.close()
      await emulation?.close()
    }
  }
}

/**
 * Reads the CPU time of processes in every period of a quota.
 * @param {number[]} pids
 * @returns {{ stop: () => number[] }} cores used, period by period; may be called again
 */
function coresUsed (pids) {
  const meter = new CpuMeter(pids)
  /** @type {number[]} */
  const parts = []
  let last = { at: performance.now(), seconds: meter.seconds() }
  const timer = setInterval(() => {
    const now = { at: performance.now(), seconds: meter.seconds() }
    parts.push((now.seconds - last.seconds) / (now.at - last.at) * 1000)
    last = now
  }, PERIOD_SECONDS * 1000)
  return {
    stop () {
      clearInterval(timer)
      meter.close()
      return parts
    }
  }
}
