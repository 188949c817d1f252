/** Actions on a running topology that a scenario can ask for, such as a reload of the proxy. */
import { rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { endPrograms, findPrograms } from '../machine/end-programs.js'
import { findListeningProcess } from '../machine/kernel-counts.js'
import { groupMembers } from '../machine/probe.js'
import { run } from '../machine/process.js'
import { pinning } from '../machine/processes/start.js'

/** @import { CommandDescription, Description, ProxyPlugin, ServerDescription, Topology } from '../types.js' */
/** @import { StartOptions, TopologyProcesses } from './start/start.js' */

/** The proxy reads its configuration again. */
export const RELOAD_PROXY = 'reload-proxy'
/** All processes of the server are replaced by new ones, by its manager or by hopbench. */
const RESTART_APP = 'restart-app'
/** The first process that serves is killed, and started again by its manager or by hopbench. */
const KILL_APP = 'kill-app'

/**
 * Returns the names of the actions that a topology has.
 * @param {Topology} topology
 * @param {object} parts
 * @param {ProxyPlugin | null} parts.plugin of the proxy in front; null: there is none
 * @param {boolean} parts.canRestart whether the server is a Node server of hopbench or a command
 * @returns {string[]}
 */
export function listActs ({ proxy }, { plugin, canRestart }) {
  const { reload } = plugin ?? {}
  const canReload = reload !== undefined && (reload.needs === undefined || proxy?.options[reload.needs] === true)
  return [...canReload ? [RELOAD_PROXY] : [], ...canRestart ? [RESTART_APP, KILL_APP] : []]
}

/** Most time of an action, as much as a start may take on a busy machine. */
const ACT_SECONDS = 30
/** Time between two looks at the processes. A look reads all of /proc, so it is not more frequent. */
const POLL_MS = 50
/** Time after which a killed server without a manager is started again: systemd's default of RestartSec. */
const RESTART_MS = 100

/**
 * @typedef {object} Parts
 * @property {Description} description
 * @property {StartOptions} startOptions
 * @property {TopologyProcesses} processes
 * @property {() => Promise<number[]>} readWorkers returns the PIDs of the processes that serve requests
 */

/**
 * Performs an action and waits until it is complete.
 * @param {string} name
 * @param {Parts} parts
 * @throws {Error} if the topology has no such action, or if the action fails or takes too long
 */
export async function performAct (name, parts) {
  const { command, server } = parts.description
  if (name === RELOAD_PROXY) return reloadProxy(parts)
  if (name === RESTART_APP && server) return restartServer(server, parts)
  if (name === KILL_APP && server) return killWorker(server, parts)
  if (name === RESTART_APP && command) return restartCommand(command, parts)
  if (name === KILL_APP && command) return killCommand(command, parts)
  throw new Error(`the topology has no action ${name}`)
}

/**
 * Lets the proxy read its configuration again. The action is complete when a new process of the proxy runs, or when the
 * program that gives the order has ended.
 * @param {Parts} parts
 */
async function reloadProxy ({ description: { proxy }, startOptions, processes }) {
  const { proxyPlugin, dir } = startOptions
  const { reload } = proxyPlugin ?? {}
  if (!proxy || !reload) throw new Error(`the topology has no action ${RELOAD_PROXY}`)
  if ('command' in reload) return runOrder([proxy.argv[0], ...reload.command(dir)], { env: proxy.env, startOptions })
  const before = processes.pids().proxy
  await processes.signalProxy(reload.signal)
  await until(() => processes.pids().proxy.some(pid => !before.includes(pid)), 'the proxy started no new process')
}

/**
 * Replaces all processes of the server. A process without a manager ends before the next one starts, unless several
 * listen on the same port.
 * @param {ServerDescription} server
 * @param {Parts} parts
 */
async function restartServer ({ processes: programs, workers }, { startOptions, processes, readWorkers }) {
  const before = await readWorkers()
  const shared = programs.length > 1 && programs.every(({ listen }) => listen === programs[0].listen)
  for (const [i, { rolling, env }] of programs.entries()) {
    if (!rolling) await processes.replaceServer(i, untilNew(i + 1), { overlaps: shared })
    else if ('signal' in rolling) await processes.signalServer(i, rolling.signal)
    else await runOrder(rolling.argv, { env, startOptions })
  }
  await until(async () => {
    const pids = await readWorkers()
    return pids.length === workers && !pids.some(pid => before.includes(pid))
  }, 'the old processes of the server still run')

  /** @param {number} count of new processes */
  function untilNew (count) {
    const isNew = (/** @type {number} */ pid) => !before.includes(pid)
    return () => until(async () => (await readWorkers()).filter(isNew).length >= count,
      'a new process of the server does not respond')
  }
}

/**
 * Kills a process that serves requests, and waits until as many as before respond.
 * @param {ServerDescription} server
 * @param {Parts} parts
 */
async function killWorker ({ workers }, { processes, readWorkers }) {
  const before = await readWorkers()
  // A confined server has PIDs of its own, which name other processes outside.
  const own = processes.pids().server
  const killed = before.find(pid => own.includes(pid))
  if (killed === undefined) throw new Error('the server has no process that can be killed')
  process.kill(killed, 'SIGKILL')
  const isComplete = () => until(async () => {
    const pids = await readWorkers()
    return pids.length === workers && !pids.includes(killed)
  }, 'the killed process was not replaced')
  const i = processes.findServer(killed)
  if (i === -1) return isComplete()
  await sleep(RESTART_MS)
  await processes.replaceServer(i, isComplete, { overlaps: false })
}

/**
 * Replaces the processes of a command one after the other: ends their programs, and starts the command again.
 * @param {CommandDescription} command
 * @param {Parts} parts
 */
async function restartCommand (command, { processes }) {
  for (const i of command.processes.keys()) {
    await endPrograms(findPrograms(groupMembers(processes.getServer(i).groups())))
    await startAgain(command, i, processes)
  }
}

/**
 * Kills the process that listens for a command. Starts the command again, unless a manager within the command, such as
 * node:cluster, replaces the process.
 * @param {CommandDescription} command
 * @param {Parts} parts
 */
async function killCommand (command, { processes, startOptions: { findFault } }) {
  const [{ listen }] = command.processes
  const child = processes.getServer(0)
  const findListening = () => findListeningProcess(groupMembers(child.groups()), listen)
  const killed = findListening()
  if (killed === null) throw new Error('the command has no process that listens')
  process.kill(killed, 'SIGKILL')
  await until(async () => {
    if (child.ended()) return true
    const pid = findListening()
    return pid !== null && pid !== killed && !await findFault?.(listen, child.tail())
  }, 'the killed process was not replaced')
  if (!child.ended()) return
  await sleep(RESTART_MS)
  await startAgain(command, 0, processes)
}

/**
 * Starts a process of a command again, and waits until the process responds.
 * @param {CommandDescription} command
 * @param {number} i index of the process
 * @param {TopologyProcesses} processes
 */
async function startAgain (command, i, processes) {
  const program = command.processes[i]
  await processes.getServer(i).stop({ graceSeconds: 0 })
  // A killed process leaves the file of its socket, which systemd (RuntimeDirectory=) removes before a restart.
  if (program.listen.kind === 'unix') rmSync(program.listen.path, { force: true })
  const readySeconds = Math.min(ACT_SECONDS, command.readySeconds)
  await processes.startCommand({ ...command, processes: [program], readySeconds }, i)
}

/**
 * Runs a program that gives an order to a running one, on the cores of the served side: on those of the client it would
 * delay the requests.
 * @param {string[]} argv
 * @param {{ env: Record<string, string>, startOptions: StartOptions }} options
 */
async function runOrder (argv, { env, startOptions: { cores, dir, network } }) {
  const { exit, stdout, stderr } = await run([...pinning(cores), ...network.enterServed, ...argv],
    { env, cwd: dir, timeoutSeconds: ACT_SECONDS })
  if (exit !== 0) throw new Error(`the order to reload failed: ${(stderr || stdout).trim()}`)
}

/**
 * @param {() => boolean | Promise<boolean>} check
 * @param {string} failure
 * @throws {Error} after the most time of an action
 */
async function until (check, failure) {
  const deadline = performance.now() + ACT_SECONDS * 1000
  while (!await check()) {
    if (performance.now() > deadline) throw new Error(`${failure} within ${ACT_SECONDS} s`)
    await sleep(POLL_MS)
  }
}
