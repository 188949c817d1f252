/** Starts the kit of an advice as its platform does, and tries short forms of the behaviours that apply to it. */
import { existsSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { getErrorMessage, isHopbenchError, plain } from '../../errors.js'
import { callerCwd } from '../../machine/caller-cwd.js'
import { labFacts, openNetwork } from '../../machine/network/lab.js'
import { makeFolder } from '../../machine/files/make-folder.js'
import { isLoopback, printListener, readTcpSockets } from '../../machine/kernel-counts.js'
import { isDescendant } from '../../machine/process-facts.js'
import { start, waitUntil } from '../../machine/process.js'
import { listNumbers, readText } from '../../machine/files/system-files.js'
import { endBySignal } from '../../load/end-by-signal.js'
import { holdConnection } from '../../load/held-connection.js'
import { findBuiltFolders } from '../../measure/built-folders.js'
import { findProxies } from '../../measure/find-programs.js'
import { fetchResponses } from '../../measure/gate/gate.js'
import { hasProxy } from '../../plan/changed-spec.js'
import { toMixLoad } from '../../plan/request-mix.js'
import { attempt } from '../../shared/attempt.js'
import { hasHashedName } from '../../shared/http/hashed-names.js'
import { mergeHeaders } from '../../shared/http/merge-headers.js'
import { checkConfigs, loadBehaviours, makeFolders } from '../deploy/index.js'
import { makeCleanCopy } from './clean-copy.js'

/** @import { Child, Network } from '../../machine/types.js' */
/** @import { HeldOrder } from '../../load/held-connection.js' */
/** @import { Behaviour } from '../deploy/configs/types.js' */
/** @import { AdviceCheck, Arm, FilePrefix, MixedRequest, PlatformFacts } from '../../types.js' */

/** Behaviours of `hopbench check --configs` that a kit with nginx is tried for, and those for apps with upgrades. */
const WITH_TEST_APP = ['large-upload', 'streaming']
const WITH_UPGRADES = ['websocket']
/** Options of nginx about folders of files, which the test app has not. */
const OF_FILES = ['static', 'gzip_static']
const PORT = 18200
/** First behaviour of a kit that builds an image. */
const FROM_COPY = 'it starts from what its image gets, with packages for production'
/** Host of requests, which no configuration of an app names. */
const FOREIGN_HOST = 'kit.example'
/** Address in place of the name of a container, at which some frameworks would listen. */
const OTHER_ADDRESS = '127.0.0.2'
/** Time until the app of the kit responds, beyond the one of --ready-within. */
const SPARE_SECONDS = 10
/** Time for which a connection is idle: longer than Node keeps idle connections by default, which is 5 s. */
const IDLE_MS = 6000
/** Requests during a reload of nginx. */
const REQUESTS = 40
/** Time from the first of these requests to the reload: their client starts meanwhile. */
const BEFORE_RELOAD_MS = 200
/** Limit for new workers after the signal. nginx starts them within 0.1 s. */
const RELOAD_SECONDS = 5

/** A running kit, as the checks see it. order: of held connections, with the first request
 * @typedef {{ child: Child, network: Network, port: number, requests: MixedRequest[], headers: Record<string, string>,
 *   order: HeldOrder }} Running */

/** Behaviours by their titles: each returns its fault, or null. @type {[string, (running: Running) =>
 * Promise<string | null>, ('proxy' | 'alone' | 'pool' | 'all')][]} proxy: for kits with nginx; alone: for kits without
 * it; pool: with a program in front that keeps connections */
const BEHAVIOURS = [
  ['it responds to the requests that were measured', checkResponses, 'all'],
  ['other machines can reach the app', checkListener, 'alone'],
  ['a connection that was idle for 6 s is used again', checkIdle, 'pool'],
  ['a reload of nginx loses no request', checkReload, 'proxy'],
  // The last one, because it ends the kit.
  ['a request in flight gets its response after SIGTERM', checkEnd, 'all']
]

/**
 * Tries the behaviours that apply to a kit.
 * @param {Arm} arm of the chosen topology
 * @param {KitToTry & { upgrades: boolean }} kit upgrades: whether the app takes over connections
 * @returns {Promise<{ checks: AdviceCheck[], failures: string[] }>} failures: why some were not tried
 */
export async function tryKit (arm, { upgrades, ...kit }) {
  const tried = await Promise.allSettled([
    checkKit(arm, kit),
    checkWithTestApp(arm, { target: kit.platform.target, upgrades, temp: join(kit.temp, 'test-app') })
  ])
  return {
    checks: tried.flatMap(result => result.status === 'fulfilled' ? result.value : []),
    failures: tried.flatMap(result => result.status === 'rejected' ? [getErrorMessage(result.reason)] : [])
  }
}

/**
 * @typedef {object} KitToTry
 * @property {string} dir folder of the kit, relative to the project
 * @property {MixedRequest[]} requests that were measured
 * @property {Record<string, string>} [headers] of their requests
 * @property {boolean} lab false: it runs in the network of this machine
 * @property {string} temp folder for its files
 * @property {Pick<PlatformFacts, 'target' | 'endsTls'>} platform
 */

/**
 * @param {Arm} arm of the chosen topology
 * @param {KitToTry} kit
 * @returns {Promise<AdviceCheck[]>} empty: it has no start script that runs on this machine
 * @throws {HopbenchError} errors of starting the kit
 */
export async function checkKit (arm, { dir, requests: measured, headers: own = {}, lab, temp, platform }) {
  const project = callerCwd()
  if (!existsSync(join(project, dir, 'start.sh'))) return []
  const headers = mergeHeaders({ Host: FOREIGN_HOST }, own)
  const copy = join(temp, 'copy')
  const { isBuilt, fault } = await makeCleanCopy(project, { kit: dir, folder: copy })
  if (fault !== null) return [{ title: FROM_COPY, holds: false, fault }]
  const folder = isBuilt ? copy : project
  const requests = isBuilt ? measured.filter(({ path }) => isServed(path, arm.topology.files ?? [], copy)) : measured
  if (requests.length === 0) {
    return [{ title: FROM_COPY, holds: false, fault: 'the copy lacks the files of all requests that were measured' }]
  }
  const program = (await findProxies([arm])).get('nginx')
  const isPrivate = lab && (await labFacts()).network === 'namespaces'
  makeFolder(temp)
  const network = await openNetwork({ name: 'the kit', dir: temp, private: isPrivate })
  const run = join(temp, 'run')
  makeFolders([run], network.enterServed)
  const port = await network.port(PORT)
  const child = start({
    name: 'the kit',
    argv: ['sh', resolve(folder, dir, 'start.sh')],
    env: {
      ...program?.env,
      ...program && { NGINX_PROGRAM: program.program },
      PORT: String(port),
      RUN: run,
      HOSTNAME: OTHER_ADDRESS
    },
    cwd: folder,
    enter: network.enterServed,
    log: join(temp, 'kit.log')
  })
  try {
    const [{ path, headers: ownHeaders }] = requests
    const url = `http://127.0.0.1:${port}`
    const order = { url, enter: network.enter, path, headers: mergeHeaders(ownHeaders, headers), dir: temp }
    const running = { child, network, port, requests, headers, order }
    const timeoutSeconds = (arm.topology.server?.command?.readySeconds ?? 0) + SPARE_SECONDS
    const failure = await waitUntil(child, () => isUp(running), { timeoutSeconds }).then(() => null, error => {
      if (!isBuilt) throw error
      return describeStart(error)
    })
    /** @type {AdviceCheck[]} */
    const checks = isBuilt ? [{ title: FROM_COPY, holds: failure === null, fault: failure }] : []
    if (failure !== null) return checks
    for (const [title, check, applies] of BEHAVIOURS) {
      if (!applyTo(arm.spec, platform).includes(applies)) continue
      const fault = await check(running).catch(getErrorMessage)
      checks.push({ title, holds: fault === null, fault })
    }
    return checks
  } finally {
    await child.stop()
    await network.close()
  }
}

/**
 * Returns whether a copy must respond to a path. Excludes files that it lacks and whose names have hashes, because
 * hashes can differ by build.
 * @param {string} path of a request
 * @param {FilePrefix[]} prefixes folders of the project
 * @param {string} copy of the project
 */
function isServed (path, prefixes, copy) {
  const found = prefixes.find(({ prefix }) => path.startsWith(`${prefix}/`))
  if (found === undefined) return true
  const name = attempt(() => decodeURIComponent(path.slice(found.prefix.length).split('?')[0]), () => '')
  return existsSync(join(copy, relative(callerCwd(), found.folder), name)) ||
    !hasHashedName(path, findBuiltFolders(found.folder, found.prefix))
}

/**
 * Describes why a kit does not start, with the last line of its output that names an error.
 * @param {unknown} error
 */
function describeStart (error) {
  const output = isHopbenchError(error) ? String(error.details.output ?? '') : ''
  const line = output.split('\n').findLast(line => /error/i.test(line))?.trim()
  return line ? `${getErrorMessage(error).replace(/\.$/, '')}: ${plain(line)}` : getErrorMessage(error)
}

/**
 * Returns which behaviours are tried.
 * @param {string} spec chosen topology
 * @param {KitToTry['platform']} platform
 */
const applyTo = (spec, { endsTls }) => [
  'all', hasProxy(spec) ? 'proxy' : 'alone', ...hasProxy(spec) || endsTls ? ['pool'] : []
]

/**
 * Sends each request that was measured.
 * @param {Running} running
 */
const sendMeasured = ({ network, requests, headers, order: { url } }) => fetchResponses({
  target: { url, socketPath: null },
  load: toMixLoad(requests, headers),
  network,
  times: new Set(requests.map(({ path }) => path)).size
})

/**
 * Returns whether the kit responds to each request. nginx responds with status 502 until the app listens, and the first
 * behaviour judges the content.
 * @param {Running} running
 */
async function isUp (running) {
  const { answers, failures } = await sendMeasured(running)
  return failures.length === 0 && answers.length > 0 && answers.every(({ answer: { status } }) => status < 500)
}

/** @param {Running} running */
async function checkResponses (running) {
  const { answers, failures } = await sendMeasured(running)
  const fault = describeFault(answers, failures)
  return fault && `with Host: ${FOREIGN_HOST} ${fault}`
}

/**
 * @param {{ answer: { status: number } }[]} answers
 * @param {string[]} failures
 * @returns {string | null}
 */
function describeFault (answers, failures) {
  const wrong = answers.find(({ answer }) => answer.status < 200 || answer.status > 299)
  if (wrong) return `a response has status ${wrong.answer.status}`
  if (failures.length > 0) return `a request got no response: ${failures[0]}`
  return answers.length > 0 ? null : 'no request got a response'
}

/**
 * Looks where the app listens, because a program that listens on the loopback responds here, and not on a platform.
 * @param {Running} running
 */
async function checkListener ({ child, port }) {
  const listeners = readTcpSockets([child.pid]).filter(socket => socket.state === 'listen' && socket.port === port)
  if (listeners.length === 0) return 'where it listens is unknown'
  return listeners.every(isLoopback) ? `it listens on ${listeners.map(printListener).join(' and ')} only` : null
}

/** @param {Running} running */
async function checkIdle ({ order }) {
  const held = await holdConnection('idle', order)
  try {
    await sleep(IDLE_MS)
    const reply = await held.complete()
    if (reply === null) return 'the connection was closed'
    return reply.status === held.first?.status ? null : `the second response has status ${reply.status}`
  } finally {
    await held.close()
  }
}

/** @param {Running} running */
async function checkReload ({ child, network, order }) {
  const { url, path, headers } = order
  const before = listWorkers(child.pid)
  const held = await holdConnection('request', order)
  try {
    const responses = fetchResponses({
      target: { url, socketPath: null },
      // A connection for each request, because an idle connection may be closed by a reload at any time.
      load: { path, headers: { ...headers, Connection: 'close' } },
      network,
      times: REQUESTS
    })
    await sleep(BEFORE_RELOAD_MS)
    // To the script alone, which lets nginx read its configuration.
    process.kill(child.pid, 'SIGHUP')
    const { answers, failures } = await responses
    const hasReloaded = await waitUntil(child, () => listWorkers(child.pid).some(pid => !before.includes(pid)),
      { timeoutSeconds: RELOAD_SECONDS }).then(() => true, () => false)
    if (!hasReloaded) return `nginx did not reload within ${RELOAD_SECONDS} s`
    if (!await held.complete()) return 'a request in flight got no response'
    return describeFault(answers, failures)
  } finally {
    await held.close()
  }
}

/**
 * Lists the worker processes of nginx.
 * @param {number} script PID of the start script
 */
const listWorkers = script => listNumbers('/proc').filter(pid =>
  readText(`/proc/${pid}/cmdline`).startsWith('nginx: worker process') && isDescendant(pid, script))

/** @param {Running} running */
async function checkEnd ({ child, order }) {
  const { drains, endSeconds } = await endBySignal([child.pid], order)
  if (drains === null) return 'no request was in flight at the signal'
  if (!drains) return 'one that had not wholly arrived was cut'
  return endSeconds === null ? 'the kit was still running after 10 s' : null
}

/**
 * Tries uploads, streams and upgrades, whose paths in the app are unknown, with a test app behind the same
 * configuration of nginx.
 * @param {Arm} arm of the chosen topology
 * @param {{ target: string, upgrades: boolean, temp: string }} kit upgrades: whether the app takes over connections
 * @returns {Promise<AdviceCheck[]>} empty: the kit has no nginx
 */
export async function checkWithTestApp ({ topology: { proxy } }, { target, upgrades, temp }) {
  if (!proxy) return []
  const options = Object.fromEntries(Object.entries(proxy.options).filter(([name]) => !OF_FILES.includes(name)))
  const all = await loadBehaviours()
  const behaviours = new Map([...WITH_TEST_APP, ...upgrades ? WITH_UPGRADES : []].map(name => {
    const behaviour = /** @type {Behaviour} */ (all.get(name))
    return [name, { ...behaviour, options: { ...options, ...behaviour.options } }]
  }))
  makeFolder(temp)
  const { cells } = await checkConfigs({
    subjects: [{ name: target, kind: 'kit' }],
    temp,
    printProgress: () => {},
    behaviours
  })
  return cells.map(({ behaviour, outcome, detail }) => ({
    title: `with a test app ${behaviours.get(behaviour)?.title}`,
    holds: outcome === 'holds',
    fault: outcome === 'holds' ? null : detail ?? outcome
  }))
}
