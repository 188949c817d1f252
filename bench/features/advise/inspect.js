/** Inspects a project, its folders and its running app, before anything is measured. */
import { cpus } from 'node:os'
import { splitCores } from '../../machine/cores.js'
import { callerCwd } from '../../machine/caller-cwd.js'
import { labFacts } from '../../machine/network/lab.js'
import { run } from '../../machine/process.js'
import { HopbenchError, getErrorMessage } from '../../errors.js'
import { attempt } from '../../shared/attempt.js'
import { plural } from '../../shared/format.js'
import { callWorker } from '../../run/call-worker.js'
import { prefixesFrom } from '../../request/user-prefixes.js'
import { findBuiltFolders } from '../../measure/built-folders.js'
import { MAX_SHARE } from '../../run/refused-requests.js'
import { sum } from '../../shared/group-by.js'
import { pathWithoutSecrets } from '../../shared/secrets.js'
import { listPrefixCandidates } from './find-folders.js'
import { APP_OPTIONS, adviseRequestFrom, pick } from './request.js'
import { findKitFault } from './write.js'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { readPlainFile } from '../../machine/files/plain-files.js'
import { walkFolder } from '../../machine/files/walk-folder.js'
import { isCompressibleFile } from '../../shared/http/compressible-files.js'
import { hasHashedName } from '../../shared/http/hashed-names.js'
import { isWithin } from '../../shared/paths.js'
import { BUILD_OUTPUT, findFramework, withName } from '../../request/frameworks.js'
import { LOCKS } from '../../request/node-project.js'
import { findName, readManifest } from '../../request/project-paths.js'

/** @import { AdviceFacts, FilePrefix, FolderFacts, OwnFiles, ProjectFacts, RunningFacts } from '../../types.js' */
/** @import { Bench } from './compare.js' */
/** @import { InspectRequest } from './inspect-app.js' */
/** @import { AdviseFlags, AdviseRequest } from './request.js' */

/** Limit for the inspection, beyond the one of --ready-within for the start of the app. */
const SPARE_SECONDS = 120

/**
 * Facts of an app, and the request and the options with the folders that it serves.
 *
 * @typedef {object} Found
 * @property {AdviceFacts} facts
 * @property {AdviseRequest} request
 * @property {AdviseFlags} options
 * @property {string[]} leftOut folders of the app that may not be published, with the reason
 * @property {string | null} kitFault note, if a kit cannot be written
 */

/**
 * Inspects an app. Where no --files is typed, finds the folders of the project that the app serves.
 *
 * @param {AdviseRequest} request
 * @param {{ bench: Bench, options: AdviseFlags, today: string, own?: OwnFiles }} world
 * @returns {Promise<Found>}
 * @throws {HopbenchError} gate-refused, and errors of starting an app
 */
export async function inspect (request, { bench, options, today, own }) {
  const folder = callerCwd()
  const project = inspectProject(folder, request.prefixes)
  const isPrivateNetwork = options.lab && (await labFacts()).network === 'namespaces'
  const { running, served, leftOut } = await inspectInWorker({
    options: {
      ...pick(options, APP_OPTIONS),
      app: [request.run],
      header: [...options.header ?? [], ...toAccept(request)],
      path: request.paths[0],
      lab: isPrivateNetwork
    },
    paths: request.paths,
    mixed: request.requests,
    headers: request.headers,
    candidates: request.prefixes.length > 0
      ? []
      : listPrefixCandidates(folder, project.unnamedFolders, listBuiltFolders(folder))
  }, { bench, request })
  const kept = withoutRefused(request, running.refused)
  const found = withServed(kept, options, served)
  return {
    ...found,
    leftOut: [...leftOut, ...found.leftOut, ...running.refused.map(({ why }) => why)],
    kitFault: await findKitFault(found.request, found.options),
    facts: {
      project: served.length === 0 ? project : inspectProject(folder, found.request.prefixes),
      ...own && { own },
      app: running,
      folders: found.request.prefixes.map(inspectFolder),
      platform: request.platform,
      machine: await inspectMachine(),
      hasSocket: request.app.listen.includes('unix'),
      hasOwnPort: request.app.listen.includes('tcp'),
      isPrivate: request.isPrivate,
      today
    }
  }
}

