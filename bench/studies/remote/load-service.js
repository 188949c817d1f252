/** Generates load for a rig on another machine. */
import { once } from 'node:events'
import { readFileSync, readdirSync } from 'node:fs'
import { connect } from 'node:net'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { getErrorMessage, HopbenchError } from '../../errors.js'
import { LOG_BYTES } from './messages.js'
import { unpackTarget } from './pack.js'
import { packError } from './received.js'
import { makeFolder } from '../../machine/make-folder.js'
import { isLog } from '../../measure/kept-files.js'

/** @import { Engines, Generator } from '../../load/shapes.js' */
/** @import { Channel } from './channel.js' */

/** Connection timeout, because a firewall may drop packets silently. */
const REACH_SECONDS = 5
/** Limit of running generators. Experiments have fewer arms, and an arm has one generator. */
const MOST_GENERATORS = 200

/**
 * Registers the handlers for load requests.
 *
 * @param {Channel} channel
 * @param {Engines} engines
 * @param {string} folder for the generators' files
 * @param {{ onlyTo?: string }} [options] onlyTo: the only address that may be loaded; by default any address, because
 * the other machine leads this one
 * @returns {{ close: () => Promise<void> }}
 */
export function serveLoad (channel, engines, folder, { onlyTo } = {}) {
  const generators = new StartedGenerators({ channel, engines, folder, onlyTo })
  channel.serve('load/engine', async name => ({ version: (await engines.find(name)).version }))
  channel.serve('load/start', order => generators.start(order))
  /** @type {('resume' | 'pause' | 'look' | 'cpu' | 'errors' | 'counts')[]} */
  const methods = ['resume', 'pause', 'look', 'cpu', 'errors', 'counts']
  for (const method of methods) {
    channel.serve(`load/${method}`, async id => (await generators.get(id)).generator[method]())
  }
  channel.serve('load/kill', id => generators.finish(id, generator => generator.kill()))
  channel.serve('load/failure', async id => {
    const { generator } = await generators.get(id)
    const failure = await generator.failure()
    return failure && packError(failure)
  })
  const report = async (/** @type {number} */ id, /** @type {(generator: Generator) => Promise<any>} */ end) =>
    ({ report: await generators.finish(id, end), logs: readLogs((await generators.get(id)).dir) })
  channel.serve('load/end', id => report(id, generator => generator.end()))
  channel.serve('load/finished', ({ id, graceSeconds }) => report(id, generator => generator.finished(graceSeconds)))
  return { close: () => generators.close() }
}

/** The generators that a rig has started, by number. */
class StartedGenerators {
  #options
  /** Generators that are starting or have started. @type {Promise<{ generator: Generator, dir: string }>[]} */
  #started = []
  /** Numbers of generators that have not finished. @type {Set<number>} */
  #running = new Set()
  /** @type {Set<string>} */
  #reachedUrls = new Set()
  #isClosed = false

  /** @param {{ channel: Channel, engines: Engines, folder: string, onlyTo?: string }} options */
  constructor (options) {
    this.#options = options
  }

  /**
   * @param {{ engine: string, order: any }} request
   * @returns {Promise<number>} number of the generator
   */
  async start (request) {
    const { channel, onlyTo } = this.#options
    const { url, socketPath } = request.order.target
    if (onlyTo !== undefined && !isAt(request.order.target, onlyTo)) {
      throw channel.refuse(`it requested load on ${socketPath ?? url}, which is not its address`)
    }
    if (this.#running.size >= MOST_GENERATORS) {
      throw channel.refuse(`it requested more than ${MOST_GENERATORS} generators`)
    }
    const id = this.#started.length
    this.#running.add(id)
    const starting = this.#start(id, request)
    this.#started.push(starting)
    await starting
    return id
  }

  /**
   * @param {number} id
   * @param {{ engine: string, order: any }} request
   */
  async #start (id, { engine, order }) {
    const { channel, engines, folder } = this.#options
    const { url, socketPath } = order.target
    if (!this.#reachedUrls.has(url) && socketPath === null) await reach(url)
    this.#reachedUrls.add(url)
    const dir = join(folder, `load-${id}`)
    makeFolder(dir)
    const found = await engines.find(engine)
    const target = unpackTarget(order.target, dir)
    if (this.#isClosed) throw new HopbenchError('host-lost', { host: channel.name, why: 'the run is over' })
    return { dir, generator: await found.start({ ...order, target, dir, network: { enter: [] }, cores: null }) }
  }

  /** @param {number} id */
  async get (id) {
    const started = this.#started[id]
    if (!started) throw this.#options.channel.refuse(`there is no load generator ${id}`)
    return started
  }

  /**
   * Ends a generator, so that it no longer counts as running.
   *
   * @template T
   * @param {number} id
   * @param {(generator: Generator) => Promise<T>} end
   */
  async finish (id, end) {
    const { generator } = await this.get(id)
    const result = await end(generator)
    this.#running.delete(id)
    return result
  }

  /** Ends all generators, including those that are starting, because a lost rig cannot end them. */
  async close () {
    this.#isClosed = true
    await Promise.allSettled(this.#started.map(async started => (await started).generator.kill()))
  }
}

/**
 * @param {{ url: string, socketPath: string | null }} target
 * @param {string} address
 */
const isAt = ({ url, socketPath }, address) =>
  socketPath === null && URL.canParse(url) && new URL(url).hostname.replace(/^\[|\]$/g, '') === address

/**
 * Connects to the served side once, so that an unreachable network is not reported as failed requests.
 *
 * @param {string} url
 * @throws {HopbenchError} host-unreachable
 */
async function reach (url) {
  const { hostname: host, port } = new URL(url)
  const socket = connect({ host: host.replace(/^\[|\]$/g, ''), port: Number(port) })
  socket.setTimeout(REACH_SECONDS * 1000, () => socket.destroy(new Error(`no response within ${REACH_SECONDS} s`)))
  try {
    await once(socket, 'connect')
  } catch (error) {
    throw new HopbenchError('host-unreachable', { host: hostname(), url, why: getErrorMessage(error) })
  } finally {
    socket.destroy()
  }
}

/**
 * Reads the last part of each log.
 *
 * @param {string} dir
 * @returns {Record<string, string>}
 */
const readLogs = dir => Object.fromEntries(readdirSync(dir)
  .filter(isLog)
  .map(file => [file, readFileSync(join(dir, file), 'utf8').slice(-LOG_BYTES)]))
