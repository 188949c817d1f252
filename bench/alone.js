/**
 * One suite measures on a machine at a time: two would measure each other. The second one waits, since what was typed is wanted all
 * the same, and a line in a script must not fail because another has not ended; with --no-wait it is refused.
 *
 * The same temporary folder means the same machine: containers and accounts that share none know nothing of each other.
 */
import { realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { HopbenchError } from './errors.js'
import { hold } from './hold.js'

/** Set for what this process starts, which measures in its name: the runs of `hopbench all`, the inner process. */
const IN_TURN = 'HOPBENCH_IN_TURN'

/**
 * Takes the machine until this process ends.
 * @param {string[]} argv of hopbench, to be told to others
 * @param {{ wait?: boolean, results?: string, say?: (line: string) => void }} [options] results: the folder
 * @returns {Promise<boolean>} whether it had to wait
 * @throws {HopbenchError} suite-busy, with `wait: false`
 */
export async function measureAlone (argv, { wait = true, results, say = line => process.stderr.write(`${line}\n`) } = {}) {
  if (process.env[IN_TURN]) return false
  for (let waited = false; ; waited = true) {
    const got = await hold(`measuring, ${folder()}`, { pid: process.pid, since: new Date().toISOString(), command: ['hopbench', ...argv].join(' '), results })
    if (!('holder' in got)) {
      process.env[IN_TURN] = String(process.pid)
      return waited
    }
    const { about, gone, leave } = got.holder
    if (!wait) {
      leave()
      throw new HopbenchError('suite-busy', about)
    }
    if (!waited) say(`${new HopbenchError('suite-busy', about).message} Waiting for its end; Ctrl-C ends the wait.`)
    await gone
  }
}

/**
 * Takes the folder of a run, which two may not write at once.
 * @param {string} dir absolute
 * @returns {Promise<() => void>} lets go of it
 * @throws {HopbenchError} run-in-use
 */
export async function holdRun (dir) {
  const got = await hold(`run, ${realpathSync(dir)}`, { pid: process.pid, since: new Date().toISOString() })
  if (!('holder' in got)) return got.release
  got.holder.leave()
  throw new HopbenchError('run-in-use', { dir })
}

/** One that is not there is told of later, by who needs it. */
function folder () {
  try {
    return realpathSync(tmpdir())
  } catch {
    return tmpdir()
  }
}
