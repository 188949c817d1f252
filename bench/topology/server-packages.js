/** The npm packages of a server that is compared, and of the manager PM2: where they are, and bringing them. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageFolder, packagesInCache } from '../machine/setup/npm-packages.js'
import { pluginFile, pluginNames } from '../plugins.js'

/** @import { SetupOptions } from '../machine/shapes.js' @import { Topology } from '../types.js' */

/** A server imports its packages when it is made, so that its `about` can be read without them. */
const IMPORT = /\bimport\('([^'./][^']*)'\)/g

/** @param {string} source of a server @returns {string[]} the packages that it imports */
export const packagesOf = source =>
  [...new Set([...source.matchAll(IMPORT)].map(([, name]) => name))].filter(name => !name.startsWith('node:'))

/** The file to start a server of servers/ from: its own where its packages are installed, else a copy beside them.
 * @param {string} name @param {SetupOptions} [options] @returns {Promise<string>} absolute path
 * @throws {HopbenchError} npm-packages-failed and its like */
export async function serverFile (name, options) {
  const file = pluginFile('server', name)
  const packages = packagesOf(readFileSync(file, 'utf8'))
  if (packages.every(name => packageFolder(name) !== null)) return file
  return join(await packagesInCache({ name, packages, file }, options), 'servers', `${name}.js`)
}

/** @param {SetupOptions} [options] @returns {Promise<string>} the folder of PM2
 * @throws {HopbenchError} npm-packages-failed and its like */
export const pm2Folder = async options =>
  packageFolder('pm2') ?? join(await packagesInCache({ name: 'pm2', packages: ['pm2'] }, options), 'node_modules/pm2')

/** Brings what the servers of topologies need. @param {Topology[]} topologies
 * @throws {HopbenchError} npm-packages-failed and its like */
export async function bringServerPackages (topologies) {
  const hops = topologies.flatMap(({ server }) => server ?? [])
  const known = pluginNames('server')
  for (const name of new Set(hops.map(({ name }) => name))) {
    if (known.includes(name)) await serverFile(name)
  }
  if (hops.some(({ manager }) => manager === 'pm2')) await pm2Folder()
}
