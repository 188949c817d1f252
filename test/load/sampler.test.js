/** The sampler, which compares responses beside an engine that does not. */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import t from '../support/tap.js'
import { startSampler } from '../../bench/load/sampler.js'
import { listening } from '../support/listening.js'

const toHash = (/** @type {string} */ text) => createHash('sha256').update(text).digest('hex')

t.test('compares each response of a mix with the status and body of its request', async t => {
  let posts = 0
  const server = createServer((request, response) => {
    request.resume()
    // The third response has a wrong body, and the fourth a wrong status.
    response.writeHead(++posts === 4 ? 200 : 201)
    response.end(posts === 3 ? 'wrong' : 'good')
  })
  const dir = t.testdir({})
  const url = `http://127.0.0.1:${await listening(t, server)}`
  const load = { path: '/', headers: {}, requests: [{ path: '/pay', method: 'POST' }] }
  const expectMix = [{ status: 201, sha256: toHash('good'), bytes: null }]
  const sampler = startSampler(/** @type {any} */ ({
    name: 'test',
    load,
    target: { url, socketPath: null, expectMix, countsErrorResponses: true },
    network: { enter: [] },
    dir
  }))
  const log = join(dir, 'sampler.jsonl')
  // The last line can be incomplete.
  const lines = () => existsSync(log)
    ? readFileSync(log, 'utf8').split('\n').slice(0, -1).map(line => JSON.parse(line))
    : []
  while (lines().length < 2) await new Promise(resolve => setTimeout(resolve, 20))
  await sampler.stop()
  t.match(lines(), [{ mismatches: 1 }, { mismatches: 0, non2xx: 1 }])
})
