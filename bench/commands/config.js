import { availableParallelism } from 'node:os'
import { findModules } from '../modules.js'
import { loadPlugin } from '../plugins.js'
import { armOf } from '../request.js'
import { findTool, toolVersion } from '../tools.js'
import { describe } from '../topology/describe.js'
import { HopbenchError } from '../errors.js'
import { count } from '../values.js'

/** Where the parts usually lie on a server of one's own. */
const HOME = { dir: '/run/app', root: '/srv/www', ports: { front: 80, origin: 3000 } }

/** @param {import('commander').Command} program */
export default program => program.command('config')
  .description('print the proxy configuration of a topology, to take home')
  .argument('<topology>', 'a chain of hops such as nginx:uds+cache=5s/express-json')
  .option('--connections <number>', 'client connections it must hold', count('--connections', 1_000_000), 1000)
  .action(async (word, { connections }) => {
    const { topology } = await armOf(word, { connections })
    if (!topology.proxy) throw new HopbenchError('bad-topology', { word, why: 'there is no proxy in it, so there is nothing to configure' })
    const { default: plugin } = await loadPlugin('proxy', topology.proxy.name)
    const tool = await findTool({ program: plugin.about.program, packages: plugin.about.packages })
    const version = await toolVersion(tool.path, plugin.version, tool.env)
    const { proxy } = describe(topology, {
      ...HOME, clients: connections, cores: availableParallelism(), launcher: '', node: '', module: '', proxy: { plugin, program: tool.path, env: tool.env, version, modules: await findModules(plugin, tool) }
    }, 'home')
    process.stdout.write(Object.values(proxy?.files ?? {}).join('\n'))
  })
