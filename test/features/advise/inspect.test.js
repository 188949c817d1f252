/** Tests the look of hopbench advise: refused requests, folders, the kit, and requests with headers. */
import { readdirSync } from 'node:fs'
import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'
import t from '../../support/tap.js'
import { run } from '../../../bench/machine/process.js'
import { findKitFault } from '../../../bench/features/advise/find-kit-fault.js'
import { findServed, listPrefixCandidates } from '../../../bench/features/advise/find-prefixes.js'
import { holdRequest } from '../../../bench/features/advise/hold-request.js'
import { inspectProject, listBuiltFolders } from '../../../bench/features/advise/inspect.js'
import { adviseRequestFrom } from '../../../bench/features/advise/request.js'
import { inProject } from '../../support/advice.js'
import { listening } from '../../support/listening.js'

/** @import { IncomingHttpHeaders } from 'node:http' */

const KEPT = fileURLToPath(new URL('../../../bench/features/advise/clients/kept-request.js', import.meta.url))

t.test('proposes folders of builds only with a page in them', async t => {
  const dir = inProject(t, {
    'package.json': '{}', 'dist/main.js': 'let a', 'build/index.html': '<p>', 'public/a.css': 'a {}'
  })
  t.same(inspectProject(dir, []).unnamedFolders, ['public', 'build'])
})

t.test('tries the folders that a framework builds for browsers, with its prefix', async t => {
  const files = { '.next/static/chunks/a.js': 'let a', 'build/client/_app/b.js': 'let b' }
  const next = inProject(t, { 'package.json': JSON.stringify({ dependencies: { next: '15' } }), ...files })
  const candidates = listPrefixCandidates(next, [], listBuiltFolders(next))
  t.same(candidates.map(({ prefix, folder }) => [prefix, folder]), [['/_next/static', '.next/static']])
  t.same(candidates[0].probes.map(({ path }) => path), ['/_next/static/chunks/a.js'])
  const hashes = new Map(candidates[0].probes.map(({ path, sha256 }) => [path, sha256]))
  t.same(findServed(candidates, hashes), ['/_next/static=./.next/static'])
  const svelte = inProject(t, { 'package.json': '{"devDependencies":{"@sveltejs/kit":"2"}}', ...files })
  t.same(listPrefixCandidates(svelte, [], listBuiltFolders(svelte)).map(({ prefix }) => prefix), ['', '/_app'])
  t.same(listBuiltFolders(inProject(t, { 'package.json': '{}', ...files })), [])
})

t.test('finds before the measurements that a kit cannot be written, and writes nothing', async t => {
  const fault = (/** @type {object} */ typed) => {
    const options = { lab: true, ...typed }
    return findKitFault(adviseRequestFrom(options), options)
  }
  const other = inProject(t, { 'app.py': '' })
  t.match(await fault({ app: ['python3 app.py'] }), /^kit: There is no deploy kit of app .*requirements\.txt.* Try: /)
  t.same(readdirSync(other), ['app.py'])
  const files = { 'package.json': '{"name":"shop","scripts":{"start":"node a.js"}}', 'client/package.json': '{}' }
  const node = inProject(t, files)
  t.equal(await fault({}), null)
  t.match(await fault({ files: ['/assets=./client'] }), /^kit: --files .*contains package\.json, which nginx/)
  t.same(readdirSync(node).sort(), ['client', 'package.json'])
})

t.test('sends the headers with a request in flight, and on a connection that was idle', async t => {
  /** @type {IncomingHttpHeaders[]} */
  const received = []
  const server = createServer((request, response) => {
    received.push(request.headers)
    response.end('x')
  })
  const port = await listening(t, server)
  const order = { path: '/', headers: { host: 'shop.example', Cookie: 'sid=1' } }
  const held = await holdRequest({ ...order, url: `http://127.0.0.1:${port}`, enter: [], dir: t.testdir({}) })
  t.ok(await held.complete())
  await held.close()
  const { stdout } = await run([process.execPath, KEPT], {
    input: `${JSON.stringify({ ...order, host: '127.0.0.1', port, idleMs: 0 })}\n`
  })
  t.match(stdout, /^200 200/)
  t.equal(received.length, 3)
  for (const headers of received) t.match(headers, { host: 'shop.example', cookie: 'sid=1' })
})
