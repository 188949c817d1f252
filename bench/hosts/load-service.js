/** Makes load for a rig on another machine, which asks for it over a channel. */
import { once } from 'node:events'
import { mkdirSync, readFileSync, readdirSync } from 'node:fs'
import { connect } from 'node:net'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { HopbenchError } from '../errors.js'
import { packError } from './channel.js'
import { unpackTarget } from './pack.js'

/** A firewall that drops what it does not like says nothing. */
const REACH_SECONDS = 5
/** What an engine said, for the run's folder. */
const LOG_BYTES = 16384

/**
 * @param {import('./channel.js').Channel} channel
 * @param {import('../find-engine.js').Engines} engines where this load is made
 * @param {string} folder takes the generators' files
 */
export function serveLoad (channel, engines, folder) {
  /** @type {Map<number, { generator: import('../generator.js').Generator, dir: string }>} */
  const running = new Map()
  /** @type {Set<string>} */
  const reached = new Set()
  let count = 0
  const generatorOf = (/** @type {number} */ id) => /** @type {import('../generator.js').Generator} */ (running.get(id)?.generator)

  channel.serve('load/engine', async name => ({ version: (await engines.find(name)).version }))
  channel.serve('load/start', async ({ engine, order }) => {
    const { url, socketPath } = order.target
    if (!reached.has(url) && socketPath === null) await reach(url)
    reached.add(url)
    const id = count++
    const dir = join(folder, `load-${id}`)
    mkdirSync(dir, { recursive: true })
    const found = await engines.find(engine)
    running.set(id, { dir, generator: await found.start({ ...order, target: unpackTarget(order.target, dir), network: { enter: [] }, cores: null, dir }) })
    return id
  })
  for (const method of /** @type {const} */ (['thaw', 'freeze', 'look', 'cpu', 'errors', 'kill'])) {
    channel.serve(`load/${method}`, id => generatorOf(id)[method]())
  }
  channel.serve('load/failure', async id => {
    const failure = await generatorOf(id).failure()
    return failure && packError(failure)
  })
  channel.serve('load/end', async id => ({ report: await generatorOf(id).end(), logs: logsIn(running.get(id)?.dir) }))
  channel.serve('load/finished', async ({ id, graceSeconds }) => ({ report: await generatorOf(id).finished(graceSeconds), logs: logsIn(running.get(id)?.dir) }))
  return {
    /** Ends what still runs. */
    close: async () => { await Promise.all([...running.values()].map(({ generator }) => generator.kill().catch(() => {}))) }
  }
}

/**
 * Before a generator counts failures that are the network's: can the served side be reached from here at all?
 * @param {string} url
 * @throws {HopbenchError} host-unreachable
 */
async function reach (url) {
  const { hostname: host, port } = new URL(url)
  const socket = connect({ host, port: Number(port) })
  socket.setTimeout(REACH_SECONDS * 1000, () => socket.destroy(new Error(`no answer within ${REACH_SECONDS} s`)))
  try {
    await once(socket, 'connect')
  } catch (error) {
    throw new HopbenchError('host-unreachable', { host: hostname(), url, why: /** @type {Error} */ (error).message })
  } finally {
    socket.destroy()
  }
}

/** @param {string | undefined} dir @returns {Record<string, string>} */
const logsIn = dir => dir === undefined
  ? {}
  : Object.fromEntries(readdirSync(dir).filter(file => /\.(err|log)$/.test(file)).map(file => [file, readFileSync(join(dir, file), 'utf8').slice(-LOG_BYTES)]))
