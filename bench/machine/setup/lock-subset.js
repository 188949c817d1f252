/** Extracts the entries of a package-lock.json that some packages need (pure). */

/**
 * A lock file of npm.
 * @typedef {object} Lock
 * @property {number} lockfileVersion
 * @property {Record<string, { version?: string, integrity?: string, dev?: boolean, optional?: boolean,
 *   devOptional?: boolean, inBundle?: boolean, dependencies?: Record<string, string>,
 *   optionalDependencies?: Record<string, string>, peerDependencies?: Record<string, string> }>} packages
 */

/**
 * Makes a lock file for some packages and their dependencies, each at its original path.
 * @param {Lock} lock
 * @param {string[]} names packages at the top level
 * @returns {Lock} requires exactly these versions
 */
export function extractSubset ({ packages, lockfileVersion }, names) {
  /** @type {Set<string>} */
  const needed = new Set()
  const add = (/** @type {string | null} */ path) => {
    if (path === null || needed.has(path)) return
    needed.add(path)
    const { dependencies, optionalDependencies, peerDependencies } = packages[path]
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
      add(findPlace(packages, path, name))
    }
  }
  for (const name of names) add(findPlace(packages, '', name))
  const dependencies = Object.fromEntries(names.map(name => [name, packages[`node_modules/${name}`].version ?? '']))
  const kept = Object.keys(packages).filter(path => needed.has(path)).map(path => {
    const { dev, devOptional, inBundle, ...entry } = packages[path]
    return [path, entry]
  })
  return { lockfileVersion, packages: { '': { dependencies }, ...Object.fromEntries(kept) } }
}

/**
 * Finds a dependency as Node does: in the package's own node_modules, else further up.
 * @param {Lock['packages']} packages
 * @param {string} from "node_modules/a/node_modules/b"; "": the project
 * @param {string} name
 * @returns {string | null} null: an optional dependency that npm has left out
 */
function findPlace (packages, from, name) {
  const path = `${from === '' ? '' : `${from}/`}node_modules/${name}`
  if (packages[path]) return path
  if (from === '') return null
  return findPlace(packages, from.slice(0, Math.max(0, from.lastIndexOf('node_modules/') - 1)), name)
}
