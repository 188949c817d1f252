/**
 * Loads one topology with one engine after the other. Each block contains one window of each engine, in random order,
 * so that drift of the machine does not favour an engine.
 */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { compareEngines } from '../../judge/engine-agreement.js'
import { getErrorMessage, HopbenchError } from '../../errors.js'
import { getTargetFacts, findRefusal } from '../../load/capabilities.js'
import { findEngine } from '../../load/find-engine.js'
import { untilAtRest } from '../../machine/probe.js'
import { findDisagreement } from '../../measure/disagreement.js'
import { Meters } from '../../measure/meters.js'
import { subtract } from '../../measure/sample.js'
import { getStagedArm, openStage } from '../../measure/stage.js'
import { printReason } from '../../report/facts/reason-texts.js'
import { aboutProtocol, loadPlugin, pluginNames } from '../../plugins.js'
import { randomFrom, shuffle } from '../../shared/random.js'
import { getLoadContext } from '../../judge/arm-result.js'
import { watchTrial } from '../../measure/watch-trial.js'

/** @import { EngineWindow } from '../../judge/engine-agreement.js' */
/** @import { FoundEngine } from '../../load/shapes.js' */
/** @import { Generator } from '../../load/shapes.js' */
/** @import { StagedArm } from '../../measure/shapes.js' */
/** @import { Arm, EngineComparison, Running } from '../../types.js' */
/** @import { TestBed } from '../types.js' */

/** After the first responses: until all connections are open, and the code of engine and server is compiled. */
const SETTLE_SECONDS = 0.3
const END_SECONDS = 0.2 // End of a window that is not measured, because the engine stops in this time.
const LOOK_MS = 10
const START_SECONDS = 10 // Limit of the first responses.
const GRACE_SECONDS = 15 // Engines check the time at intervals, and some wait for responses in flight.

/**
 * @param {Arm} arm
 * @param {TestBed} bed
 * @param {object} options
 * @param {number} options.blocks
 * @param {number} options.windowSeconds whole number
 * @param {number} options.seed
 * @param {(text: string) => void} options.note progress
 * @param {() => boolean} options.interrupted
 * @returns {Promise<EngineComparison>}
 * @throws {HopbenchError} gate-refused, process-died, and errors of starting the topology
 */
export async function measureEngines (arm, { cores, ...bed }, { blocks, windowSeconds, seed, note, interrupted }) {
  const { engines, leftOut } = await enginesFor(arm)
  const stage = await openStage([arm], { ...bed, cores: cores.split ? cores.served : null })
  /** @type {EngineWindow[]} */
  const windows = []
  /** @type {{ engine: string, block: number, failure: string }[]} */
  const failed = []
  let done = 0
  try {
    const staged = getStagedArm(stage, arm.name)
    for (; done < blocks && !interrupted(); done++) {
      for (const engine of shuffle(engines, randomFrom(seed, 'order', done))) {
        if (interrupted()) break
        note(`${arm.spec}: block ${done + 1} of ${blocks}, ${engine.plugin.about.title}`)
        try {
          const order = { block: done, windowSeconds, cores: cores.split ? cores.load : null }
          windows.push(await measureWindow(engine, staged, order))
        } catch (error) {
          const failure = staged.running.failure()
          if (failure) throw failure
          failed.push({ engine: engine.name, block: done, failure: getErrorMessage(error) })
        }
      }
    }
    return {
      topology: arm.spec,
      path: arm.load.path,
      connections: arm.load.connections,
      windowSeconds,
      blocks: done,
      complete: !interrupted(),
      cores,
      engines: compareEngines(windows, failed, {
        engines: engines.map(({ name, version, plugin: { about: { title, latencyNote } } }) =>
          ({ name, title, version, latencyNote })),
        cores,
        load: getLoadContext(arm)
      }),
      leftOut,
      tools: { ...stage.tools, ...Object.fromEntries(engines.map(({ name, version }) => [name, version])) }
    }
  } finally {
    await stage.close()
  }
}

/**
 * Finds the engines that can load a topology.
 *
 * @param {Arm} arm
 * @returns {Promise<{ engines: FoundEngine[], leftOut: { name: string, why: string }[] }>}
 */
