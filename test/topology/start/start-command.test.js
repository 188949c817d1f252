import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import t from '../../support/tap.js'
import { freePort } from '../../../bench/machine/network/ports.js'
import { start } from '../../../bench/machine/process.js'
import { findHolder } from '../../../bench/topology/start/port-holder.js'
import { listening } from '../../support/listening.js'
import { startCommand } from '../../../bench/topology/start/start-command.js'

const skip = process.platform === 'linux' ? false : 'there is no /proc'

t.test('names the program that listens on a port', { skip }, async t => {
  const server = createServer()
  const address = /** @type {const} */ ({ kind: 'tcp', host: '127.0.0.1', port: await listening(t, server) })
  t.equal(findHolder(address), `node (process ${process.pid})`)
  server.close()
  await once(server, 'close')
  t.equal(findHolder(address), null, 'a free port has no holder')
})

t.test('distinguishes an app that opens no port from an app that does not respond', { skip }, async t => {
  const run = async (/** @type {string} */ script) => {
    const port = await freePort(28_000, '127.0.0.1')
    const listen = /** @type {const} */ ({ kind: 'tcp', host: '127.0.0.1', port })
    const program = { argv: [process.execPath, '-e', script], env: { PORT: String(port) }, listen, cwd: t.testdirName }
    const child = start({ ...program, name: 'the app', log: join(t.testdir({}), 'log') })
    t.teardown(() => child.stop({ signal: 'SIGKILL' }))
    return startCommand({ processes: [program], readySeconds: 2, quiet: false }, {
      name: 'the app', launch: () => child, findFault: () => new Promise(() => {})
    })
  }
  await t.rejects(run('setInterval(() => {}, 1000)'), { code: 'not-ready', details: { unopened: '$PORT', seconds: 2 } })
  await t.rejects(run("require('net').createServer().listen(process.env.PORT)"),
    { code: 'not-ready', details: { unopened: undefined } })
})
