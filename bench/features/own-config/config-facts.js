/** Reads what a configuration of nginx states about a site, without starting it. */
import { getNames } from './hosts.js'
import { readSource } from './source.js'
import { findAll, getInForce, getProxyServers, getValue, readTree, toTarget } from './model.js'

/** @import { Directive, Placed } from './types.js' */

/** Units of nginx's sizes, in bytes. */
const UNITS = new Map([['', 1], ['k', 2 ** 10], ['m', 2 ** 20], ['g', 2 ** 30]])
/** Directives of a location that the recommended configuration does not have. */
const OWN_RULES = ['auth_basic', 'auth_request', 'limit_req', 'limit_conn', 'deny', 'rewrite', 'return', 'proxy_cache']

/**
 * Facts of the first server block that passes requests on.
 * @typedef {object} ConfigFacts
 * @property {string[]} hosts plain names of the site
 * @property {number | null} maxBody largest body of a request, in MiB; null: it is not stated
 * @property {string[]} paths that are passed to the app
 * @property {string[]} others parts that the recommended configuration does not have, as in "/admin (auth_basic)"
 */

/**
 * @param {string} path of a file or a folder
 * @param {string} cwd
 * @returns {ConfigFacts | null} null: no server block passes requests on
 * @throws {HopbenchError} bad-option
 */
export function readConfigFacts (path, cwd) {
  const { main, files } = readSource(path, { cwd })
  const tree = readTree(main, new Map(files.map(({ path, text }) => [path, text])))
  const [first] = getProxyServers(tree).filter(({ passes }) => passes.length > 0)
  if (!first) return null
  const { server, around, passes } = first
  const target = toTarget(passes.find(pass => toPath(pass.around) === '/') ?? passes[0]).target
  const names = getNames(first)
  const kept = passes.filter(pass => toTarget(pass).target === target)
  const locations = findAll([server], 'location')
  return {
    hosts: [...new Set(names.filter(name => /^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/.test(name)))],
    maxBody: toMiB(getValue(getInForce(around, 'client_max_body_size')[0])),
    paths: [...new Set(kept.map(({ around }) => toPath(around)))],
    others: [
      ...names.filter(name => /[*~]/.test(name)).map(name => `the name ${name}`),
      ...[{ directive: server, around: [] }, ...locations].flatMap(place => describeRules(place, target))
    ]
  }
}

/** Returns the path of the innermost location. @param {Directive[]} around */
const toPath = around => around.findLast(({ name }) => name === 'location')?.args.map(({ value }) => value).join(' ') ??
  '/'

/**
 * Describes the part of a block that the recommended configuration does not have.
 * @param {Placed} place
 * @param {string} target of other requests
 * @returns {string[]}
 */
function describeRules ({ directive }, target) {
  const { children = [], name } = directive
  const own = OWN_RULES.filter(rule => children.some(child => child.name === rule))
  const folder = children.find(child => name === 'location' && ['alias', 'root'].includes(child.name))
  const passed = children.flatMap(child =>
    child.name === 'proxy_pass' && toTarget({ directive: child, around: [directive] }).target !== target
      ? [`passed to ${getValue(child)}`]
      : [])
  const words = [...own, ...folder ? [`the files of ${getValue(folder)}`] : [], ...passed]
  return words.length > 0 ? [`${name === 'location' ? toPath([directive]) : 'the site'} (${words.join(', ')})`] : []
}

/** Returns a size in whole MiB, or null without a limit that the kit can have. @param {string} text */
function toMiB (text) {
  const [, number, unit] = /^(\d+)([kmg]?)$/i.exec(text) ?? []
  const bytes = Number(number) * Number(UNITS.get(unit?.toLowerCase()))
  return bytes > 0 ? Math.max(1, Math.round(bytes / 2 ** 20)) : null
}