export async function enginesFor (arm) {
  /** @type {FoundEngine[]} */
  const engines = []
  /** @type {{ name: string, why: string }[]} */
  const leftOut = []
  const protocol = await aboutProtocol('window')
  for (const name of pluginNames('engine')) {
    try {
      // Checks the capabilities first, so that unsuitable engines are not installed.
      const { default: { about } } = await loadPlugin('engine', name)
      const load = { ...arm.load, engine: name }
      const what = findRefusal(about, { load, facts: getTargetFacts(arm.topology), protocol })
      if (what === null) engines.push(await findEngine(name))
      else leftOut.push({ name, why: `${about.title} cannot ${what}` })
    } catch (error) {
      if (!(error instanceof HopbenchError) || !['tool-missing', 'tool-broken'].includes(error.code)) throw error
      leftOut.push({ name, why: `${error.message} ${error.remedy}` })
    }
  }
  return { engines, leftOut }
}

/**
 * @param {FoundEngine} engine
 * @param {StagedArm} staged
 * @param {{ block: number, windowSeconds: number, cores: number[] | null }} options
 */
async function measureWindow (engine, { arm, dir, network, running, target }, { block, windowSeconds, cores }) {
  const clocks = watchTrial()
  const before = await running.front()
  const generator = await engine.start({
    name: arm.name,
    load: { ...arm.load, engine: engine.name },
    target,
    network,
    cores,
    dir: join(dir, `${engine.name}-${block}`),
    maxSeconds: windowSeconds
  })
  /** @type {Meters | null} */
  let meters = null
  try {
    await waitForLoad(generator, async () => (await running.front()).requests - before.requests > arm.load.connections)
    await sleep(SETTLE_SECONDS * 1000)
    await generator.look()
    meters = new Meters(running)
    const seconds = windowSeconds - SETTLE_SECONDS - END_SECONDS
    const served = await measureServed({ running, generator, meters }, seconds)
    if (!served) {
      const how = `ended before its window of ${windowSeconds} s was over`
      throw new HopbenchError('process-died', { name: engine.plugin.about.title, how })
    }
    const report = await generator.finished(GRACE_SECONDS)
    const { mismatches } = await generator.errors()
    const meter = meters
    await untilAtRest(() => meter.servedSeconds())
    const after = await running.front()
    const disturbed = clocks.end()
    if (disturbed) throw new Error(printReason(disturbed))
    const { measurement: own } = report
    const front = { served: after.requests - before.requests, connections: arm.load.connections }
    const disagreement = findDisagreement(report, front)
    return {
      engine: engine.name,
      block,
      ...served,
      own: { requests: own.requests, seconds: own.seconds ?? windowSeconds },
      // Engines that compare bodies report mismatches in both counts, so the larger one is used.
      errors: { ...own.errors, mismatches: Math.max(own.errors.mismatches, mismatches) },
      latencyMs: own.latencyMs,
      disagreement: disagreement && printReason(disagreement)
    }
  } finally {
    clocks.end()
    meters?.close()
    await generator.kill()
  }
}

/**
 * Measures the served requests and the CPU time.
 *
 * @param {{ running: Running, generator: Generator, meters: Meters }} parts
 * @param {number} seconds
 * @returns {Promise<Pick<EngineWindow, 'requests' | 'seconds' | 'cpuSeconds'> | null>} null: the generator has ended
 */
async function measureServed ({ running, generator, meters }, seconds) {
  const read = async () => ({
    front: await running.front(),
    origin: null,
    noted: [],
    linkBytes: null,
    cpu: meters.read(),
    atSeconds: performance.now() / 1000,
    load: await generator.cpu()
  })
  const first = await read()
  await sleep(seconds * 1000)
  const last = await read()
  const { front, cpuSeconds } = subtract(first, last)
  return last.load.alive && front ? { requests: front.requests, seconds: front.seconds, cpuSeconds } : null
}

/**
 * Waits for the first responses, because engines differ in the time that they need to start.
 *
 * @param {Generator} generator
 * @param {() => Promise<boolean>} isLoading
 */
async function waitForLoad (generator, isLoading) {
  const deadline = performance.now() + START_SECONDS * 1000
  while (!(await isLoading())) {
    const failure = await generator.failure()
    if (failure) throw failure
    if (performance.now() > deadline) {
      throw new HopbenchError('not-ready', { name: 'the load generator', seconds: START_SECONDS })
    }
    await sleep(LOOK_MS)
  }
}
