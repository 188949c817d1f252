/**
 * Program in a room: reads a configuration and finds its server blocks, or tries behaviours of one of them. Prints a
 * line of JSON for each result.
 */
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { once } from 'node:events'
import { isIPv4 } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { getErrorMessage, isHopbenchError } from '../../errors.js'
import { AS_SERVED_USER } from '../../machine/network/lab.js'
import { listNumbers, readJson, readText } from '../../machine/files/system-files.js'
import { start, waitUntil } from '../../machine/process.js'
import { attempt } from '../../shared/attempt.js'
import { joinSockets } from '../../machine/network/join-sockets.js'
import { HOST, ask, loadBehaviours, setSite } from '../deploy/index.js'
import { APPS_HOST, sendNextEvent, startApp } from './apps.js'
import { chooseServers, getAllowedAddress, getBases, listUntried } from './blocks.js'
import { findCheck, findLimit } from './checks.js'
import { chooseHost, findServer, rankNames } from './hosts.js'
import {
  findAll, getApps, getInForce, getPassAt, getProxyServers, getUpgrades, getValue, isName, toListeners, toTarget
} from './model.js'
import { LANE } from './room.js'
import { ACCOUNT, addAddress, supply, writeHosts } from './supply.js'

/** @import { Child } from '../../machine/types.js' */
/** @import { AddressInfo } from 'node:net' */
/** @import { AppAddress, Listen, OwnSubject, Placed, ProxyBlock, ProxyServer, Reading } from './types.js' */
/** @import { RoomRequest, RunningApp } from './types.js' */

/** Most apps of a block. */
const MAX_APPS = 12
/** Version 1 of the PROXY protocol of HAProxy, as a balancer in front sends it. */
const PROXY_HEADER = 'PROXY TCP4 127.0.0.1 127.0.0.1 40000 80\r\n'
/** Time for which an app is absent in a restart, besides its own start. */
const DOWN_MS = 300
const START_SECONDS = 15
/** Most time for the ports of ended programs to be free. */
const FREE_MS = 5000
const CACHE = '/var/cache/nginx'
const NEW_HOST = '10.215.0.'
const dnsProgram = fileURLToPath(new URL('./dns.js', import.meta.url))

/** @type {RoomRequest} */
const request = readJson(join(LANE, 'request.json'))
const { tree, hosts, supplied, certificate, rejected } = await supply(request)
const print = (/** @type {object} */ result) => { process.stdout.write(`${JSON.stringify(result)}\n`) }

/** Starts the configuration, and finds out which server blocks reach an app. @returns {Promise<Reading>} */
async function read () {
  const all = getProxyServers(tree)
  const { servers, skipped: left } = chooseServers(tree, all, request.host)
  const skipped = [...left, ...listUntried(tree)]
  /** @type {ProxyBlock[]} */
  const blocks = []
  if (servers.length === 0) return { rejected: null, supplied, blocks, skipped }
  const passes = servers.flatMap(({ allPasses }) => allPasses)
  const running = await startAll(passes, getBases(passes)).catch(error => error)
  if (running instanceof Error) {
    const why = `${running.message} ${isHopbenchError(running) ? getLastLine(running.details.output) : ''}`
    return { rejected: { why: why.replace(/[. ]+$/, ''), file: null, line: 0 }, supplied, blocks, skipped }
  }
  for (const server of servers) {
    const { server: { file, line }, passes } = server
    const upgrades = getUpgrades(passes)
    // A location of WebSockets can be for them alone.
    const bases = [...getBases(passes.filter(pass => !upgrades.includes(pass))), ...getBases(upgrades)]
    let seen = 'it listens on no port of TCP'
    for (const listen of server.listens) {
      const host = request.host ?? chooseHost(all, server, listen.key)
      if (host === null) {
        seen = 'other blocks at its port take the requests of all its names'
        continue
      }
      const { tls, port } = listen
      const block = { index: server.index, host, port, tls, file, line, listen, base: '', from: null, isOwn: false }
      const found = await findBase(block, server, bases, running)
      if (typeof found !== 'string') {
        blocks.push(found)
        if (found.from) supplied.push(`the address ${found.from}, which ${host} allows, for clients`)
        seen = ''
        break
      }
      const isDynamic = passes.every(pass => getApps(tree, pass).length === 0)
      seen = isDynamic
        ? 'the address in its proxy_pass depends on the request'
        : `no app responds through it (${found})`
    }
    if (seen) skipped.push({ why: seen, file, line })
  }
  await running.stop()
  return { rejected: null, supplied, blocks, skipped }
}

