/** A script that makes a root folder of a few files, and becomes a program that sees nothing else (pure). */
import { dirname, join } from 'node:path'
import { flagsAt, holds, mountsBelow } from './mounts.js'

/** @import { Mount } from './mounts.js' */

/** @typedef {{ path: string, source: string, folder: boolean }} Shown `source`: the same without links */

/** OpenSSL and V8 draw from the random devices, spawned processes read from nothing. @type {Shown[]} */
const DEVICES = ['/dev/null', '/dev/random', '/dev/urandom'].map(path => ({ path, source: path, folder: false }))
const ROOT_OPTIONS = 'mode=755,size=1m,nosuid,nodev' // Its own empty folders and files: no more than names.

/** For sh, inside a user and a mount namespace of their own; its arguments are the program. at: an empty folder; exe:
 * the program itself, where it starts no other one, and left out else
 * @typedef {{ at: string, readonly: Shown[], writable: Shown[], cwd: string, user: number, mounts: Mount[],
 * exe?: string }} Root */
/** @param {Root} root */
export const confinementScript = ({ at, user, cwd, exe, ...shown }) => [
  'set -e',
  // It may name files that are not shown.
  'unset NODE_OPTIONS',
  `mount -t tmpfs -o ${ROOT_OPTIONS} hopbench ${quoted(at)}`,
  ...outermost(shown.readonly).flatMap(one => show(at, one, shown.mounts)),
  // After the others: what is writable stays so inside a folder that is not.
  ...[...DEVICES, ...shown.writable].flatMap(one => show(at, one, null)),
  // Its own memory map and its own name, and nothing else of /proc: Bun does not start without the one, in which glibc
  // finds the stack, nor Deno without the other. What this shell becomes keeps its number.
  ...exe === undefined ? [] : ownProc(join(at, 'proc/self'), exe),
  `mount -o remount,bind,ro,nosuid,nodev ${quoted(at)}`,
  // Into the new root and out of all powers in one step: as an ordinary user of that namespace the program cannot
  // mount, and inside another root it may make no namespace in which it could.
  `exec unshare -U --map-user=${user} --map-group=${user} --root=${quoted(at)} --wd=${quoted(cwd)} -- "$@"`
].join('\n') + '\n'

/** @param {string} folder @param {string} exe */
const ownProc = (folder, exe) => [
  `mkdir -p ${quoted(folder)}`,
  `: > ${quoted(join(folder, 'maps'))}`,
  `ln -s ${quoted(exe)} ${quoted(join(folder, 'exe'))}`,
  `if [ -e "/proc/$$/maps" ]; then mount --bind "/proc/$$/maps" ${quoted(join(folder, 'maps'))}; fi`
]

/** A folder that holds another one shows it already. @param {Shown[]} list */
const outermost = list => list.filter(({ path }, i) =>
  !list.some((other, j) => other.folder && holds(other.path, path) && (other.path !== path || j < i)))

/** @param {string} at @param {Shown} shown @param {Mount[] | null} mounts null: it stays writable */
function show (at, { path, source, folder }, mounts) {
  const place = join(at, path)
  const how = [folder ? '--rbind' : '--bind', ...mounts ? ['-o', ['ro', ...flagsAt(source, mounts)].join(',')] : []]
  return [
    `mkdir -p ${quoted(folder ? place : dirname(place))}`,
    ...folder ? [] : [`[ -e ${quoted(place)} ] || : > ${quoted(place)}`],
    `mount ${how.join(' ')} ${quoted(source)} ${quoted(place)}`,
    ...(mounts ? mountsBelow(source, mounts) : []).map(({ at, flags }) =>
      `mount -o ${['remount', 'bind', 'ro', ...flags].join(',')} ${quoted(join(place, at.slice(source.length)))}`)
  ]
}

/** For sh. @param {string} text */
const quoted = text => `'${text.replaceAll('\'', '\'\\\'\'')}'`
