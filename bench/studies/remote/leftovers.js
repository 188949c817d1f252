/** Removes folders that earlier runs left on this machine when it took part in them: after a power failure, or after
 * the link failed while the project was being copied. Called when the next run prepares this machine. */
import { lstatSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isRunning, ownOwner } from '../../machine/setup/owner.js'

/** Prefix of a run's folder. It differs from the prefix of the suite's temporary folders, which are removed by another
 * rule. */
export const FOLDER = 'hopbench.host.'
const NAME = /^hopbench\.host\.[A-Za-z0-9]{6}$/
/** File that names the process that uses a folder: "pid start namespace". The start is included because a PID can be
 * reused. */
const HOLDER = 'holder'
/** Age of a holder after which a folder without its process is left over, because between two commands of a run no
 * process holds the folder. */
const PAUSE_SECONDS = 120
/** Age after which a folder without a holder is left over. Unpacking takes up to ten minutes. */
const UNHELD_SECONDS = 3600

/**
 * Returns whether a path is that of a run's folder, and can be quoted in a shell.
 *
 * @param {string} path absolute
 */
export const isFolderOfOurs = path =>
  // eslint-disable-next-line no-control-regex
  /^\/[^"'$`\\\x00-\x1f\x7f]*$/.test(path) && NAME.test(basename(path)) && !path.split('/').includes('..')

/** Records that this process uses the project's folder, if it is a run's. @param {string} project absolute */
export function holdFolder (project) {
  if (!isFolderOfOurs(project)) return
  const { pid, started, namespace } = ownOwner()
  writeFileSync(join(project, HOLDER), `${pid} ${started} ${namespace}`)
}

/**
 * Removes folders of earlier runs beside the project's folder, if that is a run's.
 *
 * @param {string} project absolute
 * @param {number} [now] ms since the epoch
 * @returns {string[]} removed folders
 */
export function sweepLeftovers (project, now = Date.now()) {
  if (!isFolderOfOurs(project)) return []
  const parent = dirname(project)
  const leftovers = readdirSync(parent)
    .filter(name => NAME.test(name) && name !== basename(project))
    .map(name => join(parent, name))
    .filter(path => isLeft(path, now))
  for (const path of leftovers) rmSync(path, { recursive: true, force: true, maxRetries: 3 })
  return leftovers
}

/**
 * @param {string} path
 * @param {number} now
 */
function isLeft (path, now) {
  try {
    const folder = lstatSync(path)
    // Skips links, files, and folders of other accounts.
    if (!folder.isDirectory() || folder.uid !== process.getuid?.()) return false
    const held = lstatSync(join(path, HOLDER), { throwIfNoEntry: false })
    if (!held?.isFile()) return now - folder.mtimeMs > UNHELD_SECONDS * 1000
    const [pid, started, namespace] = readFileSync(join(path, HOLDER), 'utf8').split(' ')
    // In another PID namespace, such as a container that shares the folder, isRunning returns null.
    const isDead = isRunning({ pid: Number(pid), started, namespace }) === false
    return isDead && now - held.mtimeMs > PAUSE_SECONDS * 1000
  } catch {
    return false
  }
}
