import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from '../../support/tap.js'
import { freePort } from '../../../bench/machine/network/ports.js'
import { start } from '../../../bench/machine/process.js'
import { findHolder } from '../../../bench/topology/start/wait-until-listening.js'
import { MARK } from '../../../bench/topology/describe/describe-command.js'
import { listening } from '../../support/listening.js'
import { startCommand } from '../../../bench/topology/start/start-command.js'

/** @import { Test } from 'tap' */

// The tests wait most of their time, and run beside each other.
t.jobs = 4

const skip = process.platform === 'linux' ? false : 'there is no /proc'

t.test('names the program that listens on a port', { skip }, async t => {
  const server = createServer()
  const address = /** @type {const} */ ({ kind: 'tcp', host: '127.0.0.1', port: await listening(t, server) })
  t.equal(findHolder(address), `node (process ${process.pid})`)
  server.close()
  await once(server, 'close')
  t.equal(findHolder(address), null, 'a free port has no holder')
})

/**
 * Starts a command as an app that has a port.
 * @param {Test} t
 * @param {string[]} argv
 * @param {Record<string, string>} [files]
 * @param {Parameters<typeof startCommand>[1]['findFault']} [findFault]
 */
async function begin (t, argv, files = {}, findFault = () => new Promise(() => {})) {
  const port = await freePort(28_000, '127.0.0.1')
  const listen = /** @type {const} */ ({ kind: 'tcp', host: '127.0.0.1', port })
  const dir = t.testdir(files)
  const program = { argv, env: { PORT: String(port), [MARK]: `${dir}/${port}` }, listen, cwd: dir }
  const child = start({ ...program, name: 'the app', mark: `${MARK}=${dir}/${port}`, log: join(dir, 'log') })
  t.teardown(() => child.stop({ signal: 'SIGKILL' }))
  const started = startCommand({ processes: [program], readySeconds: 5, quiet: false }, {
    name: 'the app', launch: () => child, findFault
  })
  return { started, port }
}

const SERVE = "require('net').createServer().listen(process.env.PORT, process.argv[1])"

t.test('distinguishes an app that opens no port from an app that does not respond', { skip }, async t => {
  const idle = await begin(t, [process.execPath, '-e', 'setInterval(() => {}, 1000)'])
  await t.rejects(idle.started, { code: 'not-ready', details: { unopened: '$PORT', seconds: 5 } })
  const silent = await begin(t, [process.execPath, '-e', SERVE])
  const details = { unopened: undefined, add: ['--ready-within', '10s'] }
  await t.rejects(silent.started, { code: 'not-ready', details })
})

for (const prefix of [[], ['setsid', '--wait'], ['setsid', '--fork']]) {
  for (const [address, printed] of [['127.0.0.2', '127.0.0.2'], ['::1', '[::1]']]) {
    const command = [...prefix, 'node'].join(' ')
    t.test(`names ${printed}, on which an app of ${command} listens in place of its host`, { skip }, async t => {
      const { started, port } = await begin(t, [...prefix, process.execPath, '-e', SERVE, address])
      const error = await started.then(() => null, error => error)
      t.equal(error?.message, `the app listens on ${printed}:${port}, not on 127.0.0.1:${port}.`)
      t.equal(error?.remedy, 'Let it listen on the address in $HOST or on all addresses, as in --app ' +
        "'node app.js --host $HOST'.")
    })
  }
}

t.test('names a script whose lines end with a carriage return', { skip }, async t => {
  const files = { 'start.sh': '#!/bin/sh\r\nexit 3\r\n', 'outer.sh': '#!/bin/sh\n./start.sh\n' }
  for (const command of ['sh ./start.sh', 'chmod +x start.sh && ./start.sh', 'chmod +x start.sh && sh outer.sh']) {
    const { started } = await begin(t, ['sh', '-c', command], files)
    const error = await started.then(() => null, error => error)
    t.match(error?.message, /^the app cannot start (\.\/)?start\.sh, whose lines end with a carriage return\.$/)
    t.match(error?.remedy, /^Remove the carriage returns: sed -i 's\/\\r\$\/\/' \S+start\.sh$/)
  }
  const { started } = await begin(t, ['sh', '-c', 'sh other.sh'], { 'other.sh': '#!/bin/sh\nexit 3\n' })
  await t.rejects(started, { code: 'process-died', message: 'the app ended with exit code 3.' })
})

t.test('waits for a response that can be measured until --ready-within, as after 503', { skip }, async t => {
  const fault = { params: { why: 'status 503', remedy: 'Wait.' }, isMissing: false, isWaiting: true }
  let looks = 0
  const late = await begin(t, [process.execPath, '-e', SERVE], {}, async () => ++looks < 3 ? fault : null)
  await late.started
  t.equal(looks, 3)
  const never = await begin(t, [process.execPath, '-e', SERVE], {}, async () => fault)
  await t.rejects(never.started, {
    code: 'gate-refused',
    message: 'the app responds incorrectly: status 503 (5 s after its start).',
    details: { add: ['--ready-within', '10s'] }
  })
})

t.test('gives up on an app that neither responds nor computes', { skip }, async t => {
  const fault = { params: { why: 'no response', remedy: 'Ask.' }, isMissing: true, isWaiting: true }
  const slowly = async () => {
    await sleep(500)
    return fault
  }
  const idle = await begin(t, [process.execPath, '-e', SERVE], {}, slowly)
  await t.rejects(idle.started, { code: 'gate-refused', message: 'the app responds incorrectly: no response.' })
  const compute = 'setInterval(() => { for (let i = 0; i < 1e8; i++); })'
  const busy = await begin(t, [process.execPath, '-e', `${SERVE}; ${compute}`], {}, slowly)
  const message = 'the app responds incorrectly: no response (5 s after its start).'
  await t.rejects(busy.started, { code: 'gate-refused', message })
})
