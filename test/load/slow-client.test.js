/** The speed of a slow reader is kept for each length of a response. */
import fc from 'fast-check'
import { setTimeout as sleep } from 'node:timers/promises'
import t from '../support/tap.js'
import { SlowReader } from '../../bench/load/slow-client.js'
import { listen, toAddress } from '../support/plays.js'

const READING = 2 ** 14 // Bytes of one reading, by which a reader may be ahead.

t.test('a reader is never faster than its speed by more than one reading, and reads all', async t => {
  const response = fc.record({
    bytes: fc.integer({ min: 1, max: 200_000 }),
    part: fc.integer({ min: 1000, max: 200_000 }),
    bytesPerSecond: fc.integer({ min: 400_000, max: 4_000_000 }),
    turnMs: fc.integer({ min: 1, max: 40 })
  })
  await t.resolves(fc.assert(fc.asyncProperty(response, async ({ bytes, part, bytesPerSecond, turnMs }) => {
    const server = await listen(t, (req, res) => {
      res.writeHead(200, { 'Content-Length': bytes })
      for (let sent = 0; sent < bytes; sent += part) res.write(Buffer.alloc(Math.min(part, bytes - sent)))
      res.end()
    })
    const startMs = performance.now()
    const reader = new SlowReader(toAddress(server), { path: '/', headers: {}, bytesPerSecond })
    let isSlow = true
    while (reader.outcome === null) {
      reader.turn()
      await sleep(turnMs)
      isSlow &&= reader.received <= bytesPerSecond * (performance.now() - startMs) / 1000 + READING
    }
    server.close()
    return isSlow && reader.outcome === 'ok' && reader.received > bytes
  }), { numRuns: 25, seed: 62 }))
})
