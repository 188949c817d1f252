/**
 * A server with known vulnerabilities is measured, and reads nothing but the folder that it serves and its own code. A mount namespace
 * shows it no other files, which costs it nothing; where namespaces are refused Node's permission model looks at every path it opens.
 */
import { mkdirSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { holds, mountsIn } from './confinement/mounts.js'
import { permissionArguments } from './confinement/permissions.js'
import { confinementScript } from './confinement/script.js'
import { SERVED_USER } from './lab.js'
import { PROJECT } from './plugins.js'
import { run } from './process.js'

/** What the launcher and the managers read of the project, and no more; PM2 reads ecosystem.config.js. */
const OWN_CODE = ['package.json', 'ecosystem.config.js', 'bench/launch.js', 'bench/launch', 'bench/fixtures.js', 'bench/fixtures', 'bench/stats', 'servers', 'node_modules']
/** What the program loader looks into. */
const LOADER = '/etc/ld.so.cache'
/**
 * Of the suite's own variables those that a confined server gets: a token of the person's is none of its business, and NODE_OPTIONS may
 * name files that it is not to see.
 */
export const INHERITED = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'LC_ALL', 'TZ']
/** Files of which the first that is not to be seen is looked for at every start. */
const HIDDEN = [fileURLToPath(import.meta.url), '/etc/passwd']

/** @typedef {import('./types.d.ts').Confinement} Confinement */
/** @typedef {import('./types.d.ts').ConfinedBy} ConfinedBy */

/**
 * @param {object} options
 * @param {string} options.dir the topology's folder for its sockets and logs, which the server may write
 * @param {string} options.root the folder that it serves
 * @param {string} [options.reach] a folder around `root` that it may read and write too, for probes that try to leave the root; left out: there is none
 * @param {string} options.module the server's file
 * @param {string[]} options.enterBeside argv that enters its network
 * @param {ConfinedBy[]} [options.ways] that may be taken; left out: all
 * @returns {Promise<Confinement>}
 */
export async function confine ({ dir, root, reach, module, enterBeside, ways = ['namespace', 'permissions'] }) {
  const readonly = [...OWN_CODE.map(path => join(PROJECT, path)), module, root].filter(isThere)
  const writable = [dir, ...reach === undefined ? [] : [reach]]
  const hidden = HIDDEN.find(file => isThere(file) && ![...readonly, ...writable].some(path => holds(realpathSync(path), realpathSync(file)))) ?? null
  const inNamespace = ways.includes('namespace') ? await byNamespace({ dir, readonly, writable, enterBeside }) : 'it was asked for without one'
  if (typeof inNamespace !== 'string') return { by: 'namespace', why: null, enter: inNamespace, nodeArgs: [], hidden }
  const nodeArgs = ways.includes('permissions') && permissionArguments({ readonly: readonly.flatMap(withTarget), writable: writable.flatMap(withTarget), flags: process.allowedNodeEnvironmentFlags })
  if (nodeArgs) return { by: 'permissions', why: inNamespace, enter: [], nodeArgs, hidden }
  return { by: 'nothing', why: inNamespace, enter: [], nodeArgs: [], hidden: null }
}

/**
 * @param {{ dir: string, readonly: string[], writable: string[], enterBeside: string[] }} options
 * @returns {Promise<string[] | string>} argv; a string says why not
 */
async function byNamespace ({ dir, readonly, writable, enterBeside }) {
  if (process.platform !== 'linux') return `${process.platform} has no mount namespaces`
  const at = `${dir}.root`
  const script = join(dir, 'confinement.sh')
  libraries ??= librariesOf(process.execPath)
  mkdirSync(at, { recursive: true })
  writeFileSync(script, confinementScript({
    at,
    readonly: [process.execPath, LOADER, ...await libraries, ...readonly].filter(isThere).flatMap(withTarget).map(shown),
    writable: writable.flatMap(withTarget).map(shown),
    cwd: dir,
    user: SERVED_USER,
    mounts: mountsIn(readFileSync('/proc/self/mountinfo', 'utf8'))
  }))
  const enter = [...enterBeside, 'unshare', '-Urm', '--', 'sh', script]
  if (worked) return enter
  // Found out by trying: Node itself must be able to start there.
  const tried = await run([...enter, process.execPath, '-e', '0'])
  worked = tried.exit === 0
  return worked ? enter : tried.stderr.trim().split('\n').pop() || 'the kernel refused a mount namespace'
}

/** What a machine has allowed once it allows again: a check starts a server a hundred times. */
let worked = false
/** Of this Node. @type {Promise<string[]> | undefined} */
let libraries

/**
 * The shared libraries of a program, and the loader that brings them.
 * @param {string} program
 * @returns {Promise<string[]>} absolute paths, as the loader asks for them; none where there is no ldd
 */
async function librariesOf (program) {
  const { stdout } = await run(['ldd', program])
  return [...stdout.matchAll(/^\s*(?:\S+ => )?(\/.+) \(0x[0-9a-f]+\)$/gm)].map(([, path]) => path)
}

/** @param {string} path */
const isThere = path => statSync(path, { throwIfNoEntry: false }) !== undefined

/** Under its own name, and where a link leads to: Node asks for the second. @param {string} path */
const withTarget = path => [...new Set([path, realpathSync(path)])]

/** @param {string} path @returns {import('./confinement/script.js').Shown} */
const shown = path => ({ path, source: realpathSync(path), folder: statSync(path).isDirectory() })
