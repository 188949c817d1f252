/**
 * Program in a room: reads a configuration and finds its server blocks, or tries behaviours of one of them. Prints a
 * line of JSON for each result.
 */
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { getErrorMessage, isHopbenchError } from '../../errors.js'
import { listNumbers, readJson, readText } from '../../machine/files/system-files.js'
import { SOCKETS_MS } from '../../machine/kernel-counts.js'
import { start, waitUntil } from '../../machine/process.js'
import { attempt } from '../../shared/attempt.js'
import { limited, listing } from '../../shared/format.js'
import { groupBy } from '../../shared/group-by.js'
import { joinSockets } from '../../machine/network/join-sockets.js'
import { HOST, ask, loadBehaviours, setSite } from '../deploy/index.js'
import { APPS_HOST, sendNextEvent, startApp } from './apps.js'
import { findCheck, findLimit } from './checks.js'
import { isName, toListeners } from './model.js'
import { getProgram } from './programs/index.js'
import { LANE } from './room.js'
import { LOGIN, addAddress, enterAs, supply, writeHosts } from './supply.js'

/** @import { Child } from '../../machine/types.js' */
/** @import { AddressInfo } from 'node:net' */
/** @import { Subject } from '../deploy/configs/types.js' */
/** @import { AppAddress, Listen, OwnSubject, ProxyBlock, Reading, RoomRequest, RunningApp, Site } from './types.js' */

/** Most apps of a block. */
const MAX_APPS = 12
/** Most different sites that are tried, because each takes up to 10 s of two cores. */
const MAX_SITES = 4
/** Most names in a sentence. */
const MAX_LISTED = 5
/** Version 1 of the PROXY protocol of HAProxy, as a balancer in front sends it. */
const PROXY_HEADER = 'PROXY TCP4 127.0.0.1 127.0.0.1 40000 80\r\n'
/** Time for which an app is absent in a restart, besides its own start. */
const DOWN_MS = 300
const START_SECONDS = 15
/** Most time for the ports of ended programs to be free. */
const FREE_MS = 5000
/** Most time for the first certificate and the first health check. */
const LATE_MS = 5000
const CACHE = '/var/cache/nginx'
const NEW_HOST = '10.215.0.'
const dnsProgram = fileURLToPath(new URL('./dns.js', import.meta.url))

/** @type {RoomRequest} */
const request = readJson(join(LANE, 'request.json'))
const program = getProgram(request.program)
const { tree, hosts, supplied, certificate, rejected, dump } = await supply(request)
const sites = rejected ? [] : program.getSites(tree, dump, request.host)
/** Addresses at which the configuration expects name servers. */
const servers = program.getNameServers?.(tree) ?? []
const print = (/** @type {object} */ result) => { process.stdout.write(`${JSON.stringify(result)}\n`) }

/** Starts the configuration, and finds out which of its sites reach an app. @returns {Promise<Reading>} */
async function read () {
  const { chosen, skipped: left } = chooseSites()
  const skipped = [...left, ...program.listUntried?.(tree) ?? []]
  /** @type {ProxyBlock[]} */
  const blocks = []
  if (chosen.length === 0) return { rejected: null, supplied, blocks, skipped }
  const running = await startAll(chosen).catch(error => error)
  if (running instanceof Error) {
    const why = `${running.message} ${isHopbenchError(running) ? getLastLine(running.details.output) : ''}`
    return { rejected: { why: why.replace(/[. ]+$/, ''), file: null, line: 0 }, supplied, blocks, skipped }
  }
  for (const site of chosen) {
    let seen = site.why ?? 'it listens on no port of TCP'
    // A block for both schemes can redirect to https.
    for (const listen of site.listens.toSorted((a, b) => Number(b.tls) - Number(a.tls))) {
      const block = await findBlock(site, listen, running)
      if (typeof block !== 'string') {
        blocks.push(block)
        if (block.from) supplied.push(`the address ${block.from}, which ${block.host} allows, for clients`)
        seen = ''
        break
      }
      seen = site.why ?? `no app responds through it (${block})`
    }
    if (seen) skipped.push({ why: seen, ...toPlace(site) })
  }
  await running.stop()
  return { rejected: null, supplied, blocks, skipped }
}

