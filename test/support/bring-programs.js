/**
 * Fetches the programs that the tests use into the cache. Failures are ignored here, because each test that needs a
 * program reports that it is missing.
 */
import { findEngine } from '../../bench/load/find-engine.js'
import { findTool, findTools } from '../../bench/machine/tools.js'
import { bringServerNode } from '../../bench/measure/find-programs.js'
import { loadPlugin, pluginNames } from '../../bench/plan/plugins.js'

/** @import { ToolSpec } from '../../bench/machine/types.js' @import { ProxyPlugin } from '../../bench/types.js' */

/** Debian package of each program that no plug-in names. */
const PROGRAMS = {
  ip: 'iproute2',
  sshd: 'openssh-server',
  ssh: 'openssh-client',
  prometheus: 'prometheus',
  chromium: 'chromium',
  // Only root can start an engine.
  ...process.getuid?.() === 0 &&
    { dockerd: 'docker.io', debootstrap: 'debootstrap', 'docker-compose': 'docker-compose' }
}

/** Programs of other Debian releases, which test/proxy/releases.full.test.js runs. @type {ToolSpec[]} */
const RELEASES = [['nginx', 'sid'], ['nginx', 'trixie'], ['haproxy', 'sid'], ['caddy', 'current'],
  ['apache2', 'trixie', 'apache2-bin'], ['curl', 'sid']].map(([program, release, name = program]) =>
  ({ program, packages: { debian: [name] }, release }))

for (const [program, debian] of Object.entries(PROGRAMS)) {
  await findTool({ program, packages: { debian: [debian] } }).catch(() => {})
}
for (const name of pluginNames('proxy')) {
  /** @type {{ default: ProxyPlugin }} */
  const { default: { about: { program, packages, wheel } } } = await loadPlugin('proxy', name)
  await findTool({ program, packages, wheel }).catch(() => {})
}
// Fetched together, because the lists of the archive are read once.
await findTools(RELEASES).catch(() => {})
for (const name of pluginNames('engine')) await findEngine(name).catch(() => {})
await bringServerNode()
