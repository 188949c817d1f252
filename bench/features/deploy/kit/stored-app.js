/** Takes the command of an app, its folders of files and the path of its requests from a stored run. */
import { badOption } from '../../../errors.js'
import { printPrefix } from '../../../plan/file-prefixes.js'
import { servesStatics } from '../../../plan/predicates.js'
import { parse } from '../../../plan/spec.js'
import { printListen } from '../../../shared/commands.js'
import { REDACTED } from '../../../shared/secrets.js'
import { APP } from '../../../request/user-apps.js'
import { trustedRun } from '../../../run/stored-run.js'
import { isForeign, stateCode } from '../../../plan/foreign.js'

/** @import { HopbenchError } from '../../../errors.js' */
/** @import { AppCommand, RunRecord } from '../../../types.js' */

/**
 * The options of `hopbench config` that name the app.
 * @typedef {{ app?: string[], listen?: string, readyWithin?: number, files?: string[], from?: string,
 *   results?: string, trustRun?: boolean }} AppOptions
 */

/**
 * Adds the command that a stored run has started, and the folders of files that its proxy has served, unless they are
 * typed.
 *
 * @template {AppOptions} O
 * @param {string} spec
 * @param {O} typed options
 * @returns {Promise<O & { statement: string | null }>} statement: of stateCode(), about a foreign run that is trusted;
 * null: the run is of this account, or names no code
 * @throws {HopbenchError} bad-option, unknown-run, bad-run-file, untrusted-run
 */
export async function withStoredApp (spec, typed) {
  const { app, from } = typed
  const { server, proxy } = parse(spec)
  const name = server?.name
  const stored = from === undefined || name === undefined ? null : await trustedRun(from, typed)
  const record = stored?.record ?? null
  const files = servesStatics(proxy) ? typed.files ?? findFiles(record, name) : typed.files
  const statement = record && isForeign(record.plan) ? stateCode(record.plan.arms, record.plan.root) : null
  const options = { ...typed, statement, ...files && { files } }
  const command = app === undefined ? findCommand(record, name) : null
  if (command === null) {
    if (name === APP && app === undefined) throw missing(spec, from)
    return options
  }
  if (command.run.includes(REDACTED)) {
    throw badOption('--from', from, 'its command has a secret that is not stored',
      'Name the command with --app, and let the app read the secret from its environment.')
  }
  return {
    ...options,
    app: [`${name}=${command.run}`],
    listen: options.listen ?? printListen(command.listen),
    readyWithin: options.readyWithin ?? command.readySeconds
  }
}

/**
 * @param {string} spec
 * @param {string} [from]
 */
const missing = (spec, from) => from === undefined
  ? badOption('The topology of hopbench config', spec, `"${APP}" is a command, and there is no --app`,
    "Add the command that starts the app and where it listens, as in --app 'npm start' --listen '$PORT'.")
  : badOption('--from', from, `the run has no app that is a command and called ${APP}`,
    "Add the command that starts the app, as in --app 'npm start'.")

/**
 * @param {RunRecord | null} record
 * @param {string} [name] of a server
 * @returns {AppCommand | null}
 */
function findCommand (record, name) {
  const arm = record?.plan.arms.find(({ topology: { server } }) => server?.name === name && server?.command)
  return arm?.topology.server?.command ?? null
}

/**
 * @param {RunRecord | null} record
 * @param {string} [name] of a server
 * @returns {string[] | undefined} as --files takes them; undefined: the run has none
 */
function findFiles (record, name) {
  const arm = record?.plan.arms.find(({ topology: { server, files } }) => server?.name === name && files)
  return arm?.topology.files?.map(printPrefix)
}

/**
 * Returns the path of a run's requests if a health check can request it: without a secret, and by GET.
 *
 * @param {RunRecord} record
 * @param {string} spec
 * @returns {string | null}
 */
export function findHealthPath ({ plan }, spec) {
  const arm = plan.arms.find(arm => arm.spec === spec) ?? plan.arms[0]
  if (!arm) return null
  const { method = 'GET', path, headers } = arm.load
  return method === 'GET' && !path.includes(REDACTED) && !Object.values(headers).includes(REDACTED) ? path : null
}
