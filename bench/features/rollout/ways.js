/** The ways to replace a build, and the choice of those that are tried. */
import { fileURLToPath } from 'node:url'
import { badOption, shellWord, toSentence } from '../../errors.js'
import { findProxies } from '../../measure/find-programs.js'
import { pm2Folder } from '../../topology/server-packages.js'
import { findOtherCommand, startCluster, startPm2 } from './cluster-ways.js'
import { FRONT } from './nginx.js'

/** @import { ProxyProgram } from '../../types.js' */
/** @import { Side, Sides } from '../diff/index.js' */
/** @import { AppProcess, Build, RunningWay, Stage, Way } from './types.js' */

const KEEPER = fileURLToPath(new URL('programs/keep-port.js', import.meta.url))
/** Limit for open requests, as of a kit (worker_shutdown_timeout). Streams and WebSockets take all of it. */
const DRAIN_SECONDS = 10
/** Time from SIGTERM to SIGKILL on Kubernetes (terminationGracePeriodSeconds), Heroku and Render. */
const PLATFORM_GRACE_SECONDS = 30

/** Ways by their names, in the order of tables. @type {Record<string, Way>} */
const TABLE = {
  // The old process ends, and then the new one starts at the same port.
  'stop-start': {
    title: 'stop, then start',
    usedBy: 'systemctl restart, docker compose up',
    hasNginx: false,
    start: async stage => replaceInTurn([await stage.startApp(stage.old, { port: stage.port })], stage)
  },
  // As stop-start, behind nginx, which goes on.
  'nginx-stop-start': {
    title: 'stop, then start behind nginx',
    usedBy: 'systemctl restart behind nginx',
    hasNginx: true,
    start: stage => startRolling(stage, { processes: 1 })
  },
  // Two processes behind nginx are replaced one after the other. Each ends before its successor starts at its port.
  rolling: {
    title: 'two processes one after the other behind nginx',
    usedBy: 'systemctl restart app@1, then app@2',
    hasNginx: true,
    start: stage => startRolling(stage)
  },
  // As rolling, but nginx skips a process for 10 s after a failure: the default of max_fails and fail_timeout.
  'rolling-defaults': {
    title: 'two processes one after the other behind nginx with its defaults',
    usedBy: 'an upstream of nginx without max_fails=0',
    hasNginx: true,
    start: stage => startRolling(stage, { skipsFailed: true })
  },
  // A program in front keeps the port while the app restarts. Connections wait there until the new process listens.
  'socket-activation': {
    title: 'stop, then start behind a kept socket',
    usedBy: 'a .socket unit of systemd',
    emulated: 'a program keeps the socket, because $PORT passes none to the app',
    hasNginx: false,
    start: startBehindSocket
  },
  // PM2 in cluster mode replaces its two processes one after the other, after a link leads to the new build.
  'pm2-reload': {
    title: 'pm2 reload',
    usedBy: 'PM2 in cluster mode',
    hasNginx: false,
    findUnfit: async builds => findOtherCommand(builds) ?? await pm2Folder().then(() => null, toSentence),
    start: startPm2
  },
  // A primary process of node:cluster starts a worker of the new build, disconnects an old one, and so on.
  'cluster-drain': {
    title: 'workers of node:cluster one after the other',
    usedBy: 'an app with a primary process of its own',
    emulated: 'the primary process is one of hopbench',
    hasNginx: false,
    findUnfit: findOtherCommand,
    start: startCluster
  },
  // The new process starts beside the old one. After its first response nginx reloads with its address, and the old
  // process ends after the last request that nginx has sent to it.
  'blue-green': {
    title: 'blue-green by a reload of nginx',
    usedBy: 'scripts on a server of your own',
    hasNginx: true,
    start: stage => startBeside(stage, { drainSeconds: DRAIN_SECONDS })
  },
  // The new process starts, the router switches to it after a health check, and the old process gets SIGTERM at once.
  platform: {
    title: 'switch of a platform',
    usedBy: 'Kubernetes, Render, Fly.io, Heroku with preboot',
    emulated: 'nginx is the router, with its own delays and timeouts',
    hasNginx: true,
    start: stage => startBeside(stage, { drainSeconds: 0, graceSeconds: PLATFORM_GRACE_SECONDS })
  }
}

