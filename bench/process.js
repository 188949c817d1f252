/**
 * Child processes: start one in a group of its own, wait until it is ready, keep its output in a
 * file, freeze and thaw it, end it. The only module that may start a process.
 */
import { execa } from 'execa'
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { HopbenchError } from './errors.js'
import { groupMembers } from './probe.js'
import { isProgram } from './setup/path.js'

/** How long a process may take to end after SIGTERM before it is killed. */
const GRACE_SECONDS = 3
/**
 * The threads of a process that was frozen all look for signals when it is thawed, and any of them
 * may take one. wrk ends early only when its first thread, which sleeps, is the one that is
 * interrupted: so it is asked again.
 */
const INSIST_MS = 200
/** A killed process is gone within this, unless the kernel itself is stuck. */
const KILLED_MS = 2000
/** LC_ALL goes before LANG, and LANGUAGE counts for nothing beside C (locale(7)). */
const UNTRANSLATED = { LC_ALL: 'C' }
const supervisor = fileURLToPath(new URL('./supervisor.js', import.meta.url))
/** Groups that are running now, so that a crash of the suite itself can end them. */
const groups = new Set()
/** Tells the supervisor; nobody, as long as there is none. @type {(line: string) => void} */
let tell = () => {}

/** @param {number} pid */
function begun (pid) {
  groups.add(pid)
  tell(`+${pid}`)
}

/** @param {number} pid */
function over (pid) {
  groups.delete(pid)
  tell(`-${pid}`)
}

/**
 * From now on a process of its own ends what is left when this one is killed. For systems without PID namespaces, which do
 * it by themselves.
 */
export function startSupervisor () {
  const subprocess = execa(process.execPath, [supervisor], {
    stdio: ['pipe', 'ignore', 'ignore'], detached: true, cleanup: false, reject: false, buffer: false
  })
  const { stdin } = subprocess
  if (!stdin) return
  stdin.on('error', () => { tell = () => {} })
  // Neither of them is a reason to stay.
  const socket = /** @type {import('node:net').Socket} */ (/** @type {unknown} */ (stdin))
  socket.unref()
  subprocess.unref()
  tell = line => { stdin.write(`${line}\n`) }
  for (const pid of groups) tell(`+${pid}`)
}

process.on('exit', () => { for (const pid of groups) signalGroup(pid, 'SIGKILL') })

/**
 * Runs a short command to its end. Never throws for what the command does.
 * @param {string[]} argv
 * @param {{ env?: Record<string, string>, cwd?: string, timeoutSeconds?: number, input?: string }} [options]
 *   `env` is added to this process's own
 * @returns {Promise<{ exit: number | null, signal: string | null, stdout: string, stderr: string, timedOut: boolean }>}
 *   what it says is in no language of the person's, since it is read; `exit` is null when a signal ended it or it could not be started; then stderr says why
 */
export async function run (argv, { env = {}, cwd, timeoutSeconds = 60, input } = {}) {
  const result = await execa(argv[0], argv.slice(1), {
    env: { ...UNTRANSLATED, ...env }, cwd, input, reject: false, timeout: timeoutSeconds * 1000, stdin: input === undefined ? 'ignore' : undefined
  })
  return {
    exit: result.exitCode ?? null,
    signal: result.signal ?? null,
    stdout: result.stdout,
    stderr: result.stderr || (result.exitCode === undefined ? result.shortMessage ?? '' : ''),
    timedOut: result.timedOut
  }
}

/**
 * Runs a program in this terminal, with further file descriptors from 3 on.
 * @param {string[]} argv
 * @param {{ env?: Record<string, string>, more?: ('pipe' | number)[] }} options
 * @returns {{ stdio: (import('node:stream').Stream | null | undefined)[], exit: Promise<number> }}
 *   `exit` is 1 when a signal ended it
 */
export function runInForeground (argv, { env = {}, more = [] }) {
  const subprocess = execa(argv[0], argv.slice(1), {
    // Its types know numbers only in the first three places; it takes them in every place.
    env, stdio: /** @type {any} */ (['inherit', 'inherit', 'inherit', ...more]), reject: false, buffer: false, cleanup: false
  })
  return { stdio: [...subprocess.stdio], exit: subprocess.then(result => result.exitCode ?? 1) }
}

/**
 * Runs two short commands, the output of the first going into the second. Never throws for what they do.
 * @param {string[]} from
 * @param {string[]} to
 * @param {{ input: string, timeoutSeconds: number }} options input: of the first
 * @returns {Promise<{ exit: number | null, stdout: string, stderr: string, timedOut: boolean }>} of the second; where only the first
 *   failed, its exit code and what it said
 */
