/**
 * Keeps hopbench and package managers inside a checkout. A commit can hold a link at any path, so hopbench inspects
 * each component of a path before it reads, writes or removes something there.
 */
import { lstatSync, readdirSync, realpathSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { HopbenchError, plain } from '../../errors.js'
import { isFolder } from '../../machine/files/system-files.js'
import { LOCKS, SETTINGS } from '../../request/node-project.js'
import { attempt } from '../../shared/attempt.js'
import { isWithin } from '../../shared/paths.js'

/**
 * A state of the app on the disk.
 *
 * @typedef {object} Checkout
 * @property {string} name base or head
 * @property {string} label
 * @property {string} top
 * @property {string} app folder of the app, in or equal to `top`
 */

/** Names that hopbench or package managers read, write or remove. In lower case, because file systems may ignore it. */
const MANAGED = new Set(['node_modules', 'package.json', ...Object.keys(LOCKS), ...SETTINGS, '.yarn', '.pnp.cjs',
  '.pnp.loader.mjs', 'bunfig.toml'])

/**
 * Rejects a checkout from which an installation could leave: a link at a managed path, or a link to a folder, which a
 * manager enters if it is a workspace or a package.
 *
 * @param {Checkout} checkout
 * @param {{ permitsFolders: boolean }} options permitsFolders: links to folders outside, except at managed paths
 * @throws {HopbenchError} linked-checkout
 */
export function rejectLinks (checkout, { permitsFolders }) {
  rejectLinkedPath(checkout, checkout.app)
  for (const link of listLinks(checkout.top)) {
    const isManaged = relative(checkout.top, link).split(sep).some(name => MANAGED.has(name.toLowerCase()))
    if (isManaged || (!permitsFolders && isFolder(link))) rejectLinkedPath(checkout, link)
  }
}

/**
 * Rejects a path whose components are not all inside the checkout. A link to a missing file counts as outside, because
 * a write would create that file.
 *
 * @param {Checkout} checkout
 * @param {string} path below its top folder
 * @throws {HopbenchError} linked-checkout
 */
export function rejectLinkedPath ({ name, label, top }, path) {
  let reached = top
  for (const component of relative(top, path).split(sep).filter(Boolean)) {
    reached = join(reached, component)
    const isLink = attempt(() => lstatSync(reached).isSymbolicLink(), () => false)
    if (!isLink || leadsInside(top, reached)) continue
    throw new HopbenchError('linked-checkout', { name, label, link: plain(relative(top, reached)) })
  }
}

/**
 * @param {string} top
 * @param {string} link
 */
const leadsInside = (top, link) => attempt(() => isWithin(realpathSync(top), realpathSync(link)), () => false)

/**
 * Lists the links below a folder, and follows none of them.
 *
 * @param {string} folder
 * @returns {Generator<string>}
 */
function * listLinks (folder) {
  // A name that is not UTF-8 has another path here. Package managers of JavaScript cannot enter such a folder either.
  for (const entry of attempt(() => readdirSync(folder, { withFileTypes: true }), () => [])) {
    const path = join(folder, entry.name)
    if (entry.isSymbolicLink()) yield path
    else if (entry.isDirectory()) yield * listLinks(path)
  }
}
