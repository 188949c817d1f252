/** Starts a proxy, in front or in the server's place, and waits until its counters answer. */
import { chownSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { HopbenchError } from '../errors.js'
import { run, start, tailOf, waitUntil } from '../machine/process.js'
import { nameTakenAddress } from './address-in-use.js'
import { statusOf } from './status.js'

/** @import { Child, Network } from '../machine/shapes.js' */
/** @import { CountersByHttp, ProxyDescription, ProxyPlugin, ServedProgram } from '../types.js' */

const relayProgram = fileURLToPath(new URL('./relay.js', import.meta.url))
const CHECK_SECONDS = 60
const NOBODY = 65534 // The account that proxy/apache.js names.

/** @typedef {{ name: string, dir: string, network: Network }} Where */

/** @param {ProxyDescription} proxy @param {ProxyPlugin} plugin
 * @param {Where & { launch: (program: ServedProgram) => Child, relays: Child[] }} how
 * @throws {HopbenchError} proxy-refused, process-died, not-ready, port-in-use */
export async function startProxy (proxy, plugin, { name, dir, network, launch, relays }) {
  writeFiles(proxy, dir, network)
  const check = await run([...network.enterServed, ...proxy.check],
    { env: proxy.env, cwd: dir, timeoutSeconds: CHECK_SECONDS })
  if (check.exit !== 0) {
    const output = check.stderr || check.stdout
    throw new HopbenchError('proxy-refused', { name: `${plugin.about.title} of ${name}`, output })
  }
  const child = launch(proxy)
  if (proxy.countersAt !== null) {
    const { socket } = /** @type {CountersByHttp} */ (plugin.counters)
    relays.push(startRelay({ ...proxy.countersAt, name, dir, network, socket: join(dir, socket) }))
  }
  const status = statusOf(plugin.counters, { dir, memory: proxy.memory })
  try {
    await nameTakenAddress(proxy.listen,
      () => waitUntil(child, () => status.isUp(), { timeoutSeconds: proxy.startSeconds }))
  } catch (error) {
    status.close()
    // Apache says most of it in a log of its own.
    if (error instanceof HopbenchError && !error.details.output) {
      error.details.output = tailOf(join(dir, plugin.counters.errorLog))
    }
    throw error
  }
  return status
}

/** @param {ProxyDescription} proxy @param {string} dir @param {Network} network */
function writeFiles ({ folders, files }, dir, { enterServed }) {
  for (const folder of folders) {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    // Real root without namespaces: the program answers requests as nobody (proxy/apache.js).
    if (process.getuid?.() === 0 && enterServed.length === 0) chownSync(folder, NOBODY, NOBODY)
  }
  for (const [file, text] of Object.entries(files)) writeFileSync(join(dir, file), text)
}

/** Brings counters of a program that knows no Unix sockets out of its network. Its own CPU time is nobody's.
 * @param {Where & { host: string, port: number, socket: string }} where */
const startRelay = ({ name, dir, network, host, port, socket }) => start({
  name: `the relay to the counters of ${name}`,
  argv: [process.execPath, relayProgram],
  env: { HOPBENCH_RELAY: JSON.stringify({ host, port, socket }) },
  enter: network.enterBeside,
  log: join(dir, 'relay.log')
})
