/** Starts the processes of one rollout in a network of their own: builds of the app, and nginx in front of them. */
import { join } from 'node:path'
import { HopbenchError } from '../../errors.js'
import { clock } from '../../load/scenario-client.js'
import { openNetwork } from '../../machine/network/lab.js'
import { groupMembers } from '../../machine/probe.js'
import { pause } from '../../machine/processes/groups.js'
import { start } from '../../machine/process.js'
import { makeTempDir } from '../../machine/files/temp.js'
import { fetchResponses } from '../../measure/gate/gate.js'
import { LOOK_HEADERS, findFault } from '../../shared/first-response.js'
import { MARK, describeCommand } from '../../topology/describe/describe-command.js'
import { startCommand } from '../../topology/start/start-command.js'
import { startNginx, toAddress } from './nginx.js'

/** @import { Child } from '../../machine/types.js' */
/** @import { Address, ProxyProgram } from '../../types.js' */
/** @import { AppEnd, AppListen, AppProcess, Build, RolloutEvent, Stage } from './types.js' */

/** First ports to try. In a private network they are free. */
const PORTS = { front: 18_100, app: 13_100 }
/** Time from SIGTERM to SIGKILL by default, as of `docker compose up` (stop_grace_period). */
const GRACE_SECONDS = 10
/** Interval of checks for the end of a process. A check reads all of /proc. */
const POLL_MS = 20
/** Limit of the first response. An app that still uses CPU time is requested again. */
const FIRST_SECONDS = 10

/**
 * @typedef {object} StageOptions
 * @property {Pick<Stage, 'old' | 'new'>} builds
 * @property {string} dir short path of an empty folder
 * @property {boolean} lab whether the network is private
 * @property {number[] | null} cores of apps and nginx; null: all
 * @property {string} page path that an app responds to when it is ready
 * @property {number} readySeconds limit of the first response
 * @property {ProxyProgram | null} nginx null: no way needs it
 * @property {(config: string) => string} [change] changes the configuration of nginx: for a policy of files
 */

/** A stage, and what has happened on it. */
/** @typedef {Stage & { events: RolloutEvent[], close: () => Promise<void> }} Opened */

/**
 * Opens a network for a rollout.
 * @param {StageOptions} options
 * @returns {Promise<Opened>}
 */
export async function openStage (options) {
  const { builds, dir, lab, cores } = options
  const network = await openNetwork({ name: 'the rollout', dir, private: lab })
  /** @type {Child[]} */
  const children = []
  /** @type {RolloutEvent[]} */
  const events = []
  let ports = PORTS.app
  let folders = 0
  /** @type {Opened} */
  const stage = {
    ...builds,
    network,
    dir,
    port: await network.port(PORTS.front),
    events,
    freePort: async () => {
      const port = await network.port(ports)
      ports = port + 1
      return port
    },
    note: (what, process) => { events.push({ what, atMs: clock(), process: process ?? null }) },
    startApp: (build, listen, { isFront = false } = {}) =>
      startApp(build, listen, { stage, options, number: folders++, isFront, keep }),
    startNginx: (upstreams, nginx) => startNginx(upstreams, { stage, options, keep, ...nginx }),
    async close () {
      await Promise.all(children.map(child => child.stop({ signal: 'SIGKILL' })))
      await network.close()
    }
  }
  /** @param {Parameters<typeof start>[0]} spec */
  function keep (spec) {
    const child = start({ enter: network.enterServed, cores, ...spec })
    children.push(child)
    return child
  }
  return stage
}

/**
 * @typedef {object} Parts
 * @property {Opened} stage
 * @property {StageOptions} options
 * @property {(spec: Parameters<typeof start>[0]) => Child} keep starts a process, and ends it with the stage
 */

/**
 * Starts the command of a build, and waits for a right response.
 * @param {Build} build
 * @param {AppListen} listen
 * @param {Parts & { number: number, isFront: boolean }} parts
 * @returns {Promise<AppProcess>}
 * @throws {HopbenchError} gate-refused, and errors of starting a command
 */
async function startApp (build, listen, { stage, options, number, isFront, keep }) {
  const { network } = stage
  const note = (/** @type {RolloutEvent['what']} */ what) => { if (!isFront) stage.note(what, number) }
  const { page, readySeconds, lab } = options
  const dir = makeTempDir(stage.dir, `a${number}`)
  const { start: run, folder: cwd } = build
  const command = describeCommand({ run, listen: ['tcp'], cwd, readySeconds }, { dir, root: cwd },
    [toAddress(listen)])
  const [{ env }] = command.processes
  const name = `the ${build.name} build`
  /** @type {ReturnType<typeof findFault>} */
  let fault = null
  let hasListened = false
  /** @type {Child | undefined} */
  let started
  note('start')
  await startCommand(command, {
    name,
    isPrivate: lab,
    launch ({ argv }) {
      started = keep({ name, argv, env, mark: `${MARK}=${env[MARK]}`, cwd, log: join(dir, 'app.log') })
      return started
    },
    findFault: async (address, output) => {
      if (!hasListened) note('listen')
      hasListened = true
      const { host, port } = /** @type {Extract<Address, { kind: 'tcp' }>} */ (address)
      const target = { url: `http://${host}:${port}`, socketPath: null }
      const firstSeconds = Math.min(FIRST_SECONDS, readySeconds / 2)
      const { answers, failures, isTls } = await fetchResponses({
        target, load: { path: page, headers: {} }, network, times: 1, headerNames: LOOK_HEADERS, firstSeconds
      })
      fault = findFault({
        request: `GET ${page}`, answer: answers[0]?.answer, failure: failures[0], isTls, output, isPrivate: lab
      })
      return fault
    }
  })
  const child = /** @type {Child} */ (started)
  const wrong = /** @type {ReturnType<typeof findFault>} */ (fault)
  if (wrong) {
    throw new HopbenchError('gate-refused', { name, ...wrong.params, output: child.tail() })
  }
  note('ready')
  return {
    listen,
    child,
    env,
    end: async (graceSeconds = GRACE_SECONDS) => {
      note('signal')
      const end = await endApp(child, graceSeconds)
      note('end')
      return end
    }
  }
}

/**
 * Sends SIGTERM to all processes of a command, as systemd does (KillMode=control-group), and waits for their end.
 * @param {Child} child
 * @param {number} graceSeconds time until SIGKILL
 * @returns {Promise<AppEnd>}
 */
async function endApp (child, graceSeconds) {
  const sentMs = clock()
  const getSeconds = () => (clock() - sentMs) / 1000
  const hasMembers = () => groupMembers(child.groups()).length > 0
  let isRunning = hasMembers()
  if (isRunning) child.signal('SIGTERM')
  while (isRunning && getSeconds() < graceSeconds) {
    await pause(POLL_MS)
    isRunning = hasMembers()
  }
  const seconds = getSeconds()
  if (isRunning) await child.stop({ signal: 'SIGKILL' })
  return { seconds, wasKilled: isRunning }
}
