/**
 * One generator for each arm: its processes are started once, frozen while it is not the arm's
 * turn, thawed for its slices, and ended with a report of all that they have sent.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { HopbenchError } from './errors.js'
import { faultOfMeasurement } from './measurement.js'
import { CpuMeter, groupMembers } from './probe.js'
import { died, start } from './process.js'
import { tailReader } from './topology/start.js'

const asker = fileURLToPath(new URL('./generators/asker.js', import.meta.url))
/** How often the body of an answer is checked beside an engine that does not look at bodies. */
const SAMPLE_EVERY_SECONDS = 0.1
/** wrk looks at its stop flag ten times a second; autocannon's child too. Much longer on a busy machine. */
const END_GRACE_SECONDS = 15

/**
 * What makes load, here or on another machine: nothing of it is read by its process ids.
 * @typedef {object} Generator
 * @property {() => Promise<void>} thaw
 * @property {() => Promise<void>} freeze
 * @property {() => Promise<void>} look its processes may have changed: whose CPU time counts is looked up again
 * @property {() => Promise<CpuReading>} cpu
 * @property {() => Promise<SlicedErrors>} errors seen since the last call
 * @property {() => Promise<HopbenchError | null>} failure
 * @property {() => Promise<Report | null>} end ends it and reads its report, null where the engine gives none
 * @property {(graceSeconds: number) => Promise<Report>} finished
 *   waits until it has ended by itself, as it does after `maxSeconds`, at most so much longer, and reads its report
 * @property {() => Promise<void>} kill
 */
/** @typedef {{ mismatches: number, timeouts: number, resets: number }} SlicedErrors */
/**
 * @typedef {object} CpuReading
 * @property {number} seconds of CPU time so far
 * @property {number} atSeconds when it was read, by the clock of the machine that it was read on
 * @property {boolean} alive any of its processes runs
 */
/** @typedef {{ measurement: import('./types.d.ts').Measurement, sampled: number }} Report sampled: requests of the sampler beside the engine */

/**
 * @typedef {object} GeneratorOrder
 * @property {string} name the arm's name, for messages
 * @property {import('./types.d.ts').Load} load
 * @property {import('./types.d.ts').Target} target
 * @property {Pick<import('./lab.js').Network, 'enter'>} network
 * @property {number[] | null} cores
 * @property {string} dir takes its files, reports and logs
 * @property {number} maxSeconds it ends by itself after this time at the latest
 * @property {import('./types.d.ts').EnginePart} [part] of an engine that spreads itself over machines; left out: it is whole
 */

/**
 * Starts it on this machine.
 * @param {GeneratorOrder & { engine: import('./types.d.ts').EnginePlugin, program: string, env: Record<string, string> }} order
 *   program: the engine's, env: what it needs in its environment
 * @returns {Generator & { pids: () => number[] }}
 */
export function startGenerator ({ name, engine, program, env, load, target, network, cores, dir, maxSeconds, part }) {
  mkdirSync(dir, { recursive: true })
  const plan = engine.command(load, target, { program, dir, maxSeconds, part, cores: cores?.length ?? availableParallelism() })
  for (const [file, text] of Object.entries(plan.files)) writeFileSync(join(dir, file), text)
  const loaders = plan.processes.map((spec, i) => start({
    name: `the load generator of ${name} (${engine.about.title})`,
    argv: spec.argv,
    env: { ...env, ...spec.env },
    enter: network.enter,
    cores,
    stdout: join(dir, `${i}.out`),
    log: join(dir, `${i}.err`)
  }))
  // Of an engine that is spread over machines the master's sampler is enough.
  const looksItself = (engine.about.checksBodies && !target.expectByPath) || part?.role === 'worker'
  const sampler = looksItself || !(target.expectBody ?? target.expectByPath)
    ? null
    : startSampler({ name, load, target, network, cores, dir })
  const children = [...loaders, ...(sampler ? [sampler] : [])]
  const endSampler = async () => {
    await sampler?.stop()
    return sampler ? Number(readFileSync(join(dir, 'sampler.out'), 'utf8')) : 0
  }
  const read = (/** @type {{ code: number | null }[]} */ ends) => readReport(engine, ends, { name, dir })
  const close = () => {
    logs.forEach(log => log.close())
    meter.close()
  }
  const logs = [engine.about.errorLog, sampler && 'sampler.jsonl'].filter(file => file !== null).map(file => tailReader(join(dir, file)))

  const pids = () => groupMembers(loaders.map(child => child.pid))
  const meter = meterOf(pids)

  return {
    pids,
    look: async () => meter.look(),
    thaw: async () => children.forEach(child => child.thaw()),
    freeze: async () => children.forEach(child => child.freeze()),
    cpu: async () => ({ seconds: meter.seconds(), atSeconds: performance.now() / 1000, alive: loaders.some(child => !child.ended()) }),
    errors: async () => addUp(logs.flatMap(log => log.lines()).map(line => JSON.parse(line))),
    async failure () {
      const dead = children.find(child => child.ended())
      return dead ? died(dead) : null
    },
    async end () {
      const sampled = await endSampler()
      const { stop } = engine.about
      const ends = await Promise.all(loaders.map(child => child.stop({ signal: stop ?? 'SIGKILL', graceSeconds: END_GRACE_SECONDS, insist: true })))
      close()
      return stop ? { measurement: read(ends), sampled } : null
    },
    async finished (graceSeconds) {
      const deadline = sleep((maxSeconds + graceSeconds) * 1000, null, { ref: false })
      const ends = await Promise.race([Promise.all(loaders.map(child => child.exited)), deadline])
      const sampled = await endSampler()
      if (ends) return { measurement: read(ends), sampled }
      await Promise.all(loaders.map(child => child.stop({ signal: 'SIGKILL' })))
      throw new HopbenchError('not-ready', { name: `the report of ${engine.about.title} on ${name}`, seconds: maxSeconds + graceSeconds, output: loaders[0].tail() })
    },
    async kill () {
      await Promise.all(children.map(child => child.stop({ signal: 'SIGKILL' })))
      close()
    }
  }
}

