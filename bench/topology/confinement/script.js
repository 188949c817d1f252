/** Builds a shell script that mounts a few files as a new root folder and runs a program inside it (pure). */
import { dirname, join } from 'node:path'
import { quoteForShell } from '../../errors.js'
import { isWithin } from '../../shared/paths.js'
import { flagsAt, mountsBelow } from './mounts.js'

/** @import { Mount } from './mounts.js' */

/** @typedef {{ path: string, source: string, isFolder: boolean }} Shown source: the path without symbolic links */

/** Devices for random numbers of OpenSSL and V8, and for the empty input of child processes. @type {Shown[]} */
const DEVICES = ['/dev/null', '/dev/random', '/dev/urandom'].map(path => ({ path, source: path, isFolder: false }))
/** Options of the root folder, which is small because it contains only mount points. */
const ROOT_OPTIONS = 'mode=755,size=1m,nosuid,nodev'

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
