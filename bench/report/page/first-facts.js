/** Date, machine, app and command of a run, for the first screen of its page (pure). */
import { shellWord } from '../../errors.js'
import { getServedNode } from '../../plan/runtimes.js'
import { ANYWHERE, toAppOptions, toFilesOptions, withOwnCommand } from '../../shared/commands.js'
import { listing, plural } from '../../shared/format.js'
import { REDACTED } from '../../shared/secrets.js'
import { toSizedKitCommand } from '../kit-command.js'
import { listDeployedOptions, listSizeOptions } from '../size-options.js'

/** @import { Plan, RunRecord } from '../../types.js' */

/** Experiment of a run of typed topologies (bench/studies/typed-experiment.js). */
const TYPED = 'typed'
/** Connections of a typed run and of a sizing without options (bench/plan/plan.js, bench/commands/size.js). */
const [CONNECTIONS, SIZE_CONNECTIONS] = [100, 400]

/**
 * Returns the apps by command, by their name in topologies.
 * @param {RunRecord} record
 */
const findApps = ({ arms }) => new Map(arms.flatMap(({ topology: { server } }) =>
  server?.command ? [([server.name, server.command])] : []))

/**
 * Names what was served: apps with their commands, or hopbench's own servers.
 * @param {RunRecord} record
 */
function appText (record) {
  const apps = [...findApps(record)].map(([name, { run }]) => `${name}: ${run}`)
  if (apps.length > 0) return `App ${listing(apps)}`
  const servers = new Set(record.arms.flatMap(({ topology: { server } }) => server?.name ?? []))
  return servers.size === 0 ? 'No app' : `${servers.size > 1 ? 'Servers' : 'Server'} ${listing([...servers])}`
}

/** @param {RunRecord} record */
export function factsSentence (record) {
  const { startedAt, environment } = record
  const { cpu } = environment
  const day = startedAt.slice(0, 16).replace('T', ' ')
  return `${day} UTC. ${cpu.model}, ${plural(cpu.cores, 'core')}, Node ${getServedNode(record)}. ${appText(record)}.`
}

/**
 * Returns the command of the run, without the options that only limit or export it.
 * @param {RunRecord} record
 */
export function toCommandText (record) {
  const { experiment, plan, sizing } = record
  if (experiment === 'selftest') return `${ANYWHERE} selftest`
  if (record.deployed) return toDeployedCommand(record.deployed, plan)
  const apps = findApps(record)
  const withFiles = plan.arms.find(({ topology }) => topology.files)
  const options = [
    ...[...apps].flatMap(([name, command]) => toAppOptions(name, command)),
    ...withFiles ? toFilesOptions(withFiles.topology) : [],
    ...experiment === TYPED || sizing ? listRequestOptions(plan, sizing ? SIZE_CONNECTIONS : CONNECTIONS) : [],
    ...plan.openLoop ? ['--rate', String(plan.openLoop.rate)] : [],
    ...sizing ? listSizeOptions(sizing) : []
  ]
  const words = sizing ? sizing.topologies.map(({ word }) => word) : listWords(record, [...apps.keys()])
  const command = `${ANYWHERE} ${sizing ? 'size' : 'run'}`
  const length = plan.smoke ? '--smoke' : '--quick'
  return [command, ...[...options, ...words].map(shellWord), ...plan.quick ? [length] : []].join(' ')
}

/**
 * Returns the command that measured a deployed instance.
 * @param {NonNullable<RunRecord['deployed']>} deployed
 * @param {Plan} plan
 */
function toDeployedCommand ({ url, goal, caps }, plan) {
  // A stored record may hold any text.
  const hostname = URL.canParse(url) ? new URL(url).hostname : '…'
  const options = [
    ...['--url', url, '--allow-host', hostname, ...listDeployedOptions(goal)],
    ...['--max-rps', String(caps.mostRps), '--max-requests', String(caps.mostRequests)],
    ...['--max-time', `${caps.seconds}s`],
    ...listRequestOptions(plan, SIZE_CONNECTIONS)
  ]
  return [`${ANYWHERE} size`, ...options.map(shellWord), ...plan.quick ? ['--quick'] : []].join(' ')
}

/**
 * Returns the command that writes the kit of a sizing.
 * @param {Pick<RunRecord, 'sizing' | 'run'>} record
 * @returns {string | null} null: no app of the user's own was sized
 */
export function toKit ({ sizing, run }) {
  const parts = sizing && toSizedKitCommand(sizing, shellWord(run))
  return parts ? withOwnCommand(parts.join(' ')) : null
}

/**
 * Returns the typed topologies, or the experiment.
 * @param {RunRecord} record
 * @param {string[]} apps names. A run of an experiment with an app has the name of both.
 */
function listWords ({ experiment, plan }, apps) {
  if (experiment === TYPED) {
    return plan.arms.filter(({ twinOf }) => twinOf === null)
      .map(({ topology: { url }, word, load }) => url === undefined ? word : `${url}${load.path}`)
  }
  const end = apps.length === 1 ? `-${apps[0]}` : ''
  return [experiment.endsWith(end) ? experiment.slice(0, experiment.length - end.length) : experiment]
}

/**
 * Returns the options of the requests of a typed run. "…" replaces a secret or a file.
 * @param {Pick<Plan, 'arms' | 'root'>} plan
 * @param {number} usualConnections
 * @returns {string[]}
 */
function listRequestOptions ({ arms: [arm], root }, usualConnections) {
  if (!arm) return []
  const { path, method, headers, body, connections, requests } = arm.load
  if (root) return ['--root', root]
  if (requests) return ['--har', '…']
  return [
    ...path === '/' || arm.topology.url !== undefined ? [] : ['--path', path],
    ...method && !(body && method === 'POST') ? ['--method', method] : [],
    ...Object.entries(headers).flatMap(([name, value]) =>
      ['--header', `${name}: ${value === REDACTED ? '…' : value}`]),
    ...body ? ['--body-file', '…'] : [],
    ...connections === usualConnections ? [] : ['--connections', String(connections)]
  ]
}
