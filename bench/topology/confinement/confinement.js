/**
 * Confines a server with known vulnerabilities to the folder that it serves and its own code. A mount namespace hides
 * all other files and a PID namespace all other processes, at no cost. If namespaces are refused, Node's permission
 * model checks every path instead.
 */
import { readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { SERVED_USER } from '../../machine/lab.js'
import { run } from '../../machine/process.js'
import { PROJECT } from '../../plugins.js'
import { mountsIn } from './mounts.js'
import { confinementScript } from './script.js'
import { isThere, makeFolder } from '../../machine/make-folder.js'
import { isWithin } from '../../shared/paths.js'

/** @import { ConfinedBy, Confinement } from '../../types.js' @import { Shown } from './script.js' */

/** Files of the project that the launcher and the managers read. PM2 reads ecosystem.config.js. */
export const OWN_CODE = ['package.json', 'ecosystem.config.js', 'bench/topology/launch.js',
  'bench/topology/launch-cluster.js', 'bench/topology/listener.js', 'bench/topology/fixtures',
  'bench/machine/content-encoding.js', 'bench/machine/make-folder.js', 'bench/shared/arm-builders.js',
  'bench/shared/media-types.js', 'bench/shared/page-view.js', 'bench/shared/random.js',
  'bench/shared/sha256.js', 'bench/shared/thresholds.js', 'bench/shared/trial.js', 'servers', 'node_modules']
/** Folder of the server in the folder of its topology. Short, because a Unix socket's path has at most 107 bytes. */
const OWN_FOLDER = 'app'
/** Cache of the program loader, in which it finds the paths of shared libraries. */
const LOADER_CACHE = '/etc/ld.so.cache'
/** Timeout of programs that run before a server is started: ldd, and the attempt to enter a namespace. */
const TRY_SECONDS = 60
/** Variables that a confined server inherits. Excludes secrets, and NODE_OPTIONS, which can name hidden files. */
export const INHERITED = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'LC_ALL', 'TZ']
/** Candidates for `unreadableFile`. A confined process tries to read the file at its start, and ends if it can. */
const UNREADABLE = [fileURLToPath(import.meta.url), '/etc/passwd']
/** Flags of Node's permission model: the present one, and the one up to Node 22. */
const PERMISSION_FLAGS = ['--permission', '--experimental-permission']

/** Whether a namespace has worked before. A check starts a server 100 times, so later starts skip the attempt. */
let hasWorked = false
/** Shared libraries by runtime. @type {Map<string, Promise<string[]>>} */
const libraries = new Map()

/**
 * Confines the server of a topology. Creates the folder of the server's sockets and log, which contains no file that
 * another program opens.
 * @param {object} options
 * @param {string} options.dir folder of the topology, hidden from the server except for the server's own folder
 * @param {string} options.root folder of the served files
 * @param {string} [options.reach] folder around `root`, writable, for probes that try to leave `root` or to write
 * @param {string[]} options.code files that the server reads to start, besides those of the project
 * @param {string[]} options.enterBeside argv that enters the network of the topology
 * @param {string} [options.node] runtime
 * @param {ConfinedBy[]} [options.ways] ways to try
 * @returns {Promise<Confinement>}
 */
export async function confine (options) {
  const { dir: topologyDir, root, reach, code, enterBeside, node = process.execPath } = options
  const { ways = ['namespace', 'permissions'] } = options
  const dir = join(topologyDir, OWN_FOLDER)
  // Lets the workers of a proxy, which can run under another account, reach the server's socket.
  makeFolder(dir, 0o711)
  const readonly = [...OWN_CODE.map(path => join(PROJECT, path)), ...code, root].filter(isThere)
  const writable = reach === undefined ? [dir] : [dir, reach]
  const visible = [...readonly, ...writable].map(path => realpathSync(path))
  const unreadableFile = UNREADABLE.find(file =>
    isThere(file) && !visible.some(path => isWithin(path, realpathSync(file)))) ?? null
  const namespace = ways.includes('namespace')
    ? await enterNamespace({ dir, topologyDir, readonly, writable, enterBeside, node })
    : { enter: [], why: 'a namespace was not requested' }
  const { enter, why } = namespace
  if (why === null) return { by: 'namespace', why, dir, enter, nodeArgs: [], unreadableFile }
  const nodeArgs = ways.includes('permissions') &&
    permissionArguments({
      readonly: readonly.flatMap(withTarget),
      writable: writable.flatMap(withTarget),
      flags: await readFlags(node)
    })
  if (nodeArgs) return { by: 'permissions', why, dir, enter, nodeArgs, unreadableFile }
  return { by: 'nothing', why, dir, enter, nodeArgs: [], unreadableFile: null }
}

