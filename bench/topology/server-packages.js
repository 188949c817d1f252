/** Finds and installs the npm packages of compared servers and of PM2. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageFolder, packagesInCache } from '../machine/setup/npm-packages.js'
import { pluginFile, pluginNames } from '../plan/plugins.js'

/** @import { SetupOptions } from '../machine/types.js' @import { Topology } from '../types.js' */

/**
 * Matches an import inside a server's factory, and in it the name of the package without a path inside the package.
 * Only such imports allow reading `about` without the packages.
 */
const IMPORT = /\bimport\('((?:@[^'/]+\/)?[^'./][^'/]*)[^']*'\)/g

/**
 * Returns the packages that a server imports.
 * @param {string} source of the server
 * @returns {string[]}
 */
export const findImportedPackages = source =>
  [...new Set([...source.matchAll(IMPORT)].map(([, name]) => name))].filter(name => !name.startsWith('node:'))

/**
 * Returns the file of a server in servers/, or a copy beside its packages if those are installed in the cache only.
 * @param {string} name
 * @param {SetupOptions} [options]
 * @returns {Promise<string>} absolute path
 * @throws {HopbenchError} npm-packages-failed and others of installing packages
 */
export async function serverFile (name, options) {
  const file = pluginFile('server', name)
  const packages = findImportedPackages(readFileSync(file, 'utf8'))
  if (packages.every(name => packageFolder(name) !== null)) return file
  return join(await packagesInCache({ name, packages, file }, options), 'servers', `${name}.js`)
}

/**
 * @param {SetupOptions} [options]
 * @returns {Promise<string>} absolute path
 * @throws {HopbenchError} npm-packages-failed and others of installing packages
 */
export const pm2Folder = async options =>
  packageFolder('pm2') ?? join(await packagesInCache({ name: 'pm2', packages: ['pm2'] }, options), 'node_modules/pm2')

/**
 * Installs the packages that the servers of topologies need.
 * @param {Topology[]} topologies
 * @throws {HopbenchError} npm-packages-failed and others of installing packages
 */
export async function bringServerPackages (topologies) {
  const hops = topologies.flatMap(({ server }) => server ?? [])
  const plugins = pluginNames('server')
  for (const name of new Set(hops.map(({ name }) => name))) {
    if (plugins.includes(name)) await serverFile(name)
  }
  if (hops.some(({ manager }) => manager === 'pm2')) await pm2Folder()
}
