import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import http from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import nginx from '../../proxy/nginx.js'
import { getStatus } from '../../bench/topology/status.js'

t.test('gives up reading counters that arrive byte by byte after 5 s', async t => {
  const dir = mkdtempSync(join(tmpdir(), 'hb-'))
  t.teardown(() => rmSync(dir, { recursive: true, force: true }))
  const server = http.createServer((_, res) => {
    res.flushHeaders()
    const timer = setInterval(() => res.write('x'), 200)
    res.on('close', () => clearInterval(timer))
  }).listen(join(dir, /** @type {any} */ (nginx.counters).socket))
  await once(server, 'listening')
  t.teardown(() => { server.close(); server.closeAllConnections() })
  const status = getStatus(nginx.counters, dir)
  t.teardown(() => status.close())
  await t.rejects(status.counts(), { message: /aborted|did not respond within 5 s/ })
})
