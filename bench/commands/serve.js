import { once } from 'node:events'
import { resolve } from 'node:path'
import { HopbenchError } from '../errors.js'
import { onInterrupt } from '../machine/enclosure.js'
import { startSupervisor } from '../machine/process.js'
import { makeTempRoot } from '../machine/temp.js'
import { DEFAULT_RESULTS_DIR } from '../store/store.js'

/** @import { Command } from 'commander' */
/** @import { AddressInfo } from 'node:net' */

const PORT = 8420
const MOST_CONNECTIONS = 200 // Pages, and the connections that browsers keep for them.

/** @param {string} value */
function port (value) {
  const number = Number(value)
  if (!Number.isInteger(number) || number < 0 || number > 65535) {
    throw new HopbenchError('bad-option', { option: '--port', value, why: 'it takes a port number' })
  }
  return number
}

/** @param {Command} program */
export default program =>
  program.command('serve')
    .description('a page to start runs, watch them and look at those that are stored')
    .option('--port <number>', 'where it listens; 0: wherever there is a free one', port, PORT)
    .option('--host <address>', 'another address than loopback', '127.0.0.1')
    .option('-o, --results <folder>', 'where runs are kept (default: ./results)')
    .option('--open', 'show it in the browser')
    .addHelpText('after', `
The address that it prints has a token in it, without which nothing is answered.
Prometheus finds the run under way at /metrics, with that token as its credentials.`)
    .action(async ({ port, host, results, open: show = false }) => {
      const [{ createApp }, { createJobs }, { tokenFrom, writeEntrance }] = await Promise.all([
        import('./serve/app.js'), import('./serve/job.js'), import('./serve/token.js')])
      const token = tokenFrom(process.env)
      const temp = makeTempRoot()
      // Whatever ends this process, the run that it has started ends, too.
      startSupervisor()
      const resultsDir = resolve(results ?? DEFAULT_RESULTS_DIR)
      const jobs = createJobs({ resultsDir, temp: temp.path })
      let at = port
      const server = createApp({ resultsDir, host, port: () => at, token, jobs }).listen(port, host)
      server.maxConnections = MOST_CONNECTIONS
      // An error that comes in its place is what once() rejects with.
      const refused = await once(server, 'listening').then(() => null, error => error)
      if (refused) {
        const why = refused.code === 'EADDRINUSE' ? 'another program listens there' : refused.message
        throw new HopbenchError('cannot-listen', { host, port, why })
      }
      at = /** @type {AddressInfo} */ (server.address()).port
      const url = `http://${host.includes(':') ? `[${host}]` : host}:${at}/?token=${token}`
      process.stdout.write(`${url}\nCtrl-C ends it.\n`)
      if (show) await showIn(writeEntrance(temp.path, url))
      await interrupted()
      await jobs.stop()
      server.close()
      server.closeAllConnections()
      temp.remove()
    })

/** In the browser, if there is one. @param {string} file */
async function showIn (file) {
  const { default: open } = await import('open')
  const shown = await open(file).catch(() => null)
  shown?.on('error', () => {})
}

/** Ctrl-C once lets the run under way be reported, twice ends all at once. */
const interrupted = () => new Promise(resolve => {
  let pressed = false
  onInterrupt(() => {
    if (pressed) process.exit(1)
    pressed = true
    resolve(undefined)
  })
})