export async function runPiped (from, to, { input, timeoutSeconds }) {
  const timeout = timeoutSeconds * 1000
  const result = await execa(from[0], from.slice(1), { input, reject: false, timeout, buffer: { stdout: false, stderr: true } })
    .pipe(to[0], to.slice(1), { reject: false, timeout })
  const [first] = result.pipedFrom
  const failed = result.exitCode === 0 && first && first.exitCode !== 0 ? first : result
  return { exit: failed.exitCode ?? null, stdout: String(result.stdout ?? ''), stderr: String(failed.stderr ?? ''), timedOut: result.timedOut }
}

/**
 * @typedef {object} Converser a program that is spoken with over its pipes
 * @property {import('node:stream').Writable} stdin
 * @property {import('node:stream').Readable} stdout
 * @property {(graceSeconds: number) => Promise<void>} ends waits until it has ended by itself, and kills it when it does not
 */

/**
 * @param {{ name: string, argv: string[], log: string }} spec log: file that takes its stderr
 * @returns {Converser}
 * @throws {HopbenchError} start-failed
 */
export function converse ({ name, argv, log }) {
  const file = openSync(log, 'a')
  const subprocess = execa(argv[0], argv.slice(1), {
    // Its types know a file's number in the first place only; it takes them in every place.
    stdio: /** @type {any} */ (['pipe', 'pipe', file]), detached: true, cleanup: false, reject: false, buffer: false
  })
  closeSync(file)
  const { pid, stdin } = subprocess
  const stdout = /** @type {import('node:stream').Readable | null} */ (/** @type {unknown} */ (subprocess.stdout))
  if (pid === undefined || !stdin || !stdout) throw new HopbenchError('start-failed', { name, why: whyNotStarted(argv[0]) })
  begun(pid)
  const exited = subprocess.then(() => { over(pid) })
  return {
    stdin,
    stdout,
    async ends (graceSeconds) {
      await Promise.race([exited, pause(graceSeconds * 1000)])
      if (groups.has(pid)) signalGroup(pid, 'SIGKILL')
      await exited
    }
  }
}

/**
 * @typedef {object} ProcessSpec
 * @property {string} name what it is called in messages: "nginx of arm uds"
 * @property {string[]} argv program and arguments
 * @property {Record<string, string>} [env] added to this process's own
 * @property {string[]} [inherit] of this process's own variables those that it gets; left out: all
 * @property {string} [cwd]
 * @property {string[]} [enter] argv that enters the topology's network and user, put in front
 * @property {number[] | null} [cores] pins the process to these cores
 * @property {string} log file that takes stderr, and stdout unless `stdout` is given
 * @property {string} [stdout] file that takes stdout
 */

/**
 * @typedef {object} Child
 * @property {string} name
 * @property {number} pid leader of a process group of its own
 * @property {() => { code: number | null, signal: string | null } | null} ended null while it runs
 * @property {Promise<{ code: number | null, signal: string | null }>} exited never rejects
 * @property {(signal: NodeJS.Signals) => void} signal to the whole group
 * @property {() => void} freeze SIGSTOP to the whole group
 * @property {() => void} thaw SIGCONT to the whole group
 * @property {(options?: { signal?: NodeJS.Signals, graceSeconds?: number, insist?: boolean }) => Promise<{ code: number | null, signal: string | null }>} stop
 *   asks it to end, again and again if it is to `insist`, kills the group when it does not; resolves
 *   when it is gone
 * @property {() => string} tail the last lines of its log
 */

/**
 * Starts a long-running program. Its output goes straight into files: a pipe through the suite
 * would cost the suite CPU while it measures.
 * @param {ProcessSpec} spec
 * @returns {Child}
 * @throws {HopbenchError} start-failed
 */
