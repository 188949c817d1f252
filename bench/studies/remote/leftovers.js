/** Folders that earlier runs have left on this machine, which was one of theirs: its power went, or the link while the
 * project was being put here. Looked for when the next run is prepared. */
import { lstatSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** What the folder of a run is called there. Not as the suite calls its own, which are swept by another rule. */
export const FOLDER = 'hopbench.host.'
const NAME = /^hopbench\.host\.[A-Za-z0-9]{6}$/
const HOLDER = 'holder' // Who uses a folder, as "pid start namespace": a pid alone may have been given out again.
const PAUSE_SECONDS = 120 // Between two commands of one run nobody holds its folder; unpacking may take ten minutes.
const UNHELD_SECONDS = 3600

/** Whether it is a path that mktemp gave for a run, and can stand between quotes of sh. @param {string} path absolute
 */
export const isFolderOfOurs = path =>
  // eslint-disable-next-line no-control-regex
  /^\/[^"'$`\\\x00-\x1f\x7f]*$/.test(path) && NAME.test(basename(path)) && !path.split('/').includes('..')

/** Says that this process uses the project's folder, where that is one of a run. @param {string} project absolute */
export function holdFolder (project) {
  if (!isFolderOfOurs(project)) return
  writeFileSync(join(project, HOLDER), `${process.pid} ${startOf(process.pid)} ${namespace()}`)
}

/** Removes what runs before this one have left beside its own folder.
 * @param {string} project absolute; nothing is done where it is no folder of a run
 * @param {number} [now] ms since the epoch @returns {string[]} what was removed */
export function sweepLeftovers (project, now = Date.now()) {
  if (!isFolderOfOurs(project)) return []
  const parent = dirname(project)
  return readdirSync(parent).filter(name => NAME.test(name) && name !== basename(project))
    .map(name => join(parent, name))
    .filter(path => isLeft(path, now))
    .filter(path => {
      rmSync(path, { recursive: true, force: true, maxRetries: 3 })
      return true
    })
}

/** @param {string} path @param {number} now */
function isLeft (path, now) {
  try {
    const folder = lstatSync(path)
    // Another account's, or no folder at all: nothing of this account's runs.
    if (!folder.isDirectory() || folder.uid !== process.getuid?.()) return false
    const held = lstatSync(join(path, HOLDER), { throwIfNoEntry: false })
    if (!held?.isFile()) return now - folder.mtimeMs > UNHELD_SECONDS * 1000
    const [pid, start, space] = readFileSync(join(path, HOLDER), 'utf8').split(' ')
    // A container that shares this folder numbers its processes otherwise.
    if (space !== namespace()) return false
    return startOf(Number(pid)) !== start && now - held.mtimeMs > PAUSE_SECONDS * 1000
  } catch {
    return false
  }
}

/** In clock ticks since boot (proc(5)). @param {number} pid @returns {string} empty: there is no such process */
function startOf (pid) {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /s, '').split(' ')[19]
  } catch {
    return process.platform === 'linux' || !isAlive(pid) ? '' : 'unknown'
  }
}

/** @param {number} pid */
function isAlive (pid) {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

function namespace () {
  try {
    return readlinkSync('/proc/self/ns/pid')
  } catch {
    return 'host'
  }
}
