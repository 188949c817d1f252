/** Starts long-running programs in process groups, waits until they are ready, pauses, resumes and ends them. */
import { closeSync, constants, existsSync, openSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { HopbenchError } from '../../errors.js'
import { cutLongLines, readEnd } from '../files/log-excerpt.js'
import { isProgram } from '../setup/path.js'
import {
  findGroups, groupBegun, KILLED_MS, killGroup, leaderEnded, LEFT_BEHIND_MS, pause, signalGroup, startLeader
} from './groups.js'
import { attempt } from '../../shared/attempt.js'

/** @import { Readable, Writable } from 'node:stream' */
/** @import { Child, ProcessSpec } from '../types.js' */

/** Seconds between SIGTERM and SIGKILL. */
const GRACE_SECONDS = 3
/**
 * Interval of repeated signals. Any thread of a resumed process may take a signal, but wrk ends early only when its
 * sleeping first thread is interrupted.
 */
const INSIST_MS = 200
const POLL_MS = 10
/** Time of execve(2), during which a process shows no mark. */
const EXEC_MS = 100
/** Flags to append to a log. A link is not followed, because a confined server can write the folder of its log. */
const LOG_FLAGS = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW

/**
 * Starts a long-running program. Its output goes directly to files, because a pipe through the suite would cost CPU
 * time during a measurement.
 * @returns {Child}
 * @throws {HopbenchError} start-failed
 */
export function start (/** @type {ProcessSpec} */ spec) {
  // Only /proc shows marks.
  const mark = process.platform === 'linux' ? spec.mark : undefined
  const log = openSync(spec.log, LOG_FLAGS)
  const out = spec.stdout ? openSync(spec.stdout, 'a') : log
  const input = spec.input === undefined ? 'ignore' : openSync(spec.input, 'r')
  const { pid, exited: leaderExited } = startGroup(spec, [input, out, log], {
    env: { ...spec.inherit && only(spec.inherit), ...spec.env },
    extendEnv: spec.inherit === undefined,
    cwd: spec.cwd
  })
  let known = [pid]
  const groups = () => {
    if (mark !== undefined) known = findGroups(known, mark)
    return known
  }
  const signal = (/** @type {NodeJS.Signals} */ name) => { for (const group of known) signalGroup(group, name) }
  /** @type {ReturnType<Child['ended']>} */
  let end = null
  const exited = leaderExited.then(async leaderEnd => {
    // A command may start a server in another group and exit, as setsid does.
    if (mark !== undefined && leaderEnd.code === 0) {
      await sleep(EXEC_MS)
      while (groups().length > 0) await sleep(LEFT_BEHIND_MS)
    }
    end = leaderEnd
    return leaderEnd
  })
  const child = {
    name: spec.name,
    pid,
    groups,
    enter: spec.enter ?? [],
    exited,
    ended: () => end,
    signal,
    pause: () => signal('SIGSTOP'),
    resume: () => signal('SIGCONT'),
    tail: () => cutLongLines((spec.shown ?? String)(withFirstError(readLastLines(spec.log, Infinity)))),
    stop: (/** @type {Parameters<Child['stop']>[0]} */ options) => stop(child, options)
  }
  return child
}

/**
 * Starts the leader of a group. The group can be paused as a whole, and Apache's SIGTERM to its group reaches no other
 * process.
 * @param {Pick<ProcessSpec, 'name' | 'argv' | 'enter' | 'cores' | 'cwd' | 'env'>} spec
 * @param {('pipe' | 'ignore' | number)[]} stdio files are closed here after the start
 * @param {{ env?: Record<string, string | undefined>, extendEnv?: boolean, cwd?: string }} [options]
 * @throws {HopbenchError} start-failed
 */
function startGroup (spec, stdio, options) {
  // Pin first, because there may be no taskset in the entered namespace.
  const [program, ...args] = [...pinning(spec.cores), ...(spec.enter ?? []), ...spec.argv]
  // The types of execa accept a file's number only in the first position.
  const subprocess = startLeader(program, args, { ...options, stdio: /** @type {any} */ (stdio), buffer: false })
  for (const file of new Set(stdio)) if (typeof file === 'number') closeSync(file)
  const { pid } = subprocess
  if (pid === undefined) throw new HopbenchError('start-failed', { name: spec.name, why: whyNotStarted(program, spec) })
  groupBegun(pid)
  const exited = subprocess.then(({ exitCode: code = null, signal = null }) => {
    leaderEnded(pid)
    return { code, signal }
  })
  return { subprocess, pid, exited }
}

/**
 * @param {Pick<Child, 'groups' | 'exited' | 'ended' | 'resume' | 'signal'>} child
 * @param {Parameters<Child['stop']>[0]} options
 * @returns {Child['exited']}
 */
async function stop (child, { signal = 'SIGTERM', graceSeconds = GRACE_SECONDS, insist } = {}) {
  const { groups, exited, ended } = child
  const deadline = performance.now() + graceSeconds * 1000
  groups()
  if (!ended()) {
    child.resume()
    child.signal(signal)
  }
  while (!ended() && performance.now() < deadline) {
    await Promise.race([exited, pause(insist ? INSIST_MS : deadline - performance.now())])
    if (insist && !ended()) child.signal(signal)
  }
  // Kill processes that remain in the groups after the leader has ended.
  await Promise.all(groups().map(killGroup))
  return Promise.race([exited, pause(KILLED_MS).then(() => ({ code: null, signal: 'SIGKILL' }))])
}

/**
 * Starts a program that reads its stdin and writes its stdout as long as it runs.
 * @param {Pick<ProcessSpec, 'name' | 'argv' | 'log' | 'enter' | 'cores'>} spec log: file for its stderr
 * @returns {{ pid: number, stdin: Writable, stdout: Readable, ends: (graceSeconds: number) => Promise<void> }} ends:
 * waits for its end, and kills it after that time
 * @throws {HopbenchError} start-failed
 */
export function converse ({ log, ...spec }) {
  const { subprocess, pid, exited } = startGroup(spec, ['pipe', 'pipe', openSync(log, 'a')])
  const { stdin, stdout } = /** @type {{ stdin: Writable, stdout: Readable }} */ (/** @type {unknown} */ (subprocess))
  return {
    pid,
    stdin,
    stdout,
    async ends (graceSeconds) {
      await Promise.race([exited, pause(graceSeconds * 1000)])
      await killGroup(pid)
      await Promise.race([exited, pause(KILLED_MS)])
    }
  }
}

/**
 * Waits until `check` returns true.
 * @param {Child} child
 * @param {() => Promise<boolean> | boolean} check
 * @param {{ timeoutSeconds?: number, pollMs?: number }} [options]
 * @throws {HopbenchError} process-died, not-ready
 */
export async function waitUntil (child, check, { timeoutSeconds = 15, pollMs = POLL_MS } = {}) {
  let isLate = false
  const late = pause(timeoutSeconds * 1000).then(() => { isLate = true })
  const exited = child.exited.then(() => {})
  while (true) {
    if (child.ended()) throw died(child)
    // A check can wait for a response that never arrives.
    if (await Promise.race([check(), exited, late])) return
    if (child.ended()) throw died(child)
    if (isLate) {
      throw new HopbenchError('not-ready', { name: child.name, seconds: timeoutSeconds, output: child.tail() })
    }
    await sleep(pollMs)
  }
}

/** Creates the error for a process that ended by itself. @param {Pick<Child, 'name' | 'ended' | 'tail'>} child */
export function died (child) {
  const end = child.ended()
  const how = end?.signal ? `was ended by ${end.signal}` : `ended with exit code ${end?.code}`
  return new HopbenchError('process-died', { name: child.name, how, output: child.tail() })
}

/**
 * Finds the reason of a failed start, which the system reports too late.
 * @param {string} program
 * @param {Pick<ProcessSpec, 'cwd' | 'env'>} spec
 */
function whyNotStarted (program, { cwd, env = {} }) {
  if (cwd !== undefined && !existsSync(cwd)) return `its working directory ${cwd} does not exist`
  const isPath = program.includes('/')
  const folders = isPath ? [''] : (env.PATH ?? process.env.PATH ?? '').split(delimiter)
  if (folders.some(folder => isProgram(join(folder, program)))) return `the system refuses to start ${program}`
  return isPath ? `${program} is not an executable file` : `${program} is not on PATH`
}

/**
 * Returns the last lines of a log file, or an empty text if it cannot be read.
 * @param {string} file
 * @param {number} [lines]
 */
export const readLastLines = (file, lines = 8) =>
  attempt(() => readEnd(file).trimEnd().split('\n').slice(-lines).join('\n'), () => '')

/** Matches a line with the name of an error or exception, as runtimes print it before the stack. */
const ERROR_LINE = /^\s*(Uncaught )?([\w.]*(Error|Exception)\b|(fatal|panic|error)( error)?:)/i
const LAST_LINES = 8

/**
 * Shortens a log to its last lines, and the first line with an error if that is further up: a stack can be longer.
 * @param {string} log
 */
function withFirstError (log) {
  const lines = log.split('\n')
  const last = lines.slice(-LAST_LINES)
  const first = lines.slice(0, -LAST_LINES).find(line => ERROR_LINE.test(line))
  return (first === undefined ? last : [first, '…', ...last]).join('\n')
}

const only = (/** @type {string[]} */ names) =>
  Object.fromEntries(names.flatMap(name => process.env[name] === undefined ? [] : [[name, process.env[name]]]))

/**
 * Returns the beginning of a command line that runs on these cores.
 * @param {number[] | null | undefined} cores null: all
 */
export const pinning = cores => cores?.length ? ['taskset', '-c', cores.join(',')] : []
