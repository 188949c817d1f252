/**
 * Running process groups. All of them are killed when the suite exits. A group ends when it has no members, not when
 * its leader ends, because the kernel may kill a leader alone.
 */
import { execa } from 'execa'
import { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { getErrorCode } from '../../errors.js'
import { listNumbers, readStat, readText } from '../files/system-files.js'
import { groupMembers } from '../probe.js'

/**
 * Starts a program as the leader of a process group, which is ended as a whole. A failure does not reject the result.
 */
export const startLeader = execa({ detached: true, cleanup: false, reject: false })
/** Time in which a killed process ends, unless the kernel is blocked. */
export const KILLED_MS = 2000
/** Interval of checks of a group whose leader has ended. The number of an empty group can be reused. */
export const LEFT_BEHIND_MS = 1000
const MAX_REPLACEMENTS = 3
const supervisor = fileURLToPath(new URL('./supervisor.js', import.meta.url))
/** @type {Set<number>} */
const groups = new Set()
/** Notifies the supervisor, if it runs. @type {(line: string) => void} */
let report = () => {}

process.on('exit', () => { for (const pid of groups) signalGroup(pid, 'SIGKILL') })

/** @param {number} pid leader of a group of its own */
export function groupBegun (pid) {
  groups.add(pid)
  report(`+${pid}`)
}

/** Handles the end of a group's leader. @param {number} pid */
export function leaderEnded (pid) {
  if (!groups.has(pid)) return
  if (hasMembers(pid)) {
    setTimeout(() => leaderEnded(pid), LEFT_BEHIND_MS).unref()
    return
  }
  groups.delete(pid)
  report(`-${pid}`)
}

/**
 * Finds the process groups of a program that is marked by a variable, because turbo, PM2 and setsid start a server in
 * another group. A descendant without the variable belongs to the program, too, because turbo removes variables.
 * @param {number[]} known groups of earlier calls
 * @param {string} mark name of the variable, "=", and a value that no other program has
 * @returns {number[]} groups with members. All of them are killed when the suite exits.
 */
export function findGroups (known, mark) {
  const [name] = mark.split('=')
  const all = listNumbers('/proc').flatMap(pid => {
    const [state, parent, group] = readStat(`/proc/${pid}/stat`)
    return state && !'ZX'.includes(state) ? [{ pid, parent: Number(parent), group: Number(group) }] : []
  })
  const found = new Set(all.filter(({ group }) => known.includes(group)).map(({ pid }) => pid))
  const others = all.filter(({ pid, group }) => pid !== process.pid && !known.includes(group)).map(one => {
    const marks = readText(`/proc/${one.pid}/environ`).split('\0').filter(text => text.startsWith(`${name}=`))
    return { ...one, isMarked: marks.includes(mark), isForeign: marks.length > 0 }
  })
  let before
  do {
    before = found.size
    for (const { pid, parent, isMarked, isForeign } of others) {
      if (isMarked || (found.has(parent) && !isForeign)) found.add(pid)
    }
  } while (found.size > before)
  const groups = [...new Set(all.filter(({ pid }) => found.has(pid)).map(({ group }) => group))]
  for (const group of groups) if (!known.includes(group)) groupBegun(group)
  for (const group of known) if (!groups.includes(group)) leaderEnded(group)
  return groups
}

/** Kills the remaining members of a group; resolves when it is empty. @param {number} pid */
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

/**
 * Returns whether a group has members. kill(2) is free but counts zombies too, so it is tried before /proc.
 * @param {number} pid
 */
const hasMembers = pid => signalGroup(pid, 0) && (process.platform !== 'linux' || groupMembers([pid]).length > 0)

/**
 * @param {number} pid
 * @param {NodeJS.Signals | 0} signal 0: only test for the group
 * @returns {boolean} whether the group exists
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
 * Starts a process that kills all remaining groups when the suite is killed. Needed only without PID namespaces, with
 * which the kernel does it. Replaces a supervisor that was killed.
 * @param {number} [replacements] that may still be started, because a system without memory kills each of them
 */
export function startSupervisor (replacements = MAX_REPLACEMENTS) {
  const subprocess = startLeader(process.execPath, [supervisor], { stdio: ['pipe', 'ignore', 'ignore'], buffer: false })
  const { stdin } = subprocess
  if (!stdin) return
  stdin.on('error', () => { report = () => {} })
  // Keep neither the process nor its pipe as a reason to stay alive.
  if (stdin instanceof Socket) stdin.unref()
  subprocess.unref()
  report = line => { stdin.write(`${line}\n`) }
  for (const pid of groups) report(`+${pid}`)
  subprocess.then(({ signal }) => {
    if (!signal) return
    report = () => {}
    const isReplaced = replacements > 0
    const outcome = isReplaced ? 'has been started again' : 'is not started again'
    process.stderr.write(`\nThe supervisor, which ends all programs if hopbench is killed, was ended by ${signal} ` +
      `and ${outcome}.\n`)
    if (isReplaced) startSupervisor(replacements - 1)
  })
}

/**
 * Waits without keeping the process alive.
 * @param {number} ms
 * @param {AbortSignal} [signal] ends the wait
 */
export const pause = (ms, signal) => sleep(Math.max(0, ms), undefined, { ref: false, signal }).catch(() => {})
