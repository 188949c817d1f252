/**
 * A lock between processes, as a file that its holder keeps touching: a holder that was killed
 * stops touching it, whatever machine or process namespace it lived in. node: imports only, since
 * it is used before npm ci.
 */
import { closeSync, linkSync, mkdirSync, openSync, renameSync, rmSync, statSync, utimesSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

const TOUCH_SECONDS = 2
/** A lock untouched for this long has no holder any more. */
const STALE_SECONDS = 15
/**
 * So long it is watched before it is taken away, and its holder would have touched it: by its date alone a clock that was set
 * forward makes any lock old.
 */
const WATCHED_SECONDS = 3
const POLL_SECONDS = 0.2

/**
 * Runs `work` while no other process runs its own under the same file.
 * @template T
 * @param {string} file
 * @param {() => Promise<T>} work
 * @param {{ waiting?: () => void }} [options] `waiting` is called once when another holds the lock
 * @returns {Promise<T>}
 * @throws what `work` throws, and the file system's error when the lock's folder cannot be written
 */
export async function withLock (file, work, { waiting = () => {} } = {}) {
  mkdirSync(dirname(file), { recursive: true })
  const isStale = watch()
  for (let told = false; !take(file, isStale);) {
    if (!told) waiting()
    told = true
    await new Promise(resolve => setTimeout(resolve, POLL_SECONDS * 1000))
  }
  const release = () => rmSync(file, { force: true })
  const touching = setInterval(() => touch(file), TOUCH_SECONDS * 1000)
  process.once('exit', release)
  try {
    return await work()
  } finally {
    clearInterval(touching)
    process.off('exit', release)
    release()
  }
}

/**
 * Judges a lock by how long it stays as it is, by a clock that nobody can set.
 * @returns {(seen: import('node:fs').Stats) => boolean} whether it has no holder any more
 */
function watch () {
  let known = ''
  let since = 0
  return ({ ino, mtimeMs }) => {
    const state = `${ino} ${mtimeMs}`
    if (state !== known) [known, since] = [state, performance.now()]
    const watched = (performance.now() - since) / 1000
    // A date to come is one of before the clock was set back.
    const isOld = Math.abs(Date.now() - mtimeMs) > STALE_SECONDS * 1000
    return watched > STALE_SECONDS || (isOld && watched > WATCHED_SECONDS)
  }
}

/** @param {string} file @param {ReturnType<typeof watch>} isStale @returns {boolean} whether the lock is ours now */
function take (file, isStale) {
  try {
    const lock = openSync(file, 'wx')
    writeSync(lock, `${process.pid}\n`)
    closeSync(lock)
    return true
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
    removeStale(file, isStale)
    return false
  }
}

/** @param {string} file @param {ReturnType<typeof watch>} isStale */
function removeStale (file, isStale) {
  const seen = stat(file)
  if (!seen || !isStale(seen)) return
  const aside = `${file}.${process.pid}`
  try {
    renameSync(file, aside)
    // Another process may have been quicker: then what was moved away is its lock, and goes back.
    if (stat(aside)?.ino !== seen.ino) linkSync(aside, file)
  } catch (error) {
    if (!['ENOENT', 'EEXIST'].includes(codeOf(error))) throw error
  }
  rmSync(aside, { force: true })
}

/** @param {string} file */
function touch (file) {
  try {
    utimesSync(file, new Date(), new Date())
  } catch {
    // Gone with its folder: there is nothing left to hold.
  }
}

/** @param {string} file */
const stat = file => statSync(file, { throwIfNoEntry: false })

/** @param {unknown} error @returns {string} */
const codeOf = error => /** @type {NodeJS.ErrnoException} */ (error).code ?? ''
