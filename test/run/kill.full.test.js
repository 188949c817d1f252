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
  const env = withoutNamespaces(join(workspace.dir, 'bin'))
  for (const spec of ['nginx:uds/http-json', 'nginx/files']) {
    const args = ['run', spec, '--smoke', '--results', workspace.results]
    const { exit, stderr } = await hopbench(args, { workspace, env })
    t.equal(exit, 0, stderr)
  }
})
t.test('after kill -9 without namespaces the supervisor ends all processes', t =>
  killAtRandom(t, { kills: 1, seed: 9, env: withoutNamespaces(join(t.testdir({}), 'bin')) }))
