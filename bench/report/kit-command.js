/** Commands that write a deploy kit, for the end of a text (pure). */
import { findBest, offeringName } from '../judge/offering-choice.js'
import { shellWord } from '../errors.js'
import { isOwn } from '../plan/spec.js'
import { IN_CLONE } from '../shared/commands.js'
import { getRelease } from '../shared/releases.js'
import { toConfigWords } from './winner.js'

/** @import { ArmResult, Sizing } from '../types.js' */

/** Kits for the platforms of providers. An offering of another provider runs an image. */
const KITS = new Map([['Fly.io', 'fly'], ['Heroku', 'heroku'], ['Render', 'render']])

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

/**
 * Returns the command that writes a kit for the recommended offering of a sizing.
 * @param {Sizing} sizing
 * @param {string} run as a word of a shell
 * @returns {string[] | null} its parts, between which a line may be broken; null: no app of the user's own was sized
 */
export function toSizedKitCommand ({ table, topologies }, run) {
  const best = findBest(table)
  const { proxy, server } = topologies.find(({ spec }) => spec === best?.topology)?.topology ?? {}
  if (!best || !server || !isOwn(server) || (proxy && getRelease(proxy))) return null
  const target = KITS.get(best.offering.provider) ?? 'docker'
  const plan = shellWord(offeringName(best.offering))
  return [`${IN_CLONE} config ${shellWord(best.topology)}`, `--from ${run} --target ${target}`, `--plan ${plan}`]
}
