/** Uses engines and generators of another machine. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { enginesFrom } from '../../load/find-engine.js'
import { loadPlugin } from '../../plugins.js'
import { packTarget } from './pack.js'
import { unpackError } from './received.js'
import { makeFolder } from '../../machine/make-folder.js'

/** @import { Engines, Generator, GeneratorOrder, Report } from '../../load/shapes.js' */
/** @import { Channel } from './channel.js' */

/** Time for reading a report and ending a sampler after the load. */
const REPORT_SECONDS = 60

/**
 * @param {Channel} channel
 * @returns {Engines}
 */
export const enginesOver = channel => enginesFrom(async name => {
  // The capabilities of an engine are in its plug-in, which is the same on both machines.
  const { default: plugin } = await loadPlugin('engine', name)
  const { version } = await channel.request('load/engine', name)
  return { name, plugin, program: '', env: {}, version, start: order => startOver(channel, name, order) }
})

/**
 * @param {Channel} channel
 * @param {string} engine
 * @param {GeneratorOrder} order
 * @returns {Promise<Generator>}
 */
async function startOver (channel, engine, order) {
  const { name, load, target, maxSeconds, part } = order
  const packed = { name, load, target: packTarget(target), maxSeconds, part }
  const id = await channel.request('load/start', { engine, order: packed })
  return new RemoteGenerator(channel, id, order)
}

/** @implements {Generator} */
class RemoteGenerator {
  resume = () => this.#request('resume')
  pause = () => this.#request('pause')
  look = () => this.#request('look')
  cpu = () => this.#request('cpu')
  errors = () => this.#request('errors')
  counts = () => this.#request('counts')
  #channel
  #id
  #order

  /**
   * @param {Channel} channel
   * @param {number} id
   * @param {Pick<GeneratorOrder, 'dir' | 'maxSeconds'>} order
   */
  constructor (channel, id, order) {
    this.#channel = channel
    this.#id = id
    this.#order = order
  }

  async failure () {
    const failure = await this.#request('failure')
    return failure && (unpackError(failure) ?? new Error('the load generator failed'))
  }

  async end () {
    return this.#keepLogs(await this.#request('end'))
  }

  /** @param {number} graceSeconds */
  async finished (graceSeconds) {
    const seconds = this.#order.maxSeconds + graceSeconds + REPORT_SECONDS
    const response = await this.#channel.request('load/finished', { id: this.#id, graceSeconds }, seconds)
    const report = this.#keepLogs(response)
    if (!report) throw this.#channel.refuse('the response to "load/finished" has no report')
    return report
  }

  async kill () {
    // If the machine is lost, its generators are ended there.
    await this.#request('kill').catch(() => {})
  }

  /** @param {string} method */
  #request (method) {
    return this.#channel.request(`load/${method}`, this.#id)
  }

  /** Stores the logs of a finished generator. The channel has validated their names.
   * @param {{ report: Report | null, logs: Record<string, string> }} response */
  #keepLogs ({ report, logs }) {
    const { dir } = this.#order
    makeFolder(dir)
    for (const [file, text] of Object.entries(logs)) writeFileSync(join(dir, file), text)
    return report
  }
}
