/** Connects to another machine for a run: installs the project there, starts it, and removes it afterwards. */
import { join } from 'node:path'
import { converse, run } from '../../machine/process.js'
import { Channel } from './channel.js'
import { install, projectCommand, remove } from './install-project.js'
import { failureOf } from './ssh.js'

/** @import { HopbenchError } from '../../errors.js' */
/** @import { Host, Installed, Needs, Remote } from './types.js' */

/** Limit for installing programs, the same as on this machine. */
const PREPARE_SECONDS = 600
/** Limit for ending topologies and removing folders, after which ssh exits. */
const END_SECONDS = 20

/**
 * Connects to a host.
 *
 * @param {Host} host
 * @param {object} options
 * @param {Needs} options.needs
 * @param {string} options.temp folder for the standard error of ssh and of the program there
 * @param {(text: string) => void} options.note shows progress
 * @param {(channel: Channel, address: string) => { close: () => Promise<void> }} [options.serve] registers request
 * handlers for the host; address: by which this machine reaches the host
 * @returns {Promise<Remote>}
 * @throws {HopbenchError} ssh-host-key, ssh-denied, ssh-failed, host-unfit, host-answer
 */
export async function connect (host, { needs, temp, note, serve }) {
  note(`putting the project on ${host.name}`)
  const installed = await install(host)
  let close = () => remove(installed)
  try {
    note(`looking for its programs on ${host.name}`)
    await prepare(installed, needs)
    const { channel, close: disconnect } = start(installed, temp)
    const service = serve?.(channel, installed.address)
    // The service is closed here, because a lost machine cannot end the load that this one makes for it.
    close = async () => { await Promise.all([service?.close(), disconnect()]) }
    channel.listen()
    const { node, address, seenFrom } = installed
    const environment = await channel.request('host/environment')
    return { name: host.name, node, address, seenFrom, channel, environment, close }
  } catch (error) {
    await close()
    throw error
  }
}

/**
 * @param {Installed} installed
 * @param {string} temp
 */
function start (installed, temp) {
  const { name } = installed.host
  const log = join(temp, `${name.replace(/[^\w.-]+/g, '_')}.log`)
  const argv = projectCommand(installed, ['host'], { isLast: true })
  const child = converse({ name: `hopbench on ${name}`, argv, log })
  const channel = new Channel(name, { input: child.stdout, output: child.stdin })
  const close = async () => {
    // A lost machine is unreachable. The folder is removed there when ssh ends, or by the next run.
    const isLost = channel.isLost()
    channel.close()
    child.stdin.end()
    await child.ends(isLost ? 0 : END_SECONDS)
    if (!isLost) await remove(installed)
  }
  return { channel, close }
}

/**
 * @param {Installed} installed
 * @param {Needs} needs
 */
async function prepare (installed, { proxies, engines, serverNode = false }) {
  const args = ['host', '--prepare']
  if (proxies.length > 0) args.push('--proxies', proxies.join(','))
  if (engines.length > 0) args.push('--engines', engines.join(','))
  if (serverNode) args.push('--server-node')
  const prepared = await run(projectCommand(installed, args), { timeoutSeconds: PREPARE_SECONDS })
  if (prepared.exit !== 0) throw failureOf(installed.host, prepared)
}
