/**
 * The process groups that run now: whatever ends the suite, they end with it. A group is over when it has no members,
 * not when its leader ends: the kernel may kill a leader alone.
 */
import { execa } from 'execa'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { getErrorCode } from '../../errors.js'
import { groupMembers } from '../probe.js'

/** @import { Socket } from 'node:net' */

/** A killed process is gone within this, unless the kernel itself is stuck. */
export const KILLED_MS = 2000
/** So often a group whose leader has ended is looked at: its number may be given out again once it is empty. */
const LEFT_BEHIND_MS = 1000
const supervisor = fileURLToPath(new URL('./supervisor.js', import.meta.url))
const groups = /** @type {Set<number>} */ (new Set())
/** Notifies the supervisor, where there is one. @type {(line: string) => void} */
let tell = () => {}

process.on('exit', () => { for (const pid of groups) signalGroup(pid, 'SIGKILL') })

/** @param {number} pid leader of a group of its own */
export function groupBegun (pid) {
  groups.add(pid)
  tell(`+${pid}`)
}

/** To be called when the leader has ended. @param {number} pid */
export function leaderEnded (pid) {
  if (!groups.has(pid)) return
  if (hasMembers(pid)) {
    setTimeout(() => leaderEnded(pid), LEFT_BEHIND_MS).unref()
    return
  }
  groups.delete(pid)
  tell(`-${pid}`)
}

/** Kills what is left of a group; resolves when it is empty. The kernel takes its time. @param {number} pid */
export async function killGroup (pid) {
  if (!groups.has(pid)) return
  const deadline = performance.now() + KILLED_MS
  do {
    signalGroup(pid, 'SIGKILL')
    if (!hasMembers(pid)) break
    await sleep(5)
  } while (performance.now() < deadline)
  leaderEnded(pid)
}

/** kill(2) before /proc: it counts zombies too, but costs nothing. @param {number} pid */
const hasMembers = pid => signalGroup(pid, 0) && (process.platform !== 'linux' || groupMembers([pid]).length > 0)

/**
 * @param {number} pid
 * @param {NodeJS.Signals | 0} signal 0: none
 * @returns {boolean} whether there is such a group
 */
export function signalGroup (pid, signal) {
  try {
    return process.kill(-pid, signal)
  } catch (error) {
    if (getErrorCode(error) !== 'ESRCH') throw error
    return false
  }
}

/**
 * From now on a process of its own ends what is left when this one is killed. For systems without PID namespaces: where
 * there are, the kernel does it.
 */
export function startSupervisor () {
  const subprocess = execa(process.execPath, [supervisor], {
    stdio: ['pipe', 'ignore', 'ignore'], detached: true, cleanup: false, reject: false, buffer: false
  })
  const { stdin } = subprocess
  if (!stdin) return
  stdin.on('error', () => { tell = () => {} })
  // Neither of them is a reason to stay.
  const socket = /** @type {Socket} */ (/** @type {unknown} */ (stdin))
  socket.unref()
  subprocess.unref()
  tell = line => { stdin.write(`${line}\n`) }
  for (const pid of groups) tell(`+${pid}`)
}

/**
 * Waits without keeping the suite from ending.
 * @param {number} ms
 * @param {AbortSignal} [signal] ends the wait
 */
export const pause = (ms, signal) => sleep(Math.max(0, ms), undefined, { ref: false, signal }).catch(() => {})
