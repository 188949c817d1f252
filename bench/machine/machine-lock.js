/**
 * One suite measures on a machine at a time: two would disturb each other. The second one waits, since what was typed
 * is wanted all the same, and a line in a script must not fail because another has not ended; with --no-wait it is
 * refused. The same temporary folder means the same machine: containers and accounts that share none know nothing of
 * each other.
 */
import { realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { HopbenchError, plain } from '../errors.js'
import { hold } from './hold.js'

/** Set for what this process starts, which measures in its name: the runs of `hopbench all`, the inner process. */
const IN_TURN = 'HOPBENCH_IN_TURN'
const LIMIT_SECONDS = 24 * 3600 // hopbench all takes hours; a holder that is stopped or stuck holds for ever.

/**
 * Acquires the machine lock until this process ends.
 * @param {string[]} argv of hopbench, for others to see
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

/** The connection to the holder keeps this process alive, not the timer. @param {number} deadline */
const late = deadline => sleep(Math.max(0, deadline - performance.now()), false, { ref: false })

/** Of a run's folder, which two may not write at once; returns its release. @throws {HopbenchError} run-in-use */
export async function acquireRunLock (/** @type {string} */ dir) {
  const got = await hold(`run, ${realpathSync(dir)}`, { pid: process.pid, since: new Date().toISOString() })
  if (!('holder' in got)) return got.release
  got.holder.leave()
  throw new HopbenchError('run-in-use', { dir })
}

/** A missing one is reported later, by what needs it. */
function folder () {
  try {
    return realpathSync(tmpdir())
  } catch {
    return tmpdir()
  }
}
