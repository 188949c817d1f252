/**
 * Generates docs/licences.md from package.json and package-lock.json: `npm run licences` writes the file, and a test
 * compares it.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const PAGE = fileURLToPath(new URL('../docs/licences.md', import.meta.url))

/** Licences that require the source of the linked code, by the beginnings of their SPDX names. */
const COPYLEFT = /\b(A?GPL|LGPL|MPL|EPL|EUPL|OSL|CDDL|SSPL|CC-BY-SA)\b/

/**
 * Licences from the file LICENSE of packages without a licence in package.json.
 * @type {Record<string, string>}
 */
const LICENCE_FILES = { 'cli-tableau': 'MIT', 'jsonc-simple-parser': 'MIT' }

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
  const row = (/** @type {string} */ name) =>
    `| ${name} | ${inWords(lock.packages[`node_modules/${name}`].license)} |`
  const kinds = [...new Set(all.map(({ licence }) => licence))].map(licence => ({
    licence,
    of: all.filter(found => found.licence === licence)
  })
  )
  const copyleft = all.filter(isCopyleft)
  return `# Licences

hopbench itself is under the MIT licence. This page is made from package-lock.json by \`npm run licences\`; a test
compares the two. None of these packages is part of the project's files: npm brings them from a registry. A package of
hopbench (\`npm pack\`) holds those of the first table and what they need, each with its own licence.

Copyleft: ${
    copyleft.map(({ name, licence }) => `${name} (${licence})`).join(', ')
  }, and nothing else. PM2 is run as a program,
\`pm2-runtime\`, in a process of its own; no file of hopbench imports it, which a test proves. It is started only where
a topology says \`@pm2\`.

## What hopbench runs with

| package | licence |
| --- | --- |
${Object.keys(dependencies).map(row).join('\n')}

## For its development, or installed when they are compared

| package | licence |
| --- | --- |
${Object.keys(devDependencies).map(row).join('\n')}

## The whole tree

| licence | packages | of them for development only |
| --- | ---: | ---: |
${
    kinds.sort((a, b) => b.of.length - a.of.length || (a.licence < b.licence ? -1 : 1)).map(({ licence, of }) =>
      `| ${licence} | ${of.length} | ${of.filter(({ dev }) => dev).length} |`
    ).join('\n')
  }

## Programs that are no npm packages

nginx (BSD-2-Clause), Apache httpd (Apache-2.0), wrk (Apache-2.0), h2load of nghttp2 (MIT), oha (MIT), iproute2
(GPL-2.0-or-later), util-linux (GPL-2.0-or-later) and Locust (MIT) are run as programs too, from PATH or from the cache
into which they are fetched (dependencies.md).
`
}

export const page = () => licencesPage(readJson('package.json'), readJson('package-lock.json'))

/** @returns {Promise<number>} exit code */
export async function main () {
  writeFileSync(PAGE, page())
  return 0
}
