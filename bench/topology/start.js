/** Starts what a description says, and proves who answers. */
import { chmodSync, closeSync, fstatSync, mkdirSync, openSync, readSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { INHERITED } from '../confinement.js'
import { HopbenchError } from '../errors.js'
import { groupMembers } from '../probe.js'
import { died, run, start, tailOf, waitUntil } from '../process.js'
import { Control } from './control.js'
import { errorLogReader } from './error-log.js'
import { Origin } from './origin.js'
import { Status } from './status.js'

/** @typedef {import('./describe.js').Description} Description */
/** @typedef {import('./control.js').ServerCounts} ServerCounts */

/** What a server may take to start, on a machine that is busy: one core loads a worker in half a second, and PM2 tries one that fails four times. */
const START_SECONDS = 30
const START_SECONDS_PER_WORKER = 1

const relayProgram = fileURLToPath(new URL('./relay.js', import.meta.url))

/**
 * @typedef {object} FrontCounts what the hop that the client talks to has counted
 * @property {number} atSeconds by that hop's own clock
 * @property {number} requests
 * @property {number | null} connections accepted since the start; null: it does not count them
 */

/** @typedef {Record<'server' | 'proxy' | 'relay', import('../process.js').Child[]>} Children */

/**
 * @typedef {object} Running a topology that is up
 * @property {Description['target']} target
 * @property {Description['originTarget']} originTarget
 * @property {() => Promise<FrontCounts>} front
 * @property {() => Promise<ServerCounts | null> } origin counts of the server, all its workers
 *   together: the same hop as front where there is no proxy, null where there is no server
 * @property {boolean} proxied
 * @property {boolean} countsLate the front counts a request some time after its answer
 * @property {() => { atSeconds: number, status: number, cache: string | null }[]} noted answers that were not plainly right, since the last call
 * @property {() => import('../types.d.ts').LogCount[]} logged what the proxy has added to its error log since the last call, by kind
 * @property {() => { proxy: number[], server: number[] }} pids
 * @property {import('../types.d.ts').ConfinedBy} [confinedBy] of a server with known vulnerabilities; left out: it has none
 * @property {() => HopbenchError | null} failure the process that ended by itself, if one has
 * @property {() => Promise<void>} stop
 */

/**
 * @param {Description} description
 * @param {{ name: string, dir: string, network: import('../lab.js').Network, cores: number[] | null,
 *   proxyPlugin: import('../types.d.ts').ProxyPlugin | null, originPlugin?: import('../types.d.ts').ProxyPlugin | null,
 *   confinement?: import('../types.d.ts').Confinement | null }} context
 *   `originPlugin`: of the proxy in the server's place; `confinement`: of the server, null or left out: none
 * @returns {Promise<Running>}
 * @throws {HopbenchError} start-failed, process-died, not-ready, gate-refused, proxy-refused, port-in-use
 */
export async function startTopology (description, { name, dir, network, cores, proxyPlugin, originPlugin = null, confinement = null }) {
  /** @type {Children} */
  const children = { server: [], proxy: [], relay: [] }
  const launch = (/** @type {'server' | 'proxy'} */ role, /** @type {{ argv: string[], env: Record<string, string> }} */ { argv, env }, log = `${role}.log`) => {
    const confined = confinement && description.server && role === 'server'
    const enter = confined && confinement.enter.length > 0 ? confinement.enter : network.enterServed
    const child = start({ name: `the ${role} of ${name}`, argv, env, cwd: dir, enter, cores, log: join(dir, log), ...confined && { inherit: INHERITED } })
    children[role].push(child)
    return child
  }
  try {
    const control = description.server && await startServer(description.server, (process, i) => launch('server', process, i === 0 ? undefined : `server-${i}.log`))
    const origin = description.origin && originPlugin &&
      await startOrigin(description.origin, { name, network, plugin: originPlugin, children, launch: spec => launch('server', spec) })
    const status = description.proxy && proxyPlugin &&
      await startProxy(description.proxy, {
        dir,
        name,
        network,
        plugin: proxyPlugin,
        launch: spec => launch('proxy', spec),
        startRelay: at => children.relay.push(startRelay({ name, dir, network, at, socket: join(dir, proxyPlugin.counters.socket) }))
      })
    return { ...running(description, { children, control: control ?? origin, status, plugin: proxyPlugin, dir }), ...confinement && { confinedBy: confinement.by } }
  } catch (error) {
    await stopAll(children)
    throw error
  }
}

/**
 * @param {NonNullable<Description['server']>} server
 * @param {(process: NonNullable<Description['server']>['processes'][number], i: number) => import('../process.js').Child} launch
 */
async function startServer ({ processes, workers, controlDir }, launch) {
  mkdirSync(controlDir, { recursive: true })
  const children = processes.map(launch)
  const control = new Control(controlDir)
  const timeoutSeconds = START_SECONDS + workers * START_SECONDS_PER_WORKER
  try {
    await Promise.all(children.map((child, i) =>
      explainBind(processes[i].listen, () => waitUntil(child, () => {
        const failure = givenUp(child, processes[i].gaveUp)
        if (failure) throw failure
        return control.isUp(workers)
      }, { timeoutSeconds }))))
    const counts = await control.counts()
    const { kind } = processes[0].listen
    if (counts.listening !== kind) throw new HopbenchError('gate-refused', { name: children[0].name, why: `it listens on ${counts.listening}, not on ${kind}` })
    return control
  } catch (error) {
    control.close()
    throw error
  }
}

/**
 * The error for a manager that runs on and looks after nothing.
 * @param {import('../process.js').Child} child
 * @param {string} [words] that its log then ends with; left out: it would end itself
 */
function givenUp (child, words) {
  if (words === undefined) return null
  const output = child.tail()
  return output.includes(words) ? new HopbenchError('process-died', { name: child.name, how: 'gave its workers up', output }) : null
}

/**
 * @param {NonNullable<Description['proxy']>} proxy
 * @param {{ dir: string, name: string, network: import('../lab.js').Network, plugin: import('../types.d.ts').ProxyPlugin,
 *   launch: (spec: { argv: string[], env: Record<string, string> }) => import('../process.js').Child, startRelay: (at: import('../types.d.ts').Endpoint) => void }} context
 */
async function startProxy (proxy, { dir, name, network, plugin, launch, startRelay }) {
  for (const folder of proxy.folders) {
    mkdirSync(folder, { recursive: true })
    // Where the program starts as root it answers requests as somebody else.
    chmodSync(folder, 0o777)
  }
  for (const [file, text] of Object.entries(proxy.files)) writeFileSync(join(dir, file), text)
  const check = await run([...network.enterServed, ...proxy.check], { env: proxy.env, cwd: dir })
  if (check.exit !== 0) throw new HopbenchError('proxy-refused', { name: `${plugin.about.title} of ${name}`, output: check.stderr || check.stdout })
  const child = launch(proxy)
  if (proxy.countersAt !== null) startRelay(proxy.countersAt)
  const status = new Status(plugin.counters, dir)
  try {
    await explainBind(proxy.listen, () => waitUntil(child, () => status.isUp(), { timeoutSeconds: proxy.startSeconds }))
  } catch (error) {
    status.close()
    // Apache says most of it in a log of its own.
    if (error instanceof HopbenchError && !error.details.output) error.details.output = tailOf(join(dir, plugin.counters.errorLog))
    throw error
  }
  return status
}

/**
 * @param {NonNullable<Description['origin']>} origin
 * @param {{ name: string, network: import('../lab.js').Network, plugin: import('../types.d.ts').ProxyPlugin, children: Children,
 *   launch: (spec: { argv: string[], env: Record<string, string> }) => import('../process.js').Child }} context
 */
async function startOrigin (origin, { name, network, plugin, children, launch }) {
  const { dir, listen } = origin
  mkdirSync(dir, { recursive: true })
  const status = await startProxy(origin, {
    dir, name: `the server of ${name}`, network, plugin, launch, startRelay: at => children.relay.push(startRelay({ name, dir, network, at, socket: join(dir, plugin.counters.socket) }))
  })
  return new Origin({
    status,
    log: tailReader(join(dir, plugin.counters.log)),
    parseLogLine: plugin.counters.parseLogLine,
    listening: listen.kind,
    pids: () => members(children.server)
  })
}

/**
 * A program that knows no Unix sockets gives its counters on a port of its own network: this brings
 * them out of there. No part of what is measured: its CPU time is nobody's.
 * @param {{ name: string, dir: string, network: import('../lab.js').Network, at: import('../types.d.ts').Endpoint, socket: string }} where
 */
const startRelay = ({ name, dir, network, at: { host, port }, socket }) => start({
  name: `the relay to the counters of ${name}`,
  argv: [process.execPath, relayProgram],
  env: { HOPBENCH_RELAY: JSON.stringify({ host, port, socket }) },
  enter: network.enterBeside,
  log: join(dir, 'relay.log')
})

/**
 * @param {Description} description
 * @param {{ children: Children, control: Control | Origin | null, status: Status | null,
 *   plugin: import('../types.d.ts').ProxyPlugin | null, dir: string }} parts
 * @returns {Running}
 */
function running (description, { children, control, status, plugin, dir }) {
  const log = plugin && status ? tailReader(join(dir, plugin.counters.log)) : null
  const logged = plugin && status ? errorLogReader(join(dir, plugin.counters.errorLog)) : () => []
  return {
    target: description.target,
    originTarget: description.originTarget,
    proxied: status !== null,
    countsLate: plugin?.counters.late ?? false,
    front: () => /** @type {Status | Control | Origin} */ (status ?? control).counts(),
    origin: async () => control && await control.counts(),
    noted: () => log ? log.lines().flatMap(line => plugin?.counters.parseLogLine(line) ?? []) : [],
    logged,
    // A manager's workers are in its group, PM2's too: its daemon runs in the foreground.
    pids: () => ({ proxy: members(children.proxy), server: members(children.server) }),
    failure: () => {
      const dead = [...children.server, ...children.proxy, ...children.relay].find(child => child.ended())
      if (dead) return died(dead)
      return children.server.map((child, i) => givenUp(child, description.server?.processes[i]?.gaveUp)).find(Boolean) ?? null
    },
    async stop () {
      control?.close()
      status?.close()
      log?.close()
      await stopAll(children)
    }
  }
}

/** @param {import('../process.js').Child[]} children */
const members = children => children.length > 0 ? groupMembers(children.map(child => child.pid)) : []

/**
 * The front first: it must not log the origin's end as errors.
 * @param {Children} children
 */
async function stopAll ({ proxy, server, relay }) {
  await Promise.all(relay.map(child => child.stop()))
  await Promise.all(proxy.map(child => child.stop()))
  await Promise.all(server.map(child => child.stop()))
}

/**
 * An address in use is a person's to mend: say which.
 * @param {import('../types.d.ts').Address} address
 * @param {() => Promise<void>} wait
 */
async function explainBind (address, wait) {
  try {
    await wait()
  } catch (error) {
    const output = error instanceof HopbenchError ? String(error.details.output) : ''
    if (!/EADDRINUSE|Address (already )?in use/i.test(output)) throw error
    const what = address.kind === 'unix' ? `The socket ${address.path}` : `Port ${address.port}`
    throw new HopbenchError('port-in-use', { what, output }, { cause: error })
  }
}

/**
 * Reads what has been added to a file since the last call.
 * @param {string} file
 */
export function tailReader (file) {
  /** @type {number | null} */
  let fd = null
  let offset = 0
  let rest = ''
  return {
    /** @returns {string[]} */
    lines () {
      try {
        fd ??= openSync(file, 'r')
      } catch {
        return [] // not written yet
      }
      const bytes = Buffer.alloc(fstatSync(fd).size - offset)
      offset += readSync(fd, bytes, 0, bytes.length, offset)
      const lines = (rest + bytes.toString('latin1')).split('\n')
      rest = lines.pop() ?? ''
      return lines
    },
    close () {
      if (fd !== null) closeSync(fd)
      // Closed twice, it would be somebody else's by then.
      fd = null
    }
  }
}
