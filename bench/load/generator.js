/** Runs one load generator for one arm: starts its processes once, pauses them between the trials of the arm, and ends
 * them with a report of all requests. */
import { readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { HopbenchError } from '../errors.js'
import { CONTROL_SOCKET, OwnCounts, WriteCounts } from './request-counts.js'
import { withAddress } from './generators/peer.js'
import { needsSampler, startSampler } from './sampler.js'
import { CpuMeter, groupMembers } from '../machine/probe.js'
import { died, start } from '../machine/process.js'
import { tailReader } from '../machine/files/tail-reader.js'
import { makeFolder } from '../machine/files/make-folder.js'
import { sum, toRecord } from '../shared/group-by.js'

/** @import { Child } from '../machine/types.js' */
/** @import { EnginePlugin, Measurement } from '../types.js' */
/** @import { RemoteProcess } from './hosts/process.js' */
/** @import { FoundEngine, Generator, GeneratorOptions, SlicedErrors } from './types.js' */

/** Limits the wait for a report, in seconds. wrk and autocannon's child process read their stop flag ten times a
 * second, and take much longer on a busy machine. */
const END_GRACE_SECONDS = 15
/** Time before the planned end in which processes on other machines may end, in seconds: Locust's workers end first. */
const LEAD_SECONDS = 1

/**
 * Starts a generator on this machine.
 * @param {Pick<FoundEngine, 'plugin' | 'program' | 'env'>} program
 * @param {GeneratorOptions} options
 */
export const startGenerator = (program, options) =>
  new StartedGenerator(program.plugin, options, { loaders: startLoaders(program, options) })

/**
 * A generator whose processes have started. The interface Generator describes its methods.
 * @implements {Generator}
 */
export class StartedGenerator {
  /** Counter of the engine's requests; null: the engine cannot be counted while it runs. */
  #counts
  /** @type {CpuMeter | null} null: the processes are looked up at the next reading */
  #meter = null
  #isPaused = false
  #remote
  /** Start of the load, in seconds of performance.now(). */
  startedAt = performance.now() / 1000

  /**
   * @param {EnginePlugin} plugin
   * @param {GeneratorOptions} options
   * @param {object} processes
   * @param {Child[]} [processes.loaders] processes on this machine, with a report each
   * @param {RemoteProcess[]} [processes.remote] processes on other machines. Without loaders, the first has the report.
   */
  constructor (plugin, options, { loaders = [], remote = [] }) {
    this.plugin = plugin
    this.options = options
    this.loaders = loaders
    this.#remote = remote
    // The sampler compares bodies in place of an engine that does not.
    this.sampler = needsSampler(plugin, options) ? startSampler(options) : null
    // Files to which some engines and the sampler append their errors, a line of JSON each.
    const logs = [plugin.about.errorLog, this.sampler && 'sampler.jsonl'].filter(file => file !== null)
    this.logs = logs.map(file => tailReader(join(options.dir, file)))
    this.#counts = openCounts(plugin, options, () => this.pids())
  }

  get #children () {
    return [...this.loaders, ...this.#remote, ...this.sampler ? [this.sampler] : []]
  }

  get host () {
    return this.#remote[0]?.host.name
  }

  /** Processes that have a report. */
  get #reporting () {
    return this.loaders.length > 0 ? this.loaders : this.#remote.slice(0, 1)
  }

  pids () {
    return groupMembers(this.loaders.map(child => child.pid))
  }

  async findProcesses () {
    this.#meter?.close()
    this.#meter = new CpuMeter(this.pids())
  }

  async resume () {
    this.#isPaused = false
    await Promise.all(this.#children.map(child => child.resume()))
  }

  async pause () {
    this.#isPaused = true
    await Promise.all(this.#children.map(child => child.pause()))
  }

  async counts () {
    if (this.#counts) return this.#counts.read(this.#isPaused)
    throw new Error(`the requests of ${this.plugin.about.title} cannot be counted while it runs`)
  }

  async cpu () {
    this.#meter ??= new CpuMeter(this.pids())
    const remote = await Promise.all(this.#remote.map(child => child.cpu()))
    return {
      seconds: remote.reduce((total, seconds) => total + seconds, this.#meter.seconds()),
      atSeconds: performance.now() / 1000,
      alive: this.#reporting.some(child => !child.ended())
    }
  }

  async errors () {
    return sumErrors(this.logs.flatMap(log => log.lines()).map(line => JSON.parse(line)))
  }

  async failure () {
    const lost = this.#remote.find(child => child.lost)
    const dead = this.#children.find(child => child.ended())
    return lost?.lost ?? (dead ? died(dead) : null)
  }

  async end () {
    const sampled = await this.#endSampler()
    // An engine without a signal that stops it is killed, and has no report.
    const { stop } = this.plugin.about
    const ends = await Promise.all(this.#reporting.map(child =>
      child.stop({ signal: stop ?? 'SIGKILL', graceSeconds: END_GRACE_SECONDS, insist: true })))
    await this.kill()
    return stop ? { measurement: readReport(this.plugin, ends.flat(), this.options), sampled } : null
  }

  /** Waits for the end of the engine. Its logs stay open for `errors()` until `kill()`. @param {number} graceSeconds */
  async finished (graceSeconds) {
    const { name, maxSeconds } = this.options
    const seconds = maxSeconds + graceSeconds
    const deadline = sleep(seconds * 1000, null, { ref: false })
    // null: the deadline has passed.
    const ends = await Promise.race([Promise.all(this.#reporting.map(child => child.exited)), deadline])
    const sampled = await this.#endSampler()
    // A worker of Locust that ends early takes its users along, which changes the load.
    const early = this.#remote.find(child => child.lost ?? child.endedAt < this.startedAt + maxSeconds - LEAD_SECONDS)
    if (early) throw early.lost ?? died(early)
    if (ends) return { measurement: readReport(this.plugin, ends.flat(), this.options), sampled }
    await Promise.all(this.#reporting.map(child => child.stop({ signal: 'SIGKILL' })))
    throw new HopbenchError('not-ready', {
      name: `the report of ${this.plugin.about.title} on ${name}`,
      seconds,
      output: this.#reporting[0].tail()
    })
  }

  async kill () {
    await Promise.all(this.#children.map(child => child.stop({ signal: 'SIGKILL' })))
    this.#close()
  }

  /** Ends the sampler and returns the number of its requests: 0 without a sampler. */
  async #endSampler () {
    if (!this.sampler) return 0
    await this.sampler.stop()
    return Number(readFileSync(join(this.options.dir, 'sampler.out'), 'utf8'))
  }

  #close () {
    this.#counts?.close()
    this.logs.forEach(log => log.close())
    this.#meter?.close()
    this.#meter = null
  }
}

/**
 * Writes the files of an engine and starts its processes, which begin to send requests at once.
 * @param {Pick<FoundEngine, 'plugin' | 'program' | 'env'>} program
 * @param {GeneratorOptions} options
 * @returns {Child[]}
 */
export function startLoaders ({ plugin, program, env }, options) {
  const { name, network, cores, dir } = options
  makeFolder(dir)
  const { load, target } = plugin.about.takesAddress ? options : withAddress(options.load, options.target)
  const { files, processes } = plugin.command(load, target, {
    program,
    dir,
    maxSeconds: options.maxSeconds,
    part: options.part,
    cores: cores?.length ?? availableParallelism()
  })
  for (const [file, text] of Object.entries(files)) writeFileSync(join(dir, file), text)
  return processes.map((spec, i) => start({
    name: `the load generator of ${name} (${plugin.about.title})`,
    argv: spec.argv,
    env: { ...env, ...spec.env },
    enter: network.enter,
    cores,
    stdout: join(dir, `${i}.out`),
    log: join(dir, `${i}.err`)
  }))
}

/**
 * Reads the report of an engine from the output of its processes.
 * @param {EnginePlugin} engine
 * @param {{ code: number | null }[]} ends exit codes of its processes, in order; null: ended by a signal
 * @param {Pick<GeneratorOptions, 'name' | 'dir'>} options
 * @throws {HopbenchError} engine-report
 */
function readReport (engine, ends, { name, dir }) {
  const results = ends.map((end, i) => ({
    stdout: readFileSync(join(dir, `${i}.out`), 'utf8'),
    stderr: readFileSync(join(dir, `${i}.err`), 'utf8'),
    dir,
    exit: end.code
  }))
  const output = results.map(result => result.stdout + result.stderr).join('\n')
  let measurement
  try {
    measurement = engine.parse(results)
  } catch (error) {
    throw new HopbenchError('engine-report', { name: engine.about.title, arm: name, output }, { cause: error })
  }
  const fault = findMeasurementFault(measurement)
  if (fault) throw new HopbenchError('engine-report', { name: engine.about.title, arm: name, why: fault, output })
  return measurement
}

/**
 * Returns the counter of an engine's requests, or null if the engine cannot be counted while it runs.
 * @param {EnginePlugin} engine
 * @param {GeneratorOptions} options
 * @param {() => number[]} findPids of the generator's processes
 */
function openCounts ({ about: { counted } }, { dir }, findPids) {
  if (counted === 'writes') return new WriteCounts(findPids)
  return counted === 'responses' ? new OwnCounts(join(dir, CONTROL_SOCKET)) : null
}

/**
 * Adds up counts of errors. `non2xx` is left out if no part has it.
 * @param {SlicedErrors[]} parts
 * @returns {SlicedErrors}
 */
function sumErrors (parts) {
  const add = (/** @type {keyof SlicedErrors} */ kind) => sum(parts.map(part => part[kind] ?? 0))
  const hasStatuses = parts.some(({ non2xx }) => non2xx !== undefined)
  return { ...toRecord(['mismatches', 'timeouts', 'resets'], add), ...hasStatuses && { non2xx: add('non2xx') } }
}

/**
 * Returns which figure of a report is impossible. A damaged report, or one of a version whose fields have another
 * meaning, may be read without an error.
 * @param {Measurement} measurement
 * @returns {string | null} null: all figures are possible
 */
export function findMeasurementFault ({ requests, errors, bytes, seconds, latencyMs, lagMs }) {
  for (const [name, count] of Object.entries({ requests, ...errors })) {
    if (!(Number.isInteger(count) && count >= 0)) return `${name} is ${count}`
  }
  if (bytes !== null && !(Number.isFinite(bytes) && bytes >= 0)) return `bytes is ${bytes}`
  if (seconds !== null && !(Number.isFinite(seconds) && seconds > 0)) return `seconds is ${seconds}`
  if (latencyMs) return findPercentileFault('latency', latencyMs)
  return lagMs ? findPercentileFault('lag', lagMs) : null
}

/**
 * @param {string} name
 * @param {{ p50: number, p90?: number, p95?: number, p99: number, max: number }} percentiles
 */
function findPercentileFault (name, { p50, p90 = p50, p95 = p90, p99, max }) {
  const rising = [p50, p90, p95, p99, max]
  const isPossible = rising.every((value, i) => Number.isFinite(value) && value >= (rising[i - 1] ?? 0))
  return isPossible ? null : `percentiles of the ${name} are ${rising.join(', ')}`
}
