/** One generator for each arm: its processes are started once, frozen while it is not the arm's turn, thawed for its
 * slices, and ended with a report of all that they have sent. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { HopbenchError } from '../errors.js'
import { bodyOf } from './request-body.js'
import { CONTROL_SOCKET, OwnCounts, WriteCounts } from './request-counts.js'
import { faultOfMeasurement } from './measurement.js'
import { CpuMeter, groupMembers } from '../machine/probe.js'
import { died, start } from '../machine/process.js'
import { tailReader } from '../machine/tail-reader.js'

/** @import { Child } from '../machine/shapes.js' @import { EnginePlugin } from '../types.js'
 * @import * as Shapes from './shapes.js' */

const asker = fileURLToPath(new URL('./generators/asker.js', import.meta.url))
/** How often the body of an answer is checked beside an engine that does not look at bodies. */
const SAMPLE_EVERY_SECONDS = 0.1
/** wrk looks at its stop flag ten times a second; autocannon's child too. Much longer on a busy machine. */
const END_GRACE_SECONDS = 15

/** @typedef {Shapes.Generator} Generator */
/** @typedef {Shapes.GeneratorOrder} GeneratorOrder */
/** @typedef {Shapes.CpuReading} CpuReading */
/** @typedef {Shapes.Report} Report */
/** @typedef {Shapes.SlicedErrors} SlicedErrors */
/** @typedef {Pick<Shapes.FoundEngine, 'plugin' | 'program' | 'env'>} Program */

/** Starts it on this machine. @param {Program} program @param {GeneratorOrder} order
 * @returns {Generator & { pids: () => number[] }} */
export function startGenerator (program, order) {
  const { plugin } = program
  const loaders = startLoaders(program, order)
  const sampler = needsSampler(plugin, order) ? startSampler(order) : null
  const children = [...loaders, ...(sampler ? [sampler] : [])]
  const logs = [plugin.about.errorLog, sampler && 'sampler.jsonl'].filter(file => file !== null)
    .map(file => tailReader(join(order.dir, file)))
  const pids = () => groupMembers(loaders.map(child => child.pid))
  const meter = meterOf(pids)
  const counts = countsOf(plugin, order, pids)
  let isPaused = false
  const close = () => {
    counts?.close()
    logs.forEach(log => log.close())
    meter.close()
  }
  return {
    pids,
    look: async () => meter.look(),
    async thaw () {
      isPaused = false
      children.forEach(child => child.thaw())
    },
    async freeze () {
      isPaused = true
      children.forEach(child => child.freeze())
    },
    async counts () {
      if (!counts) throw new Error(`the requests of ${plugin.about.title} cannot be counted while it runs`)
      return counts.read(isPaused)
    },
    cpu: async () => ({
      seconds: meter.seconds(),
      atSeconds: performance.now() / 1000,
      alive: loaders.some(child => !child.ended())
    }),
    errors: async () => addUp(logs.flatMap(log => log.lines()).map(line => JSON.parse(line))),
    async failure () {
      const dead = children.find(child => child.ended())
      return dead ? died(dead) : null
    },
    ...endingsOf({ plugin, loaders, sampler, close }, order),
    async kill () {
      await Promise.all(children.map(child => child.stop({ signal: 'SIGKILL' })))
      close()
    }
  }
}

/** @param {Program} program @param {GeneratorOrder} order */
function startLoaders ({ plugin, program, env }, order) {
  const { name, network, cores, dir } = order
  mkdirSync(dir, { recursive: true })
  const plan = plugin.command(order.load, order.target, {
    program,
    dir,
    maxSeconds: order.maxSeconds,
    part: order.part,
    cores: cores?.length ?? availableParallelism()
  })
  for (const [file, text] of Object.entries(plan.files)) writeFileSync(join(dir, file), text)
  return plan.processes.map((spec, i) => start({
    name: `the load generator of ${name} (${plugin.about.title})`,
    argv: spec.argv,
    env: { ...env, ...spec.env },
    enter: network.enter,
    cores,
    stdout: join(dir, `${i}.out`),
    log: join(dir, `${i}.err`)
  }))
}

/** The two ways in which it ends with a report.
 * @param {{ plugin: EnginePlugin, loaders: Child[], sampler: Child | null, close: () => void }} parts
 * @param {GeneratorOrder} order @returns {Pick<Generator, 'end' | 'finished'>} */
