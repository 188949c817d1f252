/**
 * Generates docs/licences.md from package.json and package-lock.json: `npm run licences` writes the file, and a test
 * compares it.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { listing } from '../bench/shared/format.js'

const PAGE = fileURLToPath(new URL('../docs/licences.md', import.meta.url))

/** Licences that require the source of the linked code, by the beginnings of their SPDX names. */
const COPYLEFT = /\b(A?GPL|LGPL|MPL|EPL|EUPL|OSL|CDDL|SSPL|CC-BY-SA)\b/

/**
 * Licences from the file LICENSE of packages without a licence in package.json.
 * @type {Record<string, string>}
 */
const LICENCE_FILES = { 'cli-tableau': 'MIT', 'jsonc-simple-parser': 'MIT', union: 'MIT' }

/** @typedef {{ name: string, licence: string, dev: boolean }} Licensed */
/** @typedef {{ packages: Record<string, any> }} Lock */

const readJson = (/** @type {string} */ name) =>
  JSON.parse(readFileSync(new URL(`../${name}`, import.meta.url), 'utf8'))

/**
 * @param {Lock} lock
 * @returns {Licensed[]} every package of the tree, each version once
 */
export const licencesIn = ({ packages }) =>
  Object.entries(packages).filter(([path]) => path !== '').map(([path, { license, dev = false }]) => {
    const name = path.replace(/^.*node_modules\//, '')
    return { name, licence: inWords(license) ?? LICENCE_FILES[name] ?? 'not stated', dev }
  })

/**
 * Formats a licence. Old packages have a list of objects.
 * @param {any} license
 * @returns {string | undefined}
 */
const inWords = license =>
  Array.isArray(license) ? license.map(({ type }) => type).join(' or ') : license?.type ?? license

/** @param {Licensed} found */
export const isCopyleft = ({ licence }) => COPYLEFT.test(licence)

/**
 * @param {{ dependencies: Record<string, string>, devDependencies: Record<string, string> }} manifest
 * @param {Lock} lock
 * @returns {string}
 */
export function licencesPage ({ dependencies, devDependencies }, lock) {
  const all = licencesIn(lock)
  const direct = (/** @type {Record<string, string>} */ packages) => listByLicence(Object.keys(packages).map(name =>
    ({ name, licence: String(inWords(lock.packages[`node_modules/${name}`].license)) })))
  const amounts = groupByLicence(all).sort(([a, some], [b, others]) => others.length - some.length || (a < b ? -1 : 1))
    .map(([licence, found]) => `${licence} ${found.length}`)
  return `# Licences

hopbench is under the MIT licence. \`npm run licences\` makes this page from package-lock.json. No package is part of
the project's files; \`npm pack\` bundles those of the first list and what they need, each with its own licence.

Copyleft: ${listing(all.filter(isCopyleft).map(({ name, licence }) => `${name} (${licence})`))}. PM2 is run as a
program, \`pm2-runtime\`, where a topology says \`@pm2\`; no file of hopbench imports it.

## What hopbench runs with

${direct(dependencies)}

## For development, or fetched when they are compared

${direct(devDependencies)}

## The whole tree

Packages by licence: ${amounts.join(', ')}.

## Programs

Run as programs, from PATH or from the cache: nginx (BSD-2-Clause), Apache httpd (Apache-2.0), HAProxy
(GPL-2.0-or-later), Caddy (Apache-2.0), Varnish (BSD-2-Clause), Envoy (Apache-2.0), Traefik (MIT), wrk (Apache-2.0),
h2load of nghttp2 (MIT), oha (MIT), iproute2 (GPL-2.0-or-later), util-linux (GPL-2.0-or-later) and Locust (MIT).
`
}

/**
 * @template {{ licence: string }} T
 * @param {T[]} packages
 * @returns {[licence: string, packages: T[]][]}
 */
const groupByLicence = packages => [...new Set(packages.map(({ licence }) => licence))].map(licence =>
  [licence, packages.filter(found => found.licence === licence)])

/** @param {{ name: string, licence: string }[]} packages */
const listByLicence = packages => groupByLicence(packages).sort(([a], [b]) => a < b ? -1 : 1)
  .map(([licence, found]) => `- ${licence}: ${found.map(({ name }) => name).join(', ')}`).join('\n')

export const page = () => licencesPage(readJson('package.json'), readJson('package-lock.json'))

/** @returns {Promise<number>} exit code */
export async function main () {
  writeFileSync(PAGE, page())
  return 0
}
