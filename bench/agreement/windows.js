/**
 * One topology is held, and the engines load it in turn: each in a window of its own, in blocks, in
 * an order of its own for each block. Never all of one and then all of the next.
 */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { factsOf, refusal } from '../capabilities.js'
import { watchTrial } from '../clocks.js'
import { compareEngines } from './comparison.js'
import { HopbenchError } from '../errors.js'
import { findEngine } from '../find-engine.js'
import { loadPlugin, pluginNames } from '../plugins.js'
import { CpuMeter, untilAtRest } from '../probe.js'
import { disagreement } from '../measure/rig.js'
import { openStage } from '../measure/stage.js'
import { randomFrom, shuffle } from '../stats/random.js'
import { processesOf } from '../summary/arm.js'

/** @typedef {import('./comparison.js').EngineResult} EngineResult */
/** @typedef {import('./comparison.js').EngineWindow} EngineWindow */
/** @typedef {import('../find-engine.js').FoundEngine} FoundEngine */
/** @typedef {import('../measure/stage.js').StagedArm} StagedArm */

/** From its first answers on: all connections are open, and the code of its program and of the server is compiled. */
const SETTLE_SECONDS = 0.3
/** Of a window this is left at its end: nothing is counted while the engine ends. */
const END_SECONDS = 0.2
const LOOK_MS = 10
/** An engine whose program takes longer to send anything is not going to. */
const START_SECONDS = 10
/** Engines look at the clock now and then, and some wait for their last answers. */
const GRACE_SECONDS = 15

/**
 * @typedef {object} Comparison
 * @property {string} topology
 * @property {string} path
 * @property {number} connections
 * @property {number} windowSeconds
 * @property {number} blocks
 * @property {boolean} complete false: it was interrupted
 * @property {{ load: number[], served: number[], split: boolean }} cores
 * @property {EngineResult[]} engines
 * @property {{ name: string, why: string }[]} leftOut engines that are not at hand, or cannot make this load
 * @property {Record<string, string>} tools
 */

/**
 * Which engines can take part.
 * @param {import('../types.d.ts').Arm} arm
 * @returns {Promise<{ engines: FoundEngine[], leftOut: { name: string, why: string }[] }>}
 */
