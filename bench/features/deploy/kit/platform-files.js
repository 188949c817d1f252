/** Merges files of a kit with those of a platform that a project has, so that a copy of the kit's replaces nothing. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { parse as parseToml, stringify as toToml } from 'smol-toml'
import { parse as parseYaml, stringify as toYaml } from 'yaml'
import { plain } from '../../../errors.js'
import { readProjectFile } from '../../../request/project-paths.js'
import { attempt } from '../../../shared/attempt.js'

/** @typedef {Record<string, any>} Settings */
/** A format. merge: own settings and those of the kit
 * @typedef {{ parse: (text: string) => any, print: (settings: Settings) => string,
 *   merge: (own: Settings, kit: Settings, start: string | null) => Settings }} Format start: command of the kit */

/** Name of an app that Fly.io accepts. */
const NAME = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/
const PROCESS = /^([\w-]+):[ \t]*(\S.*)$/gm
/** Settings that a kit for Fly.io decides, as those of the port and the image. */
const OF_FLY = [
  ['build'], ['kill_signal'], ['kill_timeout'], ['vm'], ['env', 'PORT'], ['env', 'HOST'], ['env', 'HOSTNAME'],
  ...['internal_port', 'checks', 'concurrency', 'min_machines_running'].map(name => ['http_service', name])
]
/** Settings of a service of Render that build or start an app without its Dockerfile. */
const WITHOUT_IMAGE = ['env', 'buildCommand', 'startCommand', 'image', 'rootDir']

/** Formats by the names of their files. @type {Record<string, Format>} */
const FORMATS = {
  Procfile: {
    parse: text => Object.fromEntries([...text.matchAll(PROCESS)].map(([, name, command]) => [name, command.trim()])),
    print: processes => Object.entries(processes).map(([name, command]) => `${name}: ${command}\n`).join(''),
    merge: (own, kit) => ({ ...own, ...kit })
  },
  'app.json': {
    parse: JSON.parse,
    print: settings => `${JSON.stringify(settings, null, 2)}\n`,
    merge: (own, kit) => ({
      ...kit,
      ...own,
      buildpacks: kit.buildpacks,
      ...(own.formation ?? kit.formation) && { formation: { ...own.formation, ...kit.formation } }
    })
  },
  'fly.toml': { parse: parseToml, print: toToml, merge: mergeFly },
  'render.yaml': { parse: parseYaml, print: toYaml, merge: mergeRender }
}

/**
 * Merges the files of a kit with those of the project, whose own settings are kept.
 * @param {string | null} project folder; null: the kit has an app of its own
 * @param {Record<string, string>} files texts of the kit by name
 * @param {string | null} start command that starts the kit; null: the image has one of its own
 * @returns {{ files: Record<string, string>, notes: string[] }} notes: sentences about what is kept
 */
export function mergeFiles (project, files, start) {
  const merged = Object.entries(FORMATS).flatMap(([name, { parse, print, merge }]) => {
    if (project === null || files[name] === undefined || !existsSync(join(project, name))) return []
    const own = readOwn(project, name)
    if (own === null) return [{ name, text: files[name], note: `Note: ${name} of the project cannot be read.` }]
    const [comments] = /^(?:#.*\n)*/.exec(files[name]) ?? ['']
    const ofKit = parse(files[name])
    const settings = merge(own, ofKit, start)
    const kept = Object.keys(own).filter(key => !isDeepStrictEqual(settings[key], ofKit[key]))
    const text = `${name === 'Procfile' ? '' : comments}${print(settings)}`
    const note = `The ${name} of the kit keeps these settings of the project: ${kept.map(plain).join(', ')}.`
    return [{ name, text, note: kept.length > 0 ? note : null }]
  })
  return {
    files: { ...files, ...Object.fromEntries(merged.map(({ name, text }) => [name, text])) },
    notes: merged.flatMap(({ note }) => note ?? [])
  }
}

/**
 * Returns the name that the app of a project has on Fly.io.
 * @param {string} project folder
 * @returns {string | null} null: it has none
 */
export function findFlyName (project) {
  const { app } = existsSync(join(project, 'fly.toml')) ? readOwn(project, 'fly.toml') ?? {} : {}
  return typeof app === 'string' && NAME.test(app) ? app : null
}

/**
 * @param {string} project
 * @param {string} name
 * @returns {Settings | null} null: it is not a text of this format
 */
function readOwn (project, name) {
  const settings = attempt(() => FORMATS[name].parse(readProjectFile(join(project, name))), () => null)
  return typeof settings === 'object' && !Array.isArray(settings) ? settings : null
}

/** Returns a table of settings, or an empty one in place of another value. @param {any} value */
const toTable = value => typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}

/**
 * @param {Settings} own
 * @param {Settings} kit
 * @param {string | null} start
 */
function mergeFly (own, kit, start) {
  /** @type {Settings} */
  const merged = { ...kit, ...own }
  for (const name of ['env', 'http_service']) merged[name] = { ...toTable(kit[name]), ...toTable(own[name]) }
  // A process group starts its command in place of that of the image.
  const groups = Object.keys(toTable(own.processes))
  const group = [own.http_service?.processes].flat().concat('web', 'app').find(name => groups.includes(name))
  if (group && start) merged.processes = { ...own.processes, [group]: start }
  // Fly.io rejects the strategy of the kit for machines with volumes.
  if (own.mounts !== undefined && own.deploy === undefined) delete merged.deploy
  for (const [name, inner] of OF_FLY) {
    if (inner === undefined && kit[name] !== undefined) merged[name] = kit[name]
    if (inner !== undefined && kit[name]?.[inner] !== undefined) merged[name][inner] = kit[name][inner]
  }
  return merged
}

/**
 * @param {Settings} own
 * @param {Settings} kit
 */
function mergeRender (own, kit) {
  const [web] = kit.services
  const services = (Array.isArray(own.services) ? own.services : []).map(toTable)
  const webs = services.filter(({ type }) => type === 'web')
  const old = webs.find(({ name }) => name === web.name) ?? (webs.length === 1 ? webs[0] : null)
  if (!old) return { ...own, services: [...services, web] }
  const names = new Set(web.envVars?.map((/** @type {Settings} */ { key }) => key))
  const variables = [
    ...Array.isArray(old.envVars) ? old.envVars.filter((/** @type {any} */ { key }) => !names.has(key)) : [],
    ...web.envVars ?? []
  ]
  const merged = {
    ...Object.fromEntries(Object.entries(old).filter(([name]) => !WITHOUT_IMAGE.includes(name))),
    ...web,
    name: old.name ?? web.name,
    ...variables.length > 0 && { envVars: variables }
  }
  return { ...own, services: services.map(service => service === old ? merged : service) }
}
