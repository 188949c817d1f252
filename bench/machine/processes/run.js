/** Runs commands to their end, with a time limit. */
import { execa } from 'execa'
import { constants } from 'node:os'
import { groupBegun, killGroup, leaderEnded, pause, signalGroup, startLeader } from './groups.js'

/** @import { Stream } from 'node:stream' */

/** Exit code of a shell for a command that a signal ended, less the number of the signal (POSIX, 2.8.2). */
const SIGNALLED = 128
const GRACE_MS = 1000 // Time between SIGTERM and SIGKILL, and then until the output so far is returned.
/** LC_ALL takes precedence over LANG, and LANGUAGE is ignored with C (locale(7)). */
const UNTRANSLATED = { LC_ALL: 'C' }

/**
 * Runs a short command to its end. Does not throw if the command fails. Sets LC_ALL=C because the output is parsed.
 * @param {string[]} argv
 * @param {object} [options]
 * @param {NodeJS.ProcessEnv} [options.env] in addition to this process's environment
 * @param {string} [options.cwd]
 * @param {number} [options.timeoutSeconds]
 * @param {string | Uint8Array} [options.input]
 * @param {number} [options.mostBytes] of output, beyond which the command is ended
 * @returns {Promise<{ exit: number | null, signal: string | null, stdout: string, stderr: string, timedOut: boolean }>}
 * exit: null if ended by a signal, or not started; then stderr holds the reason
 */
export async function run (argv, { env = {}, cwd, timeoutSeconds = 60, input, mostBytes } = {}) {
  const subprocess = startLeader(argv[0], argv.slice(1), {
    env: { ...UNTRANSLATED, ...env },
    cwd,
    input,
    stdin: input === undefined ? 'ignore' : undefined,
    ...mostBytes !== undefined && { maxBuffer: mostBytes }
  })
  const { result, timedOut } = await within(timeoutSeconds, subprocess)
  return {
    exit: result.exitCode ?? null,
    signal: result.signal ?? null,
    stdout: String(result.stdout ?? ''),
    stderr: String(result.stderr || (result.exitCode === undefined ? result.shortMessage ?? '' : '')),
    timedOut
  }
}

/**
 * Waits for a result until the limit and the grace period are over. A process that left its group can keep the pipes
 * open without end.
 * @param {number} seconds
 * @param {PromiseLike<any> & { pid?: number, stdout: any, stderr: any }} subprocess
 */
async function within (seconds, subprocess) {
  const pids = subprocess.pid === undefined ? [] : [subprocess.pid]
  const over = new AbortController()
  let timedOut = false
  pids.forEach(groupBegun)
  const ended = Promise.resolve(subprocess).finally(() => over.abort())
  const limit = async () => {
    await pause(seconds * 1000, over.signal)
    if (over.signal.aborted) return ended
    timedOut = true
    for (const pid of pids) signalGroup(pid, 'SIGTERM')
    await pause(GRACE_MS, over.signal)
    await Promise.all(pids.map(killGroup))
    await pause(GRACE_MS, over.signal)
    for (const pipe of [subprocess.stdout, subprocess.stderr]) pipe?.destroy()
    return Promise.race([ended, pause(GRACE_MS).then(() => ({}))])
  }
  const answer = await Promise.race([ended, limit()])
  pids.forEach(leaderEnded)
  return { result: answer, timedOut }
}

/**
 * Runs a program in this terminal, with further file descriptors from 3 on.
 * @param {string[]} argv
 * @param {{ env?: Record<string, string>, input?: string, more?: ('pipe' | number)[] }} options input: for its standard
 * input, in place of the terminal
 * @returns {{ stdio: (Stream | null | undefined)[], exit: Promise<number>, kill: () => void }} exit: 128 and the number
 * of the signal if a signal ended it, as of a shell; 1 if it did not start
 */
export function runInForeground (argv, { env = {}, input, more = [] }) {
  const subprocess = execa(argv[0], argv.slice(1), {
    // The types of execa accept numbers only in the first three positions.
    env,
    stdio: /** @type {any} */ ([input === undefined ? 'inherit' : 'pipe', 'inherit', 'inherit', ...more]),
    ...input !== undefined && { input },
    reject: false,
    buffer: false,
    cleanup: false
  })
  return {
    stdio: [...subprocess.stdio],
    exit: subprocess.then(({ exitCode, signal }) => exitCode ?? (signal ? SIGNALLED + constants.signals[signal] : 1)),
    kill: () => { subprocess.kill('SIGKILL') }
  }
}
