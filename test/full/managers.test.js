import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import net from 'node:net'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { ask } from '../../bench/measure/gate/gate.js'
import { run } from '../../bench/machine/process.js'
import { staged, wordFor } from '../support/stage.js'

/** @import { StagedArm } from '../../bench/measure/stage.js' */
/** @import { Test } from 'tap' */

const HOME_OF_PM2 = process.env.PM2_HOME ?? join(homedir(), '.pm2')
/** What a person's own PM2 has, for it to be the same afterwards. */
const ownPm2 = () =>
  existsSync(HOME_OF_PM2)
    ? readdirSync(HOME_OF_PM2).map(name => [name, statSync(join(HOME_OF_PM2, name)).mtimeMs])
    : null
const before = ownPm2()

/** @param {number} pid */
function isRunning (pid) {
  try {
    // A process that nobody has waited for yet has ended all the same.
    return !/^\d+ \(.*\) [ZX] /s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

/**
 * @param {StagedArm} arm
 * @param {number} times
 */
const asked = ({ running, arm, network }, times) => ask({ target: running.target, load: arm.load, network, times })

/** @param {StagedArm} staged */
async function countsOf ({ running }) {
  const counts = await running.origin()
  if (!counts) throw new Error('it has a server, and so counts')
  return counts
}

for (const manager of ['node:1', 'cluster:2', 'pm2:2']) {
  const workers = Number(manager.split(':')[1])
  for (const [front, listening] of [['', 'tcp'], ['nginx:tcp/', 'tcp'], ['nginx:uds/', 'unix']]) {
    const word = `${front}http-json@${manager}`
    t.test(`${word} answers the right bytes, and its workers' counts add up`, async t => {
      const arm = await staged(t, word)
      const from = await countsOf(arm)
      t.equal(from.pids.length, workers)
      t.equal(from.listening, listening)
      const { answers, failures } = await asked(arm, 60)
      t.strictSame([answers.length, answers[0].answer.status, failures.length], [1, 200, 0], 'every answer is the same')
      const to = await countsOf(arm)
      t.equal(to.requests - from.requests, 60)
      if (front !== '') t.equal(to.connections - from.connections, 60, 'a connection for every request')
      const pids = arm.running.pids()
      for (const pid of to.pids) t.ok(pids.server.includes(pid), 'a worker\'s CPU time counts as the server\'s')
      t.equal(pids.server.length, workers + (workers > 1 ? 1 : 0), 'and so does that of its manager')
      t.equal(
        pids.server.filter(pid => /NODE_ENV=production/.test(readFileSync(`/proc/${pid}/environ`, 'utf8'))).length,
        pids.server.length
      )
      const started = [...pids.server, ...pids.proxy]
      await arm.running.stop()
      t.strictSame(started.filter(isRunning), [], 'nothing of it runs on')
    })
  }
}

for (const word of ['http-json@cluster:2', 'nginx:uds/http-json@pm2:2']) {
  t.test(`${word} survives the death of a worker, and no count is lost`, async t => {
    const arm = await staged(t, word)
    // The cluster counts a death within the first second as a failed start.
    await sleep(1100)
    const from = await countsOf(arm)
    process.kill(from.pids[0], 'SIGKILL')
    let to = from
    for (let tries = 0; tries < 100 && !(to.pids.length === 2 && to.lost === 1); tries++) {
      await sleep(50)
      to = await countsOf(arm)
    }
    t.equal(to.lost, 1)
    t.equal(to.pids.length, 2, 'another one has taken its place')
    t.notOk(to.pids.includes(from.pids[0]))
    t.equal(to.requests, from.requests, 'what the dead one had counted is still there')
    t.equal(arm.running.failure(), null)
    const { failures } = await asked(arm, 20)
    t.strictSame(failures, [])
    t.equal((await countsOf(arm)).requests, from.requests + 20)
  })
}

/**
 * @param {Test} t
 * @param {string} text
 * @returns {string} a word for it
 */
const ownModule = (t, text) => wordFor(join(t.testdir({ 'app.mjs': text }), 'app.mjs'))

for (const manager of ['node:1', 'cluster:2', 'pm2:2']) {
  t.test(`a server that cannot start under ${manager} is given up, with its own message and its manager's`, async t => {
    const module = ownModule(t, 'throw new Error("no licence key")')
    const error = await staged(t, `${module}@${manager}`).catch(error => error)
    t.equal(error.code, 'process-died')
    t.match(error.details.output, /no licence key/)
    t.match(error.details.output,
      { node: /./, cluster: /the cluster gave up/, pm2: /too many unstable restarts/ }[manager.split(':')[0]])
  })
}

t.test('what is no handler is refused under every manager', async t => {
  const module = ownModule(t, 'export default { listen () {} }')
  for (const manager of ['node:1', 'cluster:1', 'pm2:1']) {
    const error = await staged(t, `${module}@${manager}`).catch(error => error)
    t.match(error.details?.output, /no default export that handles requests/, manager)
  }
})

t.test('the file of a socket whose process was killed is no obstacle, and one in use stays', async t => {
  const { removeStale } = await import('../../bench/topology/stale-socket.js')
  const dir = mkdtempSync(join(tmpdir(), 'hb-'))
  t.teardown(() => rmSync(dir, { recursive: true, force: true }))
  const path = join(dir, 'app.sock')
  await removeStale(path)
  const listen =
    `require('net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`
  await run([process.execPath, '-e', listen])
  t.ok(existsSync(path), 'SIGKILL leaves it behind')
  await removeStale(path)
  t.notOk(existsSync(path))
  const server = net.createServer(socket => socket.end()).listen(path)
  await once(server, 'listening')
  await removeStale(path)
  t.ok(existsSync(path), 'in use')
  server.close()
})

t.test('a person\'s own PM2 is as it was', async t => {
  t.strictSame(ownPm2(), before)
})
