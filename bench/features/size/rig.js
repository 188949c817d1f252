/** Starts one topology and loads it for a sizing: at a fixed rate or in a closed loop, one window after the other. */
import { HopbenchError } from '../../errors.js'
import { findEngine } from '../../load/find-engine.js'
import { measurePeak } from '../../measure/peak.js'
import { getStagedArm, openStage } from '../../measure/stage.js'
import { measureUndisturbed } from '../../measure/undisturbed.js'
import { ensureWarm } from '../../measure/warm-up.js'
import { computeWarmUp } from '../../plan/targets.js'
import { CpuMeter } from '../../machine/probe.js'
import { judgeSample } from '../../judge/verdict.js'
import { printReason } from '../../report/facts/reason-texts.js'
import { PERIOD_SECONDS, underLoad } from './capacity/bursts.js'
import { openEmulation } from './capacity/emulation.js'
import { readHeapLimit } from './capacity/heap-limit.js'
import { DIED } from '../../shared/trial.js'
import { makeFolder } from '../../machine/files/make-folder.js'

/** @import { FoundEngine } from '../../load/types.js' */
/** @import { CoreSplit } from '../../machine/types.js' */
/** @import { Stage, StagedArm } from '../../measure/types.js' */
/** @import { WarmUpOptions } from '../../measure/warm-up.js' */
/** @import { Arm, Sample, Unsteady } from '../../types.js' */
/** @import { TestBed } from '../../run/types.js' */
/** @import { Emulation } from './capacity/emulation.js' */
/** @import { Limits, SizingRig } from './types.js' */

/**
 * Starts a topology, under the limits of an offering if there are any.
 *
 * @param {Arm} arm
 * @param {TestBed & { limits?: Limits, quick?: boolean, warmUpSeconds?: number,
 *   printProgress?: (text: string) => void, interrupted?: () => boolean }} options
 *   quick, warmUpSeconds: limit the warm-up; printProgress: prints progress
 * @returns {Promise<SizingRig>}
 * @throws {HopbenchError} gate-refused, plan-too-small, no-limits, and errors of starting a program
 */
export async function openSizingRig (arm, options) {
  const { temp, lab, cores, cwd, keepIn, limits, printProgress = () => {}, interrupted } = options
  const engine = await findEngine('paced')
  makeFolder(temp)
  const emulation = limits ? openEmulation(limits) : null
  let stage
  try {
    const served = cores.split ? cores.served : null
    stage = await openStage([arm], { temp, lab, cores: served, cwd, keepIn, limit: emulation?.enter })
    const staged = getStagedArm(stage, arm.name)
    const warmUp = { ...computeWarmUp(options), printProgress, interrupted }
    return toRig(arm, { stage, staged, emulation, limits, engine, cores, warmUp })
  } catch (error) {
    const isOutOfMemory = ranOutOfMemory(emulation)
    await stage?.close()
    await emulation?.close()
    throw isOutOfMemory ? tooSmall(arm, limits) : error
  }
}

/**
 * Returns the rig of a started topology.
 *
 * @param {Arm} ofPlan
 * @param {{ stage: Stage, staged: StagedArm, emulation: Emulation | null, limits: Limits | undefined, engine:
 * FoundEngine, cores: CoreSplit, warmUp: WarmUpOptions }} parts
 * @returns {SizingRig}
 */
function toRig (ofPlan, parts) {
  const { stage, staged, emulation, limits, engine: openLoop, cores, warmUp } = parts
  const tools = { ...stage.tools, [openLoop.name]: openLoop.version }
  let windows = 0
  /** @type {Unsteady | null} */
  let unsteady = null
  /** @type {(sample: Sample, arm: Arm) => Sample} arm: as loaded */
  const judge = (sample, arm) => {
    if (sample.invalid?.code === DIED) {
      if (ranOutOfMemory(emulation)) throw tooSmall(arm, limits)
      const output = printReason(sample.invalid)
      throw new HopbenchError('process-died', { name: arm.name, how: 'ended under load', output })
    }
    const invalid = judgeSample(sample, arm, { servedCores: cores.served.length })
    return { ...sample, invalid, ...unsteady && { unsteady } }
  }
  return {
    tools,
    processes: Math.max(1, staged.running.pids().server.length),
    startSeconds: staged.startSeconds,
    limitStats: () => emulation?.stats() ?? null,
    heapLimitMiB: () => readHeapLimit(staged.running.pids().server, emulation?.enter),
    async warm () {
      unsteady = await ensureWarm(ofPlan, { staged, cores, ...warmUp })
      return unsteady
    },
    async paced ({ rate, seconds, seed, arrivals }) {
      const arm = { ...ofPlan, load: { ...ofPlan.load, engine: openLoop.name, rate, seed, arrivals } }
      const { proxy, server } = staged.running.pids()
      const recorder = recordCores([...proxy, ...server])
      try {
        const block = windows++
        const tag = `${openLoop.name}-${block}`
        const sample = await measureUndisturbed({ arm, block, staged, engine: openLoop, cores, seconds, tag })
        return { ...judge(sample, arm), coresUsed: underLoad(recorder.parts) }
      } finally {
        recorder.stop()
      }
    },
    async closed (order) {
      const tag = `closed-${windows++}`
      const { sample, engine, arm } = await measurePeak(ofPlan, { staged, cores, ...order, tag })
      tools[engine.name] = engine.version
      return judge(sample, arm)
    },
    async close () {
      await stage.close()
      await emulation?.close()
    }
  }
}

/** @param {Emulation | null} emulation */
const ranOutOfMemory = emulation => (emulation?.stats().oomKills ?? 0) > 0

/**
 * @param {Arm} arm
 * @param {Limits} [limits]
 */
const tooSmall = (arm, limits) => new HopbenchError('plan-too-small', {
  name: arm.name, plan: limits?.name ?? 'its limits', memoryMiB: limits?.memoryMiB ?? null
})

/**
 * Records how many cores processes use in each period of a quota, until it is stopped.
 *
 * @param {number[]} pids
 * @returns {{ parts: number[], stop: () => void }} parts: cores used, period by period
 */
function recordCores (pids) {
  const meter = new CpuMeter(pids)
  const read = () => ({ atMs: performance.now(), cpuSeconds: meter.seconds() })
  /** @type {number[]} */
  const parts = []
  let last = read()
  const timer = setInterval(() => {
    const reading = read()
    parts.push((reading.cpuSeconds - last.cpuSeconds) / (reading.atMs - last.atMs) * 1000)
    last = reading
  }, PERIOD_SECONDS * 1000)
  const stop = () => {
    clearInterval(timer)
    meter.close()
  }
  return { parts, stop }
}
