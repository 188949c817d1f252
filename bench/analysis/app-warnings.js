/** Warnings about apps that a command starts: what in the app explains or changes the results (pure). */
import { print } from '../plan/word.js'

/** @import { ArmResult, InvalidCode, Topology, Warning } from '../types.js' */

/**
 * Finds the warnings about apps.
 *
 * @param {ArmResult[]} arms
 * @returns {Warning[]}
 */
export function findAppWarnings (arms) {
  const apps = arms.filter(({ topology: { server } }) => server?.command)
  const closing = apps.filter(arm => hasInvalidTrial(arm, 'not-pooled'))
  const hanging = apps.filter(arm => hasInvalidTrial(arm, 'clients-hang'))
  const writing = apps.filter(({ topology: { server }, proof }) => proof.writesPerRequest && !server?.command?.quiet)
  /** @type {Warning[]} */
  const warnings = []
  if (closing.length > 0) {
    const words = [...new Set(closing.map(({ topology }) => print(withoutPool(topology))))]
    warnings.push({ code: 'app-closes-connections', params: { arms: getNames(closing), words } })
  }
  if (hanging.length > 0) {
    const connections = Math.max(...hanging.map(({ load }) => load.connections))
    warnings.push({ code: 'app-hangs', params: { arms: getNames(hanging), connections } })
  }
  if (writing.length > 0) warnings.push({ code: 'app-writes-output', params: { arms: getNames(writing) } })
  return warnings
}

/**
 * @param {ArmResult} arm
 * @param {InvalidCode} code
 */
const hasInvalidTrial = ({ invalid, invalidTrials }, code) =>
  invalid?.code === code || invalidTrials.some(({ reason }) => reason.code === code)

/**
 * Returns the topology with a new connection to the app for each request.
 *
 * @param {Topology} topology
 * @returns {Topology}
 */
function withoutPool (topology) {
  const { proxy } = topology
  if (!proxy?.transport) return topology
  return { ...topology, proxy: { ...proxy, transport: proxy.transport.startsWith('uds') ? 'uds' : 'tcp' } }
}

/** @param {ArmResult[]} arms */
const getNames = arms => arms.map(({ name }) => name)
