/**
 * Brings what the tests will ask for into the cache; what cannot be had is told by the tests that need it.
 */
import { findEngine } from '../../bench/load/find-engine.js'
import { findTool } from '../../bench/machine/tools.js'
import { pluginNames } from '../../bench/plugins.js'

/** program → Debian's package of it */
const PROGRAMS = {
  nginx: 'nginx',
  apache2: 'apache2-bin',
  haproxy: 'haproxy',
  caddy: 'caddy',
  varnishd: 'varnish',
  ip: 'iproute2',
  sshd: 'openssh-server',
  ssh: 'openssh-client',
  prometheus: 'prometheus',
  chromium: 'chromium'
}

for (const [program, debian] of Object.entries(PROGRAMS)) {
  await findTool({ program, packages: { debian: [debian] } }).catch(() => {})
}
for (const name of pluginNames('engine')) await findEngine(name).catch(() => {})
