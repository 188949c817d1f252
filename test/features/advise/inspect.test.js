/** Tests the look of hopbench advise: refused requests, folders, and the kit. */
import { readdirSync } from 'node:fs'
import t from '../../support/tap.js'
import { findServed, listPrefixCandidates } from '../../../bench/features/advise/find-folders.js'
import { inspectProject, listBuiltFolders } from '../../../bench/features/advise/inspect.js'
import { adviseRequestFrom } from '../../../bench/features/advise/request.js'
import { findKitFault } from '../../../bench/features/advise/write.js'
import { inProject } from '../../support/advice.js'

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
