/** Tests the look of hopbench advise: refused requests, folders, the kit, and requests with headers. */
import { readdirSync } from 'node:fs'
import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'
import t from '../../support/tap.js'
import { HopbenchError } from '../../../bench/errors.js'
import { run } from '../../../bench/machine/process.js'
import { findKitFault } from '../../../bench/features/advise/find-kit-fault.js'
import { findServed, listPrefixCandidates } from '../../../bench/features/advise/find-prefixes.js'
import { holdRequest } from '../../../bench/features/advise/hold-request.js'
import {
  createRejection, inspectProject, listBuiltFolders, toRejection
} from '../../../bench/features/advise/inspect.js'
import { adviseRequestFrom } from '../../../bench/features/advise/request.js'
import { inProject } from '../../support/advice.js'
import { listening } from '../../support/listening.js'

/** @import { IncomingHttpHeaders } from 'node:http' */

const KEPT = fileURLToPath(new URL('../../../bench/features/advise/clients/kept-request.js', import.meta.url))

const login = { path: '/in', why: 'the app responds to /in with status 302 and leads to /login' }
const broken = { path: '/', why: 'the app responds to / with status 500' }
const missing = { path: '/gone', why: 'the app responds to /gone with status 404' }

t.test('names the path, the status and the file of a refused request', async t => {
  const typed = createRejection([login], { mix: null }, true)
  t.match(typed, { code: 'bad-option', remedy: /without a login.*--header/ })
  t.equal(typed.message, '--path cannot be "/in": the app responds to /in with status 302 and leads to /login.')
  t.match(createRejection([missing], { mix: null }, true).remedy, /^Name a path of the app/)
  const listed = createRejection([missing, login], { mix: { paths: 'paths.txt' } }, true)
  t.match(listed, { code: 'bad-option', remedy: /^Leave such paths out of the file/ })
  t.match(listed.message, /"paths\.txt".* \/gone with status 404, and refuses 1 more path\.$/)
})

t.test('names an app that fails itself, and the private network in which it has no database', async t => {
  const error = createRejection([broken], { mix: null }, true)
  t.match(error, { code: 'advise-start', remedy: /--no-lab/ })
  t.match(error.message, /responds to \/ with status 500, so the app itself fails\.$/)
  t.notMatch(error.remedy, /login|--header/)
  t.notMatch(createRejection([broken], { mix: null }, false).remedy, /--no-lab/)
})

t.test('recognises the refusal of the gate, and passes other errors on', async t => {
  const refused = new HopbenchError('gate-refused', {
    name: 'app', why: 'its own server responds to GET /x with status 503'
  })
  t.match(toRejection(refused, { mix: null }, true), { code: 'advise-start', remedy: /--no-lab/ })
  const other = new HopbenchError('not-ready', { name: 'app', seconds: 5, unopened: '$PORT', output: 'waiting' })
  t.match(toRejection(other, { mix: null }, true), {
    code: 'advise-start',
    message: 'The app cannot be looked at: app opened no port within 5 s: does it read $PORT?.',
    remedy: other.remedy,
    details: { output: 'waiting' }
  })
  const service = new HopbenchError('not-ready', { name: 'app', seconds: 5, output: 'ECONNREFUSED 127.0.0.1:5432' })
  t.match(toRejection(service, { mix: null }, true), { code: 'advise-service', details: { service: 'PostgreSQL' } })
  const bug = new Error('x is not a function')
  t.equal(toRejection(bug, { mix: null }, true), bug)
})

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
  t.same(listPrefixCandidates(svelte, [], listBuiltFolders(svelte)).map(({ prefix }) => prefix), ['/_app'])
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
