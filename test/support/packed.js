/** hopbench as a package: packed, and installed from that file in another folder. */
import { accessSync, constants, lstatSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { run } from '../../bench/machine/process.js'
import { project } from './cli.js'

/** @import { Workspace } from './cli.js' */

const PACK_SECONDS = 180
const INSTALL_SECONDS = 240

/** Prefix of a command that removes the variables of `npm run`, because they name folders of this project. */
export const OUTSIDE_NPM =
  ['env', ...Object.keys(process.env).flatMap(name => /^npm_(?!config_cafile$)/i.test(name) ? ['-u', name] : [])]

/**
 * For npm, whose own workspace is in a home that this account may not have.
 * @param {string} folder
 * @returns {string[]}
 */
export function cacheIn (folder) {
  try {
    accessSync(homedir(), constants.W_OK)
    return []
  } catch {
    return ['--cache', join(folder, 'npm')]
  }
}

/** The app of the README. */
const APP = `export default (req, res) => {
  res.writeHead(200, { 'Content-Type': 'text/plain' })
  res.end('hello')
}
`

/**
 * @param {string} folder takes the file
 * @returns {Promise<string>} its path
 */
export async function pack (folder) {
  const { stdout, stderr, exit } = await run(['npm', 'pack', ...cacheIn(folder), '--pack-destination', folder], {
    cwd: project,
    timeoutSeconds: PACK_SECONDS
  })
  if (exit !== 0) throw new Error(`npm pack: ${stderr}`)
  return join(folder, /** @type {string} */ (stdout.trim().split('\n').pop()))
}

/**
 * @param {string} file packed
 * @param {string} folder is made, with an app in it
 * @param {{ via?: string[], env?: Record<string, string> }} [who] another account
 * @returns {Promise<number>} seconds that npm install took
 */
export async function install (file, folder, { via = [], env = {} } = {}) {
  const at = performance.now()
  const argv = [...OUTSIDE_NPM, ...via, 'npm', 'install', '--no-audit', '--no-fund', file]
  // Another account has a home folder for npm's cache.
  const { exit, stderr } = await run([...argv, ...via.length > 0 ? [] : cacheIn(dirname(folder))], {
    cwd: folder,
    env,
    timeoutSeconds: INSTALL_SECONDS
  })
  if (exit !== 0) throw new Error(`npm install: ${stderr}`)
  return (performance.now() - at) / 1000
}

/**
 * Makes a project that contains only an app.
 * @param {string} folder
 */
export function emptyProject (folder) {
  mkdirSync(folder)
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n')
  writeFileSync(join(folder, 'my-app.js'), APP)
}

const BLOCK_BYTES = 512 // Unit of stat(2)'s st_blocks.
const MIB = 1048576

/**
 * Sums the disk space of a folder, as `du` does: small files take a whole block of the file system.
 * @param {string} folder
 * @returns {number} MiB
 */
export const mebibytesIn = folder =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).reduce((sum, name) =>
    sum + (lstatSync(join(folder, name), { throwIfNoEntry: false })?.blocks ?? 0), 0) * BLOCK_BYTES / MIB

/**
 * Runs npx hopbench in the folder of its installation.
 * @param {string[]} args
 * @param {{ workspace: Workspace, folder: string, via?: string[], env?: Record<string, string> }} options
 */
export const npx = (args, { workspace, folder, via = [], env = {} }) =>
  run([...OUTSIDE_NPM, ...via, 'npx', '--no', '--', 'hopbench', ...args], {
    cwd: folder,
    env: { TMPDIR: workspace.tmp, HOPBENCH_DEBUG: '', NO_COLOR: '1', ...env },
    timeoutSeconds: 150
  })
