/** Date, machine and app of a run, for the first screen of its page (pure). */
import { getServedNode } from '../../plan/runtimes.js'
import { listing, plural } from '../../shared/format.js'

/** @import { RunRecord } from '../../types.js' */

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
