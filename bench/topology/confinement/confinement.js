/** A server with known vulnerabilities reads nothing but the folder that it serves and its own code. A mount namespace
 * shows it no other files, which costs nothing; where that is refused Node's permission model looks at every path. */
import { mkdirSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { holds, mountsIn } from './mounts.js'
import { permissionArguments } from './permissions.js'
import { confinementScript } from './script.js'
import { SERVED_USER } from '../../machine/lab.js'
import { PROJECT } from '../../plugins.js'
import { run } from '../../machine/process.js'

/** @import { ConfinedBy, Confinement } from '../../types.js' @import { Shown } from './script.js' */

/** What the launcher and the managers read of the project, and no more; PM2 reads ecosystem.config.js. */
const OWN_CODE = ['package.json', 'ecosystem.config.js', 'bench/topology/launch.js',
  'bench/topology/launch-cluster.js', 'bench/topology/listener.js', 'bench/topology/stale-socket.js',
  'bench/topology/fixtures', 'bench/machine/content-encoding.js', 'bench/shared/random.js',
  'bench/shared/thresholds.js', 'bench/shared/trial.js', 'servers', 'node_modules']
const LOADER = '/etc/ld.so.cache' // What the program loader looks into.
const TRY_SECONDS = 60
/** Variables for a confined server: a person's token is none of its business, NODE_OPTIONS may name hidden files. */
export const INHERITED = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'LC_ALL', 'TZ']
/** The first of these that is not to be seen is looked for at every start. */
const HIDDEN = [fileURLToPath(import.meta.url), '/etc/passwd']

/** @param {{ dir: string, root: string, reach?: string, code: string[], enterBeside: string[], node?: string,
 * ways?: ConfinedBy[] }} options dir: the topology's own, which the server may write; reach: a folder around `root`
 * that it may read and write too, for probes that try to leave the root; code: the server's and what else is read to
 * start it, beside the project's own; enterBeside: argv that enters its network; node: the runtime, left out: this
 * Node; ways: left out, all @returns {Promise<Confinement>} */
export async function confine (options) {
  const { dir, root, reach, code, enterBeside, node = process.execPath } = options
  const { ways = ['namespace', 'permissions'] } = options
  const readonly = [...OWN_CODE.map(path => join(PROJECT, path)), ...code, root].filter(isThere)
  const writable = [dir, ...reach === undefined ? [] : [reach]]
  const seen = [...readonly, ...writable].map(path => realpathSync(path))
  const hidden = HIDDEN.find(file => isThere(file) && !seen.some(path => holds(path, realpathSync(file)))) ?? null
  const inNamespace = ways.includes('namespace')
    ? await byNamespace({ dir, readonly, writable, enterBeside, node })
    : 'it was asked for without one'
  if (typeof inNamespace !== 'string') return { by: 'namespace', why: null, enter: inNamespace, nodeArgs: [], hidden }
  const nodeArgs = ways.includes('permissions') &&
    permissionArguments({
      readonly: readonly.flatMap(withTarget),
      writable: writable.flatMap(withTarget),
      flags: await flagsOf(node)
    })
  if (nodeArgs) return { by: 'permissions', why: inNamespace, enter: [], nodeArgs, hidden }
  return { by: 'nothing', why: inNamespace, enter: [], nodeArgs: [], hidden: null }
}

/** What a Node may be given; nothing of a runtime that is none.
 * @param {string} node @returns {Promise<ReadonlySet<string>>} */
async function flagsOf (node) {
  if (node === process.execPath) return process.allowedNodeEnvironmentFlags
  const { exit, stdout } = await run([node, '-p', '[...process.allowedNodeEnvironmentFlags].join("\\n")'],
    { timeoutSeconds: TRY_SECONDS })
  return new Set(exit === 0 ? stdout.trim().split('\n') : [])
}

/** A text says why not.
 * @param {{ dir: string, readonly: string[], writable: string[], enterBeside: string[], node: string }} options */
async function byNamespace ({ dir, readonly, writable, enterBeside, node }) {
  if (process.platform !== 'linux') return `${process.platform} has no mount namespaces`
  const at = `${dir}.root`
  const script = join(dir, 'confinement.sh')
  const found = libraries.get(node) ?? librariesOf(node)
  libraries.set(node, found)
  mkdirSync(at, { recursive: true })
  writeFileSync(script, confinementScript({
    at,
    readonly: shownOf([node, LOADER, ...await found, ...readonly].filter(isThere)),
    writable: shownOf(writable),
    cwd: dir,
    exe: node,
    user: SERVED_USER,
    mounts: mountsIn(readFileSync('/proc/self/mountinfo', 'utf8'))
  }))
  const enter = [...enterBeside, 'unshare', '-Urm', '--', 'sh', script]
  if (worked) return enter
  // Found out by trying: the runtime itself must be able to start there.
  const tried = await run([...enter, node, '--version'], { timeoutSeconds: TRY_SECONDS })
  worked = tried.exit === 0
  return worked ? enter : tried.stderr.trim().split('\n').pop() || 'the kernel refused a mount namespace'
}

/** What a machine has allowed once it allows again: a check starts a server a hundred times. */
let worked = false
/** By the runtime. @type {Map<string, Promise<string[]>>} */
const libraries = new Map()

/** The shared libraries of a program, and the loader that brings them; none without ldd. @param {string} program */
async function librariesOf (program) {
  const { stdout } = await run(['ldd', program], { timeoutSeconds: TRY_SECONDS })
  return [...stdout.matchAll(/^\s*(?:\S+ => )?(\/.+) \(0x[0-9a-f]+\)$/gm)].map(([, path]) => path)
}

/** @param {string} path */
const isThere = path => statSync(path, { throwIfNoEntry: false }) !== undefined

/** Under its own name, and where a link leads to: Node asks for the second. @param {string} path */
const withTarget = path => [...new Set([path, realpathSync(path)])]

/** @param {string[]} paths @returns {Shown[]} */
const shownOf = paths => paths.flatMap(withTarget)
  .map(path => ({ path, source: realpathSync(path), folder: statSync(path).isDirectory() }))
