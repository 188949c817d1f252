import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import net from 'node:net'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from '../support/tap.js'
import { run } from '../../bench/machine/process.js'
import { countRequests, staged, wordFor } from '../support/stage.js'
import { tempFolder } from '../support/temp.js'

/** @import { StagedArm } from '../../bench/measure/types.js' */
/** @import { Test } from 'tap' */

const HOME_OF_PM2 = process.env.PM2_HOME ?? join(homedir(), '.pm2')
/** Lists the files of the user's PM2, which the tests must not change. */
const filesOfPm2 = () =>
  existsSync(HOME_OF_PM2)
    ? readdirSync(HOME_OF_PM2).map(name => [name, statSync(join(HOME_OF_PM2, name)).mtimeMs])
    : null
const before = filesOfPm2()

/** @param {number} pid */
function isRunning (pid) {
  try {
    // A zombie has ended.
    return !/^\d+ \(.*\) [ZX] /s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

/** @param {StagedArm} staged */
async function countsOf ({ running }) {
  const counts = await running.origin()
  if (!counts) throw new Error('the topology has no server')
  return counts
}

/** Each manager on a TCP port and on a Unix socket. One process on a socket: test/topology/runtimes.full.test.js. */
const FRONTS = { 'node:1': ['', 'nginx:tcp/'], 'cluster:2': ['nginx:tcp/', 'nginx:uds/'], 'pm2:2': ['', 'nginx:uds/'] }
for (const [manager, fronts] of Object.entries(FRONTS)) {
  const workers = Number(manager.split(':')[1])
  for (const front of fronts) {
    const spec = `${front}http-json@${manager}`
    t.test(`${spec} passes the gate, sums the counts of its workers, and stops all processes`, async t => {
      const arm = await staged(t, spec)
      const from = await countsOf(arm)
      t.equal(from.pids.length, workers)
      t.equal(from.listening, front === 'nginx:uds/' ? 'unix' : 'tcp')
      const { answers, failures, requests, connections } = await countRequests(arm, 60)
      t.strictSame([answers.length, answers[0].answer.status, failures.length], [1, 200, 0], 'all responses are equal')
      t.equal(requests, 60)
      if (front !== '') t.equal(connections, 60, 'a connection for every request')
      const pids = arm.running.pids()
      for (const pid of (await countsOf(arm)).pids) t.ok(pids.server.includes(pid), 'workers belong to the server')
      t.equal(pids.server.length, workers + (workers > 1 ? 1 : 0), 'the manager belongs to the server')
      t.equal(
        pids.server.filter(pid => /NODE_ENV=production/.test(readFileSync(`/proc/${pid}/environ`, 'utf8'))).length,
        pids.server.length
      )
      const started = [...pids.server, ...pids.proxy]
      await arm.running.stop()
      t.strictSame(started.filter(isRunning), [], 'no process remains')
    })
  }
}

for (const spec of ['http-json@cluster:2', 'nginx:uds/http-json@pm2:2']) {
  t.test(`${spec} replaces a killed worker, and keeps its counts`, async t => {
    const arm = await staged(t, spec)
    // The cluster counts an exit within the first second as a failed start.
    await sleep(1100)
    const from = await countsOf(arm)
    process.kill(from.pids[0], 'SIGKILL')
    let to = from
    for (let tries = 0; tries < 100 && !(to.pids.length === 2 && to.lost === 1); tries++) {
      await sleep(50)
      to = await countsOf(arm)
    }
    t.equal(to.lost, 1)
    t.equal(to.pids.length, 2, 'the worker was replaced')
    t.notOk(to.pids.includes(from.pids[0]))
    t.equal(to.requests, from.requests, 'the counts of the killed worker are kept')
    t.equal(arm.running.failure(), null)
    const { failures, requests } = await countRequests(arm, 20)
    t.strictSame({ failures, requests }, { failures: [], requests: 20 })
  })
}

/**
 * @param {Test} t
 * @param {string} text
 * @returns {string} topology spec of the module
 */
const ownModule = (t, text) => wordFor(join(t.testdir({ 'app.mjs': text }), 'app.mjs'))

const THROWS = { text: 'throw new Error("no licence key")', why: /no licence key/ }
const WITHOUT_HANDLER = { text: 'export default { listen () {} }', why: /no default export that handles requests/ }
/** Servers that cannot start, and what each manager prints about them. A manager tries several times. */
const GIVES_UP = {
  'node:1': { servers: [THROWS, WITHOUT_HANDLER], message: /./ },
  'cluster:2': { servers: [WITHOUT_HANDLER], message: /the cluster gave up/ },
  'pm2:2': { servers: [THROWS], message: /too many unstable restarts/ }
}
for (const [manager, { servers, message }] of Object.entries(GIVES_UP)) {
  t.test(`a server that cannot start under ${manager} fails with its message and that of the manager`, async t => {
    for (const { text, why } of servers) {
      const error = await staged(t, `${ownModule(t, text)}@${manager}`).catch(error => error)
      t.equal(error.code, 'process-died')
      for (const part of [why, message]) t.match(error.details.output, part)
    }
  })
}

t.test('removes the socket file of a killed process, and keeps one in use', async t => {
  const { removeStaleSocket } = await import('../../bench/topology/listener.js')
  const dir = tempFolder(t)
  const path = join(dir, 'app.sock')
  await removeStaleSocket(path)
  const listen =
    `require('net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`
  await run([process.execPath, '-e', listen])
  t.ok(existsSync(path), 'the file remains after SIGKILL')
  await removeStaleSocket(path)
  t.notOk(existsSync(path))
  const server = net.createServer(socket => socket.end()).listen(path)
  await once(server, 'listening')
  await removeStaleSocket(path)
  t.ok(existsSync(path), 'in use')
  server.close()
})

t.test('the files of the user\'s PM2 are unchanged', async t => {
  t.strictSame(filesOfPm2(), before)
})
