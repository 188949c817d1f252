/**
 * Generates compared-lock.json from package-lock.json: `npm run compared` writes the file, and a test compares it. An
 * installed hopbench installs the packages that are only compared by this file, in the tested versions.
 * `npm run compared -- --renew` checks the servers with the newest releases (test/compared-renew.js), and
 * `--frameworks` those that frameworks and runtimes bring along (test/compared-frameworks.js).
 */
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { badOption } from '../bench/errors.js'
import { extractSubset } from '../bench/machine/setup/npm-packages.js'
import { findImportedPackages } from '../bench/topology/server-packages.js'

const inProject = (/** @type {string} */ path) => fileURLToPath(new URL(`../${path}`, import.meta.url))
const read = (/** @type {string} */ path) => readFileSync(inProject(path), 'utf8')

const FILE = 'compared-lock.json'
const RENEW = '--renew'
const FRAMEWORKS = '--frameworks'

/**
 * Lists PM2 and the packages that servers import, without the dependencies of hopbench itself.
 * @returns {string[]}
 */
export function comparedPackages () {
  const { dependencies } = JSON.parse(read('package.json'))
  const imported = readdirSync(inProject('servers')).flatMap(file => findImportedPackages(read(`servers/${file}`)))
  return [...new Set([...imported, 'pm2'])].filter(name => !(name in dependencies)).sort()
}

/**
 * Returns the text of the file, with one package on each line.
 * @returns {string}
 */
export function comparedLock () {
  const { packages, ...rest } = extractSubset(JSON.parse(read('package-lock.json')), comparedPackages())
  const lines = Object.entries(packages).map(([path, entry]) => `${JSON.stringify(path)}:${JSON.stringify(entry)}`)
  return `${JSON.stringify(rest).slice(0, -1)},"packages":{\n${lines.join(',\n')}\n}}\n`
}

/**
 * @param {string[]} args `--renew` or `--frameworks`, and names of servers
 * @returns {Promise<number>} exit code
 * @throws {HopbenchError} bad-command-line, bad-option
 */
export async function main ([option, ...names]) {
  if (option === RENEW) {
    const { renew } = await import('./compared-renew.js')
    return renew(names, comparedPackages())
  }
  if (option === FRAMEWORKS) {
    const { renewFrameworks } = await import('./compared-frameworks.js')
    return renewFrameworks(names)
  }
  if (option !== undefined) throw badOption(RENEW, option, `the other option is ${FRAMEWORKS}`, 'Take one of them.')
  writeFileSync(inProject(FILE), comparedLock())
  return 0
}
