/** The script that makes a root folder of a few files, and becomes a program that sees nothing else (pure). */
import { dirname, join } from 'node:path'
import { flagsAt, holds, mountsBelow } from './mounts.js'

/** @typedef {import('./mounts.js').Mount} Mount */
/** @typedef {{ path: string, source: string, folder: boolean }} Shown `source`: the same without links */

/**
 * What a process needs whatever it does: OpenSSL and V8 draw from the random devices, spawned processes read from nothing.
 * @type {Shown[]}
 */
const DEVICES = ['/dev/null', '/dev/random', '/dev/urandom'].map(path => ({ path, source: path, folder: false }))
/** Its own empty folders and files: no more than names. */
const ROOT_OPTIONS = 'mode=755,size=1m,nosuid,nodev'

/**
 * @param {object} options
 * @param {string} options.at an empty folder, which becomes the root
 * @param {Shown[]} options.readonly
 * @param {Shown[]} options.writable
 * @param {string} options.cwd where the program begins; one of those that are shown, or below
 * @param {number} options.user id that the program has
 * @param {Mount[]} options.mounts of the system
 * @returns {string} for sh, inside a user and a mount namespace of their own; its arguments are the program
 */
export const confinementScript = ({ at, readonly, writable, cwd, user, mounts }) => [
  'set -e',
  // It may name files that are not shown.
  'unset NODE_OPTIONS',
  `mount -t tmpfs -o ${ROOT_OPTIONS} hopbench ${quoted(at)}`,
  ...outermost(readonly).flatMap(shown => show(at, shown, mounts)),
  // After the others: what is writable stays so inside a folder that is not.
  ...[...DEVICES, ...writable].flatMap(shown => show(at, shown, null)),
  `mount -o remount,bind,ro,nosuid,nodev ${quoted(at)}`,
  // Into the new root and out of all powers in one step: unshare enters the root before the program begins, which as an ordinary
  // user of that namespace has no power to mount, and inside another root may make no namespace that would give it one.
  `exec unshare -U --map-user=${user} --map-group=${user} --root=${quoted(at)} --wd=${quoted(cwd)} -- "$@"`
].join('\n') + '\n'

/**
 * A folder that holds another one shows it already.
 * @param {Shown[]} list
 */
const outermost = list => list.filter(({ path }, i) => !list.some((other, j) => other.folder && holds(other.path, path) && (other.path !== path || j < i)))

/**
 * @param {string} at
 * @param {Shown} shown
 * @param {Mount[] | null} mounts null: it stays writable
 * @returns {string[]}
 */
function show (at, { path, source, folder }, mounts) {
  const place = join(at, path)
  return [
    `mkdir -p ${quoted(folder ? place : dirname(place))}`,
    ...folder ? [] : [`[ -e ${quoted(place)} ] || : > ${quoted(place)}`],
    `mount ${folder ? '--rbind' : '--bind'} ${mounts === null ? '' : `-o ${['ro', ...flagsAt(source, mounts)].join(',')} `}${quoted(source)} ${quoted(place)}`,
    ...mounts === null ? [] : mountsBelow(source, mounts).map(mount => `mount -o ${['remount', 'bind', 'ro', ...mount.flags].join(',')} ${quoted(join(place, mount.at.slice(source.length)))}`)
  ]
}

/** For sh. @param {string} text */
const quoted = text => `'${text.replaceAll('\'', '\'\\\'\'')}'`
