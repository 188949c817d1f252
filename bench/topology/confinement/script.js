/** Builds a shell script that mounts a few files as a new root folder and runs a program inside it (pure). */
import { dirname, join } from 'node:path'
import { flagsAt, holds, mountsBelow } from './mounts.js'

/** @import { Mount } from './mounts.js' */

/** @typedef {{ path: string, source: string, isFolder: boolean }} Shown source: the path without symbolic links */

/** Devices for random numbers of OpenSSL and V8, and for the empty input of child processes. @type {Shown[]} */
const DEVICES = ['/dev/null', '/dev/random', '/dev/urandom'].map(path => ({ path, source: path, isFolder: false }))
/** The root itself contains only mount points, which are empty. */
const ROOT_OPTIONS = 'mode=755,size=1m,nosuid,nodev'

/**
 * Builds a script for sh, which runs inside a user and a mount namespace. Its arguments are the program.
 * @param {object} root
 * @param {string} root.at an empty folder for the new root
 * @param {Shown[]} root.readonly
 * @param {Shown[]} root.writable
 * @param {string} root.cwd
 * @param {number} root.user user and group ID of the program
 * @param {Mount[]} root.mounts
 * @param {string} [root.exe] executable of the program, for /proc/self
 */
export const confinementScript = ({ at, readonly, writable, mounts, user, ...program }) => [
  'set -e',
  // NODE_OPTIONS can name hidden files.
  'unset NODE_OPTIONS',
  `mount -t tmpfs -o ${ROOT_OPTIONS} hopbench ${quote(at)}`,
  ...outermost(readonly).flatMap(shown => showReadonly(at, shown, mounts)),
  // Mounted last, so that a writable folder inside a read-only one stays writable.
  ...[...DEVICES, ...writable].flatMap(shown => show(at, shown, [])),
  ...program.exe === undefined ? [] : showOwnProc(join(at, 'proc/self'), program.exe),
  `mount -o remount,bind,ro,nosuid,nodev ${quote(at)}`,
  // Enters the new root and drops all capabilities in one step. An ordinary user of that namespace cannot mount, and
  // inside another root cannot make a namespace in which it could.
  `exec unshare -U --map-user=${user} --map-group=${user} --root=${quote(at)} --wd=${quote(program.cwd)} -- "$@"`
].join('\n') + '\n'

/**
 * Shows a memory map and an executable of /proc/self: Bun needs the map, in which glibc finds the stack, and Deno the
 * executable. The mounted /proc has the shell's PID outside of its PID namespace. The program keeps this PID, because
 * exec does.
 * @param {string} folder
 * @param {string} exe
 */
const showOwnProc = (folder, exe) => [
  `mkdir -p ${quote(folder)}`,
  `: > ${quote(join(folder, 'maps'))}`,
  `ln -s ${quote(exe)} ${quote(join(folder, 'exe'))}`,
  // A redirection is opened by the shell itself.
  'if read -r pid rest < /proc/self/stat; then',
  `  mount --bind "/proc/$pid/maps" ${quote(join(folder, 'maps'))}`,
  'fi'
]

/** Excludes paths inside folders of the list, and duplicates. @param {Shown[]} list */
const outermost = list => list.filter(({ path }, i) =>
  !list.some((other, j) => other.isFolder && holds(other.path, path) && (other.path !== path || j < i)))

/**
 * @param {string} at
 * @param {Shown} shown
 * @param {Mount[]} mounts
 */
const showReadonly = (at, shown, mounts) => [
  ...show(at, shown, ['-o', ['ro', ...flagsAt(shown.source, mounts)].join(',')]),
  ...mountsBelow(shown.source, mounts).map(({ at: point, flags }) => {
    const path = join(at, shown.path, point.slice(shown.source.length))
    return `mount -o ${['remount', 'bind', 'ro', ...flags].join(',')} ${quote(path)}`
  })
]

/**
 * @param {string} at
 * @param {Shown} shown
 * @param {string[]} options of mount
 */
function show (at, { path, source, isFolder }, options) {
  const point = join(at, path)
  return [
    `mkdir -p ${quote(isFolder ? point : dirname(point))}`,
    ...isFolder ? [] : [`[ -e ${quote(point)} ] || : > ${quote(point)}`],
    `mount ${[isFolder ? '--rbind' : '--bind', ...options].join(' ')} ${quote(source)} ${quote(point)}`
  ]
}

/** Quotes a text for sh. @param {string} text */
const quote = text => `'${text.replaceAll('\'', '\'\\\'\'')}'`
