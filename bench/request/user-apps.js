/** Turns the options about apps of your own into named commands. */
import { badOption } from '../errors.js'
import { pluginNames } from '../plan/plugins.js'
import { textWithoutSecrets } from '../shared/secrets.js'
import { commandFrom } from './user-request.js'

/** @import { HopbenchError } from '../errors.js' */
/** @import { AppCommand, Topology } from '../types.js' */
/** @import { RunFlags } from './types.js' */

/** Commands that start apps, by the name of the app in topologies. @typedef {Record<string, AppCommand>} Apps */

/** Name of an app in topologies, if --app has no name. */
export const APP = 'app'
/** Matches a name before the command. A variable of the environment, which is in capital letters, is no name. */
const NAMED = /^([a-z][a-z0-9_-]*)=(.*)$/s

/**
 * @param {Pick<RunFlags, 'app' | 'listen' | 'readyWithin' | 'quietApp'>} options app: commands, with or without a name
 * @returns {Apps} empty if --app is missing
 * @throws {HopbenchError} bad-option
 */
export function appsFrom ({ app = [], ...options }) {
  const texts = [app].flat()
  if (texts.length === 0) {
    commandFrom(options)
    return {}
  }
  /** @type {Apps} */
  const apps = {}
  for (const text of texts) {
    const [, name = APP, run = text] = NAMED.exec(text) ?? []
    rejectName(name, apps)
    apps[name] = /** @type {AppCommand} */ (commandFrom({ ...options, app: run }))
  }
  return apps
}

/**
 * @param {string} name
 * @param {Apps} earlier
 */
function rejectName (name, earlier) {
  const reject = (/** @type {string} */ why) =>
    badOption('The name of an app', name, why, "Name each app, as in --app old='node old.js' --app new='node new.js'.")
  if (Object.hasOwn(earlier, name)) throw reject('there are two --app of this name')
  if (name === 'files') throw reject('in topologies it means files that a proxy serves')
  for (const kind of /** @type {const} */ (['server', 'proxy', 'experiment'])) {
    if (pluginNames(kind).includes(name)) throw reject(`hopbench has a plug-in of this name, in ${kind}s`)
  }
}

/**
 * Returns the topologies to compare by default: several apps with the first, or the only app with nginx in front of it.
 * With files, nginx passes everything on in the one, and serves the files itself in the other.
 *
 * @param {Apps} apps
 * @param {boolean} [hasFiles] whether prefixes of --files are known
 * @returns {string[]} empty without apps
 */
export function defaultTopologies (apps, hasFiles = false) {
  const names = Object.keys(apps)
  if (names.length !== 1) return names
  const [name] = names
  const nginx = `nginx:${apps[name].listen.includes('unix') ? 'uds-keepalive' : 'keepalive'}`
  return [name, `${nginx}/${name}`, ...hasFiles ? [`${nginx}+static/${name}`] : []]
}

/**
 * Rejects an app that no topology contains, because it would be ignored.
 *
 * @param {Apps} apps
 * @param {Pick<Topology, 'server'>[]} topologies
 * @throws {HopbenchError} bad-option
 */
export function rejectUnused (apps, topologies) {
  const unused = Object.keys(apps).find(name => !topologies.some(({ server }) => server?.name === name))
  if (unused === undefined) return
  throw badOption('--app', textWithoutSecrets(apps[unused].run), `no topology contains "${unused}"`,
    `Name it in a topology, as in ${unused} nginx:keepalive/${unused}, or leave --app out.`)
}
