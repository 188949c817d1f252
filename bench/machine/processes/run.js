/** Commands that are run to their end, which is never later than their limit. */
import { execa } from 'execa'
import { groupBegun, killGroup, leaderEnded, pause, signalGroup } from './groups.js'

/** @import { Foreground, RunOptions, RunResult } from '../shapes.js' */

const GRACE_MS = 1000 // Between SIGTERM and SIGKILL, and from there until what they said is taken as it is.
/** LC_ALL goes before LANG, and LANGUAGE counts for nothing beside C (locale(7)). */
const UNTRANSLATED = { LC_ALL: 'C' }
/** A group of its own is ended whole, with what the command has started and left. */
const IN_GROUP = /** @type {const} */ ({ detached: true, cleanup: false, reject: false })

/**
 * Runs a short command to its end. Never throws for what the command does; what it says is in no language of the
 * person's, since it is read.
 * @param {string[]} argv
 * @param {RunOptions} [options]
 * @returns {Promise<RunResult>}
 */
export async function run (argv, { env = {}, cwd, timeoutSeconds = 60, input } = {}) {
  const subprocess = execa(argv[0], argv.slice(1), {
    ...IN_GROUP, env: { ...UNTRANSLATED, ...env }, cwd, input, stdin: input === undefined ? 'ignore' : undefined
  })
  const { result, timedOut } = await within(timeoutSeconds, [subprocess], subprocess)
  return {
    exit: result.exitCode ?? null,
    signal: result.signal ?? null,
    stdout: String(result.stdout ?? ''),
    stderr: String(result.stderr || (result.exitCode === undefined ? result.shortMessage ?? '' : '')),
    timedOut
  }
}

/**
 * Runs two short commands, the output of the first going into the second. Never throws for what they do.
 * @param {string[]} from
 * @param {string[]} to
 * @param {{ input: string, timeoutSeconds: number }} options input: of the first
 * @returns {Promise<Omit<RunResult, 'signal'>>} of the second; where only the first failed, its exit code and what it
 * said
 */
export async function runPiped (from, to, { input, timeoutSeconds }) {
  const target = execa(to[0], to.slice(1), IN_GROUP)
  const source = execa(from[0], from.slice(1), { ...IN_GROUP, input, buffer: { stdout: false, stderr: true } })
  const { result, timedOut } = await within(timeoutSeconds, [source, target], source.pipe(target))
  const [first] = result.pipedFrom ?? []
  const failed = result.exitCode === 0 && first && first.exitCode !== 0 ? first : result
  return {
    exit: failed.exitCode ?? null,
    stdout: String(result.stdout ?? ''),
    stderr: String(failed.stderr ?? ''),
    timedOut
  }
}

/**
 * The result, or what there is of it when the limit and the grace are over: a process that has left its group may hold
 * the pipes for ever.
 * @param {number} seconds
 * @param {{ pid?: number, stdout: any, stderr: any }[]} subprocesses
 * @param {PromiseLike<any>} result
 */
async function within (seconds, subprocesses, result) {
  const pids = subprocesses.flatMap(({ pid }) => pid ?? [])
  const over = new AbortController()
  let timedOut = false
  pids.forEach(groupBegun)
  const ended = Promise.resolve(result).finally(() => over.abort())
  const limit = async () => {
    await pause(seconds * 1000, over.signal)
    if (over.signal.aborted) return ended
    timedOut = true
    for (const pid of pids) signalGroup(pid, 'SIGTERM')
    await pause(GRACE_MS, over.signal)
    await Promise.all(pids.map(killGroup))
    await pause(GRACE_MS, over.signal)
    for (const { stdout, stderr } of subprocesses) for (const pipe of [stdout, stderr]) pipe?.destroy()
    return Promise.race([ended, pause(GRACE_MS).then(() => ({}))])
  }
  const answer = await Promise.race([ended, limit()])
  pids.forEach(leaderEnded)
  return { result: answer, timedOut }
}

/**
 * Runs a program in this terminal, with further file descriptors from 3 on.
 * @param {string[]} argv
 * @param {{ env?: Record<string, string>, more?: ('pipe' | number)[] }} options
 * @returns {Foreground}
 */
export function runInForeground (argv, { env = {}, more = [] }) {
  const subprocess = execa(argv[0], argv.slice(1), {
    // Its types know numbers only in the first three places; it takes them in every place.
    env,
    stdio: /** @type {any} */ (['inherit', 'inherit', 'inherit', ...more]),
    reject: false,
    buffer: false,
    cleanup: false
  })
  return {
    stdio: [...subprocess.stdio],
    exit: subprocess.then(result => result.exitCode ?? 1),
    kill: () => { subprocess.kill('SIGKILL') }
  }
}
