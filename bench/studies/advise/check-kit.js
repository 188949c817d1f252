/** Starts the kit of an advice as its platform does, and tries short forms of the behaviours that apply to it. */
import { createInterface } from 'node:readline'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setTimeout as sleep } from 'node:timers/promises'
import { getErrorMessage } from '../../errors.js'
import { callerCwd } from '../../machine/caller-cwd.js'
import { labFacts, openNetwork } from '../../machine/lab.js'
import { makeFolder } from '../../machine/make-folder.js'
import { converse, start, waitUntil } from '../../machine/process.js'
import { findProxies } from '../../measure/find-programs.js'
import { fetchResponses } from '../../measure/gate/gate.js'
import { hasProxy } from '../../plan/changed-word.js'
import { makeFolders } from '../check/configs/subject-files.js'
import { endBySignal } from './end-by-signal.js'

/** @import { Child, Network } from '../../machine/shapes.js' */
/** @import { AdviceCheck, Arm } from '../../types.js' */

const CLIENT = fileURLToPath(new URL('../../load/generators/kept-request.js', import.meta.url))
const PORT = 18200
/** Time until the app of the kit responds, beyond the one of --ready-within. */
const SPARE_SECONDS = 10
/** Time for which a connection is idle: longer than Node keeps idle connections by default, which is 5 s. */
const IDLE_MS = 6000
/** Requests during a reload of nginx. */
const REQUESTS = 40
/** Time from the first of these requests to the reload: their client starts meanwhile. */
const BEFORE_RELOAD_MS = 200
/** Limit for the reply of the client that is idle. */
const REPLY_MS = 30_000

/** A running kit, as the checks see it. @typedef {{ child: Child, network: Network, url: string, port: number,
 * paths: string[], dir: string }} Running */

/** Behaviours by their titles: each returns its fault, or null. @type {[string, (running: Running) =>
 * Promise<string | null>, ('proxy' | 'all')][]} */
const BEHAVIOURS = [
  ['it responds to the requests that were measured', checkResponses, 'all'],
  ['a connection that was idle for 6 s is used again', checkIdle, 'all'],
  ['a reload of nginx loses no request', checkReload, 'proxy'],
  // The last one, because it ends the kit.
  ['a request in flight gets its response after SIGTERM', checkEnd, 'all']
]

/**
 * @param {Arm} arm of the chosen topology
 * @param {object} kit
 * @param {string} kit.dir folder of the kit, relative to the project
 * @param {string[]} kit.paths that were measured
 * @param {boolean} kit.lab false: it runs in the network of this machine
 * @param {string} kit.temp folder for its files
 * @returns {Promise<AdviceCheck[]>} empty: it has no start script that runs on this machine
 * @throws {HopbenchError} errors of starting the kit
 */
export async function checkKit (arm, { dir, paths, lab, temp }) {
  const project = callerCwd()
  const script = join(project, dir, 'start.sh')
  // An image of a Dockerfile of the project is started by Docker.
  if (!existsSync(script) || existsSync(join(project, dir, 'nginx.Dockerfile'))) return []
  const program = (await findProxies([arm])).get('nginx')
  const isPrivate = lab && (await labFacts()).network === 'namespaces'
  makeFolder(temp)
  const network = await openNetwork({ name: 'the kit', dir: temp, private: isPrivate })
  const run = join(temp, 'run')
  makeFolders([run], network.enterServed)
  const port = await network.port(PORT)
  const child = start({
    name: 'the kit',
    argv: ['sh', resolve(script)],
    env: { ...program?.env, ...program && { NGINX_PROGRAM: program.program }, PORT: String(port), RUN: run },
    cwd: project,
    enter: network.enterServed,
    log: join(temp, 'kit.log')
  })
  try {
    const running = { child, network, url: `http://127.0.0.1:${port}`, port, paths, dir: temp }
    const timeoutSeconds = (arm.topology.server?.command?.readySeconds ?? 0) + SPARE_SECONDS
    await waitUntil(child, async () => await checkResponses(running) === null, { timeoutSeconds })
    /** @type {AdviceCheck[]} */
    const checks = []
    for (const [title, check, applies] of BEHAVIOURS) {
      if (applies === 'proxy' && !hasProxy(arm.word)) continue
      const fault = await check(running).catch(getErrorMessage)
      checks.push({ title, holds: fault === null, fault })
    }
    return checks
  } finally {
    await child.stop()
    await network.close()
  }
}

/** @param {Running} running */
async function checkResponses ({ url, network, paths }) {
  const { answers, failures } = await fetchResponses({
    target: { url, socketPath: null },
    load: { path: paths[0], paths, headers: {} },
    network,
    times: new Set(paths).size
  })
  return describeFault(answers, failures)
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

/** @param {Running} running */
async function checkIdle ({ port, network, paths, dir }) {
  const client = converse({
    name: 'an idle client', argv: [process.execPath, CLIENT], log: join(dir, 'idle.log'), enter: network.enter
  })
  try {
    const lines = createInterface({ input: client.stdout })
    client.stdin.write(`${JSON.stringify({ host: '127.0.0.1', port, path: paths[0], idleMs: IDLE_MS })}\n`)
    const [line] = await once(lines, 'line', { signal: AbortSignal.timeout(REPLY_MS) })
    const [first, second] = String(line).split(' ')
    if (first === second) return null
    return second === 'none' ? 'the connection was closed' : `the second response has status ${second}`
  } finally {
    await client.ends(0)
  }
}

/** @param {Running} running */
async function checkReload ({ child, url, network, paths }) {
  const responses = fetchResponses({
    target: { url, socketPath: null },
    // A connection for each request, because an idle connection may be closed by a reload at any time.
    load: { path: paths[0], headers: { Connection: 'close' } },
    network,
    times: REQUESTS
  })
  await sleep(BEFORE_RELOAD_MS)
  // To the script alone, which lets nginx read its configuration.
  process.kill(child.pid, 'SIGHUP')
  const { answers, failures } = await responses
  return describeFault(answers, failures)
}

/** @param {Running} running */
async function checkEnd ({ child, url, network, paths, dir }) {
  const { drains, endSeconds } = await endBySignal([child.pid], { url, enter: network.enter, path: paths[0], dir })
  if (drains === false) return 'it was cut'
  return endSeconds === null ? 'the kit was still running after 10 s' : null
}
