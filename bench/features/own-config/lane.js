/**
 * Program in a room: reads a configuration and finds its server blocks, or tries behaviours of one of them. Prints a
 * line of JSON for each result.
 */
import { mkdirSync, rmSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { getErrorMessage, isHopbenchError } from '../../errors.js'
import { listNumbers, readJson, readText } from '../../machine/files/system-files.js'
import { start, waitUntil } from '../../machine/process.js'
import { attempt } from '../../shared/attempt.js'
import { ask, loadBehaviours, setSite } from '../deploy/index.js'
import { findCheck, findLimit } from './checks.js'
import { isName, toListeners } from './model.js'
import { getProgram } from './programs/index.js'
import { LANE } from './room.js'
import { enterAs, supply, toListenOptions, writeHosts } from './supply.js'

/** @import { Child } from '../../machine/types.js' */
/** @import { AppAddress, OwnSubject, ProxyBlock, Reading, RoomRequest, Site } from './types.js' */

/** Most apps of a block, and most different blocks that are tried. */
const MAX_APPS = 12
const MAX_BLOCKS = 4
/** Time for which an app is absent in a restart, besides its own start. */
const DOWN_MS = 300
const START_SECONDS = 15
/** Most time for the ports of ended programs to be free. */
const FREE_MS = 5000
/** Most time for the first certificate and the first health check. */
const LATE_MS = 5000
/** Number of starts of apps, for names of their logs. */
let starts = 0
const CACHE = '/var/cache/nginx'
const NEW_HOST = '10.215.0.'
const originProgram = fileURLToPath(new URL('../deploy/configs/origin.js', import.meta.url))
const dnsProgram = fileURLToPath(new URL('./dns.js', import.meta.url))
/** Argv that enters the host of the apps. */
const APPS_HOST = ['nsenter', `--target=${process.env.HOPBENCH_APPS}`, '--net', '--']

/** @type {RoomRequest} */
const request = readJson(join(LANE, 'request.json'))
const program = getProgram(request.program)
const { tree, hosts, supplied, rejected, dump } = await supply(request)
const sites = rejected ? [] : program.getSites(tree, dump)
/** Addresses at which the configuration expects name servers. */
const servers = program.getNameServers?.(tree) ?? []
const print = (/** @type {object} */ result) => { process.stdout.write(`${JSON.stringify(result)}\n`) }

/** Starts the configuration, and finds out which of its sites reach an app. @returns {Promise<Reading>} */
async function read () {
  const { chosen, skipped } = chooseSites()
  /** @type {ProxyBlock[]} */
  const blocks = []
  if (chosen.length === 0) return { rejected: null, supplied, blocks, skipped }
  const running = await startAll(chosen).catch(error => error)
  if (running instanceof Error) {
    const why = isHopbenchError(running) ? `${running.message} ${getLastLine(running.details.output)}` : String(running)
    return { rejected: { why: why.replace(/[. ]+$/, ''), file: null, line: 0 }, supplied, blocks, skipped }
  }
  const listeners = getListeners()
  for (const site of chosen) {
    const { file, line } = toPlace(site)
    let seen = 'it does not listen on a TCP port'
    // A block for both schemes can redirect to https.
    for (const listen of site.listens.filter(({ port }) => listeners.includes(port)).sort((a, b) => +b.tls - +a.tls)) {
      const block = { index: sites.indexOf(site), host: site.host, ...listen, file, line, base: '' }
      const found = await findBase(block, site)
      seen = `no app responds through it (${found.seen})`
      if (found.base === null) continue
      blocks.push({ ...block, base: found.base })
      seen = ''
      break
    }
    if (seen) skipped.push({ why: seen, file, line })
  }
  await running.stop()
  return { rejected: null, supplied, blocks, skipped }
}

/** Returns the last line of a program's output that names a cause. @param {string} [output] */
const getLastLine = (output = '') => output.trimEnd().split('\n')
  .findLast(line => !line.endsWith('Configuration Failed')) ?? ''

/** Chooses sites that pass requests on, of those with equal content one. */
function chooseSites () {
  /** @type {Set<string>} */
  const seen = new Set()
  const proxies = sites.filter(({ passes }) => passes.length > 0)
  const chosen = proxies.filter(site => {
    const key = toKey(site)
    const isNew = !seen.has(key) && seen.size < MAX_BLOCKS
    seen.add(key)
    return isNew
  })
  const rest = proxies.filter(site => !chosen.includes(site))
  const why = `${rest.length} server blocks are like others, or beyond the ${MAX_BLOCKS} that are tried`
  // A configuration can have thousands of blocks, so that one sentence is for all.
  return { chosen, skipped: rest.slice(0, 1).map(site => ({ ...toPlace(site), why })) }
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
 * Returns the first path below which the app responds.
 * @param {ProxyBlock} block
 * @param {Site} site
 */
async function findBase (block, { bases, isBelow = false }) {
  let seen = 'no path leads to one'
  for (const base of new Set([...isBelow ? [] : [''], ...bases])) {
    setSite({ host: block.host, path: base })
    await waitForResponse(block)
    const { status, body } = await ask(toClient(block), '/pid')
    if (status === 200 && /^\d+$/.test(body)) return { base, seen }
    seen = status === 0 ? body : `status ${status}`
  }
  return { base: null, seen }
}

/** @param {ProxyBlock} block */
const toClient = ({ port, tls }) => ({ port, tls: tls ? toTls(null) : null })

/** @param {number | null} redirectPort */
const toTls = redirectPort => ({ redirectPort, renewCertificate: async () => {} })

/** Returns the ports on which programs of the room listen. */
const getListeners = () => toListeners(['tcp', 'tcp6'].map(name => readText(`/proc/net/${name}`)).join(''))

/** Starts the apps to which sites pass requests on, and the program. @param {Site[]} started */
async function startAll (started) {
  const bases = [...new Set(started.flatMap(({ bases }) => bases))].sort((a, b) => b.length - a.length)
  const apps = [...new Map(started.flatMap(({ apps }) => apps)
    .map(app => [`${app.host}:${app.port}:${app.path}`, app])).values()].slice(0, MAX_APPS)
  /** @type {Map<AppAddress, Child>} */
  const running = new Map()
  /** @type {Child[]} */
  const others = []
  const startApp = async (/** @type {AppAddress} */ app) => {
    const listen = toListenOptions(app, hosts)
    const isLocal = listen.path !== undefined || /^(?:127\.|::1)/.test(listen.host)
    const child = start({
      name: `the app of the check at ${app.host ?? app.path}:${app.port}`,
      argv: [process.execPath, originProgram],
      env: { ORIGIN_OPTIONS: JSON.stringify({ listen, bases }) },
      enter: isLocal ? [] : APPS_HOST,
      log: `/tmp/origin-${process.pid}-${starts++}-${app.port}.log`
    })
    running.set(app, child)
    await waitUntil(child, () => child.tail().includes('listening'), { timeoutSeconds: START_SECONDS })
  }
  const stop = async () => {
    for (const child of [...others, ...running.values()]) await child.stop()
    await stopProgram()
    rmSync(CACHE, { recursive: true, force: true })
    mkdirSync(CACHE)
  }
  try {
    await Promise.all(apps.map(startApp))
    if (servers.length > 0) {
      for (const enter of [[], APPS_HOST]) {
        const env = { DNS_ADDRESSES: servers.join(' ') }
        const argv = [process.execPath, dnsProgram]
        others.push(start({ name: 'the name server', argv, env, enter, log: '/tmp/dns.log' }))
      }
    }
    const child = await startProgram()
    others.unshift(child)
    return { apps, running, startApp, child, stop }
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
  await waitUntil(child, () => getListeners().length > before, { timeoutSeconds: START_SECONDS })
  return child
}

/** Ends every process of the program in the room, and waits until its ports are free. */
async function stopProgram () {
  const isOwn = (/** @type {number} */ pid) => program.processes.includes(readText(`/proc/${pid}/comm`).trim())
  for (const pid of listNumbers('/proc').filter(isOwn)) attempt(() => process.kill(pid, 'SIGKILL'), () => {})
  for (let waited = 0; waited < FREE_MS && getListeners().length > 0; waited += 10) await sleep(10)
}

/** Tries behaviours of a server block. @param {ProxyBlock} block */
async function tryBlock (block) {
  const { behaviours: names, isAtOnce } = request
  const behaviours = await loadBehaviours()
  setSite({ host: block.host, path: block.base })
  let subject = await startSubject(block)
  const tryOne = async (/** @type {string} */ name) => {
    const check = findCheck(name, program)
    const missing = check.findMissing?.(subject) ?? null
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
  const site = sites[block.index]
  const { passes, around } = site
  const { apps, running, startApp, child, stop } = await startAll([site])
  const {
    redirectPort = sites.filter(({ host }) => host === block.host)
      .flatMap(({ listens }) => listens).find(({ tls }) => !tls)?.port ?? null
  } = site
  await waitForResponse(block)
  return {
    name: program.name,
    port: block.port,
    router: null,
    routerIdleSeconds: 60,
    stopSeconds: 30,
    tls: block.tls ? toTls(redirectPort) : null,
    async restartProcesses () {
      for (const [app, process] of [...running]) {
        await process.stop()
        await sleep(DOWN_MS)
        await startApp(app)
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
    hasResolver: servers.length > 0,
    sendNextEvents: async () => { await Promise.all(apps.map(app => sendNextEvent(toListenOptions(app, hosts)))) },
    async moveApps () {
      let moved = 0
      for (const [app, process] of [...running]) {
        if (!isName(app.host)) continue
        await process.stop()
        hosts.set(String(app.host), `${NEW_HOST}${++moved}`)
        writeHosts(hosts)
        await startApp(app)
      }
    }
  }
}

/** Waits for a response of a program that is late with certificates or health checks. @param {ProxyBlock} block */
async function waitForResponse (block) {
  for (let waited = 0; program.isLate && waited < LATE_MS; waited += 100) {
    const { status } = await ask(toClient(block), '/pid')
    if (status !== 0 && status !== 503) return
    await sleep(100)
  }
}

/** Requests the next event from an app itself. @param {ReturnType<typeof toListenOptions>} listen */
async function sendNextEvent (listen) {
  const target = 'path' in listen ? { socketPath: listen.path } : listen
  const sent = httpRequest({ ...target, path: '/next', agent: false })
  sent.on('error', () => {}).end()
  const [response] = await once(sent, 'response').catch(() => [])
  response?.resume()
}

if (request.block === null) print(rejected ? { rejected, supplied, blocks: [], skipped: [] } : await read())
else await tryBlock(request.block)
process.exit(0)
