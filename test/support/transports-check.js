/** `hopbench check` of a server behind proxies. */
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { transports } from '../../bench/plan/spec.js'
import { loadPlugin, pluginNames } from '../../bench/plan/plugins.js'
import { hopbench, leavesNothing, makeWorkspace } from './cli.js'
import { copyOfProject } from './project.js'

/** @import { Test } from 'tap' */

/** Returns the number of transports by which a proxy reaches a server. @param {string} name */
const countTransports = async name =>
  ((await loadPlugin('proxy', name)).default.about.transports ?? transports).length

/** Proxies that also serve files, in the order of the report. */
const STATIC = ['apache', 'caddy', 'nginx']

/**
 * Checks the server st behind every transport of the given proxies, and the proxies as servers of files. Asserts that
 * the report names the chains in which a probe fails.
 * @param {Test} t
 * @param {string[]} proxies nginx must be among them
 */
export async function checkTransports (t, proxies) {
  const from = copyOfProject(t)
  const others = pluginNames('proxy').filter(name => !proxies.includes(name))
  for (const file of readdirSync(join(from, 'proxy'))) {
    if (others.some(name => file === `${name}.js`)) rmSync(join(from, 'proxy', file))
  }
  const workspace = makeWorkspace(t)
  const { exit, stdout, stderr } = await hopbench(['check', 'st', 'files', '--results', workspace.results],
    { workspace, from, timeoutSeconds: 500 })
  t.equal(exit, 0, stderr)
  const servers = STATIC.filter(name => proxies.includes(name))
  // Each as shipped, and as recommended.
  const legend = servers.map((name, i) => `${'BCD'[i]} ${name}+shipped/files, ${'BCD'[i]}* ${name}/files`).join(', ')
  const version = '4.\\d+.\\d+'
  const columns = `A st ${version}, A* st+production ${version}, ${legend}`.replaceAll(/[*+](?=[ sp])/g, '\\$&')
  t.match(stdout.replaceAll(/\s+/g, ' '), new RegExp(columns))
  t.match(stdout, /SAFETY .*empty \(RFC 9110, 8\.6\): the server\s+ended with exit code 1/, 'st exits on an empty file')
  t.match(stdout, /^- vary \(RFC 9110, 12\.5\.5\): no Vary/m, 'fails everywhere, so no chain is named')
  const forwards = ['envoy', 'haproxy'].find(name => proxies.includes(name))
  const chain = forwards ? new RegExp(`\\(bare,\\s+${forwards}:tcp,`) : /\(bare only\)/
  const [percent] = stdout.match(/^- percent \(RFC 3986, 2\.1\): GET \/%: no response within 1\.5 s[^)]*\)/m) ?? ['']
  t.match(percent, chain, 'only Envoy, HAProxy and Varnish forward it')
  for (const line of stdout.split('\n').filter(line => !line.startsWith('Stored in'))) t.ok(line.length <= 80, line)
  const reached = await Promise.all(proxies.map(countTransports))
  const chains = 2 * (1 + reached.reduce((sum, count) => sum + count) + servers.length)
  t.equal(stderr.match(new RegExp(`^\\d+ of ${chains} {2}`, 'gm'))?.length, chains,
    'bare, the transports of each proxy, and the proxies as servers, in both forms')
  await leavesNothing(t, workspace)
}
