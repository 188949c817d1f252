/** Starts a proxy, in front or in the server's place, and waits until its counters respond. */
import { chownSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { HopbenchError, getErrorCode } from '../../errors.js'
import { readLastLines, run } from '../../machine/process.js'
import { waitUntilListening } from './wait-until-listening.js'
import { makeFolder } from '../../machine/files/make-folder.js'
import { attempt } from '../../shared/attempt.js'
import { once } from 'node:events'
import http from 'node:http'
import { text } from 'node:stream/consumers'

/** @import { Child, Network, ProcessSpec } from '../../machine/types.js' */
/** @import { CountersByHttp, FrontCounts, ProxyDescription, ProxyPlugin, ServedProgram } from '../../types.js' */

const RESPONSE_MS = 5000 // Counters are read in a millisecond; a saturated proxy may queue the request.
/** Errors of a request on a kept connection that the proxy closed meanwhile: before, or while it was sent. */
const CLOSED = ['ECONNRESET', 'EPIPE']

/** @typedef {ReturnType<typeof createHttpStatus>} Status */

/**
 * @param {ProxyPlugin['counters']} counters
 * @param {string} dir of the proxy
 * @param {string} [memory] folder on tmpfs
 * @returns {Status}
 */
export function getStatus (counters, dir, memory = dir) {
  if (!('read' in counters)) return createHttpStatus(counters, dir)
  const read = () => counters.read(dir, memory)
  return { isUp: async () => attempt(() => Boolean(read()), () => false), counts: async () => read(), close () {} }
}

/**
 * Reads counters by HTTP.
 * @param {CountersByHttp} plugin
 * @param {string} dir folder of the proxy's socket
 */
function createHttpStatus (plugin, dir) {
  const socketPath = join(dir, plugin.socket)
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  let readings = 0

  /**
   * Reads the counters. Returns the middle between the request and the head of the response as their time, for programs
   * that state none.
   * @returns {Promise<{ body: string, headers: http.IncomingHttpHeaders, atSeconds: number }>}
   */
  const get = async () => {
    // Limits the whole response, because one that arrives byte by byte is never idle.
    const signal = AbortSignal.timeout(RESPONSE_MS)
    const sentMs = performance.now()
    const request = http.get({ socketPath, path: plugin.path, agent, signal }).on('error', () => {})
    try {
      const [response] = await once(request, 'response')
      const atSeconds = (performance.timeOrigin + (sentMs + performance.now()) / 2) / 1000
      return { body: await text(response), headers: response.headers, atSeconds }
    } catch (error) {
      if (signal.aborted) throw new Error(`the proxy's counters did not respond within ${RESPONSE_MS / 1000} s`)
      // Apache closes idle connections while all its threads are busy, and a process that a reload replaces closes its
      // own.
      if (request.reusedSocket && CLOSED.includes(String(getErrorCode(error)))) return get()
      throw error
    }
  }
  const read = async () => {
    const response = await get()
    readings++
    return response
  }
  return {
    async isUp () {
      try {
        const { body, headers } = await read()
        plugin.parse(body, headers)
        return plugin.isReady?.(body) ?? true
      } catch {
        return false
      }
    },
    /** @returns {Promise<FrontCounts>} */
    async counts () {
      const { body, headers, atSeconds } = await read()
      const counts = plugin.parse(body, headers)
      return { atSeconds, ...counts, requests: counts.requests - readings * plugin.cost.requests }
    },
    close () {
      agent.destroy()
    }
  }
}

const relayProgram = fileURLToPath(new URL('./relay.js', import.meta.url))
const CHECK_SECONDS = 60 // Limit for reading a configuration. Apache loads its modules from a slow disk.
/** ID of the account without privileges, under which proxy/apache/view.js runs the workers. */
const UNPRIVILEGED = 65534

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
    rejectFullDisk(output, proxy, { name, dir })
    throw new HopbenchError('proxy-refused', { name: `${plugin.about.title} of ${name}`, output })
  }
  const child = launch(proxy)
  const { counters } = plugin
  if (proxy.countersAt !== null && 'socket' in counters) {
    const { host, port } = proxy.countersAt
    const listen = { path: join(dir, counters.socket), readableAll: true, writableAll: true }
    // A relay for counters of programs without Unix sockets. The CPU time of the relay is not measured.
    launchRelay({
      name: `the relay to the counters of ${name}`,
      argv: [process.execPath, relayProgram],
      env: { HOPBENCH_RELAY: JSON.stringify({ listen, target: { host, port } }) },
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
    if (error instanceof HopbenchError) rejectFullDisk(error.details.output, proxy, { name, dir })
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
function rejectFullDisk (output, { memory }, { name, dir }) {
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
    if (process.getuid?.() === 0 && enterServed.length === 0) chownSync(folder, UNPRIVILEGED, UNPRIVILEGED)
  }
  for (const [file, text] of Object.entries(files)) writeFileSync(join(dir, file), text)
}
