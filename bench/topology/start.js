/** Starts what a description says, and proves who answers. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { groupMembers } from '../machine/probe.js'
import { died, start } from '../machine/process.js'
import { tailReader } from '../machine/tail-reader.js'
import { INHERITED } from './confinement/confinement.js'
import { textWithoutSecrets } from '../shared/secrets.js'
import { CommandCounters } from './command-counters.js'
import { errorLogReader } from './error-log.js'
import { GateRelay } from './gate-relay.js'
import { AppWatch, getServerLog } from './app-watch.js'
import { Origin } from './origin-counters.js'
import { startCommand } from './start-command.js'
import { startProxy } from './start-proxy.js'
import { givenUp, startServer } from './start-server.js'

/** @import { Child, Network } from '../machine/shapes.js' */
/** @import { Address, Confinement, Description, ProxyPlugin, Running, ServedProgram } from '../types.js' */
/** @import { Control } from './control.js' @import { Status } from './status.js' */

/** @typedef {Record<'server' | 'proxy' | 'relay', Child[]>} Children */
/** @typedef {{ name: string, dir: string, network: Network, cores: number[] | null, proxyPlugin: ProxyPlugin | null,
 * originPlugin?: ProxyPlugin | null, confinement?: Confinement | null, answers?: (listen:
 * Address) => Promise<boolean>, secrets?: string[], caches?: boolean }} Site originPlugin: of the proxy in the server's
 * place; confinement: of the server, null or left out: none; of a command: whether it answers there, what must not be
 * shown of its output, and whether the proxy in front keeps answers */

/** @param {Description} description @param {Site} site @returns {Promise<Running>}
 * @throws {HopbenchError} start-failed, process-died, not-ready, gate-refused, proxy-refused, port-in-use */
export async function startTopology (description, site) {
  const { name, dir, network, proxyPlugin, confinement } = site
  /** @type {Children} */
  const children = { server: [], proxy: [], relay: [] }
  /** @type {(role: 'server' | 'proxy', log?: string) => (program: ServedProgram) => Child} */
  const launch = (role, log = join(dir, `${role}.log`)) => program => {
    const confined = role === 'server' && description.server ? confinement ?? null : null
    const child = launchChild(program, site, { role, log, confined })
    children[role].push(child)
    return child
  }
  try {
    const launchServers = (/** @type {ServedProgram} */ program, /** @type {number} */ i) =>
      launch('server', getServerLog(description.command, dir, i))(program)
    const control = description.server && await startServer(description.server, launchServers)
    const origin = description.origin && site.originPlugin
      ? await startOrigin(description.origin, site.originPlugin, { site, launch: launch('server'), children })
      : null
    const relays = await startApp(description, site, launchServers)
    const app = description.command && new AppWatch(description.command, { dir, pids: members(children.server) })
    await app?.findProgram()
    const status = description.proxy && proxyPlugin && await startProxy(description.proxy, proxyPlugin,
      { name, dir, network, launch: launch('proxy'), relays: children.relay })
    const counters = description.command && countersOf(description, { children, status, site, relays })
    return {
      ...running(description, { children, behind: control ?? origin ?? counters, status, site }),
      ...counters && app && {
        loadedBy: countLoad => counters.loadedBy(countLoad),
        async gatePassed () {
          app.gatePassed()
          await counters.gatePassed()
        },
        app: app.facts
      },
      // What the gate asks the server itself is none of the proxy's connections.
      ...relays.length > 0 && { originTarget: { url: description.originTarget.url, socketPath: relays[0].behind } },
      ...confinement && { confinedBy: confinement.by }
    }
  } catch (error) {
    await stopAll(children)
    throw error
  }
}

/** The command, if there is one; what stands between its Unix sockets and a proxy until the gate has asked.
 * @param {Description} description @param {Site} site
 * @param {(program: ServedProgram, i: number) => Child} launch */
async function startApp ({ command, proxy }, { name, answers = async () => true }, launch) {
  if (!command) return []
  await startCommand(command, { name: `the command of ${name}`, launch, answers })
  const sockets = proxy ? command.processes.flatMap(({ listen }) => listen.kind === 'unix' ? [listen.path] : []) : []
  return Promise.all(sockets.map(path => new GateRelay(path).open()))
}

