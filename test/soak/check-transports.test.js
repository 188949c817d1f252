/** `hopbench check` behind proxies. */
import t from 'tap'
import { hopbench, leavesNothing, makeWorkspace } from '../support/cli.js'
import { skipWithout } from '../support/needs.js'

t.test('checks every transport of every proxy, and names the chains in which a probe fails', {
  skip: skipWithout('nginx', 'apache', 'haproxy', 'caddy', 'varnish')
}, async t => {
  const workspace = makeWorkspace(t)
  const { exit, stdout, stderr } = await hopbench(['check', 'st', 'files', '--results', workspace.results], {
    workspace,
    timeoutSeconds: 300
  })
  t.equal(exit, 0, stderr)
  t.match(stdout, /^A st 4\.\d+\.\d+, B apache\/files, C caddy\/files, D nginx\/files$/m)
  t.match(stdout, /SAFETY .*empty \(RFC 9110, 8\.6\): the server\s+ended with exit code 1/, 'st exits on an empty file')
  t.match(stdout, /^- vary \(RFC 9110, 12\.5\.5\): no Vary/m, 'fails everywhere, so no chain is named')
  t.match(stdout, /^- percent \(RFC 3986, 2\.1\): GET \/%: no response within 1\.5 s \(bare,\s+haproxy:tcp,/m,
    'only HAProxy and Varnish forward it')
  for (const line of stdout.split('\n').filter(line => !line.startsWith('Stored in'))) t.ok(line.length <= 80, line)
  t.equal(stderr.match(/^\d+ of 24 {2}/gm)?.length, 24,
    'bare, four transports of five proxies, and three proxies as servers')
  await leavesNothing(t, workspace)
})