/** Returns the last line of a program's output that names a cause. @param {string} [output] */
const getLastLine = (output = '') => output.trimEnd().split('\n')
  .findLast(line => !line.endsWith('Configuration Failed')) ?? ''

/** Chooses sites that pass requests on, of those with equal content one. */
function chooseSites () {
  const asked = request.host === null ? sites : sites.filter(({ host }) => host === request.host)
  const proxies = asked.filter(({ passes }) => passes.length > 0)
  const different = [...groupBy(proxies, site => site.shape ?? toKey(site)).values()].map(([first]) => first)
  const chosen = different.slice(0, MAX_SITES)
  const beyond = different.slice(MAX_SITES)
  const alike = proxies.filter(site => !different.includes(site))
  const strange = request.host !== null && proxies.length === 0 ? sites.slice(0, 1) : []
  return {
    chosen,
    skipped: [
      ...skip(alike, 'with the content of a block that is tried'),
      ...skip(beyond, `after ${MAX_SITES} different blocks (--host chooses another one)`),
      ...strange.map(site => ({ ...toPlace(site), why: `no block passes on requests of ${request.host}` }))
    ]
  }
}

/**
 * Returns a sentence for all sites that are left out, because a configuration can have thousands.
 * @param {Site[]} left
 * @param {string} why
 */
function skip (left, why) {
  const names = limited(left.map(({ host }) => host), MAX_LISTED)
  return left.slice(0, 1).map(site => ({ ...toPlace(site), why: `${listing(names)}, ${why}` }))
}

/** Returns the place of the block of a site. @param {Site} site */
function toPlace ({ around }) {
  const { file, line } = around[around.length - 1]
  return { file, line }
}

/** Returns the content of a site without its name and its place. @param {Site} site */
const toKey = ({ around, passes }) => JSON.stringify(
  [around.at(-1)?.children?.filter(({ name }) => !/^(?:server_?name|ssl_?certificate)/.test(name)), passes
    .map(({ directive }) => directive)],
  (name, value) => ['from', 'to', 'line', 'file'].includes(name) ? undefined : value)

/**
 * Finds the first path below which an app responds through a listener.
 * @param {Site} site
 * @param {Listen} listen
 * @param {Awaited<ReturnType<typeof startAll>>} running
 * @returns {Promise<ProxyBlock | string>} the observed fault, if there is none
 */
async function findBlock (site, listen, { countConnections }) {
  let seen = 'no path leads to one'
  for (const base of new Set([...site.isBelow ? [] : [''], ...site.bases])) {
    for (const from of new Set([null, site.allowed ?? null])) {
      const { tls, port } = listen
      const host = request.host ?? site.host
      const block = { index: sites.indexOf(site), host, port, tls, ...toPlace(site), base, listen, from, isOwn: false }
      const client = await toClient(block)
      const before = countConnections()
      setBlock(block)
      await waitForResponse(client)
      const { status, body } = await ask(client, '/pid')
      const isOwn = countConnections() > before && ![0, 502, 504].includes(status)
      if (isOwn || (status === 200 && /^\d+$/.test(body))) return { ...block, isOwn }
      seen = status === 0 ? body : `status ${status}`
      if (status !== 403) break
    }
  }
  return seen
}

/**
 * Directs requests to a block, with an account if it requires one.
 * @param {ProxyBlock} block
 * @param {{ path: string, status: number }} [page]
 */
const setBlock = ({ index, host, base }, page) =>
  setSite({ host, path: base, headers: sites[index].hasAccounts ? { Authorization: LOGIN.header } : {}, page })

