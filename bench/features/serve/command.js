import { once } from 'node:events'
import { resolve } from 'node:path'
import { HopbenchError } from '../../errors.js'
import { onInterrupt } from '../../machine/network/enclosure.js'
import { startSupervisor } from '../../machine/process.js'
import { makeTempRoot } from '../../machine/files/temp.js'
import { DEFAULT_RESULTS_DIR } from '../../store/store.js'
import { appsFrom } from '../../request/user-apps.js'
import { prefixesFrom } from '../../request/user-prefixes.js'
import { findHolder } from '../../topology/start/wait-until-listening.js'
import { RESULTS, appOptions } from '../../request/common-options.js'
import { countFromZero } from '../../request/option-values.js'

/** @import { Command } from 'commander' */
/** @import { AddressInfo } from 'node:net' */
/** @import { ServedApps } from './app.js' */

const PORT = 8420

/** @param {Command} program */
export default program =>
  appOptions(program.command('serve')
    .description('serve a page to start and watch runs, and to read stored runs')
    .option('--port <number>', 'port to listen on; 0: any free port', countFromZero('--port', 65535), PORT)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option(...RESULTS)
    .option('--open', 'open the page in the browser')
    .optionsGroup('Your app, which the page may then start:'))
    .addHelpText('after', `
The printed address contains a token. Requests without the token are rejected.
Prometheus can read the current run at /metrics, with the token as its credentials.`)
    .action(async ({ port, host, results, open: show = false, ...options }) => {
      const apps = servedApps(options)
      const [{ createPageServer }, { createRunJobs }, { tokenFrom, writeEntrance }] = await Promise.all([
        import('./app.js'), import('./job.js'), import('./token.js')])
      const token = tokenFrom(process.env)
      const temp = makeTempRoot()
      // The supervisor ends the run even if this process is killed.
      startSupervisor()
      const resultsDir = resolve(results ?? DEFAULT_RESULTS_DIR)
      const jobs = createRunJobs({ resultsDir, temp: temp.path })
      let at = port
      const server = createPageServer({ resultsDir, host, port: () => at, token, jobs, apps }).listen(port, host)
      // once() rejects if the server emits an error instead.
      const error = await once(server, 'listening').then(() => null, error => error)
      if (error) {
        const holder = findHolder({ kind: 'tcp', host, port }) ?? 'another program'
        const why = error.code === 'EADDRINUSE' ? `${holder} listens there` : error.message
        throw new HopbenchError('cannot-listen', { host, port, why })
      }
      at = /** @type {AddressInfo} */ (server.address()).port
      const url = `http://${host.includes(':') ? `[${host}]` : host}:${at}/?token=${token}`
      process.stdout.write(`${url}\nPress Ctrl-C to stop.\n`)
      if (show) await openInBrowser(writeEntrance(temp.path, url))
      await waitForInterrupt()
      await jobs.stop()
      server.close()
      server.closeAllConnections()
      temp.remove()
    })

/**
 * @param {Record<string, any>} options as typed
 * @returns {ServedApps}
 * @throws {HopbenchError} bad-option
 */
function servedApps (options) {
  const apps = Object.entries(appsFrom(options))
  const { listen, readyWithin, quietApp, files, filesHidden } = options
  prefixesFrom(options)
  return {
    commands: Object.fromEntries(apps.map(([name, { run }]) => [name, run])),
    options: { listen, readyWithin, quietApp, files, filesHidden }
  }
}

/**
 * Opens the file in the browser, if there is one.
 *
 * @param {string} file
 */
async function openInBrowser (file) {
  const { default: open } = await import('open')
  const shown = await open(file).catch(() => null)
  shown?.on('error', () => {})
}

/** Waits for Ctrl-C. A second Ctrl-C exits without waiting for the report of the current run. */
const waitForInterrupt = () => new Promise(resolve => {
  let pressed = false
  onInterrupt(() => {
    if (pressed) process.exit(1)
    pressed = true
    resolve(undefined)
  })
})
