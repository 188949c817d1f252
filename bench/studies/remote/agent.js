/** What runs on another machine while it takes part in a run: it holds the served side or makes load, as it is asked
 * to. */
import { join } from 'node:path'
import { allCoresServe } from '../../machine/cores.js'
import { readEnvironment } from '../../machine/environment.js'
import { localEngines } from '../../load/find-engine.js'
import { labFacts } from '../../machine/lab.js'
import { makeTempRoot } from '../../machine/temp.js'
import { Channel } from './channel.js'
import { atMost } from './limit.js'
import { serveLoad } from './load-service.js'
import { serveRig } from './rig-service.js'

const CLOSE_SECONDS = 60 // Generators and topologies end within seconds; a process may be stuck in the kernel.

/** Serves until the machine that leads is gone. @returns {Promise<void>} */
export async function takePart () {
  const temp = makeTempRoot()
  // ssh names both ends: the client's address and port, and this machine's.
  const address = process.env.SSH_CONNECTION?.split(' ')[2] ?? '127.0.0.1'
  const channel = new Channel('the machine that leads the run', { input: process.stdin, output: process.stdout })
  channel.serve('host/environment', async () =>
    readEnvironment({
      lab: { ...await labFacts(), network: 'shared-loopback', why: 'its clients are on other machines' },
      cores: allCoresServe()
    }))
  const services = [serveLoad(channel, localEngines, join(temp.path, 'load')),
    serveRig(channel, { temp: temp.path, address })]
  channel.listen()
  await channel.lost
  // What is stuck goes with the namespace, or with its supervisor.
  await atMost(Promise.all(services.map(service => service.close().catch(() => {}))), CLOSE_SECONDS)
  temp.remove()
}
