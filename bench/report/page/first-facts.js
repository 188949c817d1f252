/** Date, machine, app and command of a run, for the first screen of its page (pure). */
import { shellWord } from '../../errors.js'
import { getServedNode } from '../../plan/runtimes.js'
import { toAppOptions, toFilesOptions } from '../../shared/commands.js'
import { listing, plural } from '../../shared/format.js'

/** @import { RunRecord } from '../../types.js' */

/** Experiments that are not started by their name with "hopbench run". */
const TYPED = ['typed', 'size', 'selftest']

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
 * @returns {string | null} null: a sizing or a selftest, whose command has its goals as options
 */
export function toCommand (record) {
  const { experiment, plan } = record
  if (TYPED.slice(1).includes(experiment)) return null
  const withFiles = plan.arms.find(({ topology }) => topology.files)
  const options = [
    ...[...findApps(record)].flatMap(([name, command]) => toAppOptions(name, command)),
    ...withFiles ? toFilesOptions(withFiles.topology) : []
  ]
  const words = experiment === TYPED[0]
    ? plan.arms.filter(({ twinOf }) => twinOf === null).map(({ topology, word }) => topology.url ?? word)
    : [experiment]
  return ['npx hopbench run', ...[...options, ...words].map(shellWord), ...plan.quick ? ['--quick'] : []].join(' ')
}
