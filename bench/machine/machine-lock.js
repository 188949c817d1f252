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

/**
 * Acquires the machine lock until this process ends.
 * @param {string[]} argv of hopbench, shown to others
 * @param {{ wait?: boolean, results?: string, limitSeconds?: number, say?: (line: string) => void }} [options] results:
 * the folder; limitSeconds: of the wait
 * @returns {Promise<boolean>} whether it had to wait
 * @throws {HopbenchError} suite-busy, with `wait: false` or after the limit
 */
export async function acquireMachineLock (
  argv,
  { wait = true, results, limitSeconds = LIMIT_SECONDS, say = line => process.stderr.write(`${line}\n`) } = {}
) {
  if (process.env[IN_TURN]) return false
  const deadline = performance.now() + limitSeconds * 1000
  for (let waited = false; ; waited = true) {
    const got = await hold(`measuring, ${folder()}`, {
      pid: process.pid,
      since: new Date().toISOString(),
      command: ['hopbench', ...argv].join(' '),
      results
    })
    if (!('holder' in got)) {
      process.env[IN_TURN] = String(process.pid)
      return waited
    }
    const { about, gone, leave } = got.holder
    if (wait && !waited) {
      say(`${plain(new HopbenchError('suite-busy', about).message)} Waiting for its end; Ctrl-C ends the wait.`)
    }
    const isGone = wait && await Promise.race([gone.then(() => true), late(deadline)])
    if (isGone) continue
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
