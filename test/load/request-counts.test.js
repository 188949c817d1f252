import { once } from 'node:events'
import { createServer } from 'node:net'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../support/tap.js'
import { OwnCounts, readCountAtRest, WriteCounts } from '../../bench/load/request-counts.js'
import { CALLS_AT_START } from '../../bench/measure/load.js'
import { start, waitUntil } from '../../bench/machine/process.js'
import { tempFolder } from '../support/temp.js'

/** Returns a path that is short enough for a Unix socket. @param {import('tap').Test} t */
const shortPath = t => join(tempFolder(t), 's')

/**
 * Returns a generator with these successive counts.
 * @param {[requests: number, isIdle: boolean][]} readings
 */
function scripted (readings) {
  let look = 0
  return {
    counts: async () => {
      const [requests, isIdle] = readings[Math.min(look++, readings.length - 1)]
      return { requests, isIdle, atSeconds: look }
    }
  }
}

t.test('a count at rest requires equal consecutive readings with an idle generator', async t => {
  t.equal(await readCountAtRest(scripted([[10, true], [20, true], [20, true]])), 20)
  const waiting = Array.from({ length: 20 }, () => /** @type {[number, boolean]} */ ([10, false]))
  t.equal(await readCountAtRest(scripted([...waiting, [30, true]])), 30,
    'a generator that waits for a core is not idle, although its count does not change')
  const delayed = Array.from({ length: 4 }, () => /** @type {[number, boolean]} */ ([10, true]))
  t.equal(await readCountAtRest(scripted([...delayed, [12, true]])), 12, 'responses that the kernel held back')
})

t.test('rejects a generator that continues to send', async t => {
  let requests = 0
  const generator = { counts: async () => ({ requests: requests++, isIdle: true, atSeconds: 0 }) }
  await t.rejects(readCountAtRest(generator), /went on sending/)
})

t.test('reads the counts of a generator over its socket, but not while the generator is paused', async t => {
  const path = shortPath(t)
  let reads = 0
  const server = createServer(socket => socket.on('data', () => {
    reads++
    socket.write(JSON.stringify({ requests: 40 + reads, atSeconds: reads }) + '\n')
  }))
  await once(server.listen(path), 'listening')
  t.teardown(() => server.close())
  const counts = new OwnCounts(path)
  t.same(await counts.read(false), { requests: 41, atSeconds: 1, isIdle: true })
  t.same(await counts.read(true), { requests: 41, atSeconds: 1, isIdle: true }, 'the last count')
  t.same(await counts.read(false), { requests: 42, atSeconds: 2, isIdle: true })
  counts.close()
})

t.test('rejects readings before the generator listens and after it has ended', async t => {
  const path = shortPath(t)
  const counts = new OwnCounts(path)
  await t.rejects(counts.read(false), { code: 'ENOENT' })
  const server = createServer(socket => socket.on('data', () => socket.destroy()))
  await once(server.listen(path), 'listening')
  t.teardown(() => server.close())
  await t.rejects(counts.read(false), /has ended/)
})

t.test('counts the writes of a process at rest', async t => {
  const dir = t.testdir()
  const log = join(dir, 'log')
  // Writes 25 lines to the log, one write each, and then sleeps.
  const child = start({
    name: 'writes',
    argv: ['sh', '-c', 'i=0; while [ $i -lt 25 ]; do echo x; i=$((i+1)); done; exec sleep 60'],
    log
  })
  t.teardown(() => child.stop({ signal: 'SIGKILL' }))
  await waitUntil(child, () => readFileSync(log, 'utf8').split('\n').length > 25)
  const counts = new WriteCounts(() => [child.pid])
  const requests = await readCountAtRest({ counts: () => counts.read() })
  // Starting the process adds up to CALLS_AT_START calls.
  t.ok(requests >= 25 && requests <= 25 + CALLS_AT_START, `${requests} calls for 25 lines`)
  await child.stop({ signal: 'SIGKILL' })
  await t.rejects(counts.read(), /the kernel does not show/)
})
