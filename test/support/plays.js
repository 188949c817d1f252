/** Plays a scenario against servers in this process. */
import http from 'node:http'
import { findPlayFault } from '../../bench/measure/play.js'
import { loadPlugin } from '../../bench/plan/plugins.js'
import behaviour from '../../servers/behaviour.js'
import { listening } from './listening.js'

/** @import { AddressInfo } from 'node:net' */
/** @import { RequestListener, Server } from 'node:http' */
/** @import { Test } from 'tap' */
/** @import { Played } from '../../bench/measure/play.js' */
/** @import { OptionValue, PlayAddress, PlayContext, PlayReading, Scenario } from '../../bench/types.js' */
/** @import { UpgradeListener } from '../../bench/types.js' */

/** A reading of processes that use nothing. @type {PlayReading} */
export const NO_READING = {
  memoryMiB: { proxy: 0, server: 0 },
  cpuSeconds: { proxy: 0, server: 0 },
  openFiles: { proxy: 0, server: 0 },
  temporaryMiB: { proxy: 0, server: 0 }
}

/**
 * Returns the app servers/behaviour.js.
 * @param {Test} t
 * @param {Record<string, OptionValue>} [options]
 * @returns {Promise<RequestListener>}
 */
export async function behaviourApp (t, options) {
  return behaviour({ root: t.testdir({ '1kb.json': '{}' }), options: { idle: 'long', ...options } })
}

/**
 * Starts a server that ends with the test.
 * @param {Test} t
 * @param {RequestListener} handler
 * @param {UpgradeListener} [upgrade] omitted: no upgrade
 */
export async function listen (t, handler, upgrade) {
  const server = http.createServer({ keepAliveTimeout: 30_000 }, handler)
  if (upgrade) server.on('upgrade', upgrade)
  await listening(t, server)
  return server
}

/**
 * @param {Server} server
 * @returns {PlayAddress}
 */
export function toAddress (server) {
  const { port } = /** @type {AddressInfo} */ (server.address())
  return { url: `http://127.0.0.1:${port}`, host: '127.0.0.1', port, socketPath: null }
}

/**
 * Plays a scenario with the defaults of its options, and checks its result as the suite does.
 * @param {Test} t
 * @param {string} name of the scenario
 * @param {object} order
 * @param {Server} order.server
 * @param {Server} [order.origin] app behind the server; omitted: the server itself
 * @param {Record<string, OptionValue>} order.options
 * @param {PlayContext['act']} [order.act]
 * @param {PlayContext['read']} [order.read]
 * @returns {Promise<Played>} as the suite gets it
 */
export async function play (t, name, { server, origin = server, options, act = async () => {}, read }) {
  /** @type {{ default: Scenario }} */
  const { default: scenario } = await loadPlugin('scenario', name)
  const defaults = Object.fromEntries(Object.entries(scenario.options).map(([option, spec]) => [option, spec.default]))
  const result = await scenario.play({
    target: { ...toAddress(server), path: '/', headers: {}, origin: toAddress(origin) },
    options: { ...defaults, ...options },
    act,
    read: read ?? (async () => NO_READING),
    signal: AbortSignal.timeout(60_000),
    seed: 1
  })
  /** @type {Played} */
  const played = JSON.parse(JSON.stringify(result))
  t.equal(findPlayFault(played), null)
  return played
}

/**
 * @param {Played} played
 * @returns {Record<string, Record<string, number>>} outcomes by group
 */
export const getCounts = ({ groups }) => Object.fromEntries(groups.map(({ name, counts }) => [name, counts]))

/**
 * @param {Played} played
 * @param {string} name
 */
export const getMetric = ({ figures = [] }, name) => figures.find(figure => figure.name === name)?.value
