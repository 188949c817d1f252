/** The live page on a port of its own. */
import { once } from 'node:events'
import { createApp } from '../../bench/commands/serve/app.js'
import { createJobs } from '../../bench/commands/serve/job.js'

/** @import { AddressInfo } from 'node:net' */
/** @import { Test } from 'tap' */

export const TOKEN = 'a-token-of-a-test'

/**
 * @param {Test} t
 * @param {{ resultsDir: string, host?: string, command?: string[], mostEvents?: number }} options
 */
export async function serveFor (t, { resultsDir, host = '127.0.0.1', command, mostEvents }) {
  const jobs = createJobs({ resultsDir, command, mostEvents })
  let port = 0
  const server = createApp({ resultsDir, host, port: () => port, token: TOKEN, jobs }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  port = /** @type {AddressInfo} */ (server.address()).port
  t.teardown(async () => {
    await jobs.stop()
    server.close()
    server.closeAllConnections()
  })
  const url = `http://127.0.0.1:${port}`
  return { url, entrance: `${url}/?token=${TOKEN}`, port, jobs }
}
