/** hopbench check behind proxies, as a person calls it. */
import t from 'tap'
import { hopbench, leavesNothing, makeWorkspace } from '../support/cli.js'
import { skipWithout } from '../support/needs.js'

t.test('each transport of a proxy is checked, and the text says what holds where', {
  skip: skipWithout('nginx', 'apache', 'haproxy', 'caddy', 'varnish')
}, async t => {
  const workspace = makeWorkspace(t)
  const { exit, stdout, stderr } = await hopbench(['check', 'st', 'files', '--results', workspace.results], {
    workspace,
    timeoutSeconds: 300
  })
  t.equal(exit, 0, stderr)
  t.match(stdout, /^A st 4\.\d+\.\d+, B apache\/files, C caddy\/files, D nginx\/files$/m)
  t.match(stdout, /SAFETY .*empty \(RFC 9110, 8\.6\): the server\s+ended with exit code 1/, 'st dies of an empty file')
  t.match(stdout, /^- vary \(RFC 9110, 12\.5\.5\): no Vary/m, 'everywhere, so no place is named')
  t.match(stdout, /^- percent \(RFC 3986, 2\.1\): GET \/%: no answer within 1\.5 s \(bare,\s+haproxy:tcp,/m,
    'HAProxy and Varnish hand it on, the others do not')
  for (const line of stdout.split('\n').filter(line => !line.startsWith('Kept in'))) t.ok(line.length <= 80, line)
  t.equal(stderr.match(/^\d+ of 24 {2}/gm)?.length, 24, 'bare, four transports of five proxies, three of them alone')
  await leavesNothing(t, workspace)
})
