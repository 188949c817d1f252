/** Parses the mounts of a process, and finds the flags with which a part of a mount can be mounted read-only (pure). */
import { isWithin } from '../../shared/paths.js'

/** @typedef {{ at: string, flags: string[] }} Mount at: mount point; flags: those that an unprivileged namespace cannot
 * clear */

/**
 * Flags that an unprivileged mount namespace cannot clear (mount_namespaces(7)). A remount must repeat them, otherwise
 * the kernel rejects it.
 */
const LOCKED = ['nosuid', 'nodev', 'noexec']

/**
 * Returns the mounts in the order in which they were made.
 * @param {string} mountinfo text of /proc/self/mountinfo (proc(5))
 * @returns {Mount[]}
 */
export const mountsIn = mountinfo => mountinfo.split('\n').filter(Boolean).map(line => {
  const [, , , , at, options] = line.split(' ')
  return { at: mountPoint(at), flags: options.split(',').filter(option => LOCKED.includes(option)) }
})

/** Decodes a path of mountinfo, in which spaces and some other characters are octal. @param {string} text */
export const mountPoint = text => text.replace(/\\([0-7]{3})/g, (_, octal) => String.fromCharCode(parseInt(octal, 8)))

/**
 * Returns the flags of the mount that contains a path. Of several mounts at the same path, the last one counts.
 * @param {string} path without symbolic links
 * @param {Mount[]} mounts
 */
export function flagsAt (path, mounts) {
  const around = mounts.filter(({ at }) => isWithin(at, path))
  const deepest = Math.max(...around.map(({ at }) => at.length))
  return around.findLast(({ at }) => at.length === deepest)?.flags ?? []
}

/**
 * Returns the mounts below a folder. A recursive bind mount includes these mounts, and each has to be made read-only.
 * @param {string} path
 * @param {Mount[]} mounts
 */
export const mountsBelow = (path, mounts) => mounts.filter(({ at }) => at !== path && isWithin(path, at))