/**
 * Inspects the running app in a worker.
 *
 * @param {InspectRequest} inspectRequest
 * @param {{ bench: Pick<Bench, 'dir' | 'call'>, request: Pick<AdviseRequest, 'app'> }} advice
 * @returns {Promise<{ running: RunningFacts, served: string[], leftOut: string[] }>} served: as --files takes them;
 * leftOut: the others, with the reason
 * @throws {HopbenchError} file-published, and errors of starting an app
 */
export async function inspectInWorker (inspectRequest, { bench: { dir, call = callWorker }, request }) {
  const seconds = request.app.readySeconds + SPARE_SECONDS
  const { result, error } = await call('inspect', inspectRequest, { name: 'inspect', dir, seconds })
  if (result) return result
  throw error
}

/**
 * Returns the header for the media types that a HAR file's request accepts, because an app may respond to them only.
 *
 * @param {Pick<AdviseRequest, 'requests' | 'headers'>} request
 * @returns {string[]}
 */
function toAccept ({ requests: [{ headers = {} }], headers: typed }) {
  const isTyped = Object.keys(typed).some(name => name.toLowerCase() === 'accept')
  return headers.Accept && !isTyped ? [`Accept: ${headers.Accept}`] : []
}

/** @returns {Promise<AdviceFacts['machine']>} */
async function inspectMachine () {
  const { stdout } = await run(['node', '--version'])
  const { served, split } = splitCores()
  return {
    // Where cores cannot be assigned, the load takes one of them, too.
    servedCores: split ? served.length : Math.max(1, served.length - 1),
    cpu: cpus()[0]?.model ?? 'an unknown processor',
    // Without a Node on PATH the app may run under another runtime.
    node: stdout.trim().replace(/^v/, '') || process.versions.node
  }
}

/**
 * Adds folders that the app serves. A folder that --files rejects, as with hidden files in it, is left out.
 *
 * @param {AdviseRequest} request
 * @param {AdviseFlags} options
 * @param {string[]} served as --files takes them
 * @returns {Pick<Found, 'request' | 'options' | 'leftOut'>}
 */
function withServed (request, options, served) {
  const checked = served.map(text => ({ text, fault: findPrefixFault(text) }))
  const files = checked.flatMap(({ text, fault }) => fault === null ? [text] : [])
  const leftOut = checked.flatMap(({ text, fault }) => fault === null ? [] : [`--files ${text}: ${fault}`])
  if (files.length === 0) return { request, options, leftOut }
  const whole = { ...options, files }
  const { typed, paths, requests, shares } = request
  return { request: { ...adviseRequestFrom(whole), typed, paths, requests, shares }, options: whole, leftOut }
}

/**
 * @param {string} text of --files
 * @returns {string | null} null: --files takes it
 */
const findPrefixFault = text => attempt(() => {
  prefixesFrom({ files: [text] })
  return null
}, getErrorMessage)

/**
 * Returns the request without paths that the app refuses, as long as others represent the traffic.
 * @param {AdviseRequest} request
 * @param {AdviceFacts['app']['refused']} refused
 * @returns {AdviseRequest}
 * @throws {HopbenchError} gate-refused
 */
function withoutRefused (request, refused) {
  const names = refused.map(({ path }) => path)
  const isKept = request.paths.map(path => !names.includes(pathWithoutSecrets(path)))
  if (sum(request.shares.filter((_, i) => !isKept[i])) > MAX_SHARE) {
    const [first, ...others] = refused
    const why = others.length > 0 ? `${first.why}, and ${plural(others.length, 'other path')} fail` : first.why
    throw new HopbenchError('gate-refused', { name: 'app', ...first, why })
  }
  const [paths, requests, shares] = /** @type {const} */ (['paths', 'requests', 'shares']).map(name =>
    /** @type {any[]} */ (request[name]).filter((_, i) => isKept[i]))
  return { ...request, paths, requests, shares }
}

/** Packages that take over connections. */
const UPGRADES = ['ws', 'socket.io', '@fastify/websocket', 'express-ws', 'koa-websocket', '@nestjs/websockets']
/** Usual names of folders of files for browsers. */
const FOLDERS = ['public', 'static', 'assets', 'dist', 'build', 'client/dist']
/** Folders that are left out without a page, because they are the code of the server in many projects. */
const MAYBE_CODE = ['dist', 'build']
/** Most entries of a folder that are read. */
const MAX_ENTRIES = 100_000

/**
 * @param {string} project folder
 * @param {FilePrefix[]} prefixes folders that are named with --files
 * @returns {ProjectFacts}
 */
