/** Tests which facts the machine lock publishes to other accounts, and which it accepts from them. */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import t from '../support/tap.js'
import { acquireMachineLock } from '../../bench/machine/machine-lock.js'
import { inEnvironment } from '../support/provoke.js'
import { hold } from '../../bench/machine/hold.js'

/** @import { Test } from 'tap' */

/**
 * Makes a lock of this test's own: its name contains the temporary folder.
 * @param {Test} t
 */
function ownLock (t) {
  const dir = t.testdir({})
  inEnvironment(t, { TMPDIR: dir, HOPBENCH_IN_TURN: '' })
  return `measuring, ${realpathSync(dir)}`
}

const noWait = { wait: false }

t.test('names the command and the experiment only', async t => {
  ownLock(t)
  await acquireMachineLock(['run', 'uds', '--header', 'Authorization: Bearer hunter2', '--app', 'app --key hunter2'])
  process.env.HOPBENCH_IN_TURN = ''
  const error = await acquireMachineLock(['run', 'cache'], noWait).catch(error => error)
  t.match(error, { code: 'suite-busy', message: /"hopbench run uds"/ })
  t.notMatch(JSON.stringify(error.details), 'hunter2')
})

t.test('omits the words of an app', async t => {
  ownLock(t)
  await acquireMachineLock(['run', './hunter2.js', 'nginx:uds/./hunter2.js'])
  process.env.HOPBENCH_IN_TURN = ''
  t.match(await acquireMachineLock(['run'], noWait).catch(error => error.message), /"hopbench run"/)
})

t.test('prints nothing that a stranger tells', async t => {
  const name = ownLock(t)
  const lies = {
    pid: 'evil',
    command: 'evil; rm -rf',
    since: '\u001b[31mevil',
    output: 'evil',
    results: '/evil',
    code: 'evil'
  }
  const held = await hold(name, lies)
  t.teardown(() => 'release' in held && held.release())
  const error = await acquireMachineLock(['run'], noWait).catch(error => error)
  t.equal(error.code, 'suite-busy')
  t.notMatch(`${error.message}${error.output ?? ''}${JSON.stringify(error.details)}`, 'evil')
})

t.test('does not spin at a holder that closes every connection', { skip: process.platform !== 'linux' }, async t => {
  const id = createHash('sha256').update(ownLock(t)).digest('hex').slice(0, 24)
  let connections = 0
  const server = createServer(socket => {
    connections++
    socket.destroy()
  }).listen({ path: join(`\0hopbench-${id}`) })
  await once(server, 'listening')
  t.teardown(() => server.close())
  const before = process.cpuUsage()
  await t.rejects(acquireMachineLock(['run'], { limitSeconds: 2, printProgress: () => {} }), { code: 'suite-busy' })
  t.ok(connections <= 60, `${connections} connections`)
  t.ok(process.cpuUsage(before).user < 1e6)
})
