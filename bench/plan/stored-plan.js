/** Removes secrets from a plan that is stored or shown, and restores them (pure). */
import { HopbenchError, shellWord } from '../errors.js'
import { pathWithoutSecrets, REDACTED, textWithoutSecrets, withoutSecretValues } from '../shared/secrets.js'

/** @import { AppCommand, Arm, Load, MixedRequest, Plan, Topology } from '../types.js' */

/**
 * @param {Plan} plan
 * @returns {Plan} the plan itself if it contains no secrets
 */
export function withoutSecrets (plan) {
  const arms = plan.arms.map(arm => ({ ...arm, load: plainLoad(arm.load), topology: plainTopology(arm.topology) }))
  return JSON.stringify(arms) === JSON.stringify(plan.arms) ? plan : { ...plan, arms }
}

/**
 * Restores the secrets of a stored plan.
 * @param {Plan} plan
 * @param {string} run
 * @param {{ request: Partial<Load>, apps: Record<string, AppCommand> }} given what the command line repeats
 * @returns {Plan}
 * @throws {HopbenchError} secret-missing
 */
export function restoreSecrets (plan, run, given) {
  const missing = (/** @type {string} */ what, /** @type {string} */ option) => {
    throw new HopbenchError('secret-missing', { run, what, option })
  }
  return { ...plan, arms: plan.arms.map(arm => restored(arm, given, missing)) }
}

/**
 * @param {Arm} arm
 * @param {{ request: Partial<Load>, apps: Record<string, AppCommand> }} given
 * @param {(what: string, option: string) => never} missing
 * @returns {Arm}
 */
function restored (arm, { request, apps }, missing) {
  const { load, topology: { server } } = arm
  const command = server && Object.hasOwn(apps, server.name) ? apps[server.name] : null
  const headers = Object.fromEntries(Object.entries(load.headers).map(([name, value]) => {
    if (value !== REDACTED) return [name, value]
    const again = Object.entries(request.headers ?? {}).find(([other]) => other.toLowerCase() === name.toLowerCase())
    return [name, again?.[1] ?? missing(`the header ${name}`, `--header ${shellWord(`${name}: …`)}`)]
  }))
  let { body, path } = load
  if (body && body.base64 === null) {
    if (request.body?.bytes !== body.bytes) missing(`a body of ${body.bytes} bytes`, '--body or --body-file')
    body = request.body
  }
  if (path.includes(REDACTED)) {
    if (pathWithoutSecrets(request.path ?? '') !== path) missing(`the path ${path}`, '--path')
    path = request.path ?? path
  }
  const requests = load.requests && restoreBodies(load.requests, request.requests ?? [], missing)
  const run = server?.command?.run
  if (run?.includes(REDACTED) && textWithoutSecrets(command?.run ?? '') !== run) missing(`the command ${run}`, '--app')
  return {
    ...arm,
    load: { ...load, path, headers, ...body && { body }, ...requests && { requests } },
    ...run?.includes(REDACTED) && server && command && {
      topology: {
        ...arm.topology, server: { ...server, command: { ...command, listen: server.command?.listen ?? [] } }
      }
    }
  }
}

/**
 * Returns the requests of a mix with their bodies. The file of --har must have as many of the same method, path and
 * length.
 *
 * @param {MixedRequest[]} stored
 * @param {MixedRequest[]} given
 * @param {(what: string, option: string) => never} missing
 * @returns {MixedRequest[]}
 */
function restoreBodies (stored, given, missing) {
  const left = [...given]
  return stored.map(request => {
    const { method, path, body } = request
    if (body?.base64 !== null) return request
    const index = left.findIndex(other =>
      other.method === method && other.path === path && other.body?.bytes === body.bytes)
    if (index === -1) return missing(`the body of ${method} ${path}`, '--har')
    const [found] = left.splice(index, 1)
    return { ...request, body: found.body }
  })
}

/** Names that commands store in place of an experiment. A sizing has no plan of blocks, and a comparison of two states
 * removes its checkouts at its end. */
const WITHOUT_RESUMPTION = ['size', 'size-url', 'diff', 'rollout']

/**
 * Returns the command that resumes a run: with its name or folder, and the options with secrets that must be given
 * again. "…" replaces a secret.
 * @param {string} run name or folder
 * @param {Pick<Plan, 'experiment' | 'arms'>} plan without secrets
 * @returns {string | null} without the program; null: the run cannot be resumed
 */
export function toResumeCommand (run, { experiment, arms }) {
  // A configuration of your own is not stored with a run.
  if (WITHOUT_RESUMPTION.includes(experiment) || arms.some(({ topology }) => topology.proxy?.config)) return null
  const options = arms.flatMap(({ load, topology: { server } }) => [
    ...Object.keys(load.headers).filter(name => load.headers[name] === REDACTED)
      // A header with another name cannot be printed as a command of a record (bench/shared/commands.js).
      .map(name => /^[\w-]+$/.test(name) ? `--header '${name}: …'` : '--header …'),
    ...load.body?.base64 === null ? ['--body-file …'] : [],
    ...load.requests?.some(({ body }) => body?.base64 === null) ? ['--har … --har-methods …'] : [],
    ...load.path.includes(REDACTED) ? ['--path …'] : [],
    ...server?.command?.run.includes(REDACTED) ? [`--app '${server.name}=…'`] : []
  ])
  return ['run --resume', shellWord(run), ...new Set(options)].join(' ')
}

/**
 * @param {Load} load
 * @returns {Load}
 */
const plainLoad = load => ({
  ...load,
  path: pathWithoutSecrets(load.path),
  headers: withoutSecretValues(load.headers),
  ...load.body && { body: plainBody(load.body) },
  ...load.requests && { requests: load.requests.map(plainRequest) }
})

/**
 * @param {MixedRequest} request
 * @returns {MixedRequest}
 */
const plainRequest = ({ body, ...request }) => ({ ...request, ...body && { body: plainBody(body) } })

/**
 * Returns a body without its bytes and its id. A body can contain a password that cannot be recognised.
 *
 * @param {NonNullable<Load['body']>} body
 */
const plainBody = ({ bytes }) => ({ base64: null, bytes })

/**
 * @param {Topology} topology
 * @returns {Topology}
 */
const plainTopology = ({ proxy, server, ...topology }) => ({
  proxy: proxy?.config ? { ...proxy, config: { ...proxy.config, script: null } } : proxy,
  server: server?.command
    ? { ...server, command: { ...server.command, run: textWithoutSecrets(server.command.run) } }
    : server,
  ...topology
})
