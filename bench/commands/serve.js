import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { onInterrupt } from '../enclosure.js'
import { HopbenchError } from '../errors.js'
import { DEFAULT_RESULTS_DIR } from '../store.js'

const PORT = 8420

/** @param {string} value */
function port (value) {
  const number = Number(value)
  if (!Number.isInteger(number) || number < 0 || number > 65535) throw new HopbenchError('bad-option', { option: '--port', value, why: 'it takes a port number' })
  return number
}

/** @param {import('commander').Command} program */
export default program => program.command('serve')
  .description('a page to start runs, watch them and look at those that are stored')
  .option('--port <number>', 'where it listens; 0: wherever there is a free one', port, PORT)
  .option('--host <address>', 'another address than loopback: then the page asks for a token, which is printed', '127.0.0.1')
  .option('--results <folder>', 'where runs are kept')
  .option('--open', 'show it in the browser')
  .addHelpText('after', `
Prometheus finds the run under way at /metrics.`)
  .action(async ({ port, host, results, open: show = false }) => {
    const [{ createApp }, { isLoopback }, { createJobs }] = await Promise.all([import('../serve/app.js'), import('../serve/guard.js'), import('../serve/job.js')])
    const resultsDir = resolve(results ?? DEFAULT_RESULTS_DIR)
    const jobs = createJobs({ resultsDir })
    const token = isLoopback(host) ? null : randomBytes(24).toString('base64url')
    let at = port
    const server = createApp({ resultsDir, host, port: () => at, token, jobs }).listen(port, host)
    // An error that comes in its place is what once() rejects with.
    const refused = await once(server, 'listening').then(() => null, error => error)
    if (refused) throw new HopbenchError('cannot-listen', { host, port, why: refused.code === 'EADDRINUSE' ? 'another program listens there' : refused.message })
    at = /** @type {import('node:net').AddressInfo} */ (server.address()).port
    const url = `http://${host.includes(':') ? `[${host}]` : host}:${at}/${token ? `?token=${token}` : ''}`
    process.stdout.write(`${url}\nCtrl-C ends it.\n`)
    if (show) (await (await import('open')).default(url).catch(() => null))?.on('error', () => {})
    await new Promise(resolve => onInterrupt(resolve))
    await jobs.stop()
    server.close()
    server.closeAllConnections()
  })
