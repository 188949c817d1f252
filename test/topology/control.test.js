import { once } from 'node:events'
import { symlinkSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import { join } from 'node:path'
import t from '../support/tap.js'
import { Control } from '../../bench/topology/start/start-server.js'
import { tempFolder } from '../support/temp.js'

/** @import { Test } from 'tap' */

/**
 * Makes a folder for control sockets. The path is short because the kernel limits socket paths.
 * @param {Test} t
 */
function folder (t) {
  const dir = tempFolder(t)
  const control = new Control(dir)
  t.teardown(() => control.close())
  return { dir, control }
}

/**
 * Starts a fake worker whose counts the test sets.
 * @param {Test} t
 * @param {string} dir
 * @param {number} pid
 */
async function worker (t, dir, pid) {
  const counts = { connections: 0, requests: 0, non2xx: 0 }
  /** @type {Set<net.Socket>} */
  const sockets = new Set()
  const server = net.createServer(socket => {
    sockets.add(socket)
    socket.on('data', () => socket.write(JSON.stringify({ pid, atSeconds: pid, listening: 'tcp', ...counts }) + '\n'))
  })
  const path = join(dir, `0-${pid}.sock`)
  server.listen(path)
  await once(server, 'listening')
  const end = () => {
    for (const socket of sockets) socket.destroy()
    server.close()
  }
  t.teardown(end)
  /** Ends the worker. A killed worker leaves the file of its socket. */
  const die = ({ killed = false } = {}) => {
    end()
    if (killed) writeFileSync(path, '')
  }
  return { counts, die }
}

t.test('adds the counts of all workers', async t => {
  const { dir, control } = folder(t)
  Object.assign((await worker(t, dir, 1)).counts, { connections: 2, requests: 30, non2xx: 1 })
  Object.assign((await worker(t, dir, 2)).counts, { connections: 5, requests: 70, non2xx: 3 })
  t.match(await control.counts(), {
    pids: [1, 2],
    lost: 0,
    connections: 7,
    requests: 100,
    non2xx: 4,
    atSeconds: 2,
    listening: 'tcp'
  })
})

t.test('is up when the expected number of workers respond', async t => {
  const { dir, control } = folder(t)
  t.equal(await control.isUp(1), false)
  await worker(t, dir, 1)
  t.equal(await control.isUp(1), true)
  t.equal(await control.isUp(2), false)
  await worker(t, dir, 2)
  t.equal(await control.isUp(2), true)
})

for (const killed of [false, true]) {
  t.test(`keeps the counts of a worker in the sum after it ${killed ? 'was killed' : 'ended'}`, async t => {
    const { dir, control } = folder(t)
    const [first, second] = [await worker(t, dir, 1), await worker(t, dir, 2)]
    first.counts.requests = 30
    second.counts.requests = 70
    await control.counts()
    first.die({ killed })
    second.counts.requests = 75
    t.match(await control.counts(), { pids: [2], lost: 1, requests: 105 })
    const third = await worker(t, dir, 3)
    third.counts.requests = 4
    t.match(await control.counts(), { pids: [2, 3], lost: 1, requests: 109 },
      'a new worker adds to the sum')
  })
}

t.test('a reused PID is another worker', async t => {
  const { dir, control } = folder(t)
  const first = await worker(t, dir, 7)
  first.counts.requests = 50
  await control.counts()
  first.die()
  await worker(t, dir, 7)
  await new Promise(resolve => setImmediate(resolve))
  t.match(await control.counts(), { pids: [7], lost: 1, requests: 50 })
})

t.test('concurrent readings wait for each other', async t => {
  const { dir, control } = folder(t)
  await worker(t, dir, 1)
  const readings = await Promise.all(Array.from({ length: 5 }, () => control.counts()))
  t.ok(readings.every(({ pids }) => pids.length === 1))
})

t.test('rejects reading counts without a worker', async t => {
  const { dir, control } = folder(t)
  await t.rejects(control.counts(), /no process of the server responds/)
  const only = await worker(t, dir, 1)
  await control.counts()
  only.die()
  await t.rejects(control.counts(), /no process of the server responds/)
})

t.test('connects to control sockets only, and follows no symbolic link', async t => {
  const { dir, control } = folder(t)
  const { dir: elsewhere } = folder(t)
  await worker(t, dir, 1)
  await worker(t, elsewhere, 2)
  symlinkSync(join(elsewhere, '0-2.sock'), join(dir, '0-2.sock'))
  const listener = net.createServer(() => t.fail('the socket of the server itself gets no request for counts'))
  t.teardown(() => listener.close())
  await once(listener.listen(join(dir, 'app.sock')), 'listening')
  t.match((await control.counts()).pids, [1])
})
