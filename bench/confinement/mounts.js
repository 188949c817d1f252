/** What is mounted where, and what it takes to show a part of it again, read-only (pure). */

/** @typedef {{ at: string, flags: string[] }} Mount flags: those of mount(8) that may not be taken away in a namespace of less power */

/** mount_namespaces(7): a flag that was set when the mount was handed on stays set. */
const LOCKED = ['nosuid', 'nodev', 'noexec']

/**
 * @param {string} mountinfo proc(5), /proc/self/mountinfo
 * @returns {Mount[]} in the order of mounting
 */
export const mountsIn = mountinfo => mountinfo.split('\n').filter(Boolean).map(line => {
  const [, , , , at, options] = line.split(' ')
  return { at: unescape(at), flags: options.split(',').filter(option => LOCKED.includes(option)) }
})

/** Spaces and the like are octal there. @param {string} text */
const unescape = text => text.replace(/\\([0-7]{3})/g, (_, octal) => String.fromCharCode(parseInt(octal, 8)))

/** @param {string} folder @param {string} path */
export const holds = (folder, path) => path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`)

/**
 * @param {string} path absolute, without links
 * @param {Mount[]} mounts
 * @returns {string[]} the flags of the mount that the path is in: of several at one place, the last
 */
export const flagsAt = (path, mounts) =>
  mounts.filter(({ at }) => holds(at, path)).reduce((deepest, mount) => mount.at.length >= deepest.at.length ? mount : deepest, { at: '', flags: /** @type {string[]} */ ([]) }).flags

/**
 * @param {string} path
 * @param {Mount[]} mounts
 * @returns {Mount[]} the mounts below a folder, which come along with it and are made read-only by themselves
 */
export const mountsBelow = (path, mounts) => mounts.filter(({ at }) => at !== path && holds(path, at))
