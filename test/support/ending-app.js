/** Starts apps on node:http that end in a certain way, for trials of their end. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { once } from 'node:events'
import { join } from 'node:path'
import { freePort, releasePort } from '../../bench/machine/network/ports.js'
import { start, waitUntil } from '../../bench/machine/process.js'
import { project } from './cli.js'

/** @import { Test } from 'tap' @import { AppToEnd } from '../../bench/features/rollout/app-half.js' */

/** First port of these apps. */
const PORT = 18_700
const HOST = '127.0.0.1'

/**
 * Returns an app whose processes are started by tryAppEnd.
 * @param {Test} t
 * @param {string} code of a module, which listens on the port in PORT
 * @returns {AppToEnd}
 */
export function endingApp (t, code) {
  // Within the project, so that the packages of the project are found.
  mkdirSync(join(project, '.tap'), { recursive: true })
  const dir = mkdtempSync(join(project, '.tap/app-'))
  t.teardown(() => rmSync(dir, { recursive: true, force: true }))
  writeFileSync(join(dir, 'app.mjs'), code)
  return {
    dir,
    network: { enter: [], address: HOST },
    async startApp () {
      const port = await freePort(PORT, HOST)
      const child = start({
        name: 'the app',
        argv: [process.execPath, join(dir, 'app.mjs')],
        env: { PORT: String(port) },
        log: join(dir, 'app.log')
      })
      t.teardown(() => child.stop({ graceSeconds: 0 }))
      t.teardown(() => releasePort(port))
      await waitUntil(child, () => connects({ host: HOST, port }))
      return { child, listen: { port } }
    }
  }
}

/** @param {import('node:net').NetConnectOpts} address */
async function connects (address) {
  const socket = connect(address)
  const isConnected = await once(socket, 'connect').then(() => true, () => false)
  socket.destroy()
  return isConnected
}
