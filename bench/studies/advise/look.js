/** Looks at a project, its folders and its running app, before anything is measured. */
import { cpus } from 'node:os'
import { splitCores } from '../../machine/cores.js'
import { callerCwd } from '../../machine/caller-cwd.js'
import { labFacts } from '../../machine/lab.js'
import { run } from '../../machine/process.js'
import { badOption, getErrorMessage, HopbenchError, isHopbenchError } from '../../errors.js'
import { attempt } from '../../shared/attempt.js'
import { plural } from '../../shared/format.js'
import { prefixesFrom } from '../../request/own-prefixes.js'
import { findKitFault } from './find-kit-fault.js'
import { listPrefixCandidates } from './find-prefixes.js'
import { lookAtApp } from './look-app.js'
import { listBuiltFolders, lookAtFolder, lookAtProject } from './look-project.js'
import { adviseRequestFrom, QUIET } from './request.js'

/** @import { AdviceFacts } from '../../types.js' */
/** @import { Bench } from './compare.js' */
/** @import { AdviseFlags, AdviseRequest } from './request.js' */

/**
 * Facts of an app, and the request and the options with the folders that it serves.
 *
 * @typedef {object} Found
 * @property {AdviceFacts} facts
 * @property {AdviseRequest} request
 * @property {AdviseFlags} options
 * @property {string[]} leftOut folders that the app serves and --files refuses, with the reason
 * @property {string | null} kitFault note, if a kit cannot be written
 */

/**
 * Looks at an app. Where no --files is typed, finds the folders of the project that the app serves.
 *
 * @param {AdviseRequest} request
 * @param {{ bench: Bench, options: AdviseFlags, today: string }} world
 * @returns {Promise<Found>}
 * @throws {HopbenchError} advise-start, advise-service, bad-option
 */
export async function look (request, { bench, options, today }) {
  const folder = callerCwd()
  const project = lookAtProject(folder, request.prefixes)
  const isPrivateNetwork = options.lab && (await labFacts()).network === 'namespaces'
  const { running, served } = await lookAtApp({
    words: [
      // Keeps the output of the app, which explains a failed start.
      ...request.appWords.filter(spec => spec !== QUIET),
      ...request.filesWords,
      ...request.contentWords,
      ...toAcceptWords(request),
      '--path', request.paths[0],
      ...isPrivateNetwork ? ['--lab'] : []
    ],
    requests: {
      paths: request.paths,
      mixed: request.requests,
      headers: request.headers,
      candidates: request.prefixes.length > 0
        ? []
        : listPrefixCandidates(folder, project.unnamedFolders, listBuiltFolders(folder))
    },
    dir: bench.dir,
    command: bench.command,
    readySeconds: request.app.readySeconds
  }).catch(error => { throw toRefusal(error, request, isPrivateNetwork) })
  if (running.refused.length > 0) throw createRefusal(running.refused, request, isPrivateNetwork)
  const found = withServed(request, options, served)
  return {
    ...found,
    kitFault: await findKitFault(found.request, found.options),
    facts: {
      project: served.length === 0 ? project : lookAtProject(folder, found.request.prefixes),
      app: running,
      folders: found.request.prefixes.map(lookAtFolder),
      platform: request.platform,
      machine: await lookAtMachine(),
      hasSocket: request.app.listen.includes('unix'),
      hasOwnPort: request.app.listen.includes('tcp'),
      isPrivate: request.isPrivate,
      today
    }
  }
}

/**
 * Returns the option for the media types that a HAR file's request accepts, because an app may respond to them only.
 *
 * @param {Pick<AdviseRequest, 'requests' | 'headers'>} request
 * @returns {string[]}
 */
function toAcceptWords ({ requests: [{ headers = {} }], headers: typed }) {
  const isTyped = Object.keys(typed).some(name => name.toLowerCase() === 'accept')
  return headers.Accept && !isTyped ? ['--header', `Accept: ${headers.Accept}`] : []
}

/** @returns {Promise<AdviceFacts['machine']>} */
async function lookAtMachine () {
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
 * Adds folders that the app serves. A folder that --files refuses, as with hidden files in it, is left out.
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
  return { request: { ...adviseRequestFrom(whole), typed: request.typed }, options: whole, leftOut }
}

/**
 * @param {string} text of --files
 * @returns {string | null} null: --files takes it
 */
const findPrefixFault = text => attempt(() => {
  prefixesFrom({ files: [text] })
  return null
}, getErrorMessage)

/** Matches the refusal of the gate for a response with another status than 2xx. */
const REFUSED = /responds to GET (\S+) (with status \d+(?: and leads to \S+)?)/
/** Remedies by the option whose file names a refused request. @type {Record<string, string>} */
const REMEDIES = {
  '--har': 'Save the requests of this app, and send a session with --header if it needs a login.',
  '--paths': 'Leave such paths out of the file, or send a session with --header if they need a login.'
}

/**
 * Turns the refusal of the gate into the error of a refused request. Returns other errors unchanged.
 * @param {unknown} error
 * @param {Pick<AdviseRequest, 'mixWords'>} request
 * @param {boolean} isPrivate whether the app has a private network
 */
export function toRefusal (error, request, isPrivate) {
  const [, path, how] = REFUSED.exec(isHopbenchError(error, 'advise-start') ? error.message : '') ?? []
  if (path === undefined) return error
  return createRefusal([{ path, why: `the app responds to ${path} ${how}` }], request, isPrivate)
}

/**
 * Creates the error of refused requests, which the gate of each comparison would refuse, too.
 * @param {AdviceFacts['app']['refused']} refused at least one
 * @param {Pick<AdviseRequest, 'mixWords'>} request
 * @param {boolean} isPrivate whether the app has a private network
 */
export function createRefusal ([{ path, why }, ...others], { mixWords }, isPrivate) {
  const whole = others.length > 0 ? `${why}, and refuses ${plural(others.length, 'more path')}` : why
  if (/ with status 5\d\d\b/.test(why)) {
    return new HopbenchError('advise-start', {
      message: `${whole}, so the app itself fails`,
      remedy: isPrivate
        ? 'Add --no-lab if the app needs a database or another service, which its private network excludes. ' +
          'Otherwise start the app by hand, request this path and read the output.'
        : 'Start the app by hand, request this path and read the output: a database may be missing.'
    })
  }
  if (mixWords.length > 0) return badOption(mixWords[0], mixWords[1], whole, REMEDIES[mixWords[0]])
  return badOption('--path', path, whole, / with status (?:30\d|401|403)\b/.test(why)
    ? 'Name a path that responds without a login, or send a session with --header.'
    : 'Name a path of the app, as in --path /api/items.')
}
