/** Makes load for a rig on another machine, which asks for it over a channel. */
import { once } from 'node:events'
import { mkdirSync, readFileSync, readdirSync } from 'node:fs'
import { connect } from 'node:net'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { getErrorMessage, HopbenchError } from '../../errors.js'
import { LOG_BYTES } from './messages.js'
import { unpackTarget } from './pack.js'
import { packError } from './received.js'

/** @import { Engines } from '../../load/find-engine.js' */
/** @import { Generator, GeneratorOrder } from '../../load/generator.js' @import { Channel } from './channel.js' */

/** A firewall that drops what it does not like says nothing. */
const REACH_SECONDS = 5
const MOST_GENERATORS = 200 // One for each arm; a rig that asks for more than any experiment has is out of its mind.

/** @typedef {object} Where
 * @property {Engines} engines where this load is made
 * @property {string} folder takes the generators' files
 * @property {string} [onlyTo] the one address that may be loaded; left out: the rig's machine leads this one anyway */

/** @param {Channel} channel @param {Engines} engines where this load is made
 * @param {string} folder takes the generators' files
 * @param {Pick<Where, 'onlyTo'>} [options] */
export function serveLoad (channel, engines, folder, { onlyTo } = {}) {
  const { start, startedAs, over, close } = generatorsFor(channel, { engines, folder, onlyTo })
  /** @param {number} id @param {(generator: Generator) => Promise<any>} ask */
  const reportOf = async (id, ask) => {
    const { generator, dir } = startedAs(id)
    const report = await ask(generator)
    over(id)
    return { report, logs: logsIn(dir) }
  }

  channel.serve('load/engine', async name => ({ version: (await engines.find(name)).version }))
  channel.serve('load/start', start)
  for (const method of /** @type {const} */ (['thaw', 'freeze', 'look', 'cpu', 'errors', 'counts'])) {
    channel.serve(`load/${method}`, id => startedAs(id).generator[method]())
  }
  channel.serve('load/kill', async id => {
    await startedAs(id).generator.kill()
    over(id)
  })
  channel.serve('load/failure', async id => {
    const failure = await startedAs(id).generator.failure()
    return failure && packError(failure)
  })
  channel.serve('load/end', id => reportOf(id, generator => generator.end()))
  channel.serve('load/finished', ({ id, graceSeconds }) => reportOf(id, generator => generator.finished(graceSeconds)))
  return { close }
}

/** The generators that a rig has started, by number. @param {Channel} channel @param {Where} where */
function generatorsFor (channel, { engines, folder, onlyTo }) {
  /** @type {Map<number, { generator: Generator, dir: string }>} */
  const started = new Map()
  /** @type {Set<Promise<number>>} */
  const starting = new Set()
  /** @type {Set<number>} */
  const running = new Set()
  /** @type {Set<string>} */
  const reached = new Set()
  let closed = false
  let count = 0
  const begin = async (/** @type {{ engine: string, order: any }} */ { engine, order }) => {
    const { url, socketPath } = order.target
    if (onlyTo !== undefined && !isAt(order.target, onlyTo)) {
      throw channel.refuse(`it asked for load on ${socketPath ?? url}, which is not its address`)
    }
    if (running.size >= MOST_GENERATORS) throw channel.refuse(`it asked for more than ${MOST_GENERATORS} generators`)
    const id = count++
    running.add(id)
    if (!reached.has(url) && socketPath === null) await reach(url)
    reached.add(url)
    const dir = join(folder, `load-${id}`)
    mkdirSync(dir, { recursive: true })
    const found = await engines.find(engine)
    const target = unpackTarget(order.target, dir)
    if (closed) throw new HopbenchError('host-lost', { host: channel.name, why: 'the run is over' })
    started.set(id, { dir, generator: await found.start(hereOrder({ ...order, target, dir })) })
    return id
  }
  return {
    /** @param {Parameters<typeof begin>[0]} asked */
    async start (asked) {
      const begun = begin(asked)
      starting.add(begun)
      return begun.finally(() => starting.delete(begun))
    },
    /** @param {number} id */
    startedAs (id) {
      const found = started.get(id)
      if (!found) throw channel.refuse(`there is no load generator ${id}`)
      return found
    },
    /** @param {number} id */
    over: id => { running.delete(id) },
    /** Ends what runs, and what is just being started: the machine that asked for it may be gone. */
    async close () {
      closed = true
      await Promise.allSettled(starting)
      await Promise.all([...started.values()].map(({ generator }) => generator.kill().catch(() => {})))
    }
  }
}

/** @param {Omit<GeneratorOrder, 'network' | 'cores'>} order */
const hereOrder = order => ({ ...order, network: { enter: [] }, cores: null })

/** @param {{ url: string, socketPath: string | null }} target @param {string} address */
function isAt ({ url, socketPath }, address) {
  try {
    return socketPath === null && new URL(url).hostname.replace(/^\[|\]$/g, '') === address
  } catch {
    return false
  }
}

/** Before a generator counts failures that are the network's: can the served side be reached from here at all?
 * @param {string} url @throws {HopbenchError} host-unreachable */
async function reach (url) {
  const { hostname: host, port } = new URL(url)
  const socket = connect({ host: host.replace(/^\[|\]$/g, ''), port: Number(port) })
  socket.setTimeout(REACH_SECONDS * 1000, () => socket.destroy(new Error(`no answer within ${REACH_SECONDS} s`)))
  try {
    await once(socket, 'connect')
  } catch (error) {
    throw new HopbenchError('host-unreachable', { host: hostname(), url, why: getErrorMessage(error) })
  } finally {
    socket.destroy()
  }
}

/** @param {string} dir @returns {Record<string, string>} the ends of what its processes said */
const logsIn = dir => Object.fromEntries(readdirSync(dir)
  .filter(file => /\.(err|log)$/.test(file))
  .map(file => [file, readFileSync(join(dir, file), 'utf8').slice(-LOG_BYTES)]))
