import { availableParallelism } from 'node:os'
import { armOf } from '../request.js'
import { findProxies } from '../measure/stage.js'
import { describe } from '../topology/describe.js'
import { HopbenchError } from '../errors.js'
import { count } from '../request/values.js'

/** Where the parts usually lie on a server of one's own. */
const HOME = { dir: '/run/app', root: '/srv/www', ports: { front: 80, origin: 3000 } }
const HOME_TLS = { ports: { ...HOME.ports, front: 443 }, certificate: { certFile: '/etc/ssl/certs/site.pem', keyFile: '/etc/ssl/private/site.key' } }

/** @param {import('commander').Command} program */
export default program => program.command('config')
  .description('print the proxy configuration of a topology, to take home')
  .argument('<topology>', 'a chain of hops such as nginx:uds+cache=5s/express-json')
  .option('--connections <number>', 'client connections it must hold', count('--connections', 1_000_000), 1000)
  .action(async (word, { connections }) => {
    const arm = await armOf(word, { connections })
    const { proxy: front, server } = arm.topology
    if (!front) throw new HopbenchError('bad-topology', { word, why: 'there is no proxy in it, so there is nothing to configure' })
    const proxies = await findProxies([arm])
    const { proxy, origin } = describe(arm.topology, {
      ...HOME,
      ...[undefined, 'off', false].includes(/** @type {any} */ (front.options.tls)) ? {} : HOME_TLS,
      clients: connections,
      cores: availableParallelism(),
      launcher: '',
      node: '',
      module: '',
      proxy: proxies.get(front.name) ?? null,
      origin: server && proxies.get(server.name)
    }, 'home')
    const own = Object.values(proxy?.files ?? {})
    const behind = Object.values(origin?.files ?? {}).map(text => `# Behind it, a program of its own:\n${text}`)
    process.stdout.write([...own, ...behind].join('\n'))
  })
