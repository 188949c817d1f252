/** Loads the ways to replace a build, and chooses those that are tried. */
import { readdirSync } from 'node:fs'
import { parse } from 'node:path'
import { badOption, toSentence } from '../../errors.js'
import { findProxies } from '../../measure/find-programs.js'
import { FRONT } from './nginx.js'

/** @import { ProxyProgram } from '../../types.js' */
/** @import { Side, Sides } from '../diff/index.js' */
/** @import { Build, Way } from './types.js' */

const folder = new URL('ways/', import.meta.url)

/** Names of all ways. */
export const WAYS = readdirSync(folder).map(file => parse(file).name).sort()

/** @typedef {Way & { name: string }} NamedWay */

/**
 * Returns base and head as the old and the new build.
 * @param {Sides} sides
 */
export const toBuilds = ({ base, head }) => ({ old: toBuild('old', base), new: toBuild('new', head) })

/** @type {(name: Build['name'], side: Side) => Build} */
const toBuild = (name, { label, app, start }) => ({ name, label, folder: app, start })

/**
 * Returns ways in the order of tables.
 * @param {string[]} names
 * @returns {Promise<NamedWay[]>}
 */
const loadWays = async names => (await Promise.all(names.map(async name =>
  ({ name, ...(await import(new URL(`${name}.js`, folder).href)).default })))).sort((a, b) => a.order - b.order)

/**
 * Finds nginx, and installs it where it is missing.
 * @returns {Promise<{ program: ProxyProgram | null, why: string | null }>} null: why there is none
 */
export async function findNginx () {
  try {
    const [program] = (await findProxies([{ topology: FRONT }])).values()
    return { program, why: null }
  } catch (error) {
    return { program: null, why: toSentence(error) }
  }
}

/**
 * Chooses the ways that can replace these builds here.
 * @param {string[] | undefined} typed undefined: all
 * @param {{ old: Build, new: Build, whyNoNginx: string | null }} facts
 * @returns {Promise<{ ways: NamedWay[], leftOut: { way: string, why: string }[] }>}
 * @throws {HopbenchError} bad-option, if a typed way is unfit
 */
export async function chooseWays (typed, { whyNoNginx, ...builds }) {
  const ways = []
  const leftOut = []
  for (const way of await loadWays(typed ?? WAYS)) {
    const why = (way.hasNginx ? whyNoNginx : null) ?? await way.findUnfit?.(builds) ?? null
    if (why === null) ways.push(way)
    else if (typed) throw badOption('--way', way.name, why, 'Choose another way, or another command with --app.')
    else leftOut.push({ way: way.name, why })
  }
  return { ways, leftOut }
}
