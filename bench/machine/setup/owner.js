/** Identifies a process so that other processes can test whether it still runs. Imports only node: modules. */
import { getErrorCode } from '../../errors.js'
import { attempt } from '../../shared/attempt.js'
import { readLink, readStat } from '../files/system-files.js'

/**
 * Returns this process. started: start time, because a PID can be reused; namespace: PID namespace, because another
 * container that shares a folder has other PIDs.
 * @returns {{ pid: number, started: string, namespace: string }}
 */
export const ownOwner = () => ({ pid: process.pid, started: findStartTime(process.pid), namespace: pidNamespace() })

/**
 * @param {ReturnType<typeof ownOwner>} owner
 * @returns {boolean | null} null: unknown, because the process is in another PID namespace
 */
export const isRunning = ({ pid, started, namespace }) =>
  namespace === pidNamespace() ? findStartTime(pid) === started : null

/**
 * Returns a process's start in clock ticks since boot; empty if there is no such process or only its zombie.
 * @param {number} pid
 */
function findStartTime (pid) {
  const fields = readStat(`/proc/${pid}/stat`)
  if (fields.length > 1) return 'ZX'.includes(fields[0]) ? '' : fields[19]
  // Without /proc only the existence of the process is known.
  const exists = attempt(() => process.kill(pid, 0), error => getErrorCode(error) === 'EPERM')
  return exists ? 'unknown' : ''
}

const pidNamespace = () => readLink('/proc/self/ns/pid') || 'host'
