/** The live page on a port of its own. */
import { once } from 'node:events'
import { createApp } from '../../bench/serve/app.js'
import { createJobs } from '../../bench/serve/job.js'

/**
 * @param {import('tap').Test} t
 * @param {{ resultsDir: string, token?: string | null, host?: string, command?: string[] }} options
 */
export async function serveFor (t, { resultsDir, token = null, host = '127.0.0.1', command }) {
  const jobs = createJobs({ resultsDir, command })
  let port = 0
  const server = createApp({ resultsDir, host, port: () => port, token, jobs }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  port = /** @type {import('node:net').AddressInfo} */ (server.address()).port
  t.teardown(async () => {
    await jobs.stop()
    server.close()
    server.closeAllConnections()
  })
  return { url: `http://127.0.0.1:${port}`, port, jobs }
}
