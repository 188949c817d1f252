/** Under load, the length of each response to a mix is compared with that of its request. */
import { createServer } from 'node:http'
import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import t from '../support/tap.js'
import paced from '../../bench/engines/paced.js'
import { comparesLengths } from '../../bench/load/generators/body-check.js'
import { toMixFile } from '../../bench/load/request-body.js'
import { run } from '../../bench/machine/process.js'
import { listening } from '../support/listening.js'

// Has no types.
const Queue = createRequire(import.meta.url)('autocannon/lib/pipelinedRequestsQueue.js')

/** Returns a stand-in for a client of autocannon, with the real queue of its requests. */
function makeClient () {
  const client = { opts: /** @type {{ verifyBody?: () => boolean }} */ ({}), pipelinedRequests: new Queue() }
  comparesLengths(client)
  return {
    sends: (/** @type {number | null} */ expectBytes) => client.pipelinedRequests.insertRequest({ expectBytes }),
    /** @param {string[]} pieces of the body of a response */
    gets (...pieces) {
      client.pipelinedRequests.setHeaders({})
      for (const piece of pieces) client.pipelinedRequests.addBody(Buffer.from(piece))
      client.pipelinedRequests.terminateRequest()
      // autocannon sends the next request before it compares.
      client.pipelinedRequests.insertRequest({ expectBytes: 99 })
      const isSame = client.opts.verifyBody?.()
      client.pipelinedRequests.terminateRequest()
      return isSame
    }
  }
}

t.test('autocannon compares lengths by the request in flight, and not those that vary', async t => {
  const { sends, gets } = makeClient()
  sends(5)
  t.equal(gets('ab', 'cde'), true)
  sends(3)
  t.equal(gets('ab', 'cde'), false)
  sends(0)
  t.equal(gets(), true)
  sends(null)
  t.equal(gets('any'), true)
})

t.test('the request of a connection that broke is not the one of the next response', async t => {
  const { sends, gets } = makeClient()
  sends(5)
  sends(3)
  t.equal(gets('abc'), true)
})

t.test('paced counts a response of another length, and sends methods, headers and bodies in their order', async t => {
  /** @type {string[]} */
  const seen = []
  const server = createServer((request, response) => {
    const { method, url, headers } = request
    seen.push([method, url, headers.accept, headers['content-length'] ?? 0].join(' '))
    request.resume()
    response.end(url === '/wrong' ? 'longer than expected' : 'good')
  })
  const port = await listening(t, server)
  const dir = t.testdir({})
  const body = { base64: Buffer.from('{}').toString('base64'), bytes: 2 }
  const load = {
    engine: 'paced',
    connections: 1,
    path: '/',
    headers: { Accept: 'a/b' },
    rate: 200,
    requests: [{ path: '/good' }, { path: '/wrong' }, { path: '/pay', method: 'POST', body }],
    sequence: [0, 1, 0, 2]
  }
  const expectMix = [4, 4, null].map(bytes => ({ status: 200, sha256: null, bytes }))
  const target = { url: `http://127.0.0.1:${port}`, socketPath: null, expectBody: null, expectMix }
  const { files, processes } = paced.command(load, target, { program: '', dir, maxSeconds: 1 })
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text)
  const { stdout } = await run(processes[0].argv, { env: processes[0].env })
  const { requests, errors } = paced.parse([{ stdout, stderr: '', dir, exit: 0 }])
  const wrong = seen.filter(line => line === 'GET /wrong a/b 0').length
  t.ok(wrong > 0)
  t.match({ requests, errors }, { requests: seen.length, errors: { mismatches: wrong, non2xx: 0 } })
  t.strictSame(seen.slice(0, 5),
    ['GET /good a/b 0', 'GET /wrong a/b 0', 'GET /good a/b 0', 'POST /pay a/b 2', 'GET /good a/b 0'])
})

t.test('a load of one request has no file of a mix', async t => {
  const load = { engine: 'paced', connections: 1, path: '/', headers: {} }
  t.strictSame(toMixFile(load, {}, '/dir'), { files: {}, file: null })
})
