/** Implements `hopbench host`: this machine takes part in a run that another machine leads. It holds the served side or
 * generates load. */
import { join } from 'node:path'
import { allCoresServe } from '../../machine/cores.js'
import { readEnvironment } from '../../machine/environment.js'
import { findEngine, localEngines } from '../../load/find-engine.js'
import { bringServerNode } from '../../measure/find-programs.js'
import { labFacts } from '../../machine/lab.js'
import { makeTempRoot } from '../../machine/temp.js'
import { findTools } from '../../machine/tools.js'
import { loadPlugin, PROJECT } from '../../plugins.js'
import { Channel, waitAtMost } from './channel.js'
import { holdFolder, sweepLeftovers } from './leftovers.js'
import { serveLoad } from './load-service.js'
import { serveRig } from './rig-service.js'

/** @import { HopbenchError } from '../../errors.js' */
/** @import { Needs } from './types.js' */

/** Limit for ending generators and topologies. They end within seconds, unless a process hangs in the kernel. */
const CLOSE_SECONDS = 60

/**
 * Installs the programs of a run before it starts, and removes leftovers of earlier runs.
 *
 * @param {Needs} needs
 * @throws {HopbenchError} tool-missing, engine-missing, and errors of installing
 */
export async function prepareTools ({ proxies, engines, serverNode = false }) {
  holdFolder(PROJECT)
  sweepLeftovers(PROJECT)
  const plugins = await Promise.all(proxies.map(name => loadPlugin('proxy', name)))
  await findTools(plugins.map(({ default: { about: { program, packages, wheel } } }) => ({ program, packages, wheel })))
  for (const name of engines) await findEngine(name)
  if (serverNode) await bringServerNode()
}

/** Serves requests over standard input and output until the leading machine is lost. @returns {Promise<void>} */
export async function takePart () {
  const temp = makeTempRoot()
  // The third field of SSH_CONNECTION is the address by which the leading machine reached this one.
  const address = process.env.SSH_CONNECTION?.split(' ')[2] ?? '127.0.0.1'
  const channel = new Channel('the machine that leads the run', { input: process.stdin, output: process.stdout })
  channel.serve('host/environment', async () => readEnvironment({
    lab: { ...await labFacts(), network: 'shared-loopback', why: 'its clients are on other machines' },
    cores: allCoresServe()
  }))
  const services = [
    serveLoad(channel, localEngines, join(temp.path, 'load')),
    serveRig(channel, { temp: temp.path, address })
  ]
  channel.listen()
  await channel.lost
  // Processes that remain end with the PID namespace, or are ended by the supervisor.
  await waitAtMost(Promise.all(services.map(service => service.close().catch(() => {}))), CLOSE_SECONDS)
  temp.remove()
}