export function inspectProject (project, prefixes) {
  const manifest = readManifest(project)
  const found = findFramework(manifest)
  const { adapter, trust } = found?.framework ?? {}
  const lock = Object.keys(LOCKS).find(name => existsSync(join(project, name)))
  return {
    name: findName(project),
    hasManifest: existsSync(join(project, 'package.json')),
    framework: found && { name: found.name, version: toVersion(found.version) },
    trustsProxy: trust !== undefined && hasTrust(project, trust),
    lacksAdapter: adapter !== undefined && ['dependencies', 'devDependencies'].every(name =>
      !Object.hasOwn(manifest[name] ?? {}, adapter)),
    lock: lock === undefined ? null : LOCKS[lock],
    upgrades: UPGRADES.filter(name => Object.hasOwn(manifest.dependencies ?? {}, name)),
    unnamedFolders: FOLDERS.filter(name => isUnnamed(join(project, name), prefixes) && !isMaybeCode(project, name))
  }
}

/** Files of code, and those in which a project has the environment of its start. */
const CODE = /(?:\.(?:[cm]?[jt]sx?|json|toml|ya?ml)|\.env[.\w]*|Dockerfile|Procfile)$/
/** Limits of the code that is searched. */
const SEARCHED = { files: 2000, maxBytes: 2 ** 18 }

/**
 * Returns whether the code of a project has a setting for the proxy in front, or needs none.
 * @param {string} project folder
 * @param {import('../../request/frameworks.js').Trust} trust
 */
function hasTrust (project, { pattern, uses }) {
  const entries = walkFolder(project, MAX_ENTRIES, ({ name }) =>
    !name.startsWith('.') && !['node_modules', ...BUILD_OUTPUT].includes(name))
  const texts = entries.map(({ path }) => path).filter(path => CODE.test(path)).slice(0, SEARCHED.files)
    .map(path => attempt(() => readPlainFile(join(project, path), SEARCHED).toString(), () => ''))
  const needs = uses === undefined || texts.some(text => uses.test(text))
  return !needs || texts.some(text => pattern.test(text))
}

/**
 * Lists the folders that the framework of a project builds for browsers.
 * @param {string} project folder
 * @returns {FilePrefix[]} folder: relative to the project; it may be missing
 */
export function listBuiltFolders (project) {
  const manifest = readManifest(project)
  const { files = [] } = findFramework(manifest)?.framework ?? {}
  return files.map(({ prefix, folder }) => ({ prefix, folder: withName(folder, manifest) }))
}

/**
 * Returns whether a folder may hold the code of the server.
 * @param {string} project folder
 * @param {string} name of the folder in it
 */
const isMaybeCode = (project, name) => MAYBE_CODE.includes(name) && !existsSync(join(project, name, 'index.html'))

/** @param {unknown} version as in package.json */
const toVersion = version => typeof version === 'string' ? version.slice(0, 40) : null

/**
 * Returns whether a folder has files and neither contains a folder of --files nor is inside one.
 * @param {string} folder
 * @param {FilePrefix[]} prefixes
 */
function isUnnamed (folder, prefixes) {
  const isNamed = prefixes.some(prefix => isWithin(folder, prefix.folder) || isWithin(prefix.folder, folder))
  return !isNamed && attempt(() => walkFolder(folder, MAX_ENTRIES).some(({ entry }) => entry.isFile()), () => false)
}

/**
 * Reads the facts of a folder whose files the app serves.
 * @param {FilePrefix} prefix
 * @returns {FolderFacts}
 */
function inspectFolder ({ prefix, folder }) {
  const paths = walkFolder(folder, MAX_ENTRIES).filter(({ entry }) => entry.isFile()).map(({ path }) => path)
  const names = new Set(paths)
  const files = paths.filter(path => !/\.(gz|br|zst)$/.test(path))
  const sizes = new Map(files.map(path => [path, statSync(join(folder, path)).size]))
  const built = findBuiltFolders(folder, prefix)
  const sumSizes = (/** @type {string[]} */ list) => sum(list.map(path => Number(sizes.get(path))))
  return {
    prefix,
    files: files.length,
    bytes: sumSizes(files),
    compressible: sumSizes(files.filter(path => isCompressibleFile(path, Number(sizes.get(path))))),
    hashed: files.filter(path => hasHashedName(`${prefix}/${path}`, built)).length,
    twins: files.filter(path => names.has(`${path}.gz`) || names.has(`${path}.br`)).length,
    maps: files.filter(path => path.endsWith('.map')).length
  }
}
