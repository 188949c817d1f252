/** Another machine for the time of a run: the project is put there, started, spoken with, and removed. */
import { converse, run } from '../process.js'
import { Channel } from './channel.js'
import { install, projectCommand, remove } from './install.js'
import { failureOf } from './ssh.js'

/** Fetching programs there takes as long as it does here. */
const PREPARE_SECONDS = 600
/** Topologies end, folders go: then ssh ends by itself. */
const END_SECONDS = 20

/**
 * @typedef {object} Remote
 * @property {string} name
 * @property {string} node its version there
 * @property {string} seenFrom this machine's address, as that one sees it
 * @property {Channel} channel
 * @property {import('../types.d.ts').Environment} environment
 * @property {() => Promise<void>} close
 */

/**
 * @param {import('./ssh.js').Host} host
 * @param {object} options
 * @param {{ proxies: string[], engines: string[] }} options.needs programs that it must have
 * @param {string} options.log file that takes what ssh and the program there say
 * @param {(text: string) => void} options.note progress
 * @param {(channel: Channel) => void} [options.serve] what it may ask of this machine
 * @returns {Promise<Remote>}
 * @throws {import('../errors.js').HopbenchError} ssh-host-key, ssh-denied, ssh-failed, host-unfit
 */
export async function connect (host, { needs, log, note, serve = () => {} }) {
  note(`putting the project on ${host.name}`)
  const installed = await install(host)
  try {
    note(`looking for its programs on ${host.name}`)
    await prepare(installed, needs)
    const child = converse({ name: `hopbench on ${host.name}`, argv: projectCommand(installed, ['host'], { last: true }), log })
    const channel = new Channel(host.name, { input: child.stdout, output: child.stdin })
    const close = async () => {
      // A machine that was lost cannot be asked any more: it cleans up by itself.
      const gone = channel.isLost()
      channel.close()
      child.stdin.end()
      await child.ends(gone ? 0 : END_SECONDS)
      if (!gone) await remove(installed)
    }
    try {
      serve(channel)
      channel.listen()
      return { name: host.name, node: installed.node, seenFrom: installed.seenFrom, channel, environment: await channel.ask('host/environment'), close }
    } catch (error) {
      await close()
      throw error
    }
  } catch (error) {
    await remove(installed)
    throw error
  }
}

/**
 * @param {import('./install.js').Installed} installed
 * @param {{ proxies: string[], engines: string[] }} needs
 */
async function prepare (installed, { proxies, engines }) {
  const args = ['host', '--prepare', ...proxies.length > 0 ? ['--proxies', proxies.join(',')] : [], ...engines.length > 0 ? ['--engines', engines.join(',')] : []]
  const prepared = await run(projectCommand(installed, args), { timeoutSeconds: PREPARE_SECONDS })
  if (prepared.exit !== 0) throw failureOf(installed.host, prepared)
}