/** Names of all ways. */
export const WAYS = Object.keys(TABLE).sort()

/** @typedef {Way & { name: string }} NamedWay */

/**
 * Serves the old build by processes behind nginx, which are replaced one after the other.
 * @param {Stage} stage
 * @param {Parameters<Stage['startNginx']>[1] & { processes?: number }} [options]
 */
async function startRolling (stage, { processes = 2, ...options } = {}) {
  const listens = []
  for (let i = 0; i < processes; i++) listens.push({ port: await stage.freePort() })
  const apps = await Promise.all(listens.map(listen => stage.startApp(stage.old, listen)))
  await stage.startNginx(listens, options)
  return replaceInTurn(apps, stage)
}

/**
 * Lets each process end before its successor starts at the same port.
 * @param {AppProcess[]} apps
 * @param {Stage} stage
 * @returns {RunningWay}
 */
const replaceInTurn = (apps, stage) => ({
  async replace () {
    const ends = []
    for (const app of apps) {
      ends.push(await app.end())
      await stage.startApp(stage.new, app.listen)
    }
    return { ends }
  }
})

/** Serves the old build behind a program that keeps the port. @param {Stage} stage */
async function startBehindSocket (stage) {
  const { old, port, startApp } = stage
  const app = await startApp(old, { port: await stage.freePort() })
  const start = `HOPBENCH_KEPT=${app.listen.port} exec ${shellWord(process.execPath)} ${shellWord(KEEPER)}`
  await startApp({ ...old, start }, { port }, { isFront: true })
  return replaceInTurn([app], stage)
}

/**
 * Serves the old build behind nginx, and lets nginx switch to the new one, which starts beside it.
 * @param {Stage} stage
 * @param {{ drainSeconds: number, graceSeconds?: number }} limits drainSeconds: most time for open requests before
 *   SIGTERM; graceSeconds: as of AppProcess.end()
 */
async function startBeside ({ old, new: next, freePort, startApp, startNginx }, { drainSeconds, graceSeconds }) {
  const app = await startApp(old, { port: await freePort() })
  const nginx = await startNginx([app.listen])
  return {
    async replace () {
      const { listen } = await startApp(next, { port: await freePort() })
      await nginx.setUpstreams([listen])
      await nginx.drain(drainSeconds)
      return { ends: [await app.end(graceSeconds)] }
    }
  }
}

/**
 * Returns base and head as the old and the new build.
 * @param {Sides} sides
 */
export const toBuilds = ({ base, head }) => ({ old: toBuild('old', base), new: toBuild('new', head) })

/** @type {(name: Build['name'], side: Side) => Build} */
const toBuild = (name, { label, app, start }) => ({ name, label, folder: app, start })

/**
 * Finds nginx, and installs it where it is missing.
 * @returns {Promise<{ program: ProxyProgram | null, why: string | null }>} null: why there is none
 */
export async function findNginx () {
  try {
    const [program] = (await findProxies([{ topology: FRONT }])).values()
    return { program, why: null }
  } catch (error) {
    return { program: null, why: toSentence(error) }
  }
}

/**
 * Chooses the ways that can replace these builds here, in the order of tables.
 * @param {string[] | undefined} typed undefined: all
 * @param {{ old: Build, new: Build, whyNoNginx: string | null }} facts
 * @returns {Promise<{ ways: NamedWay[], leftOut: { way: string, why: string }[] }>}
 * @throws {HopbenchError} bad-option, if a typed way is unfit
 */
export async function chooseWays (typed, { whyNoNginx, ...builds }) {
  const ways = []
  const leftOut = []
  for (const [name, way] of Object.entries(TABLE)) {
    if (typed && !typed.includes(name)) continue
    const why = (way.hasNginx ? whyNoNginx : null) ?? await way.findUnfit?.(builds) ?? null
    if (why === null) ways.push({ name, ...way })
    else if (typed) throw badOption('--way', name, why, 'Choose another way, or another command with --app.')
    else leftOut.push({ way: name, why })
  }
  return { ways, leftOut }
}
