/** The fastest arm of a run, and the proxy configuration that follows from it (pure). */
import { shellWord } from '../errors.js'
import { comparable, findSlower, listRated } from '../judge/ahead.js'
import { IN_CLONE, toAppOptions, toFilesOptions } from '../shared/commands.js'
import { listing } from '../shared/format.js'
import { getProgramKey, getRelease, isFromWheel } from '../shared/releases.js'
import { errorsOf } from '../shared/trial.js'
import { servesStatics } from '../plan/predicates.js'
import { isForeign, stateCode } from '../plan/foreign.js'
import { isOwn } from '../plan/spec.js'

/** @import { ArmResult, RunRecord, Topology } from '../types.js' */

/**
 * Finds the arm with the highest median rate, among arms with the same requests.
 * @param {RunRecord} record
 * @returns {{ arm: ArmResult, undecided: string[] } | null} undecided: arms that no verdict separates from the winner;
 * null: no arm was measured
 */
export function findWinner ({ arms, contrasts, plan }) {
  const ranked = comparable(listRated({ arms, plan })).arms
    .toSorted((a, b) => (b.rps?.median ?? 0) - (a.rps?.median ?? 0))
  if (ranked.length === 0) return null
  const [arm, ...others] = ranked
  const slower = findSlower(arm, ranked, contrasts)
  return { arm, undecided: others.map(({ name }) => name).filter(name => !slower.has(name)) }
}

/**
 * Returns whether a run has contrasts and all of them are invalid.
 *
 * @param {Pick<RunRecord, 'contrasts'>} record
 */
export const lacksComparison = ({ contrasts }) =>
  contrasts.length > 0 && contrasts.every(({ verdict }) => verdict === 'invalid')

/**
 * Finds the proxy configuration that a run supports.
 * @param {RunRecord} record
 * @returns {{ sentence: string, spec: string | null } | null} spec: arguments of `hopbench config`, for a shell; null
 * without a proxy in front; null: no arm was measured
 */
export function findConfiguration (record) {
  const faultless = record.arms.filter(arm => errorsOf(arm.errors) === 0)
  const arms = faultless.length > 0 ? faultless : record.arms
  const winner = lacksComparison(record) ? null : findWinner({ ...record, arms })
  if (!winner) return null
  const { arm, undecided } = winner
  const fastest = undecided.length === 0
    ? `The fastest is ${arm.name}.`
    : `The highest rate was measured for ${arm.name}, but no verdict separates it from ${listing(undecided)}.`
  const proxied = arms.filter(({ topology: { proxy, ...hops } }) =>
    proxy && !proxy.config && !isOfThirdParty({ proxy, ...hops }, record.tools))
  const recommended = proxied.find(({ name }) => record.recommended.includes(name))
  const chosen = recommended ?? (proxied.includes(arm) ? arm : findWinner({ ...record, arms: proxied })?.arm)
  // With a configuration of your own or a program of a third party, the fastest arm has a proxy and is not chosen.
  const why = arm.topology.proxy?.config
    ? 'It is not a configuration of hopbench'
    : arm.topology.proxy
      ? `Its ${arm.topology.proxy.name} is a build of a third party, from which alone nothing is recommended`
      : 'It has no proxy in front'
  if (!chosen?.topology.proxy) {
    const rest = arm.topology.proxy ? '' : ', so there is nothing to configure'
    return { sentence: `${fastest} ${why}${rest}.`, spec: null }
  }
  const introduction = chosen === recommended
    ? `Recommended: ${chosen.name}.`
    : `${why}; with ${arm.topology.proxy ? 'another' : 'one'} the highest rate was measured for ${chosen.name}.`
  const found = chosen === arm ? fastest : `${fastest} ${introduction}`
  const statement = isForeign(record.plan) ? stateCode([chosen]) : null
  if (statement !== null) return { sentence: `${found} ${withoutCommand(statement)}`, spec: null }
  return { sentence: `${found} Its ${chosen.topology.proxy.name} configuration:`, spec: toConfigWords(chosen) }
}

/**
 * Returns the sentences in place of a command with code of a foreign run, because a reader copies a command.
 * @param {string} statement of stateCode()
 */
export const withoutCommand = statement =>
  `This account has not made the run, which ${statement}, so no command is printed.`

/**
 * Returns whether the proxy of a topology came from a wheel, which the project of the proxy does not make.
 * @param {Topology} topology
 * @param {Record<string, string>} tools versions by program
 */
const isOfThirdParty = ({ proxy }, tools) => proxy !== null && isFromWheel(tools[getProgramKey(proxy)] ?? '')

/**
 * Returns the arguments of `hopbench config` for an arm: its topology, the app if that is a command, and the
 * folders of files that the proxy serves.
 * @param {Pick<ArmResult, 'spec' | 'topology'>} arm
 */
function toConfigWords ({ spec, topology }) {
  const { server, proxy } = topology
  const app = server?.command ? toAppOptions(server.name, server.command) : []
  const files = servesStatics(proxy) ? toFilesOptions(topology) : []
  return [spec, ...app, ...files].map(shellWord).join(' ')
}

/**
 * Returns the command that writes a kit of a configuration.
 * @param {Pick<ArmResult, 'spec' | 'topology'>} arm
 * @returns {string | null} null: kits start only nginx of their own release, and no server of hopbench
 */
export function toKitCommand ({ spec, topology }) {
  const { proxy, server } = topology
  if (proxy?.name !== 'nginx' || getRelease(proxy) || (server && !isOwn(server))) return null
  const folder = server ? '' : ' --root ./public'
  return `${IN_CLONE} config ${toConfigWords({ spec, topology })}${folder} --target docker`
}
