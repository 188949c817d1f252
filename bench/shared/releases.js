/** Debian releases whose programs can be measured beside the installed ones (pure). */
/** @import { OptionValue, ProxyHop, ReleaseVersion } from '../types.js' */

/** Suites of each release in Debian's archive. @type {Record<string, string[]>} */
export const RELEASES = {
  bookworm: ['bookworm', 'bookworm-security'],
  trixie: ['trixie', 'trixie-security'],
  'trixie-backports': ['trixie', 'trixie-security', 'trixie-backports'],
  sid: ['sid']
}
/** Program of this system, from PATH or from a package of its own release. */
export const INSTALLED = 'installed'
/** In the place of a release: a Python wheel, which is not made by the project of the program. */
export const WHEEL = 'wheel'
/** Newest version that any of the releases has. */
export const CURRENT = 'current'

const VERSION = /^\d+(\.\d+)*$/

/** Values of the option, for messages. */
export const RELEASE_VALUES = `${[...Object.keys(RELEASES), CURRENT].join(', ')}, or a version such as 1.30`

/** Returns whether a value names a release or a version. @param {OptionValue} value */
export const isRelease = value =>
  typeof value === 'string' && (value === CURRENT || Object.hasOwn(RELEASES, value) || VERSION.test(value))

/**
 * Returns the release that a proxy names.
 * @param {Pick<ProxyHop, 'options'>} hop
 * @returns {string | undefined} undefined: the installed program
 */
export const getRelease = ({ options: { release = INSTALLED } }) => release === INSTALLED ? undefined : String(release)

/**
 * Returns the name of a proxy's program, under which a run keeps its version.
 * @param {Pick<ProxyHop, 'name' | 'options'>} hop
 * @returns {string} "nginx", "nginx+release=sid"
 */
export function getProgramKey (hop) {
  const release = getRelease(hop)
  return release === undefined ? hop.name : `${hop.name}+release=${release}`
}

/**
 * Finds the version that a release or the beginning of a version names.
 * @param {string} release value of the option
 * @param {ReleaseVersion[]} versions newest first
 * @returns {ReleaseVersion | null} null: there is none
 */
export function findVersion (release, versions) {
  const order = Object.keys(RELEASES)
  const isWanted = (/** @type {ReleaseVersion} */ { version }) => {
    const upstream = toUpstreamVersion(version)
    return upstream === release || upstream.startsWith(`${release}.`)
  }
  const wanted = Object.hasOwn(RELEASES, release)
    ? versions.filter(found => found.release === release)
    : versions.filter(found => release === CURRENT || isWanted(found))
  // The oldest release with a version has tested the package for the longest time.
  return wanted.filter(({ version }) => version === wanted[0].version)
    .toSorted((a, b) => order.indexOf(a.release) - order.indexOf(b.release))[0] ?? null
}

/**
 * Returns the version of the program, without Debian's epoch and revision.
 * @param {string} version "1:1.30.6-2"
 */
const toUpstreamVersion = version => version.replace(/^\d+:/, '').replace(/[-+~].*$/, '')

/**
 * Returns the text that a run stores as the version of a program: the version, then release and version of the package.
 * @param {{ version: string, release?: ReleaseVersion | null }} program
 */
export const toVersionText = ({ version, release }) =>
  release ? `${version} (${release.release}, ${release.version})` : version

/**
 * Returns whether a program came from a wheel.
 * @param {string} text of toVersionText
 */
export const isFromWheel = text => text.includes(` (${WHEEL}, `)

/**
 * Returns the version of a program in a text of toVersionText.
 * @param {string} text
 */
export const readVersion = text => text.replace(/ .*$/, '')
