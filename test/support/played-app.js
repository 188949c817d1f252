/** An app in this process against which a test plays a scenario. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import behaviour from '../../servers/behaviour.js'
import { listen as startServer } from './play.js'

/** @import { RequestListener } from 'node:http' @import { AddressInfo } from 'node:net' @import { Test } from 'tap' */
/** @import { OptionValue, PlayAddress, PlayContext, PlayReading } from '../../bench/types.js' */

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
 */
export async function behaviourApp (t, options) {
  const root = t.testdir()
  writeFileSync(join(root, '1kb.json'), '{}')
  return /** @type {RequestListener} */ (await behaviour({ root, options: { idle: 'long', ...options } }))
}

/**
 * Starts an app and returns the context of a play against it.
 * @param {Test} t
 * @param {object} play
 * @param {RequestListener} play.app
 * @param {RequestListener} [play.front] in front of the app; omitted: none
 * @param {Record<string, OptionValue>} play.options
 * @param {number} [play.maxConnections] of the front
 * @param {() => Promise<PlayReading>} [play.read]
 * @returns {Promise<PlayContext>}
 */
export async function planPlay (t, { app, front = app, options, maxConnections, read = async () => NO_READING }) {
  const origin = await listen(t, app)
  const address = await listen(t, front, maxConnections)
  return {
    target: { ...address, path: '/', headers: {}, origin },
    options,
    read,
    act: async () => {},
    signal: AbortSignal.timeout(60_000),
    seed: 1
  }
}

/**
 * Starts a server that ends with the test.
 * @param {Test} t
 * @param {RequestListener} handler
 * @param {number} [maxConnections]
 * @returns {Promise<PlayAddress>}
 */
export async function listen (t, handler, maxConnections) {
  const server = await startServer(t, handler)
  if (maxConnections !== undefined) server.maxConnections = maxConnections
  const { port } = /** @type {AddressInfo} */ (server.address())
  return { url: `http://127.0.0.1:${port}`, host: '127.0.0.1', port, socketPath: null }
}