/** Returns the last line of a program's output. @param {string} [output] */
const getLastLine = (output = '') => output.trimEnd().split('\n').at(-1) ?? ''

/**
 * Finds the first path below which an app responds.
 * @param {ProxyBlock} block
 * @param {ProxyServer} server
 * @param {string[]} bases
 * @param {Awaited<ReturnType<typeof startAll>>} running
 * @returns {Promise<ProxyBlock | string>} the observed fault, if there is none
 */
async function findBase (block, { around, passes }, bases, { countConnections }) {
  let seen = 'no path leads to one'
  for (const base of new Set(['', ...bases])) {
    const { around: rules } = getPassAt(passes, `${base}/`)
    for (const from of new Set([null, getAllowedAddress(getInForce([...around, ...rules], 'allow'))])) {
      const client = await toClient({ ...block, from })
      const before = countConnections()
      setBlock({ ...block, base }, passes)
      const { status, body } = await ask(client, '/pid')
      const isOwn = countConnections() > before && ![0, 502, 504].includes(status)
      if (isOwn || (status === 200 && /^\d+$/.test(body))) return { ...block, base, from, isOwn }
      seen = status === 0 ? body : `status ${status}`
      if (status !== 403) break
    }
  }
  return seen
}

/**
 * Directs requests to a server block, with an account if it requires one.
 * @param {ProxyBlock} block
 * @param {Placed[]} passes
 */
function setBlock ({ host, base }, passes) {
  const hasAccounts = passes.some(({ around }) => getInForce(around, 'auth_basic_user_file').length > 0)
  setSite({ host, path: base, headers: hasAccounts ? { Authorization: ACCOUNT.header } : {} })
}

/** Returns how a client reaches a server block. @param {ProxyBlock} block */
const toClient = async ({ listen, tls, from }) => ({ port: await toPort(listen, from), tls: tls ? toTls(null) : null })

/**
 * Returns a port of the loopback that leads to a listener: its own, or that of a relay.
 * @param {Listen} listen
 * @param {string | null} from address of the client
 */
async function toPort ({ host, port, path, hasProxyHeader }, from) {
  if (host === HOST && from === null && !hasProxyHeader) return port
  if (from !== null) await addAddress(from)
  const address = { host: hosts.get(String(host)) ?? String(host), port, localAddress: from ?? undefined }
  const target = path === null ? address : { path }
  const relay = joinSockets({ host: HOST, port: 0 }, target, { head: hasProxyHeader ? PROXY_HEADER : '' })
  await once(relay, 'listening')
  return /** @type {AddressInfo} */ (relay.address()).port
}

/** @param {number | null} redirectPort */
const toTls = redirectPort => ({ redirectPort, renewCertificate: async () => {} })

/** Returns the ports on which programs of the room listen. */
const getListeners = () => toListeners(['tcp', 'tcp6'].map(name => readText(`/proc/net/${name}`)).join(''))

/**
 * Starts the apps to which requests are passed on, and nginx.
 * @param {Placed[]} passes
 * @param {string[]} bases
 */
