/** `hopbench check --caches`, from the command to the stored file. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../../../support/tap.js'
import { hopbench, makeWorkspace } from '../../../support/cli.js'
import { skipWithout } from '../../../support/needs.js'

t.test('stores the results of a cache by kind', { skip: skipWithout('nginx', 'registry') }, async t => {
  const workspace = makeWorkspace(t)
  const results = join(workspace.dir, 'results')
  const args = ['check', '--caches', 'nginx:keepalive+cache=5s', '--results', results]
  const { exit, stdout, stderr } = await hopbench(args, { workspace })
  t.equal(exit, 0) || t.comment(stderr)
  t.match(stdout, /required by the tests: met +\d+/)
  const { caches: [cache] } = JSON.parse(readFileSync(join(results, 'caches.json'), 'utf8'))
  t.equal(cache.spec, 'nginx:keepalive+cache=5s')
  t.ok(cache.results.length > 300)
  const passed = (/** @type {string} */ id) => cache.results.find((/** @type {any} */ test) => test.id === id)?.passed
  // Two tests that do not depend on a clock: revalidation by a 304, and no caching of requests with credentials.
  t.ok(passed('conditional-etag-strong-generate'))
  t.ok(passed('other-authorization'))
  t.notOk(passed('heuristic-200-cached'), 'a recommended cache stores only what a response permits')
})
