/**
 * Confines a server with known vulnerabilities to the folder that it serves and its own code. A mount namespace hides
 * all other files and a PID namespace all other processes, at no cost. If namespaces are refused, Node's permission
 * model checks every path instead.
 */
import { readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { SERVED_USER } from '../../machine/network/lab.js'
import { run } from '../../machine/process.js'
import { PROJECT } from '../../plan/plugins.js'
import { flagsAt, mountsBelow, mountsIn } from './mounts.js'
import { isThere, makeFolder } from '../../machine/files/make-folder.js'
import { isWithin } from '../../shared/paths.js'
import { quoteForShell } from '../../errors.js'

/** @import { ConfinedBy, Confinement } from '../../types.js' */
/** @import { Mount } from './mounts.js' */

/** @typedef {{ path: string, source: string, isFolder: boolean }} Shown source: the path without symbolic links */

/** Devices for random numbers of OpenSSL and V8, and for the empty input of child processes. @type {Shown[]} */
const DEVICES = ['/dev/null', '/dev/random', '/dev/urandom'].map(path => ({ path, source: path, isFolder: false }))
/** Options of the root folder, which is small because it contains only mount points. */
const ROOT_OPTIONS = 'mode=755,size=1m,nosuid,nodev'

/** Files of the project that the launcher and the managers read. PM2 reads ecosystem.config.js. */
export const OWN_CODE = ['package.json', 'ecosystem.config.js', 'bench/topology/launch.js',
  'bench/topology/launch-cluster.js', 'bench/topology/listener.js', 'bench/topology/fixtures',
  'bench/machine/content-encoding.js', 'bench/machine/files/make-folder.js', 'bench/shared/arm-builders.js',
  'bench/shared/http/media-types.js', 'bench/shared/http/page-view.js', 'bench/shared/random.js',
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

/**
 * Builds a script for sh, to be run inside a user and a mount namespace. The arguments of the script are the program's
 * argv.
 * @param {object} root
 * @param {string} root.at an empty folder for the new root
 * @param {Shown[]} root.readonly
 * @param {Shown[]} root.writable
 * @param {string} root.cwd working directory of the program
 * @param {number} root.user user and group ID of the program
 * @param {Mount[]} root.mounts of this process
 * @param {string} [root.exe] executable of the program, for /proc/self
 */
export const confinementScript = ({ at, readonly, writable, mounts, user, ...program }) => [
  'set -e',
  // NODE_OPTIONS can name hidden files.
  'unset NODE_OPTIONS',
  `mount -t tmpfs -o ${ROOT_OPTIONS} hopbench ${quoteForShell(at)}`,
  ...outermost(readonly).flatMap(shown => showReadonly(at, shown, mounts)),
  // Mounted last, so that a writable folder inside a read-only one stays writable.
  ...[...DEVICES, ...writable].flatMap(shown => show(at, shown, [])),
  ...program.exe === undefined ? [] : showOwnProc(join(at, 'proc/self'), program.exe),
  `mount -o remount,bind,ro,nosuid,nodev ${quoteForShell(at)}`,
  // Enters the new root and drops all capabilities in one step. The program is an ordinary user of the new namespace,
  // so it cannot mount. Inside a changed root the kernel lets it create no user namespace in which it could
  // (user_namespaces(7)).
  `exec unshare -U --map-user=${user} --map-group=${user} --root=${quoteForShell(at)} ` +
    `--wd=${quoteForShell(program.cwd)} -- "$@"`
].join('\n') + '\n'

/**
 * Provides two files of /proc/self. Bun needs the memory map, in which glibc finds the stack, and Deno the executable.
 * The mounted /proc belongs to the outer PID namespace, so /proc/self/stat contains the PID that the shell has there.
 * The program has the same PID, because the shell is replaced by it (exec).
 * @param {string} folder /proc/self in the new root
 * @param {string} exe path of the executable
 */
const showOwnProc = (folder, exe) => [
  `mkdir -p ${quoteForShell(folder)}`,
  `: > ${quoteForShell(join(folder, 'maps'))}`,
  `ln -s ${quoteForShell(exe)} ${quoteForShell(join(folder, 'exe'))}`,
  // The shell itself opens the redirection, so that "self" is the shell. With cat it would be cat.
  'if read -r pid rest < /proc/self/stat; then',
  `  mount --bind "/proc/$pid/maps" ${quoteForShell(join(folder, 'maps'))}`,
  'fi'
]

/** Excludes paths inside folders of the list, and duplicates. @param {Shown[]} list */
const outermost = list => list.filter(({ path }, i) =>
  !list.some((other, j) => other.isFolder && isWithin(other.path, path) && (other.path !== path || j < i)))

/**
 * Returns the commands that mount a path read-only, with all mounts below it.
 * @param {string} at the new root
 * @param {Shown} shown
 * @param {Mount[]} mounts of this process
 */
const showReadonly = (at, shown, mounts) => [
  ...show(at, shown, ['-o', ['ro', ...flagsAt(shown.source, mounts)].join(',')]),
  ...mountsBelow(shown.source, mounts).map(({ at: point, flags }) => {
    const path = join(at, shown.path, point.slice(shown.source.length))
    return `mount -o ${['remount', 'bind', 'ro', ...flags].join(',')} ${quoteForShell(path)}`
  })
]

/**
 * Returns the commands that create a mount point in the new root and mount a path on it.
 * @param {string} at the new root
 * @param {Shown} shown
 * @param {string[]} options of mount
 */
function show (at, { path, source, isFolder }, options) {
  const point = join(at, path)
  return [
    `mkdir -p ${quoteForShell(isFolder ? point : dirname(point))}`,
    ...isFolder ? [] : [`[ -e ${quoteForShell(point)} ] || : > ${quoteForShell(point)}`],
    `mount ${[isFolder ? '--rbind' : '--bind', ...options].join(' ')} ${quoteForShell(source)} ${quoteForShell(point)}`
  ]
}