async function startAll (passes, bases) {
  const own = getProxyServers(tree).flatMap(({ listens }) => listens.map(({ key }) => key))
  const apps = passes.filter(pass => /^https?$/.test(toTarget(pass).scheme)).flatMap(pass => getApps(tree, pass))
    // A block can pass requests on to another one.
    .filter(({ host, port, path }) => ![path, `${host}:${port}`, ...isName(host) ? [] : [`*:${port}`]].some(key =>
      own.includes(String(key))))
  const unique = [...new Map(apps.map(app => [`${app.host}:${app.port}:${app.path}`, app])).values()].slice(0, MAX_APPS)
  const tls = { cert: readText(certificate.certFile), key: readText(certificate.keyFile) }
  const plan = { hosts, bases, certificate: tls, commands: request.apps, folder: request.folder }
  /** @type {Map<AppAddress, RunningApp>} */
  const running = new Map()
  /** @type {Child[]} */
  const others = []
  const startOne = async (/** @type {AppAddress} */ app) => { running.set(app, await startApp(app, plan)) }
  const stop = async () => {
    for (const program of [...others, ...running.values()]) await program.stop()
    await stopNginx()
    rmSync(CACHE, { recursive: true, force: true })
    mkdirSync(CACHE)
  }
  const countConnections = () => [...running.values()].reduce((sum, app) => sum + (app.countConnections?.() ?? 0), 0)
  try {
    await Promise.all(unique.map(startOne))
    const servers = findAll(tree, 'resolver').map(({ directive }) => getValue(directive))
      .map(server => hosts.get(server) ?? server).filter(isIPv4)
    if (servers.length > 0) {
      for (const enter of [[], APPS_HOST]) {
        const env = { DNS_ADDRESSES: servers.join(' ') }
        const argv = [process.execPath, dnsProgram]
        others.push(start({ name: 'the name server', argv, env, enter, log: '/tmp/dns.log' }))
      }
    }
    const child = await startNginx()
    others.unshift(child)
    return { apps: unique, running, startOne, countConnections, child, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Starts nginx, and waits until it listens. */
async function startNginx () {
  const before = getListeners().length
  const hasDaemon = tree.some(({ name }) => name === 'daemon')
  const argv = [...AS_SERVED_USER, '--', ...request.nginx, '-c', request.main]
  const child = start({
    name: 'nginx',
    // With "daemon on", nginx leaves its first process.
    argv: hasDaemon ? ['sh', '-c', '"$@" && exec sleep 2147483647', 'sh', ...argv] : [...argv, '-g', 'daemon off;'],
    log: '/tmp/nginx.log'
  })
  const sockets = getProxyServers(tree).flatMap(({ listens }) => listens.map(({ path }) => path ?? ''))
  await waitUntil(child, () => getListeners().length > before || sockets.some(path => existsSync(path)),
    { timeoutSeconds: START_SECONDS })
  return child
}

/** Ends every process of nginx in the room, and waits until its ports are free. */
async function stopNginx () {
  for (const pid of listNumbers('/proc').filter(pid => readText(`/proc/${pid}/comm`).trim() === 'nginx')) {
    attempt(() => process.kill(pid, 'SIGKILL'), () => {})
  }
  for (let waited = 0; waited < FREE_MS && getListeners().length > 0; waited += 10) await sleep(10)
}

/** Tries behaviours of a server block. @param {ProxyBlock} block */
async function tryBlock (block) {
  const { behaviours: names, isAtOnce } = request
  const behaviours = await loadBehaviours()
  let subject = await startSubject(block)
  const tryOne = async (/** @type {string} */ name) => {
    const check = findCheck(name)
    const missing = block.isOwn && !check.isOfSite
      ? 'it needs a route of the app of the check, which your app replaces'
      : check.findMissing?.(subject) ?? null
    const run = check.run ?? behaviours.get(name)?.run
    const seen = missing === null ? await run?.(subject).catch(getErrorMessage) ?? null : null
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
  const servers = getProxyServers(tree)
  const { passes, allPasses, around } = servers[block.index]
  const { apps, running, startOne, child, stop } = await startAll(allPasses, getBases(passes))
  const redirect = servers.flatMap(server => server.listens.filter(({ tls, key }) =>
    !tls && findServer(servers, key, block.host) === server && rankNames(server, block.host) > 0))[0]
  setBlock(block, passes)
  const client = await toClient(block)
  if (block.isOwn) {
    const { status } = await ask(client, '/')
    setSite({ host: block.host, path: block.base, page: { path: '/', status } })
  }
  return {
    name: 'nginx',
    port: client.port,
    router: null,
    routerIdleSeconds: 60,
    stopSeconds: 30,
    // Ends within the limit of the check, and above nginx's default client_header_timeout of 60 s.
    headSeconds: 66,
    tls: block.tls ? toTls(redirect ? await toPort(redirect, block.from) : null) : null,
    async restartProcesses () {
      for (const [app, process] of [...running]) {
        await process.stop()
        await sleep(DOWN_MS)
        await startOne(app)
      }
    },
    askToEnd: () => child.signal('SIGTERM'),
    exited: child.exited,
    readLogs: () => '',
    stop,
    block,
    tree,
    around,
    passes,
    apps,
    hasContainers: request.hasContainers,
    sendNextEvents: async () => { await Promise.all(apps.map(app => sendNextEvent(app, hosts))) },
    async moveApps () {
      let moved = 0
      for (const [app, process] of [...running]) {
        if (!isName(app.host)) continue
        await process.stop()
        hosts.set(String(app.host), `${NEW_HOST}${++moved}`)
        writeHosts(hosts)
        await startOne(app)
      }
    }
  }
}

if (request.block === null) print(rejected ? { rejected, supplied, blocks: [], skipped: [] } : await read())
else await tryBlock(request.block)
process.exit(0)
