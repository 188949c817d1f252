/**
 * A lock between processes, as a file that its holder touches regularly. A killed holder stops touching the file, also
 * on another machine or in another PID namespace. A holder that is known to exist keeps the lock, even while it is
 * stopped. Imports only node: modules, because it is used before npm ci.
 */
import { closeSync, fstatSync, futimesSync, linkSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { getErrorCode, HopbenchError } from '../../errors.js'
import { attempt } from '../../shared/attempt.js'
import { readJson, readText } from '../files/system-files.js'
import { isRunning, ownOwner } from './owner.js'
import { makeFolder } from '../files/make-folder.js'

/** @import { Stats } from 'node:fs' */

/**
 * @typedef {{ lost: AbortSignal, writer: (pid: number | null) => void }} Work lost: another process has taken the lock,
 * so that all writing must end at once; writer: records the leader of a process group that writes on behalf of this
 * process and may outlive it
 */

const TOUCH_SECONDS = 2
const STALE_SECONDS = 15 // Seconds without a touch after which a lock has no holder.
/**
 * Seconds for which a lock is watched before it is removed, in which its holder would touch it. Its date alone is not
 * enough, because setting the clock forward makes every lock old.
 */
const WATCHED_SECONDS = 3
const POLL_SECONDS = 0.2
const LIMIT_SECONDS = 3600 // Limit for a wait, longer than all that is done under a lock.

/**
 * Runs `work` under a lock. Repeats it if the lock was lost in the meantime.
 * @template T
 * @param {string} file
 * @param {(work: Work) => Promise<T>} work
 * @param {{ waiting?: () => void, limitSeconds?: number }} [options] waiting: called once if another process holds the
 * lock
 * @returns {Promise<T>}
 * @throws {HopbenchError} still-installing; errors of `work`; the system's error if the lock's folder cannot be written
 */
export async function withLock (file, work, { waiting = () => {}, limitSeconds = LIMIT_SECONDS } = {}) {
  makeFolder(dirname(file))
  const deadline = performance.now() + limitSeconds * 1000
  for (let announced = false; ; announced = true) {
    const lock = take(file) ?? await acquire(file, { deadline, limitSeconds, waiting: announced ? () => {} : waiting })
    const { value, lost } = await workUnder(lock, file, work)
    if (!lost) return value
  }
}

/**
 * @param {string} file
 * @param {{ deadline: number, limitSeconds: number, waiting: () => void }} options
 */
async function acquire (file, { deadline, limitSeconds, waiting }) {
  const isStale = watch()
  for (let announced = false; ; announced = true) {
    const lock = take(file, isStale)
    if (lock) return lock
    if (performance.now() > deadline) {
      throw new HopbenchError('still-installing', { pid: readJson(file)?.pid ?? null, file, seconds: limitSeconds })
    }
    if (!announced) waiting()
    await new Promise(resolve => setTimeout(resolve, POLL_SECONDS * 1000))
  }
}

/**
 * @template T
 * @param {ReturnType<typeof held>} lock
 * @param {string} file
 * @param {(work: Work) => Promise<T>} work
 * @returns {Promise<{ value: T, lost: false } | { value: null, lost: true }>}
 */
async function workUnder (lock, file, work) {
  const lost = new AbortController()
  const release = () => {
    if (lock.isOurs()) rmSync(file, { force: true })
  }
  const touching = setInterval(() => {
    if (lock.isOurs()) lock.touch()
    else lost.abort()
  }, TOUCH_SECONDS * 1000)
  process.once('exit', release)
  try {
    const value = await work({ lost: lost.signal, writer: lock.note })
    return lost.signal.aborted || !lock.isOurs() ? { value: null, lost: true } : { value, lost: false }
  } catch (error) {
    if (lost.signal.aborted) return { value: null, lost: true }
    throw error
  } finally {
    clearInterval(touching)
    process.off('exit', release)
    release()
    lock.close()
  }
}

/**
 * Returns a function that tests whether a lock has no holder, by the time for which its file is unchanged on the
 * monotonic clock.
 */
function watch () {
  let known = ''
  let since = 0
  return (/** @type {Stats} */ { ino, mtimeMs }) => {
    const state = `${ino} ${mtimeMs}`
    if (state !== known) [known, since] = [state, performance.now()]
    const watched = (performance.now() - since) / 1000
    // A date in the future was written before the clock was set back.
    const isOld = Math.abs(Date.now() - mtimeMs) > STALE_SECONDS * 1000
    return watched > STALE_SECONDS || (isOld && watched > WATCHED_SECONDS)
  }
}

/**
 * @param {string} file
 * @param {ReturnType<typeof watch>} [isStale]
 */
function take (file, isStale = () => false) {
  let fd
  try {
    fd = openSync(file, 'wx')
  } catch (error) {
    if (getErrorCode(error) !== 'EEXIST') throw error
    removeStale(file, isStale)
    return null
  }
  return held(file, fd)
}

function held (/** @type {string} */ file, /** @type {number} */ fd) {
  const { ino } = fstatSync(fd)
  const note = (/** @type {number | null} */ writer) => {
    writeSync(fd, `${JSON.stringify({ ...ownOwner(), boot: bootId(), writer })}\n`.padEnd(256), 0)
  }
  note(null)
  return {
    note,
    // The own file still exists for its descriptor after another process has replaced it.
    isOurs: () => stat(file)?.ino === ino,
    touch: () => futimesSync(fd, new Date(), new Date()),
    close: () => closeSync(fd)
  }
}

function removeStale (/** @type {string} */ file, /** @type {ReturnType<typeof watch>} */ isStale) {
  const seen = stat(file)
  if (!seen || !isStale(seen) || lives(readJson(file))) return
  const aside = `${file}.${process.pid}.${Math.random().toString(36).slice(2)}`
  try {
    renameSync(file, aside)
    // If another process was quicker, the moved file is that process's lock and is moved back.
    if (stat(aside)?.ino !== seen.ino) linkSync(aside, file)
  } catch (error) {
    if (!['ENOENT', 'EEXIST'].includes(getErrorCode(error))) throw error
  }
  rmSync(aside, { force: true })
}

/**
 * Returns whether a holder exists. A stopped holder on this machine will continue, as will the processes that it
 * started, and two would write. On another machine or in another PID namespace only the touches are visible.
 */
function lives (/** @type {Record<string, any> | null} */ holder) {
  if (!holder || holder.boot !== bootId() || holder.namespace !== ownOwner().namespace) return false
  return isRunning(/** @type {any} */ (holder)) === true || isGroup(holder.writer)
}

/** @param {unknown} pid leader of a group */
const isGroup = pid =>
  typeof pid === 'number' && attempt(() => process.kill(-pid, 0), error => getErrorCode(error) === 'EPERM')

/** Identifies the machine, because machines that share a folder can have the same PIDs. */
const bootId = () => readText('/proc/sys/kernel/random/boot_id').trim()

const stat = (/** @type {string} */ file) => statSync(file, { throwIfNoEntry: false })
