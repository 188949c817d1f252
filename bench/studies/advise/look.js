/** Looks at a project, its folders and its running app, before anything is measured. */
import { cpus } from 'node:os'
import { splitCores } from '../../machine/cores.js'
import { callerCwd } from '../../machine/caller-cwd.js'
import { labFacts } from '../../machine/lab.js'
import { run } from '../../machine/process.js'
import { badOption, isHopbenchError } from '../../errors.js'
import { attempt } from '../../shared/attempt.js'
import { prefixesFrom } from '../own-prefixes.js'
import { listCandidates } from './find-prefixes.js'
import { lookAtApp } from './look-app.js'
import { lookAtFolder, lookAtProject } from './look-project.js'
import { adviseRequestFrom } from './request.js'

/** @import { HopbenchError } from '../../errors.js' */
/** @import { AdviceFacts } from '../../types.js' */
/** @import { Bench } from './compare.js' */
/** @import { AdviseFlags, AdviseRequest } from './request.js' */

/**
 * Looks at an app. Where no --files is typed, finds the folders of the project that the app serves.
 *
 * @param {AdviseRequest} request
 * @param {{ bench: Bench, options: AdviseFlags, today: string }} world
 * @returns {Promise<{ facts: AdviceFacts, request: AdviseRequest, options: AdviseFlags }>} with the folders that are
 *   served
 * @throws {HopbenchError} advise-start, advise-service, bad-option
 */
export async function look (request, { bench, options, today }) {
  const project = lookAtProject(callerCwd(), request.prefixes)
  const isPrivateNetwork = options.lab && (await labFacts()).network === 'namespaces'
  const { running, served } = await lookAtApp({
    words: [
      ...request.appWords, ...request.filesWords, ...request.contentWords, '--path', request.paths[0],
      ...isPrivateNetwork ? ['--lab'] : []
    ],
    requests: {
      paths: request.paths,
      headers: request.headers,
      candidates: request.prefixes.length > 0 ? [] : listCandidates(callerCwd(), project.unnamedFolders)
    },
    dir: bench.dir,
    command: bench.command,
    readySeconds: request.app.readySeconds
  }).catch(error => { throw toRefusal(error, request) })
  refuseWithoutPages(running.pages.length, running.refused)
  const found = withServed(request, options, served)
  return {
    ...found,
    facts: {
      project: served.length === 0 ? project : lookAtProject(callerCwd(), found.request.prefixes),
      app: running,
      folders: found.request.prefixes.map(lookAtFolder),
      platform: request.platform,
      machine: await lookAtMachine(),
      hasSocket: request.app.listen.includes('unix'),
      isPrivate: request.isPrivate,
      today
    }
  }
}

/** @returns {Promise<AdviceFacts['machine']>} */
async function lookAtMachine () {
  const { stdout } = await run(['node', '--version'])
  return {
    servedCores: splitCores().served.length,
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
 */
function withServed (request, options, served) {
  const files = served.filter(text => attempt(() => prefixesFrom({ files: [text] }).length > 0, () => false))
  if (files.length === 0) return { request, options }
  const whole = { ...options, files }
  return { request: { ...adviseRequestFrom(whole), typed: request.typed }, options: whole }
}

/** Matches the refusal of the gate for a response with another status than 2xx. */
const REFUSED = /responds to GET (\S+) (with status \d+(?: and leads to \S+)?)/

/**
 * Names the option that has led to a refused request.
 * @param {unknown} error
 * @param {AdviseRequest} request
 */
function toRefusal (error, { mixWords }) {
  const [, path, how] = REFUSED.exec(isHopbenchError(error, 'advise-start') ? error.message : '') ?? []
  if (path === undefined) return error
  const isMix = mixWords.length > 0
  return badOption(isMix ? mixWords[0] : '--path', isMix ? mixWords[1] : path,
    `the app responds to ${path} ${how}`, isMix
      ? 'Save the requests of this app, and send a session with --header if it needs a login.'
      : 'Name a path that responds without a login, or send a session with --header.')
}

/**
 * @param {number} pages number of paths with a response that can be measured
 * @param {AdviceFacts['app']['refused']} refused
 */
function refuseWithoutPages (pages, refused) {
  if (pages > 0) return
  const [{ path, why }] = refused
  throw badOption('--path', path, why, / (?:30[1-8]|401|403)\b/.test(why)
    ? 'Name a path that responds without a login, or send a session with --header.'
    : 'Name a path with a response, and read the output of the app.')
}