/**
 * Returns the arguments that turn on Node's permission model.
 * @param {object} options
 * @param {string[]} options.readonly
 * @param {string[]} options.writable
 * @param {{ has: (flag: string) => boolean }} options.flags that this Node supports
 * @returns {string[] | null} null: this runtime has no permission model
 */
function permissionArguments ({ readonly, writable, flags }) {
  const name = PERMISSION_FLAGS.find(name => flags.has(name))
  if (name === undefined) return null
  return [
    name,
    // Where the permission model covers the network, a server cannot listen without this flag.
    ...flags.has('--allow-net') ? ['--allow-net'] : [],
    // Each path once, because Node 20 aborts at a repeated one.
    ...[...new Set([...readonly, ...writable])].map(path => `--allow-fs-read=${path}`),
    ...[...new Set(writable)].map(path => `--allow-fs-write=${path}`),
    // Keeps warnings out of the log that is searched after a failed start.
    '--disable-warning=ExperimentalWarning',
    '--disable-warning=SecurityWarning'
  ]
}

/**
 * Returns the flags that a runtime supports. The set is empty for a runtime other than Node.
 * @param {string} node
 * @returns {Promise<ReadonlySet<string>>}
 */
async function readFlags (node) {
  if (node === process.execPath) return process.allowedNodeEnvironmentFlags
  const { exit, stdout } = await run([node, '-p', '[...process.allowedNodeEnvironmentFlags].join("\\n")'],
    { timeoutSeconds: TRY_SECONDS })
  return new Set(exit === 0 ? stdout.trim().split('\n') : [])
}

/**
 * Writes the script that sets up a namespace, and returns the argv that runs a program in it.
 * @param {object} options
 * @param {string} options.dir folder in which the server starts
 * @param {string} options.topologyDir
 * @param {string[]} options.readonly
 * @param {string[]} options.writable
 * @param {string[]} options.enterBeside
 * @param {string} options.node
 * @returns {Promise<{ enter: string[], why: string | null }>} why: the reason why no namespace can be entered
 */
async function enterNamespace ({ dir, topologyDir, readonly, writable, enterBeside, node }) {
  if (process.platform !== 'linux') return { enter: [], why: `${process.platform} has no mount namespaces` }
  const at = `${topologyDir}.root`
  const script = join(topologyDir, 'confinement.sh')
  const found = libraries.get(node) ?? findLibraries(node)
  libraries.set(node, found)
  makeFolder(at)
  writeFileSync(script, confinementScript({
    at,
    readonly: toShown([node, LOADER_CACHE, ...await found, ...readonly].filter(isThere)),
    writable: toShown(writable),
    cwd: dir,
    exe: node,
    user: SERVED_USER,
    mounts: mountsIn(readFileSync('/proc/self/mountinfo', 'utf8'))
  }))
  const enter = [...enterBeside, 'unshare', '-Urmpf', '--kill-child', '--', 'sh', script]
  if (hasWorked) return { enter, why: null }
  const { exit, stderr } = await run([...enter, node, '--version'], { timeoutSeconds: TRY_SECONDS })
  hasWorked = exit === 0
  if (hasWorked) return { enter, why: null }
  return { enter: [], why: stderr.trim().split('\n').pop() || 'the kernel refused a mount namespace' }
}

/**
 * Returns the paths of the shared libraries of a program and of their loader. Without ldd the list is empty.
 * @param {string} program
 */
async function findLibraries (program) {
  const { stdout } = await run(['ldd', program], { timeoutSeconds: TRY_SECONDS })
  return [...stdout.matchAll(/^\s*(?:\S+ => )?(\/.+) \(0x[0-9a-f]+\)$/gm)].map(([, path]) => path)
}

/**
 * Returns a path and the target of its symbolic links. Node opens modules by the target.
 * @param {string} path
 */
const withTarget = path => [...new Set([path, realpathSync(path)])]

/**
 * Returns what to mount for each path and for the target of its symbolic links.
 * @param {string[]} paths
 * @returns {Shown[]}
 */
const toShown = paths => paths.flatMap(withTarget)
  .map(path => ({ path, source: realpathSync(path), isFolder: statSync(path).isDirectory() }))