/**
 * @param {import('./types.d.ts').EnginePlugin} engine
 * @param {{ code: number | null }[]} ends of its processes
 * @param {{ name: string, dir: string }} where name: the arm's
 * @throws {HopbenchError} engine-report
 */
function readReport (engine, ends, { name, dir }) {
  const results = ends.map((end, i) => ({
    stdout: readFileSync(join(dir, `${i}.out`), 'utf8'), stderr: readFileSync(join(dir, `${i}.err`), 'utf8'), dir, exit: end.code
  }))
  const output = results.map(result => result.stdout + result.stderr).join('\n')
  let measurement
  try {
    measurement = engine.parse(results)
  } catch (error) {
    throw new HopbenchError('engine-report', { name: engine.about.title, arm: name, output }, { cause: error })
  }
  const fault = faultOfMeasurement(measurement)
  if (fault) throw new HopbenchError('engine-report', { name: engine.about.title, arm: name, why: fault, output })
  return measurement
}

/** CPU time of processes that may become others. @param {() => number[]} pids */
function meterOf (pids) {
  /** @type {CpuMeter | null} */
  let meter = null
  const look = () => {
    meter?.close()
    meter = new CpuMeter(pids())
    return meter
  }
  return {
    look () { look() },
    seconds: () => (meter ?? look()).seconds(),
    close () {
      meter?.close()
      meter = null
    }
  }
}

/**
 * @param {{ name: string, load: import('./types.d.ts').Load, target: import('./types.d.ts').Target,
 *   network: Pick<import('./lab.js').Network, 'enter'>, cores: number[] | null, dir: string }} order
 */
function startSampler ({ name, load, target: { url, socketPath, caFile, expectBody, expectByPath }, network, cores, dir }) {
  // In a file: the hashes of many paths are too long for the environment.
  const byPathFile = expectByPath ? join(dir, 'expected.json') : null
  if (byPathFile) writeFileSync(byPathFile, JSON.stringify(expectByPath))
  return start({
    name: `the sampler of ${name}`,
    argv: [process.execPath, asker],
    env: {
      HOPBENCH_ASKER: JSON.stringify({
        url,
        socketPath,
        caFile,
        path: load.path,
        paths: load.paths,
        headers: load.headers,
        everySeconds: SAMPLE_EVERY_SECONDS,
        expected: { status: 200, sha256: expectBody?.sha256, byPathFile },
        errorLog: join(dir, 'sampler.jsonl')
      })
    },
    enter: network.enter,
    cores,
    stdout: join(dir, 'sampler.out'),
    log: join(dir, 'sampler.err')
  })
}

/** @param {SlicedErrors[]} lines @returns {SlicedErrors} */
export const addUp = lines => lines.reduce((sum, line) => ({
  mismatches: sum.mismatches + line.mismatches, timeouts: sum.timeouts + line.timeouts, resets: sum.resets + line.resets
}), { mismatches: 0, timeouts: 0, resets: 0 })