export async function enginesFor (arm) {
  /** @type {FoundEngine[]} */
  const engines = []
  /** @type {{ name: string, why: string }[]} */
  const leftOut = []
  for (const name of pluginNames('engine')) {
    try {
      // What cannot take part is not brought.
      const { default: { about } } = await loadPlugin('engine', name)
      const what = refusal(about, { load: { ...arm.load, engine: name }, facts: factsOf(arm.topology), protocol: 'window' })
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
 * @param {import('../types.d.ts').Arm} arm
 * @param {object} options
 * @param {number} options.blocks
 * @param {number} options.windowSeconds whole
 * @param {number} options.seed
 * @param {string} options.temp short absolute folder
 * @param {boolean} options.lab
 * @param {import('../cores.js').CoreSplit} options.cores
 * @param {string} options.cwd what a path to a person's own module is relative to
 * @param {(text: string) => void} options.note progress
 * @param {() => boolean} options.interrupted
 * @returns {Promise<Comparison>}
 * @throws {HopbenchError} gate-refused, process-died, and whatever keeps the topology from starting
 */
export async function measureEngines (arm, { blocks, windowSeconds, seed, temp, lab, cores, cwd, note, interrupted }) {
  const { engines, leftOut } = await enginesFor(arm)
  const stage = await openStage([arm], { temp, lab, cores: cores.split ? cores.served : null, cwd })
  /** @type {EngineWindow[]} */
  const windows = []
  /** @type {import('./comparison.js').FailedWindow[]} */
  const failed = []
  let done = 0
  try {
    const refused = stage.refused.get(arm.name)
    if (refused) throw new HopbenchError('gate-refused', { name: arm.name, why: refused.text })
    const staged = /** @type {StagedArm} */ (stage.arms.get(arm.name))
    for (; done < blocks && !interrupted(); done++) {
      for (const engine of shuffle(engines, randomFrom(seed, 'order', done))) {
        if (interrupted()) break
        note(`${arm.word}: block ${done + 1} of ${blocks}, ${engine.plugin.about.title}`)
        try {
          windows.push(await windowOf(engine, staged, { block: done, windowSeconds, cores: cores.split ? cores.load : null }))
        } catch (error) {
          const dead = staged.running.failure()
          if (dead) throw dead
          failed.push({ engine: engine.name, block: done, failure: /** @type {Error} */ (error).message })
        }
      }
    }
    return {
      topology: arm.word,
      path: arm.load.path,
      connections: arm.load.connections,
      windowSeconds,
      blocks: done,
      complete: !interrupted(),
      cores,
      engines: compareEngines(windows, failed, {
        engines: engines.map(({ name, version, plugin: { about: { title, latencyNote } } }) => ({ name, title, version, latencyNote })),
        cores,
        processes: processesOf(arm)
      }),
      leftOut,
      tools: { ...stage.tools, ...Object.fromEntries(engines.map(({ name, version }) => [name, version])) }
    }
  } finally {
    await stage.close()
  }
}

/**
 * @param {FoundEngine} engine
 * @param {StagedArm} staged
 * @param {{ block: number, windowSeconds: number, cores: number[] | null }} options
 * @returns {Promise<EngineWindow>}
 */
async function windowOf (engine, { arm, dir, network, running, target }, { block, windowSeconds, cores }) {
  const clocks = watchTrial()
  const before = await running.front()
  const { proxy, server } = running.pids()
  const generator = await engine.start({
    name: arm.name,
    load: { ...arm.load, engine: engine.name },
    target,
    network,
    cores,
    dir: join(dir, `${engine.name}-${block}`),
    maxSeconds: windowSeconds
  })
  /** @type {CpuMeter[]} */
  const meters = []
  try {
    await untilItLoads(generator, async () => (await running.front()).requests - before.requests > arm.load.connections)
    await sleep(SETTLE_SECONDS * 1000)
    await generator.look()
    for (const pids of [proxy, server]) meters.push(new CpuMeter(pids))
    const reading = async () => {
      const front = await running.front()
      const [proxy, server] = meters.map(meter => meter.seconds())
      return { front, cpu: { proxy, server }, at: performance.now() / 1000, load: await generator.cpu() }
    }
    const first = await reading()
    await sleep((windowSeconds - SETTLE_SECONDS - END_SECONDS) * 1000)
    const last = await reading()
    if (!last.load.alive) throw new HopbenchError('process-died', { name: engine.plugin.about.title, how: `ended before its window of ${windowSeconds} s was over` })
    const { measurement, sampled } = await generator.finished(GRACE_SECONDS)
    const { mismatches } = await generator.errors()
    await untilAtRest(() => meters[0].seconds() + meters[1].seconds())
    const after = await running.front()
    const disturbed = clocks.end()
    if (disturbed) throw new Error(disturbed.text)
    const seconds = last.front.atSeconds - first.front.atSeconds
    // The two clocks differ by the time an answer took: CPU is scaled to the served side's window.
    const scale = seconds / (last.at - first.at)
    return {
      engine: engine.name,
      block,
      requests: last.front.requests - first.front.requests,
      seconds,
      own: { requests: measurement.requests, seconds: measurement.seconds ?? windowSeconds },
      cpuSeconds: {
        load: (last.load.seconds - first.load.seconds) * seconds / (last.load.atSeconds - first.load.atSeconds),
        proxy: (last.cpu.proxy - first.cpu.proxy) * scale,
        server: (last.cpu.server - first.cpu.server) * scale
      },
      // An engine that looks at bodies tells of them in both places.
      errors: { ...measurement.errors, mismatches: Math.max(measurement.errors.mismatches, mismatches) },
      latencyMs: measurement.latencyMs,
      disagreement: disagreement({ measurement, sampled, served: after.requests - before.requests, connections: arm.load.connections })
    }
  } finally {
    clocks.end()
    meters.forEach(meter => meter.close())
    await generator.kill()
  }
}

/**
 * Programs take their time to start, each another: the window begins when the first answers come.
 * @param {import('../generator.js').Generator} generator
 * @param {() => Promise<boolean>} loads
 */
async function untilItLoads (generator, loads) {
  const deadline = performance.now() + START_SECONDS * 1000
  while (!(await loads())) {
    const failure = await generator.failure()
    if (failure) throw failure
    if (performance.now() > deadline) throw new HopbenchError('not-ready', { name: 'the load generator', seconds: START_SECONDS })
    await sleep(LOOK_MS)
  }
}
