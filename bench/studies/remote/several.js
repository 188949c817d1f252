/** Runs generators on several machines as one: starts them together, adds their counts, and merges their histograms. If
 * one of them is lost, the group has failed. */
import { HopbenchError } from '../../errors.js'
import { enginesFrom } from '../../load/find-engine.js'
import { sumErrors } from '../../load/generator.js'
import { mergeMeasurements } from './merge.js'

/** @import { CpuReading, Engines, FoundEngine, Generator, Report } from '../../load/shapes.js' */
/** @import { Load } from '../../types.js' */

/**
 * @param {{ name: string, engines: Engines }[]} hosts
 * @returns {Engines}
 */
export const enginesOfSeveral = hosts =>
  hosts.length === 1 ? hosts[0].engines : enginesFrom(name => findOnAll(hosts, name))

/**
 * @param {{ name: string, engines: Engines }[]} hosts
 * @param {string} name
 * @returns {Promise<FoundEngine>}
 */
async function findOnAll (hosts, name) {
  const found = await Promise.all(hosts.map(({ engines }) => engines.find(name)))
  refuseDifferentVersions(name, found.map(({ version }, i) => [hosts[i].name, version]))
  return {
    ...found[0],
    start: async order => new SeveralGenerators(await Promise.all(found.map((engine, i) =>
      engine.start({ ...order, load: shareOf(order.load, i, found.length) }))))
  }
}

/**
 * Rejects machines with different versions of an engine.
 *
 * @param {string} engine
 * @param {[host: string, version: string][]} versions
 * @throws {HopbenchError} hosts-differ
 */
export function refuseDifferentVersions (engine, versions) {
  const [first] = versions
  const other = versions.find(([, version]) => version !== first[1])
  if (other) throw new HopbenchError('hosts-differ', { what: engine, hosts: [first, other] })
}

/**
 * Returns the part of a load that one of several generators makes.
 *
 * @param {Load} load
 * @param {number} i index of the generator
 * @param {number} count of generators
 * @returns {Load}
 */
const shareOf = (load, i, count) => ({
  ...load,
  // The first generators get one connection more, if the number is not divisible.
  connections: Math.max(1, Math.ceil((load.connections - i) / count)),
  ...load.spawnPerSecond !== undefined && { spawnPerSecond: load.spawnPerSecond / count },
  ...load.rate !== undefined && { rate: load.rate / count, seed: ((load.seed ?? 1) + i) % 2 ** 32 }
})

/**
 * Adds the CPU times of several machines. Their clocks differ, so the mean of the clocks is used; only its progress has
 * a meaning.
 *
 * @param {CpuReading[]} readings at least one
 */
export function addReadings (readings) {
  const sum = (/** @type {'seconds' | 'atSeconds'} */ key) =>
    readings.reduce((total, reading) => total + reading[key], 0)
  return { seconds: sum('seconds'), atSeconds: sum('atSeconds') / readings.length }
}

/** Generators that are controlled together. */
export class GeneratorGroup {
  resume = async () => { await this.all(generator => generator.resume()) }
  pause = async () => { await this.all(generator => generator.pause()) }
  look = async () => { await this.all(generator => generator.look()) }
  kill = async () => { await this.all(generator => generator.kill()) }

  /** @param {Generator[]} generators */
  constructor (generators) {
    this.generators = generators
  }

  /** Returns the failure of one of them. */
  async failure () {
    const failures = await this.all(generator => generator.failure())
    return failures.find(failure => failure) ?? null
  }

  /**
   * @template T
   * @param {(generator: Generator) => Promise<T>} action
   */
  all (action) {
    return Promise.all(this.generators.map(action))
  }
}

/** @implements {Generator} */
class SeveralGenerators extends GeneratorGroup {
  errors = async () => sumErrors(await this.all(generator => generator.errors()))

  async cpu () {
    const readings = await this.all(generator => generator.cpu())
    return { ...addReadings(readings), alive: readings.every(({ alive }) => alive) }
  }

  async counts () {
    const counts = await this.all(generator => generator.counts())
    return {
      requests: counts.reduce((sum, { requests }) => sum + requests, 0),
      atSeconds: counts.reduce((sum, { atSeconds }) => sum + atSeconds, 0) / counts.length,
      isIdle: counts.every(({ isIdle }) => isIdle)
    }
  }

  async end () {
    const reports = await this.all(generator => generator.end())
    const complete = reports.filter(report => report !== null)
    return complete.length < reports.length ? null : mergeReports(complete)
  }

  /** @param {number} graceSeconds */
  async finished (graceSeconds) {
    return mergeReports(await this.all(generator => generator.finished(graceSeconds)))
  }
}

/** @param {Report[]} reports */
const mergeReports = reports => ({
  measurement: mergeMeasurements(reports.map(({ measurement }) => measurement)),
  sampled: reports.reduce((sum, report) => sum + report.sampled, 0)
})
