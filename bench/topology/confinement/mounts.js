/** What is mounted where, and what it takes to show a part of it again, read-only (pure). */

/** @typedef {{ at: string, flags: string[] }} Mount flags: those that a namespace of less power may not take away */

/** mount_namespaces(7): a flag that was set when the mount was handed on stays set. */
const LOCKED = ['nosuid', 'nodev', 'noexec']

/** In the order of mounting. @param {string} mountinfo proc(5), /proc/self/mountinfo @returns {Mount[]} */
export const mountsIn = mountinfo => mountinfo.split('\n').filter(Boolean).map(line => {
  const [, , , , at, options] = line.split(' ')
  return { at: mountPoint(at), flags: options.split(',').filter(option => LOCKED.includes(option)) }
})

/** Spaces and the like are octal in mountinfo. @param {string} text */
export const mountPoint = text => text.replace(/\\([0-7]{3})/g, (_, octal) => String.fromCharCode(parseInt(octal, 8)))

/** @param {string} folder @param {string} path */
export const holds = (folder, path) => path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`)

/** Of the mount that a path without links is in; the last of several. @param {string} path @param {Mount[]} mounts */
export function flagsAt (path, mounts) {
  const around = mounts.filter(({ at }) => holds(at, path))
  const deepest = Math.max(...around.map(({ at }) => at.length))
  return around.findLast(({ at }) => at.length === deepest)?.flags ?? []
}

/** They come along with the folder they are in, and each has to be made read-only as well.
 * @param {string} path @param {Mount[]} mounts */
export const mountsBelow = (path, mounts) => mounts.filter(({ at }) => at !== path && holds(path, at))
