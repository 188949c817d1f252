/** Looks at a project, its folders and its running app, before anything is measured. */
import { cpus } from 'node:os'
import { splitCores } from '../../machine/cores.js'
import { callerCwd } from '../../machine/caller-cwd.js'
import { labFacts } from '../../machine/lab.js'
import { run } from '../../machine/process.js'
import { badOption, isHopbenchError } from '../../errors.js'
import { lookAtApp } from './look-app.js'
import { lookAtFolder, lookAtProject } from './look-project.js'

/** @import { HopbenchError } from '../../errors.js' */
/** @import { AdviceFacts } from '../../types.js' */
/** @import { Bench } from './compare.js' */
/** @import { AdviseRequest } from './request.js' */

/**
 * @param {AdviseRequest} request
 * @param {{ bench: Bench, lab: boolean, today: string }} world lab: false with --no-lab
 * @returns {Promise<AdviceFacts>}
 * @throws {HopbenchError} advise-start, advise-service, bad-option
 */
export async function look (request, { bench, lab, today }) {
  const { app, prefixes, paths, headers, platform, appWords, contentWords, isPrivate } = request
  const project = lookAtProject(callerCwd(), prefixes)
  const isPrivateNetwork = lab && (await labFacts()).network === 'namespaces'
  const running = await lookAtApp({
    words: [...appWords, ...contentWords, '--path', paths[0], ...isPrivateNetwork ? ['--lab'] : []],
    paths,
    headers,
    dir: bench.dir,
    command: bench.command,
    readySeconds: app.readySeconds
  }).catch(error => { throw toRefusal(error, request) })
  refuseWithoutPages(running.pages.length, running.refused)
  const { stdout } = await run(['node', '--version'])
  return {
    project,
    app: running,
    folders: prefixes.map(lookAtFolder),
    platform,
    machine: {
      servedCores: splitCores().served.length,
      cpu: cpus()[0]?.model ?? 'an unknown processor',
      // An app without Node is measured where there is none on PATH.
      node: stdout.trim().replace(/^v/, '') || process.versions.node
    },
    hasSocket: app.listen.includes('unix'),
    isPrivate,
    today
  }
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
  throw badOption('--path', path, why, 'Name a path that responds without a login, or send a session with --header.')
}