/** @param {Description} description
 * @param {{ children: Children, status: Status | null, site: Site, relays: GateRelay[] }} parts */
function countersOf ({ command }, { children, status, site, relays }) {
  const { dir, network, proxyPlugin: plugin, caches = false } = site
  const log = caches && plugin ? tailReader(join(dir, plugin.counters.log)) : null
  return new CommandCounters({
    listening: command?.processes[0].listen.kind ?? 'tcp',
    pids: () => members(children.server),
    alone: network.enter.length > 0,
    front: status && (() => status.counts()),
    cacheStatuses: log && plugin &&
      (() => log.lines().flatMap(line => plugin.counters.parseLogLine(line)?.cache ?? [])),
    relays
  })
}

/** @typedef {{ role: string, log: string, confined: Confinement | null }} Role */
/** @param {ServedProgram} program @param {Site} site @param {Role} as */
function launchChild ({ argv, env, cwd }, { name, dir, network, cores, secrets }, { role, log, confined }) {
  return start({
    name: `the ${role} of ${name}`,
    argv,
    env,
    cwd: cwd ?? dir,
    enter: confined?.enter.length ? confined.enter : network.enterServed,
    cores,
    log,
    ...confined && { inherit: INHERITED },
    ...secrets && { shown: text => textWithoutSecrets(text, secrets) }
  })
}

/** @param {NonNullable<Description['origin']>} origin the proxy in the server's place @param {ProxyPlugin} plugin
 * @param {{ site: Site, launch: (program: ServedProgram) => Child, children: Children }} how */
async function startOrigin (origin, plugin, { site, launch, children }) {
  const { dir, listen } = origin
  mkdirSync(dir, { recursive: true })
  const name = `the server of ${site.name}`
  return new Origin({
    status: await startProxy(origin, plugin, { name, dir, network: site.network, launch, relays: children.relay }),
    log: tailReader(join(dir, plugin.counters.log)),
    parseLogLine: plugin.counters.parseLogLine,
    listening: listen.kind,
    pids: () => members(children.server)
  })
}

/** @param {Description} description
 * @param {{ children: Children, behind: Control | Origin | CommandCounters | null, status: Status | null,
 * site: Site }} parts
 * @returns {Running} */
function running ({ target, originTarget, server }, { children, behind, status, site: { dir, proxyPlugin: plugin } }) {
  const log = plugin && status ? tailReader(join(dir, plugin.counters.log)) : null
  const logged = plugin && status ? errorLogReader(join(dir, plugin.counters.errorLog)) : () => []
  return {
    target,
    originTarget,
    proxied: status !== null,
    countsLate: plugin?.counters.late ?? false,
    front: () => /** @type {Status | Control | Origin | CommandCounters} */ (status ?? behind).counts(),
    origin: async () => behind && await behind.counts(),
    noted: () => log ? log.lines().flatMap(line => plugin?.counters.parseLogLine(line) ?? []) : [],
    logged,
    // A manager's workers are in its group, PM2's too: its daemon runs in the foreground.
    pids: () => ({ proxy: members(children.proxy), server: members(children.server) }),
    failure: () => {
      const dead = [...children.server, ...children.proxy, ...children.relay].find(child => child.ended())
      if (dead) return died(dead)
      return children.server.map((child, i) => givenUp(child, server?.processes[i]?.gaveUp)).find(Boolean) ?? null
    },
    // In the order in which requests come, and back: nobody writes to one who stands still for longer than that takes.
    pause: () => [...children.proxy, ...children.server].forEach(child => child.pause()),
    resume: () => [...children.server, ...children.proxy].forEach(child => child.resume()),
    async stop () {
      behind?.close()
      status?.close()
      log?.close()
      await stopAll(children)
    }
  }
}

/** @param {Child[]} children */
const members = children => children.length > 0 ? groupMembers(children.map(child => child.pid)) : []

/** The front first: it must not log the origin's end as errors. @param {Children} children */
async function stopAll ({ proxy, server, relay }) {
  for (const group of [relay, proxy, server]) await Promise.all(group.map(child => child.stop()))
}