/** Returns how a client reaches a block. @param {ProxyBlock} block */
const toClient = async ({ listen, tls, from }) => ({ port: await toPort(listen, from), tls: tls ? toTls(null) : null })

/**
 * Returns a port of the loopback that leads to a listener: its own, or that of a relay.
 * @param {Listen} listen
 * @param {string | null} from address of the client
 */
async function toPort ({ host = HOST, port, path, hasProxyHeader }, from) {
  if (host === HOST && from === null && !hasProxyHeader) return port
  if (from !== null) await addAddress(from)
  const address = { host: hosts.get(String(host)) ?? String(host), port, localAddress: from ?? undefined }
  const relay = joinSockets({ host: HOST, port: 0 }, path ? { path } : address,
    { head: hasProxyHeader ? PROXY_HEADER : '' })
  await once(relay, 'listening')
  return /** @type {AddressInfo} */ (relay.address()).port
}

/** @param {number | null} redirectPort */
const toTls = redirectPort => ({ redirectPort, renewCertificate: async () => {} })

/** Returns the ports on which programs of the room listen. */
const getListeners = () => toListeners(['tcp', 'tcp6'].map(name => readText(`/proc/net/${name}`)).join(''))

/** Starts the apps to which sites pass requests on, and the program. @param {Site[]} started */
async function startAll (started) {
  const bases = [...new Set(started.flatMap(({ bases }) => bases))].sort((a, b) => b.length - a.length)
  const apps = [...new Map(started.flatMap(({ apps }) => apps)
    .map(app => [`${app.host}:${app.port}:${app.path}`, app])).values()].slice(0, MAX_APPS)
  const plan = { hosts, bases, certificate, commands: request.apps, folder: request.folder }
  /** @type {Map<AppAddress, RunningApp>} */
  const running = new Map()
  /** @type {Child[]} */
  const others = []
  const startOne = async (/** @type {AppAddress} */ app) => { running.set(app, await startApp(app, plan)) }
  const stop = async () => {
    for (const started of [...others, ...running.values()]) await started.stop()
    await stopProgram()
    rmSync(CACHE, { recursive: true, force: true })
    mkdirSync(CACHE)
  }
  const countConnections = () => [...running.values()].reduce((sum, app) => sum + (app.countConnections?.() ?? 0), 0)
  try {
    await Promise.all(apps.map(startOne))
    if (servers.length > 0) {
      for (const enter of [[], APPS_HOST]) {
        const env = { DNS_ADDRESSES: servers.join(' ') }
        const argv = [process.execPath, dnsProgram]
        others.push(start({ name: 'the name server', argv, env, enter, log: '/tmp/dns.log' }))
      }
    }
    others.unshift(await startProgram())
    return { apps, running, startOne, countConnections, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Starts the program, and waits until it listens. */
async function startProgram () {
  const before = getListeners().length
  const argv = [...enterAs(program), ...request.argv, ...program.start(request.main, request.root, tree)]
  const child = start({
    name: program.title,
    // The first process can end where the program becomes a daemon.
    argv: program.hasDaemon?.(tree) ? ['sh', '-c', '"$@" && exec sleep 2147483647', 'sh', ...argv] : argv,
    env: program.env,
    log: '/tmp/program.log'
  })
  const sockets = sites.flatMap(({ listens }) => listens.flatMap(({ path }) => path ?? []))
  await waitUntil(child, () => getListeners().length > before || sockets.some(path => existsSync(path)),
    { timeoutSeconds: START_SECONDS, pollMs: SOCKETS_MS })
  return child
}

/** Ends every process of the program in the room, and waits until its ports are free. */
async function stopProgram () {
  const isOwn = (/** @type {number} */ pid) => program.processes.includes(readText(`/proc/${pid}/comm`).trim())
  for (const pid of listNumbers('/proc').filter(isOwn)) attempt(() => process.kill(pid, 'SIGKILL'), () => {})
  for (let waited = 0; waited < FREE_MS && getListeners().length > 0; waited += SOCKETS_MS) await sleep(SOCKETS_MS)
}

/** Tries behaviours of a server block. @param {ProxyBlock} block */
async function tryBlock (block) {
  const { behaviours: names, isAtOnce } = request
  const behaviours = await loadBehaviours()
  let subject = await startSubject(block)
  const tryOne = async (/** @type {string} */ name) => {
    const check = findCheck(name, program)
    const missing = block.isOwn && !check.isOfSite
      ? 'it needs a route of the app of the check, which your app replaces'
      : check.requires?.(subject) ?? check.findMissing?.(subject) ?? null
    const run = check.run ?? behaviours.get(name)?.run
    const seen = missing === null
      ? await run?.(/** @type {OwnSubject & Subject} */ (subject)).catch(getErrorMessage) ?? null
      : null
    const limit = /status (?:429|503)/.test(seen ?? '') ? findLimit(subject) : null
    const decision = seen === null ? null : check.findDecision?.(subject) ?? limit
    const fault = missing ?? decision ?? seen
    const outcome = (missing ?? decision) === null ? fault === null ? 'holds' : 'fails' : 'not-offered'
    // The page of an error is not shown.
    print({ block: block.index, behaviour: name, outcome, detail: fault?.replace(/:? *<html>[^]*/, '') ?? null })
    if (!check.isDisturbing || missing !== null || isAtOnce || name === names.at(-1)) return
    await subject.stop()
    subject = await startSubject(block)
  }
  if (isAtOnce) await Promise.all(names.map(tryOne))
  else for (const name of names) await tryOne(name)
}

/**
 * Starts the configuration for a server block.
 * @param {ProxyBlock} block
 * @returns {Promise<OwnSubject>}
 */
async function startSubject (block) {
  const site = sites[block.index]
  const { passes, around } = site
  const { apps, running, startOne, stop } = await startAll([site])
  const client = await toClient(block)
  const redirect = sites.filter(({ host }) => host === block.host).flatMap(({ listens }) => listens)
    .find(({ tls }) => !tls)
  const { redirectPort = redirect ? await toPort(redirect, block.from) : null } = site
  setBlock(block)
  await waitForResponse(client)
  if (block.isOwn) setBlock(block, { path: '/', status: (await ask(client, '/')).status })
  return {
    port: client.port,
    // Ends within the limit of the check, and above nginx's default client_header_timeout of 60 s.
    headSeconds: 66,
    tls: block.tls ? toTls(redirectPort) : null,
    async restartProcesses () {
      // The first one again, because all requests of the check lead to one process where the address of the client
      // decides, and those of other visitors to the other.
      for (const app of apps.length > 1 ? [...apps, apps[0]] : apps) {
        await running.get(app)?.stop()
        await sleep(DOWN_MS)
        await startOne(app)
      }
    },
    stop,
    block,
    tree,
    around,
    passes,
    apps,
    hasContainers: request.hasContainers,
    hasResolver: servers.length > 0,
    sendNextEvents: async () => { await Promise.all(apps.map(app => sendNextEvent(app, hosts))) },
    async moveApps () {
      let moved = 0
      for (const app of apps.filter(({ host }) => isName(host))) {
        await running.get(app)?.stop()
        hosts.set(String(app.host), `${NEW_HOST}${++moved}`)
        writeHosts(hosts)
        await startOne(app)
      }
    }
  }
}

/**
 * Waits for a response of a program that is late with certificates or health checks.
 * @param {Awaited<ReturnType<typeof toClient>>} client
 */
async function waitForResponse (client) {
  for (let waited = 0; program.isLate && waited < LATE_MS; waited += 100) {
    const { status } = await ask(client, '/pid')
    if (status !== 0 && status !== 503) return
    await sleep(100)
  }
}

if (request.block === null) print(rejected ? { rejected, supplied, blocks: [], skipped: [] } : await read())
else await tryBlock(request.block)
process.exit(0)