export function start (spec) {
  // Pinned first: where it enters there may be no taskset.
  const argv = [...pinning(spec.cores), ...(spec.enter ?? []), ...spec.argv]
  const log = openSync(spec.log, 'a')
  const out = spec.stdout ? openSync(spec.stdout, 'a') : log
  const subprocess = execa(argv[0], argv.slice(1), {
    env: { ...spec.inherit && only(spec.inherit), ...spec.env },
    extendEnv: spec.inherit === undefined,
    cwd: spec.cwd,
    stdio: /** @type {any} */ (['ignore', out, log]),
    // A group of its own: it can be frozen whole, and Apache's SIGTERM reaches no stranger.
    detached: true,
    cleanup: false,
    reject: false,
    buffer: false
  })
  closeSync(log)
  if (out !== log) closeSync(out)
  const pid = subprocess.pid
  if (pid === undefined) throw new HopbenchError('start-failed', { name: spec.name, why: whyNotStarted(argv[0], spec) })
  begun(pid)

  /** @type {{ code: number | null, signal: string | null } | null} */
  let end = null
  const exited = subprocess.then(result => {
    over(pid)
    end = { code: result.exitCode ?? null, signal: result.signal ?? null }
    return end
  })

  return {
    name: spec.name,
    pid,
    exited,
    ended: () => end,
    signal: signal => signalGroup(pid, signal),
    freeze: () => signalGroup(pid, 'SIGSTOP'),
    thaw: () => signalGroup(pid, 'SIGCONT'),
    tail: () => tailOf(spec.log),
    async stop ({ signal = 'SIGTERM', graceSeconds = GRACE_SECONDS, insist = false } = {}) {
      if (end) return end
      signalGroup(pid, 'SIGCONT')
      signalGroup(pid, signal)
      const deadline = performance.now() + graceSeconds * 1000
      const running = () => end === null
      while (running() && performance.now() < deadline) {
        await Promise.race([exited, pause(insist ? INSIST_MS : deadline - performance.now())])
        if (insist && running()) signalGroup(pid, signal)
      }
      if (running()) signalGroup(pid, 'SIGKILL')
      const result = await exited
      // The leader is gone; whoever it left behind in its group goes too. The kernel takes its time.
      signalGroup(pid, 'SIGKILL')
      for (let waited = 0; waited < KILLED_MS && groupMembers([pid]).length > 0; waited += 5) await sleep(5)
      return result
    }
  }
}

/**
 * Waits until `check` holds, or says why it never will.
 * @param {Child} child
 * @param {() => Promise<boolean> | boolean} check
 * @param {{ timeoutSeconds?: number }} [options]
 * @throws {HopbenchError} process-died, not-ready
 */
export async function waitUntil (child, check, { timeoutSeconds = 15 } = {}) {
  const deadline = performance.now() + timeoutSeconds * 1000
  while (true) {
    if (child.ended()) throw died(child)
    if (await check()) return
    if (performance.now() > deadline) {
      throw new HopbenchError('not-ready', { name: child.name, seconds: timeoutSeconds, output: child.tail() })
    }
    await sleep(10)
  }
}

/**
 * The error for a process that ended by itself.
 * @param {Child} child
 */
export function died (child) {
  const end = child.ended()
  const how = end?.signal ? `was ended by ${end.signal}` : `ended with exit code ${end?.code}`
  return new HopbenchError('process-died', { name: child.name, how, output: child.tail() })
}

/**
 * Looked up: the system tells it later than the failure has to be told.
 * @param {string} program
 * @param {{ cwd?: string, env?: Record<string, string> }} [spec]
 */
function whyNotStarted (program, { cwd, env = {} } = {}) {
  if (cwd !== undefined && !existsSync(cwd)) return `the folder ${cwd} that it starts in is not there`
  const isPath = program.includes('/')
  const folders = isPath ? [''] : (env.PATH ?? process.env.PATH ?? '').split(delimiter)
  if (folders.some(folder => isProgram(join(folder, program)))) return `the system refuses to start ${program}`
  return isPath ? `${program} is no program` : `${program} is not on PATH`
}

/**
 * Last lines of a log file, or nothing when it cannot be read.
 * @param {string} file
 * @param {number} [lines]
 */
export function tailOf (file, lines = 8) {
  try {
    return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-lines).join('\n')
  } catch {
    return ''
  }
}

/** @param {string[]} names */
const only = names => Object.fromEntries(names.flatMap(name => process.env[name] === undefined ? [] : [[name, process.env[name]]]))

/** @param {number[] | null | undefined} cores */
const pinning = cores => cores?.length ? ['taskset', '-c', cores.join(',')] : []

/**
 * @param {number} pid
 * @param {NodeJS.Signals} signal
 */
function signalGroup (pid, signal) {
  try {
    process.kill(-pid, signal)
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'ESRCH') throw error
  }
}

/**
 * Waits without keeping the suite from ending.
 * @param {number} ms
 */
const pause = ms => sleep(Math.max(0, ms), undefined, { ref: false })
