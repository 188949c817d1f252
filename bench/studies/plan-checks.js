/** Everything of a plan that can be refused before anything starts. */
import { availableParallelism } from 'node:os'
import { HopbenchError } from '../errors.js'
import { refuseImpossible } from '../load/capabilities.js'
import { moduleOf } from '../measure/stage.js'
import { resolveOptions } from '../plan/topology-options.js'
import { isPath } from '../plan/word.js'
import { workersOf } from '../plan/workers.js'
import { aboutProtocol, loadPlugin } from '../plugins.js'
import { originPluginOf } from '../topology/proxy-origin.js'
import { serverSettings } from '../topology/server-options.js'
import { callerCwd } from '../machine/caller-cwd.js'

/** @import { Arm, Plan } from '../types.js' @import { RunOptions } from './types.js' */

/** Loaded with less than this many further descriptors, nginx and Node run out before the connections do. */
const DESCRIPTORS_BESIDE_CONNECTIONS = 128

/** @param {Plan} plan */
export async function checkPlan (plan) {
  const protocol = await aboutProtocol(plan.protocol)
  for (const arm of plan.arms) {
    await checkArm(arm)
    refuseImpossible((await loadPlugin('engine', arm.load.engine)).default, arm, protocol)
  }
}

/** @param {Arm} arm */
export async function checkArm ({ topology }) {
  if (topology.proxy) {
    const { default: { about } } = await loadPlugin('proxy', topology.proxy.name)
    resolveOptions(topology.proxy.name, about.options, topology.proxy.options)
  }
  const origin = await originPluginOf(topology)
  if (topology.server && origin) resolveOptions(topology.server.name, origin.about.options, topology.server.options)
  else if (topology.server) {
    await moduleOf(topology.server.name, callerCwd())
    const isOwn = isPath(topology.server.name)
    const about = isOwn ? undefined : (await loadPlugin('server', topology.server.name)).about
    serverSettings(topology, process.versions.node, about)
    workersOf(topology, availableParallelism())
  }
}

/** More connections than files that may be open fail in ways that look like the server's fault.
 * @param {Pick<Plan, 'arms'>} plan @param {number | null} openFiles the limit that children inherit
 * @throws {HopbenchError} too-many-connections */
export function checkLimits (plan, openFiles) {
  if (openFiles === null) return
  for (const { name, topology, load: { connections } } of plan.arms) {
    // A proxied request holds a connection on each side.
    const needed = connections * (topology.proxy && topology.server ? 2 : 1) + DESCRIPTORS_BESIDE_CONNECTIONS
    if (needed > openFiles) throw new HopbenchError('too-many-connections', { name, connections, needed, openFiles })
  }
}

/** What has a meaning on this machine only. @param {Plan} plan @param {RunOptions} options
 * @throws {HopbenchError} bad-option */
export function refuseElsewhere ({ arms, root }, { server, load, locustWorkers, expectWorkers, net }) {
  const asked = Object.entries({
    '--server': server && [server],
    '--load-hosts': load,
    '--locust-workers': locustWorkers,
    '--expect-workers': expectWorkers
  })
    .filter(([, hosts]) => hosts !== undefined)
  if (asked.length === 0) return
  const [option, hosts] = asked[0]
  const value = Array.isArray(hosts) ? hosts.map(({ name }) => name).join(',') : hosts
  const refuse = (/** @type {string} */ why, /** @type {string} */ remedy) => {
    throw new HopbenchError('bad-option', { option, value, why, remedy })
  }
  if (load && (locustWorkers || expectWorkers)) {
    refuse('Locust spreads itself, or --load-hosts spreads it', 'Take one of the two.')
  }
  if (net) refuse(`--net ${net} is a private network of this machine`, 'Take one of the two.')
  const lab = arms.find(({ topology }) => topology.lab?.sysctl)
  if (lab) {
    refuse(`the arm ${lab.name} changes settings of its network, which must be a private one`, `Leave ${option} out.`)
  }
  if (!server) return
  const own = arms.find(({ topology }) => topology.server && isPath(topology.server.name))
  if (own) {
    refuse(`${own.topology.server?.name} is an app on this machine`,
      'Run hopbench on the machine of the app, with --load-hosts for this one.')
  }
  if (root !== undefined) {
    refuse('the files of --root are on this machine',
      'Run hopbench on the machine that has them, with --load-hosts for this one.')
  }
}
