/** kill -9 of the suite at two moments. `npm run test:soak` tries sixty. */
import { join } from 'node:path'
import t from '../support/tap.js'
import { hopbench, makeWorkspace } from '../support/cli.js'
import { killAtRandom, withoutNamespaces } from '../support/kill.js'
import { skipWithout } from '../support/needs.js'

t.test('after kill -9 the kernel ends all processes with the namespace', { skip: skipWithout('namespaces') },
  t => killAtRandom(t, { kills: 1, seed: 8 }))
t.test('without namespaces nginx drops root by itself, and reaches the socket and the files', {
  skip: skipWithout('nginx')
}, async t => {
  const workspace = makeWorkspace(t)
  const { exit, stderr } = await hopbench(['run', 'nginx:uds/http-json', 'http-json', '--smoke', '--results',
    workspace.results], { workspace, env: withoutNamespaces(join(workspace.dir, 'bin')) })
  t.equal(exit, 0, stderr)
  const files = await hopbench(['run', 'nginx/files', 'sirv', '--smoke', '--results', workspace.results],
    { workspace, env: withoutNamespaces(join(workspace.dir, 'bin')) })
  t.equal(files.exit, 0, files.stderr)
})
t.test('after kill -9 without namespaces the supervisor ends all processes', t =>
  killAtRandom(t, { kills: 1, seed: 9, env: withoutNamespaces(join(t.testdir({}), 'bin')) }))
