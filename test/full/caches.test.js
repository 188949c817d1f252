/** hopbench check --caches, as a person runs it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { hopbench, makeWorkspace } from '../support/cli.js'
import { skipWithout } from '../support/needs.js'

t.test('what a cache gets right is reported by kind, and kept', { skip: skipWithout('nginx', 'registry') }, async t => {
  const workspace = makeWorkspace(t)
  const results = join(workspace.dir, 'results')
  const args = ['check', '--caches', 'nginx:keepalive+cache=5s', '--results', results]
  const { exit, stdout, stderr } = await hopbench(args, { workspace })
  t.equal(exit, 0) || t.comment(stderr)
  t.match(stdout, /what RFC 9111 demands: holds +\d+/)
  const { caches: [cache] } = JSON.parse(readFileSync(join(results, 'caches.json'), 'utf8'))
  t.equal(cache.word, 'nginx:keepalive+cache=5s')
  t.ok(cache.results.length > 300)
  const passed = (/** @type {string} */ id) => cache.results.find((/** @type {any} */ test) => test.id === id)?.passed
  // Those do not hang on a clock: what expired is renewed by a 304, and credentials keep an answer out.
  t.ok(passed('conditional-etag-strong-generate'))
  t.ok(passed('other-authorization'))
  t.notOk(passed('surrogate-no-store'), 'nginx knows no Surrogate-Control')
})
