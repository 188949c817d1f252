/** Plays a scenario against a server in this process. */
import { once } from 'node:events'
import http from 'node:http'
import { findPlayFault } from '../../bench/measure/play-fault.js'
import { loadPlugin } from '../../bench/plugins.js'

/** @import { AddressInfo } from 'node:net' */
/** @import { RequestListener, Server } from 'node:http' */
/** @import { Test } from 'tap' */
/** @import { Played } from '../../bench/measure/play-fault.js' */
/** @import { OptionValue, PlayReading, Scenario, UpgradeListener } from '../../bench/types.js' */

/**
 * @param {Test} t ends the server
 * @param {RequestListener} handler
 * @param {UpgradeListener} [upgrade] omitted: no upgrade
 */
export async function listen (t, handler, upgrade) {
  const server = http.createServer({ keepAliveTimeout: 30_000 }, handler)
  if (upgrade) server.on('upgrade', upgrade)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return server
}

/**
 * @param {Test} t
 * @param {string} name of the scenario
 * @param {{ server: Server, options: Record<string, OptionValue>, read: () => Promise<PlayReading> }} order
 * @returns {Promise<Played>} as the suite gets it
 */
export async function play (t, name, { server, options, read }) {
  const { port } = /** @type {AddressInfo} */ (server.address())
  const address = { url: `http://127.0.0.1:${port}`, host: '127.0.0.1', port, socketPath: null }
  /** @type {{ default: Scenario }} */
  const { default: scenario } = await loadPlugin('scenario', name)
  const defaults = Object.fromEntries(Object.entries(scenario.options).map(([option, spec]) => [option, spec.default]))
  const result = await scenario.play({
    target: { ...address, path: '/', headers: {}, origin: address },
    options: { ...defaults, ...options },
    act: async () => {},
    read,
    signal: AbortSignal.timeout(60_000),
    seed: 1
  })
  /** @type {Played} */
  const played = JSON.parse(JSON.stringify(result))
  t.equal(findPlayFault(played), null)
  return played
}
