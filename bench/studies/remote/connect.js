/** Another machine for the time of a run: the project is put there, started, spoken with, and removed. */
import { converse, run } from '../../machine/process.js'
import { Channel } from './channel.js'
import { install, projectCommand, remove } from './install-project.js'
import { failureOf } from './ssh.js'

/** @import { HopbenchError } from '../../errors.js' */
/** @import { ConnectOptions, Host, Installed, Needs, Remote } from './types.js' */

const PREPARE_SECONDS = 600 // Fetching programs there takes as long as it does here.
const END_SECONDS = 20 // Topologies end, folders go: then ssh ends by itself.

/** @param {Host} host @param {ConnectOptions} options @returns {Promise<Remote>}
 * @throws {HopbenchError} ssh-host-key, ssh-denied, ssh-failed, host-unfit, host-answer */
export async function connect (host, { needs, log, note, serve }) {
  note(`putting the project on ${host.name}`)
  const installed = await install(host)
  try {
    note(`looking for its programs on ${host.name}`)
    await prepare(installed, needs)
    const { channel, close } = talkTo(installed, log)
    try {
      serve?.(channel, installed.address)
      channel.listen()
      const { node, address, seenFrom } = installed
      const environment = await channel.ask('host/environment')
      return { name: host.name, node, address, seenFrom, channel, environment, close }
    } catch (error) {
      await close()
      throw error
    }
  } catch (error) {
    await remove(installed)
    throw error
  }
}

/** @param {Installed} installed @param {string} log */
function talkTo (installed, log) {
  const { name } = installed.host
  const argv = projectCommand(installed, ['host'], { last: true })
  const child = converse({ name: `hopbench on ${name}`, argv, log })
  const channel = new Channel(name, { input: child.stdout, output: child.stdin })
  const close = async () => {
    // A machine that was lost cannot be asked any more: it cleans up by itself, or the next run there does.
    const gone = channel.isLost()
    channel.close()
    child.stdin.end()
    await child.ends(gone ? 0 : END_SECONDS)
    if (!gone) await remove(installed)
  }
  return { channel, close }
}

/** @param {Installed} installed @param {Needs} needs */
async function prepare (installed, { proxies, engines }) {
  const args = ['host', '--prepare', ...proxies.length > 0 ? ['--proxies', proxies.join(',')] : [],
    ...engines.length > 0 ? ['--engines', engines.join(',')] : []]
  const prepared = await run(projectCommand(installed, args), { timeoutSeconds: PREPARE_SECONDS })
  if (prepared.exit !== 0) throw failureOf(installed.host, prepared)
}
