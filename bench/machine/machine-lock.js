/**
 * Lets one suite at a time measure on a machine, because two would disturb each other. The second suite waits, so that
 * scripts need no lock of their own. With --no-wait the second suite is refused. The path of the temporary folder
 * identifies the machine. Suites in other containers or with another path are not detected.
 */
import { realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { HopbenchError, plain } from '../errors.js'
import { attempt } from '../shared/attempt.js'
import { writeLine } from './guard-output.js'
import { hold } from './hold.js'

/**
 * Environment variable of processes that measure on behalf of the holder, so that they do not wait for the lock: the
 * workers of `hopbench all`, and the process inside the enclosure.
 */
const IN_TURN = 'HOPBENCH_IN_TURN'
/** Longest wait. `hopbench all` takes hours, and a holder that is stopped or blocked never releases the lock. */
const LIMIT_SECONDS = 24 * 3600

/** Pause before the next attempt. Limits the CPU time if a holder of another account closes each connection at once. */
const RETRY_MS = 200
/** Most words of a command line that are public: the command, and up to two names. */
const MAX_WORDS = 3
const PUBLIC_WORD = /^[a-z][a-z\d_-]{0,60}$/
const PUBLIC_COMMAND = /^hopbench(?: [a-z][a-z\d_-]{0,60}){0,3}$/

/**
 * Returns the first words of a command line, up to the first option, path or URL. Every account can read the result,
 * and options may contain passwords.
 * @param {string[]} argv of hopbench
 */
function toPublicCommand (argv) {
  const end = argv.findIndex(spec => !PUBLIC_WORD.test(spec))
  return ['hopbench', ...argv.slice(0, end === -1 ? MAX_WORDS : Math.min(end, MAX_WORDS))].join(' ')
}

/**
 * Returns the valid fields of a holder's description. It is untrusted, because a process of any account can hold the
 * lock.
 * @param {Record<string, unknown>} about
 * @returns {{ pid?: number, since?: string, command?: string }}
 */
const readHolder = ({ pid, since, command }) => ({
  ...typeof pid === 'number' && Number.isInteger(pid) && pid > 0 && { pid },
  ...typeof since === 'string' && /^[\d-]{10}T[\d:.]{8,12}Z$/.test(since) && { since },
  ...typeof command === 'string' && PUBLIC_COMMAND.test(command) && { command }
})

/**
 * Acquires the machine lock until this process ends.
 * @param {string[]} argv of hopbench
 * @param {{ wait?: boolean, limitSeconds?: number, printProgress?: (line: string) => void }} [options] limitSeconds:
 *   of the wait
 * @returns {Promise<boolean>} whether it had to wait
 * @throws {HopbenchError} suite-busy, with `wait: false` or after the limit
 */
export async function acquireMachineLock (argv, options = {}) {
  const { wait = true, limitSeconds = LIMIT_SECONDS, printProgress = writeLine } = options
  if (process.env[IN_TURN]) return false
  const deadline = performance.now() + limitSeconds * 1000
  for (let waited = false; ; waited = true) {
    const got = await hold(`measuring, ${folder()}`, {
      pid: process.pid,
      since: new Date().toISOString(),
      command: toPublicCommand(argv)
    })
    if (!('holder' in got)) {
      process.env[IN_TURN] = String(process.pid)
      return waited
    }
    const { gone, leave } = got.holder
    const about = readHolder(got.holder.about)
    if (wait && !waited) {
      printProgress(`${plain(new HopbenchError('suite-busy',
        about).message)} Waiting for its end; Ctrl-C ends the wait.`)
    }
    const isGone = wait && await Promise.race([gone.then(() => true), late(deadline)])
    if (isGone && performance.now() < deadline) {
      await sleep(RETRY_MS)
      continue
    }
    leave()
    throw new HopbenchError('suite-busy', about)
  }
}

/**
 * Resolves with false at the deadline. The timer does not keep this process alive. The connection to the holder does.
 * @param {number} deadline
 */
const late = deadline => sleep(Math.max(0, deadline - performance.now()), false, { ref: false })

/**
 * Locks a run's folder, because only one process may write it.
 * @param {string} dir
 * @returns {Promise<() => void>} releases the lock
 * @throws {HopbenchError} run-in-use
 */
export async function acquireRunLock (dir) {
  const got = await hold(`run, ${realpathSync(dir)}`, { pid: process.pid, since: new Date().toISOString() })
  if (!('holder' in got)) return got.release
  got.holder.leave()
  throw new HopbenchError('run-in-use', { dir })
}

/** Returns the path of the temporary folder. A missing one is reported later, by makeTempRoot(). */
const folder = () => attempt(() => realpathSync(tmpdir()), () => tmpdir())
