/** One topology that is up, and loaded as sizing asks: at a rate, or in a closed loop, one window after the other. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { HopbenchError } from '../../errors.js'
import { findEngine } from '../../load/find-engine.js'
import { measurePeak } from '../../measure/peak.js'
import { openStage } from '../../measure/stage.js'
import { measureUndisturbed } from '../../measure/undisturbed.js'
import { CpuMeter } from '../../machine/probe.js'
import { judgeSample } from '../../analysis/verdict.js'
import { PERIOD_SECONDS, underLoad } from './bursts.js'
import { openEmulation } from './emulation.js'
import { DIED } from '../../shared/trial.js'

/** @import { FoundEngine } from '../../load/find-engine.js' @import { CoreSplit } from '../../machine/shapes.js' */
/** @import { StagedArm } from '../../measure/stage.js' @import { Arm, Sample } from '../../types.js' */
/** @import { TestBed } from '../types.js' @import { Limits, SizingRig } from './types.js' */

/** @param {Arm} arm
 * @param {TestBed & { limits?: Limits & { plan?: string } | null, engine?: string }} options limits: of a plan, and its
 * name; null or left out: none; engine: of the open loop; left out: paced @returns {Promise<SizingRig>}
 * @throws {HopbenchError} gate-refused, plan-too-small, no-limits, and whatever keeps a program from starting */
export async function openSizingRig (arm, { temp, lab, cores, cwd, limits = null, engine: wanted = 'paced' }) {
  const engine = await findEngine(wanted)
  mkdirSync(temp, { recursive: true })
  const emulation = limits && openEmulation(limits)
  const outOfMemory = () => (emulation?.stats().oomKills ?? 0) > 0
  const tooSmall = () => new HopbenchError('plan-too-small', {
    name: arm.name, plan: limits?.plan ?? 'its limits', memoryMiB: limits?.memoryMiB ?? null
  })
  let windows = 0
  let stage
  try {
    stage = await openStage([arm], {
      temp,
      certificates: join(temp, 'tls'),
      lab,
      cores: cores.split ? cores.served : null,
      cwd,
      limit: emulation?.enter
    })
    const refused = stage.refused.get(arm.name)
    if (refused) throw new HopbenchError('gate-refused', { name: arm.name, why: refused.text })
  } catch (error) {
    const tooLittle = outOfMemory()
    await stage?.close()
    await emulation?.close()
    throw tooLittle ? tooSmall() : error
  }
  const staged = /** @type {StagedArm} */ (stage.arms.get(arm.name))
  /** @type {Record<string, string>} */
  const tools = { ...stage.tools, [engine.name]: engine.version }
  /** @param {Sample} sample @param {Arm} loaded */
  const judged = (sample, loaded) => {
    if (sample.invalid?.code === DIED && outOfMemory()) throw tooSmall()
    return judgedOrDied(sample, loaded, cores.served.length)
  }
  return {
    tools,
    processes: Math.max(1, staged.running.pids().server.length),
    async paced ({ rate, seconds, seed, arrivals }) {
      const loaded = { ...arm, load: { ...arm.load, engine: engine.name, rate, seed, arrivals } }
      const { sample, parts } = await pacedWindow(loaded, { staged, engine, cores, seconds, block: windows++ })
      return { ...judged(sample, loaded), coresUsed: underLoad(parts) }
    },
    async closed (order) {
      const tag = `closed-${windows++}`
      const { sample, engine, arm: loaded } = await measurePeak(arm, { staged, cores, ...order, tag })
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

/** @param {Sample} sample @param {Arm} arm as it was loaded @param {number} servedCores */
function judgedOrDied (sample, arm, servedCores) {
  if (sample.invalid?.code === DIED) {
    throw new HopbenchError('process-died', { name: arm.name, how: 'ended under load', output: sample.invalid.text })
  }
  return { ...sample, invalid: sample.invalid ?? judgeSample(sample, arm, { servedCores }) }
}

/** @param {Arm} arm as it is to be loaded
 * @param {{ staged: StagedArm, engine: FoundEngine, cores: CoreSplit, seconds: number, block: number }} window
 * @returns {Promise<{ sample: Sample, parts: number[] }>} parts: cores used, period by period */
async function pacedWindow (arm, window) {
  const startedAt = new Date().toISOString()
  const { proxy, server } = window.staged.running.pids()
  const used = coresUsed([...proxy, ...server])
  try {
    const tag = `${window.engine.name}-${window.block}`
    const kind = { warm: false, series: false }
    const sample = await measureUndisturbed({ ...window, arm, startedAt, kind, unit: 'requests', tag })
    return { sample, parts: used.stop() }
  } finally {
    used.stop()
  }
}

/** Reads the CPU time of processes in every period of a quota. @param {number[]} pids
 * @returns {{ stop: () => number[] }} cores used, period by period; may be called again */
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
