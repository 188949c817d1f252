/** Reads the mounts of a process and the flags for mounting a part of them again, read-only (pure). */

/** @typedef {{ at: string, flags: string[] }} Mount flags: those that an unprivileged namespace cannot clear */

/** Flags that stay set when a mount is propagated to another namespace (mount_namespaces(7)). */
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
 * Returns whether a path is the folder or inside it.
 * @param {string} folder
 * @param {string} path
 */
export const holds = (folder, path) => path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`)

/**
 * Returns the flags of the mount that contains a path. Of several mounts at the same path, the last one counts.
 * @param {string} path without symbolic links
 * @param {Mount[]} mounts
 */
export function flagsAt (path, mounts) {
  const around = mounts.filter(({ at }) => holds(at, path))
  const deepest = Math.max(...around.map(({ at }) => at.length))
  return around.findLast(({ at }) => at.length === deepest)?.flags ?? []
}

/**
 * Returns the mounts below a folder. A recursive bind mount includes them, but each has to be made read-only.
 * @param {string} path
 * @param {Mount[]} mounts
 */
export const mountsBelow = (path, mounts) => mounts.filter(({ at }) => at !== path && holds(path, at))
