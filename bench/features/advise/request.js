/** Checks the options of `hopbench advise`. */
import { existsSync, readdirSync, statSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { createHash } from 'node:crypto'
import { badOption, shellWord } from '../../errors.js'
import { callerCwd } from '../../machine/caller-cwd.js'
import { readPlainFile } from '../../machine/files/plain-files.js'
import { attempt } from '../../shared/attempt.js'
import { listing } from '../../shared/format.js'
import { isSecret, pathWithoutSecrets, textWithoutSecrets } from '../../shared/secrets.js'
import { TARGETS } from '../deploy/index.js'
import { readManifest } from '../../request/project-paths.js'
import { appsFrom } from '../../request/user-apps.js'
import { MIX_OPTIONS, readMix } from '../../request/user-mix.js'
import { prefixesFrom } from '../../request/user-prefixes.js'
import { requestFrom } from '../../request/user-request.js'
import { pathFrom } from '../../request/request.js'
import { ofProviders, readOfferings } from '../size/index.js'
import { SIMPLEST } from './advice.js'
import { toStart } from '../../request/frameworks.js'
import { LOCKS } from '../../request/node-project.js'
import { sum } from '../../shared/group-by.js'

/** @import { HopbenchError } from '../../errors.js' */
/** @import { AdviceLoad, AppCommand, FilePrefix, MixedRequest, PlatformFacts } from '../../types.js' */
/** @import { Mix } from '../../request/user-mix.js' */

/** Paths of a mix that are looked at, the most frequent first. */
const MAX_PATHS = 20
/** Limits of a file that is part of the digest, which are those of the longest list of requests. */
const DIGESTED = { maxBytes: 2 ** 28, followsLinks: true }
/** Folder of the kit and of the advice. */
const OUT = './deploy'

/**
 * Options of `hopbench advise` as typed.
 *
 * @typedef {object} AdviseFlags
 * @property {string[]} [app]
 * @property {string} [listen]
 * @property {number} [readyWithin]
 * @property {boolean} [quietApp]
 * @property {string[]} [files]
 * @property {string} [filesHidden]
 * @property {string} [path]
 * @property {string[]} [header]
 * @property {string} [ignoreBody]
 * @property {string} [compare]
 * @property {string} [har]
 * @property {string} [harMethods]
 * @property {string} [harOrigin]
 * @property {string} [logFormat]
 * @property {string} [paths]
 * @property {number} [rps]
 * @property {number} [p99] seconds
 * @property {string} [provider]
 * @property {string} [target]
 * @property {string} [out]
 * @property {boolean} [force]
 * @property {boolean} [quick]
 * @property {number} [warmUp] seconds
 * @property {number} [seed]
 * @property {string} [results]
 * @property {boolean} lab
 */

/**
 * @typedef {object} AdviseRequest
 * @property {AppCommand} app
 * @property {string} run command of the app
 * @property {FilePrefix[]} prefixes
 * @property {string[]} paths that are looked at, each once
 * @property {MixedRequest[]} requests of these paths, with headers of a HAR file
 * @property {number[]} shares of these paths among all requests
 * @property {Record<string, string>} headers
 * @property {AdviceLoad} load
 * @property {PlatformFacts} platform
 * @property {Partial<AdviseFlags> | null} mix options that name the requests; null: one
 *   path
 * @property {string} out folder, as typed
 * @property {boolean} isPrivate
 * @property {boolean} quick
 * @property {string | null} about format of an access log, and number of its lines
 * @property {string[]} notes what was left out of a HAR file or a list of paths
 * @property {string} typed options and a digest of files that decide the result, without secrets
 */

/**
 * @param {AdviseFlags} options
 * @returns {AdviseRequest}
 * @throws {HopbenchError} bad-option, and errors of the files of requests
 */
export function adviseRequestFrom (options) {
  const run = findAppCommand(options)
  const app = appsFrom({ ...options, app: [run] })[SIMPLEST]
  if (!app) throw badOption('--app', run, 'advice is about one app, whose name is app', 'Leave the name out.')
  if (app.listen.every(way => way === 'unix')) {
    throw badOption('--listen', options.listen, 'hopbench advise requests pages from the app over TCP',
      "Let the app listen on both: --listen '$PORT,$SOCKET'.")
  }
  const prefixes = prefixesFrom(options)
  const { headers = {} } = requestFrom(options)
  const mix = readMix(options)
  const path = pathFrom(options.path) ?? '/'
  const requests = mix ? findFrequent(mix) : [{ path }]
  const total = mix ? sum([...mix.mix.values()]) : 1
  const countPath = (/** @type {string} */ path) =>
    mix ? sum([...mix.mix].map(([request, times]) => request.path === path ? times : 0)) : 1
  if (requests.length === 0) {
    throw badOption('--har', options.har, 'it has no GET request', 'Save a page with its files.')
  }
  const [load, platform] = [loadFrom(options), platformFrom(options)]
  const out = options.out ?? OUT
  rejectTaken(out, options)
  return {
    app,
    run,
    prefixes,
    paths: requests.map(request => request.path),
    requests,
    shares: requests.map(({ path }) => countPath(path) / total),
    headers,
    load,
    platform,
    mix: mix && pick(options, [...MIX_OPTIONS]),
    out,
    isPrivate: mix?.hasSecrets === true || Object.keys(headers).some(isSecret),
    quick: options.quick ?? false,
    about: mix?.about ?? null,
    notes: mix?.notes ?? [],
    typed: describeTyped(options, { run, load, platform })
  }
}

/**
 * Returns GET requests, the most frequent first.
 * @param {Mix} mix requests to the same path may have different headers
 * @returns {MixedRequest[]} one of each path
 */
function findFrequent ({ mix }) {
  const gets = [...mix].filter(([{ method }]) => method === undefined || method === 'GET')
  const requests = gets.sort(([, a], [, b]) => b - a).map(([request]) => request)
  const first = requests.filter(({ path }, i) => requests.findIndex(other => other.path === path) === i)
  return first.slice(0, MAX_PATHS)
}

/**
 * Returns the command that starts the app: as typed, else the script "start" of package.json.
 * @param {AdviseFlags} options
 */
function findAppCommand ({ app = [] }) {
  if (app.length > 1) throw badOption('--app', app[1], 'advice is about one app', 'Name one command.')
  if (app.length === 1) return app[0]
  const folder = callerCwd()
  const manifest = readManifest(folder)
  if (typeof manifest.scripts?.start === 'string') return 'npm start'
  const why = existsSync(resolve(folder, 'package.json'))
    ? 'package.json has no script "start"'
    : `there is no package.json in ${folder}`
  throw badOption('--app', undefined, `${why}, so the command of the app is unknown`,
    `Name the command, as in --app ${shellWord(toStart(manifest))}, or start in the folder of the project.`)
}

/** @param {AdviseFlags} options */
function loadFrom ({ rps, p99 }) {
  // Rounded, because 0.009 s is not exactly 9 ms.
  if (rps !== undefined && p99 !== undefined) return { rps, p99Ms: Math.round(p99 * 1e6) / 1000 }
  if (rps === undefined && p99 === undefined) return { rps: null, p99Ms: null }
  const [option, value, other] = rps === undefined ? ['--p99', p99, '--rps'] : ['--rps', rps, '--p99']
  throw badOption(option, value, `a sizing needs ${other}, too`, 'Name both, as in --rps 800 --p99 100ms, or neither.')
}

/**
 * Returns the platform: of the provider, else of the kit.
 * @param {AdviseFlags} options
 * @returns {PlatformFacts}
 */
function platformFrom ({ provider: typed, target: typedTarget }) {
  const ofTarget = typedTarget === undefined ? null : TARGETS[typedTarget].provider
  const provider = typed === undefined ? ofTarget : chooseProvider(typed)
  if (ofTarget !== null && ofTarget !== provider) {
    throw badOption('--target', typedTarget, `this kit is for ${ofTarget}, and --provider names ${provider}`,
      'Leave one of them out.')
  }
  const own = Object.keys(TARGETS).find(name => provider !== null && TARGETS[name].provider === provider)
  const isMachine = provider !== null && readOfferings().every(offering =>
    offering.provider !== provider || offering.class === 'vm')
  const target = typedTarget ?? own ?? (isMachine ? 'systemd' : 'docker')
  const { endsTls, routerIdleSeconds, isIdleKnown = false, routers } = TARGETS[target]
  return {
    provider,
    target,
    // Every platform that is not a machine has a router.
    endsTls: endsTls || (provider !== null && !isMachine),
    trustsRouter: routers.length > 0,
    idleSeconds: routerIdleSeconds,
    isIdleKnown
  }
}

/**
 * Finds the one provider that is meant. A whole name is meant itself, also if others begin with it.
 * @param {string} typed
 */
function chooseProvider (typed) {
  const names = [...new Set(ofProviders(readOfferings(), [typed]).map(({ provider }) => provider))]
  const isTyped = (/** @type {string} */ name) => name.toLowerCase() === typed.trim().toLowerCase()
  const found = names.length === 1 ? names[0] : names.find(isTyped)
  if (found !== undefined) return found
  throw badOption('--provider', typed, `it is the beginning of ${listing(names)}, and advice is for one`,
    `Name it whole, as in --provider '${names[0]}'.`)
}

/**
 * Rejects a folder that holds files, because the kit would be refused after minutes of measuring.
 * @param {string} out
 * @param {{ force?: boolean }} options
 */
function rejectTaken (out, { force = false }) {
  const dir = resolve(callerCwd(), out)
  const found = relative(callerCwd(), dir)
  if (found.startsWith('..')) throw badOption('--out', out, 'it is outside the project', 'Name a folder inside it.')
  const stats = statSync(dir, { throwIfNoEntry: false })
  if (stats && !stats.isDirectory()) throw badOption('--out', out, 'it is a file', 'Name another folder with --out.')
  const names = stats ? attempt(() => readdirSync(dir), () => ['?']) : []
  if (names.length === 0 || force) return
  throw badOption('--out', out, `the folder is not empty, and holds ${names[0]}`,
    'Name another folder with --out, or overwrite its files with --force.')
}

/** Options about the app, its files, its requests and its responses. @type {(keyof AdviseFlags)[]} */
export const APP_OPTIONS = ['listen', 'readyWithin', 'files', 'filesHidden', 'header', 'ignoreBody', 'compare']

/**
 * Returns the typed ones of these options.
 * @template {keyof AdviseFlags} Name
 * @param {AdviseFlags} options
 * @param {Name[]} names
 * @returns {Pick<AdviseFlags, Name>}
 */
export const pick = (options, names) => /** @type {Pick<AdviseFlags, Name>} */ (
  Object.fromEntries(names.flatMap(name => options[name] === undefined ? [] : [[name, options[name]]])))

/**
 * Describes what --resume requires to be the same. Of headers only the names are kept, because they may hold secrets.
 * @param {AdviseFlags} options
 * @param {{ run: string, load: AdviceLoad, platform: PlatformFacts }} found
 */
function describeTyped (options, { run, load, platform: { provider, target } }) {
  const { path = '/', header = [] } = options
  /** @type {(keyof AdviseFlags)[]} */
  const names =
    ['files', 'filesHidden', ...MIX_OPTIONS, 'ignoreBody', 'compare', 'listen', 'quietApp', 'lab']
  return JSON.stringify({
    run: textWithoutSecrets(run),
    path: pathWithoutSecrets(path),
    headers: header.map(text => text.split(':')[0]),
    ...Object.fromEntries(names.map(name => [name, options[name]])),
    load,
    provider,
    target,
    quick: options.quick ?? false,
    project: digestProject(options)
  })
}

/**
 * Digests package.json, the lock files, and the files that name the requests. Leaves out the code of the app, because
 * an app may write to its own folder.
 *
 * @param {{ har?: string, paths?: string }} options as typed
 * @returns {string}
 */
function digestProject ({ har, paths }) {
  const hash = createHash('sha256')
  for (const name of ['package.json', ...Object.keys(LOCKS), har, paths]) {
    const file = name && resolve(callerCwd(), name)
    const bytes = file ? attempt(() => readPlainFile(file, DIGESTED), () => null) : null
    hash.update(`${name} ${bytes?.length}\n`)
    if (bytes !== null) hash.update(bytes)
  }
  return hash.digest('hex').slice(0, 16)
}
