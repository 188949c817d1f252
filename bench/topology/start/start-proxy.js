/** Starts a proxy, in front or in the server's place, and waits until its counters respond. */
import { chownSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { HopbenchError } from '../../errors.js'
import { run, readLastLines } from '../../machine/process.js'
import { getStatus } from '../status.js'
import { waitUntilListening } from './wait-until-listening.js'
import { makeFolder } from '../../machine/files/make-folder.js'

/** @import { Child, Network, ProcessSpec } from '../../machine/types.js' */
/** @import { ProxyDescription, ProxyPlugin, ServedProgram } from '../../types.js' */

const relayProgram = fileURLToPath(new URL('./relay.js', import.meta.url))
const CHECK_SECONDS = 60 // Limit for reading a configuration. Apache loads its modules from a slow disk.
/** ID of the account without privileges, under which proxy/apache/view.js runs the workers. */
const NOBODY = 65534

/**
 * @param {ProxyDescription} proxy
 * @param {ProxyPlugin} plugin
 * @param {object} options
 * @param {string} options.name of the topology in messages
 * @param {string} options.dir
 * @param {Network} options.network
 * @param {(program: ServedProgram) => Child} options.launch
 * @param {(spec: ProcessSpec) => void} options.launchRelay
 * @throws {HopbenchError} proxy-refused, process-died, not-ready, port-in-use, disk-full
 */
export async function startProxy (proxy, plugin, { name, dir, network, launch, launchRelay }) {
  writeFiles(proxy, dir, network)
  const check = await run([...network.enterServed, ...proxy.check],
    { env: proxy.env, cwd: dir, timeoutSeconds: CHECK_SECONDS })
  if (check.exit !== 0) {
    const output = check.stderr || check.stdout
    refuseFullDisk(output, proxy, { name, dir })
    throw new HopbenchError('proxy-refused', { name: `${plugin.about.title} of ${name}`, output })
  }
  const child = launch(proxy)
  const { counters } = plugin
  if (proxy.countersAt !== null && 'socket' in counters) {
    const { host, port } = proxy.countersAt
    // A relay for counters of programs without Unix sockets. The CPU time of the relay is not measured.
    launchRelay({
      name: `the relay to the counters of ${name}`,
      argv: [process.execPath, relayProgram],
      env: { HOPBENCH_RELAY: JSON.stringify({ host, port, socket: join(dir, counters.socket) }) },
      enter: network.enterBeside,
      log: join(dir, 'relay.log')
    })
  }
  const status = getStatus(counters, dir, proxy.memory)
  try {
    await waitUntilListening(child, proxy.listen, () => status.isUp(), proxy.startSeconds)
  } catch (error) {
    status.close()
    // Apache writes most messages to its error log instead of its output.
    if (error instanceof HopbenchError && !error.details.output) {
      error.details.output = readLastLines(join(dir, counters.errorLog))
    }
    if (error instanceof HopbenchError) refuseFullDisk(error.details.output, proxy, { name, dir })
    throw error
  }
  return status
}

/**
 * Reports a full disk if the output of a proxy that did not start names it.
 * @param {unknown} output
 * @param {Pick<ProxyDescription, 'memory'>} proxy
 * @param {{ name: string, dir: string }} options name: of the topology
 * @throws {HopbenchError} disk-full
 */
function refuseFullDisk (output, { memory }, { name, dir }) {
  if (!/No space left on device/.test(String(output))) return
  const folders = [...new Set([memory, dir])].join(' or ')
  const file = `a file of the proxy of ${name} in ${folders}`
  throw new HopbenchError('disk-full', { file, resume: null, output: String(output) })
}

/**
 * @param {ProxyDescription} proxy
 * @param {string} dir
 * @param {Network} network
 */
function writeFiles ({ folders, files }, dir, { enterServed }) {
  for (const folder of folders) {
    makeFolder(folder, 0o700)
    // As root without namespaces, the proxy's workers run under this account.
    if (process.getuid?.() === 0 && enterServed.length === 0) chownSync(folder, NOBODY, NOBODY)
  }
  for (const [file, text] of Object.entries(files)) writeFileSync(join(dir, file), text)
}
