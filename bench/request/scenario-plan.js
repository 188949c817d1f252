/** Completes and checks the arms of a plan whose requests a scenario plays. */
import { badOption, HopbenchError } from '../errors.js'
import { passesUpgrades } from '../plan/predicates.js'
import { resolveOptions } from '../plan/topology-options.js'
import { loadPlugin } from '../plan/plugins.js'
import { listActs, RELOAD_PROXY } from '../topology/acts.js'
import { hasNodeServer } from '../topology/proxy-origin.js'

/** @import { Arm, OptionSpec, OptionValue, Plan, PlayedScenario } from '../types.js' */
/** @import { ProxyPlugin, Scenario } from '../types.js' */
/** @import { RunFlags } from './types.js' */

/** Most seconds of a play. A run has many, and is to end within three minutes. */
const MAX_SECONDS = 60
const UNITS = /** @type {Record<string, number>} */ ({ ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 })

/**
 * Adds the options of each scenario with their defaults, and its number of connections.
 * @param {Plan} plan
 * @param {RunFlags} options
 * @returns {Promise<Plan>}
 * @throws {HopbenchError} bad-option, bad-plugin, unknown-plugin
 */
export async function withScenarios (plan, options) {
  rejectLoadOptions(options)
  const arms = await Promise.all(plan.arms.map(withScenario))
  const seconds = await Promise.all(arms.map(async arm => (await loadNeeds(arm)).seconds))
  return { ...plan, arms, windowSeconds: Math.max(...seconds) }
}

/**
 * Rejects options for load generators, which a scenario does not use.
 * @param {RunFlags} options
 */
function rejectLoadOptions (options) {
  const given = Object.entries({
    '--connections': options.connections,
    '--engine': options.engine,
    '--rate': options.rate,
    '--detect': options.detect,
    '--precision': options.precision,
    '--fail-if-slower': options.failIfSlower,
    '--load-hosts': options.load?.map(({ name }) => name).join(',')
  }).find(([, value]) => value !== undefined)
  if (!given) return
  throw badOption(given[0], given[1], 'this experiment plays a scenario, which has its own requests on this machine',
    'Leave it out.')
}

/**
 * @param {Arm} arm
 * @returns {Promise<Arm>}
 */
async function withScenario (arm) {
  const { name, options: given } = /** @type {PlayedScenario} */ (arm.load.scenario)
  const { axis, expects, options: specs, needs } = await loadScenario(name)
  const resolved = resolveOptions(name, specs, given)
  const options = Object.fromEntries(Object.entries(resolved).map(([option, value]) =>
    [option, toPlayed(specs[option], value)]))
  return {
    ...arm,
    load: {
      ...arm.load,
      connections: needs(options).connections ?? arm.load.connections,
      scenario: { name, options, ...axis && { axis }, ...expects && { expects } }
    }
  }
}

/**
 * Returns a duration in milliseconds, and any other value unchanged.
 * @param {OptionSpec} spec
 * @param {OptionValue} value
 * @returns {OptionValue}
 */
function toPlayed ({ type }, value) {
  const [, amount, unit = 's'] = type === 'duration' ? /^(\d+)(ms|[smhd])?$/.exec(String(value)) ?? [] : []
  return amount === undefined ? value : Number(amount) * UNITS[unit]
}

/**
 * Rejects an arm that lacks an ability which its scenario needs.
 * @param {Arm} arm
 * @throws {HopbenchError} bad-topology, bad-plugin, unknown-plugin
 */
export async function checkScenario (arm) {
  const { acts = [], seconds, upgrade = false } = await loadNeeds(arm)
  const { name } = /** @type {PlayedScenario} */ (arm.load.scenario)
  if (!(seconds > 0 && seconds <= MAX_SECONDS)) {
    throw new HopbenchError('bad-plugin',
      { file: `bench/scenarios/${name}.js`, why: `a play takes ${seconds} s, and the limit is ${MAX_SECONDS} s` })
  }
  if (upgrade) await rejectWithoutUpgrades(arm, name)
  if (acts.length === 0) return
  const { proxy, server } = arm.topology
  /** @type {ProxyPlugin | null} */
  const plugin = proxy && (await loadPlugin('proxy', proxy.name)).default
  const canRestart = Boolean(server?.command) || hasNodeServer(arm.topology)
  const possible = listActs(arm.topology, { plugin, canRestart })
  const missing = acts.find(act => !possible.includes(act))
  if (missing === undefined) return
  const option = missing === RELOAD_PROXY ? plugin?.reload?.needs : undefined
  const others = possible.length > 0 ? `it can ${possible.join(', ')}` : 'it has no action'
  throw new HopbenchError('bad-topology', {
    spec: arm.spec,
    why: `the scenario ${name} needs the action ${missing}, and ${others}`,
    remedy: option === undefined
      ? 'Choose another proxy or process manager.'
      : `Add the option with which ${proxy?.name} can: ${proxy?.name}:${proxy?.transport}+${option}`
  })
}

/**
 * Rejects a proxy that passes on upgrades only with an option, which is not set.
 * @param {Arm} arm
 * @param {string} scenario
 */
async function rejectWithoutUpgrades ({ spec, topology: { proxy } }, scenario) {
  if (!proxy || passesUpgrades(proxy)) return
  const { default: { about } } = /** @type {{ default: ProxyPlugin }} */ (await loadPlugin('proxy', proxy.name))
  if (!Object.hasOwn(about.options, 'websocket')) return
  throw new HopbenchError('bad-topology', {
    spec,
    why: `the scenario ${scenario} opens WebSockets, which ${about.title} passes on only with an option`,
    remedy: `Write ${proxy.name}:${proxy.transport}+websocket.`
  })
}

/** @param {Arm} arm */
async function loadNeeds ({ load }) {
  const { name, options } = /** @type {PlayedScenario} */ (load.scenario)
  return (await loadScenario(name)).needs(options)
}

/**
 * @param {string} name
 * @returns {Promise<Scenario>}
 */
const loadScenario = async name => (await loadPlugin('scenario', name)).default
