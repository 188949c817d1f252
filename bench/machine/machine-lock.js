/**
 * Lets one suite at a time measure on a machine, because two would disturb each other. The second suite waits, so that
 * a script need not; with --no-wait it is refused. Suites with the same temporary folder count as on the same machine.
 * Containers and accounts that share no folder are not detected.
 */
import { realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { HopbenchError, plain } from '../errors.js'
import { attempt } from '../shared/attempt.js'
import { hold } from './hold.js'

/** Set for processes that measure on behalf of this one: the runs of `hopbench all`, the inner process. */
const IN_TURN = 'HOPBENCH_IN_TURN'
// hopbench all takes hours, and a holder that is stopped or blocked holds the lock without end.
const LIMIT_SECONDS = 24 * 3600

// A process of another account can hold the name and close each connection at once.
const RETRY_MS = 200
const MOST_WORDS = 3
const PUBLIC_WORD = /^[a-z][a-z\d_-]{0,60}$/
const PUBLIC_COMMAND = /^hopbench(?: [a-z][a-z\d_-]{0,60}){0,3}$/

/**
 * Returns the command and the experiment only, because every account can read it: options may contain passwords.
 * @param {string[]} argv
 */
function toPublicCommand (argv) {
  const end = argv.findIndex(word => !PUBLIC_WORD.test(word))
  return ['hopbench', ...argv.slice(0, end === -1 ? MOST_WORDS : Math.min(end, MOST_WORDS))].join(' ')
}

/**
 * Returns what a holder says of itself, as far as it is valid: a process of any account can hold the lock.
 * @param {Record<string, unknown>} about
 * @returns {{ pid?: number, since?: string, command?: string }}
 */
function readHolder ({ pid, since, command }) {
  return {
    ...typeof pid === 'number' && Number.isInteger(pid) && pid > 0 && { pid },
    ...typeof since === 'string' && /^[\d-]{10}T[\d:.]{8,12}Z$/.test(since) && { since },
    ...typeof command === 'string' && PUBLIC_COMMAND.test(command) && { command }
  }
}

/**
 * Acquires the machine lock until this process ends.
 * @param {string[]} argv of hopbench
 * @param {{ wait?: boolean, limitSeconds?: number, say?: (line: string) => void }} [options] limitSeconds: of the wait
 * @returns {Promise<boolean>} whether it had to wait
 * @throws {HopbenchError} suite-busy, with `wait: false` or after the limit
 */
export async function acquireMachineLock (
  argv,
  { wait = true, limitSeconds = LIMIT_SECONDS, say = line => process.stderr.write(`${line}\n`) } = {}
) {
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
      say(`${plain(new HopbenchError('suite-busy', about).message)} Waiting for its end; Ctrl-C ends the wait.`)
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
 * Resolves at the deadline. The connection to the holder keeps this process alive, not this timer.
 * @param {number} deadline
 */
const late = deadline => sleep(Math.max(0, deadline - performance.now()), false, { ref: false })

/** Locks a run's folder, which only one process may write; returns its release. @throws {HopbenchError} run-in-use */
export async function acquireRunLock (/** @type {string} */ dir) {
  const got = await hold(`run, ${realpathSync(dir)}`, { pid: process.pid, since: new Date().toISOString() })
  if (!('holder' in got)) return got.release
  got.holder.leave()
  throw new HopbenchError('run-in-use', { dir })
}

/** Returns the temporary folder. If it is missing, the code that needs it reports that later. */
const folder = () => attempt(() => realpathSync(tmpdir()), () => tmpdir())