function endingsOf ({ plugin, loaders, sampler, close }, order) {
  const { name, dir, maxSeconds } = order
  const endSampler = async () => {
    await sampler?.stop()
    return sampler ? Number(readFileSync(join(dir, 'sampler.out'), 'utf8')) : 0
  }
  return {
    async end () {
      const sampled = await endSampler()
      const { stop } = plugin.about
      const ends = await Promise.all(
        loaders.map(child => child.stop({ signal: stop ?? 'SIGKILL', graceSeconds: END_GRACE_SECONDS, insist: true }))
      )
      close()
      return stop ? { measurement: readReport(plugin, ends, order), sampled } : null
    },
    async finished (graceSeconds) {
      const deadline = sleep((maxSeconds + graceSeconds) * 1000, null, { ref: false })
      const ends = await Promise.race([Promise.all(loaders.map(child => child.exited)), deadline])
      const sampled = await endSampler()
      if (ends) return { measurement: readReport(plugin, ends, order), sampled }
      await Promise.all(loaders.map(child => child.stop({ signal: 'SIGKILL' })))
      throw new HopbenchError('not-ready', {
        name: `the report of ${plugin.about.title} on ${name}`,
        seconds: maxSeconds + graceSeconds,
        output: loaders[0].tail()
      })
    }
  }
}

/** @param {EnginePlugin} engine @param {{ code: number | null }[]} ends of its processes
 * @param {{ name: string, dir: string }} where name: the arm's @throws {HopbenchError} engine-report */
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
  const fault = faultOfMeasurement(measurement)
  if (fault) throw new HopbenchError('engine-report', { name: engine.about.title, arm: name, why: fault, output })
  return measurement
}

/**
 * Returns the counter of an engine's requests.
 * @param {EnginePlugin} engine
 * @param {GeneratorOrder} order
 * @param {() => number[]} findPids of the generator's processes
 */
function countsOf ({ about: { counted } }, { dir }, findPids) {
  if (counted === 'writes') return new WriteCounts(findPids)
  return counted === 'responses' ? new OwnCounts(join(dir, CONTROL_SOCKET)) : null
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

/** Of an engine that looks at no bodies. Of one that is spread over machines the master's is enough.
 * @param {EnginePlugin} engine @param {GeneratorOrder} order */
const needsSampler = ({ about: { checksBodies } }, { target: { expectBody, expectByPath, expectMasked }, part }) =>
  !(checksBodies && !expectByPath && !expectMasked) && part?.role !== 'worker' &&
  Boolean(expectBody ?? expectByPath ?? expectMasked)

/** @param {GeneratorOrder} order */
function startSampler ({ name, load, target, network, cores, dir }) {
  const { url, socketPath, caFile, http2, expectBody, expectByPath, expectMasked, tellStatuses } = target
  const body = bodyOf(load)
  const bodyAt = join(dir, 'sampler.body')
  if (body) writeFileSync(bodyAt, body)
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
        http2,
        path: load.path,
        paths: load.paths,
        headers: load.headers,
        method: load.method,
        hasBody: load.body !== undefined,
        ignoreBody: load.ignoreBody,
        tellStatuses,
        everySeconds: SAMPLE_EVERY_SECONDS,
        expected: { status: target.expectStatus ?? 200, sha256: expectMasked ?? expectBody?.sha256, byPathFile },
        errorLog: join(dir, 'sampler.jsonl')
      })
    },
    ...body && { input: bodyAt },
    enter: network.enter,
    cores,
    stdout: join(dir, 'sampler.out'),
    log: join(dir, 'sampler.err')
  })
}

/** @param {SlicedErrors[]} lines @returns {SlicedErrors} */
export const addUp = lines => lines.reduce((sum, line) => ({
  mismatches: sum.mismatches + line.mismatches,
  timeouts: sum.timeouts + line.timeouts,
  resets: sum.resets + line.resets,
  ...(sum.non2xx ?? line.non2xx) !== undefined && { non2xx: (sum.non2xx ?? 0) + (line.non2xx ?? 0) }
}), /** @type {SlicedErrors} */ ({ mismatches: 0, timeouts: 0, resets: 0 }))
