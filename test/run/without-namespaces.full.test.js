/** Runs where namespaces are not permitted, started by root. */
import { join } from 'node:path'
import t from '../support/tap.js'
import { hopbench, makeWorkspace } from '../support/cli.js'
import { withoutNamespaces } from '../support/kill.js'
import { skipWithout } from '../support/needs.js'

t.test('nginx drops root by itself, and reaches the socket and the files', { skip: skipWithout('nginx') }, async t => {
  const workspace = makeWorkspace(t)
  const env = withoutNamespaces(join(workspace.dir, 'bin'))
  for (const spec of ['nginx:uds/http-json', 'nginx/files']) {
    const args = ['run', spec, '--smoke', '--results', workspace.results]
    const { exit, stderr } = await hopbench(args, { workspace, env })
    t.equal(exit, 0, stderr)
  }
})
