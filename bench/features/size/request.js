/** Sizes topologies as it was requested: on the command line, or of a worker. */
import { resolve } from 'node:path'
import { badOption } from '../../errors.js'
import { localEngines } from '../../load/find-engine.js'
import { callerCwd } from '../../machine/caller-cwd.js'
import { endingOnInterrupt, isEnclosed } from '../../machine/network/enclosure.js'
import { acquireMachineLock } from '../../machine/machine-lock.js'
import { toCommandLine } from '../../plan/stored-command.js'
import { CONFIDENCE, HEADROOM, NEW_CONNECTIONS, SPARE } from '../../shared/thresholds.js'
import { describeMix, readMix, toMixedArms } from '../../request/user-mix.js'
import { rejectHttp3, rejectNewConnections, rejectTakenPorts } from '../../request/plan-checks.js'
import { prepareHops } from '../../run/programs.js'
import { armsFrom } from '../../request/request.js'
import { readScores } from '../../store/scores.js'
import { assumeCores, readOfferings, selectOfferings, withScores } from './prices/offerings.js'
import { PROFILES, readProfile } from './capacity/profile.js'

/** @import { HopbenchError } from '../../errors.js' */
/** @import { RunFlags } from '../../request/types.js' */
/** @import { WorkerWorld } from '../../run/types.js' */

/** Upper limit of the connections by default. An open loop opens only as many connections as it needs. */
export const CONNECTIONS = 400
/**
 * Largest --confidence. A sizing has too few windows for a larger share (bench/features/size/capacity/confidence.js).
 */
const MAX_CONFIDENCE = 0.99

/** Options of `hopbench size` as typed. @typedef {RunFlags & { rps?: number } & Record<string, any>} SizeFlags */

/**
 * Checks a sizing, waits for another hopbench, installs what the sizing needs, and measures it in a PID namespace.
 *
 * @param {{ words: string[], options: SizeFlags }} request words: topologies
 * @param {Pick<WorkerWorld, 'enclose'>} world
 * @returns {Promise<Awaited<ReturnType<typeof import('./study.js').runSize>> | { exit: number }>} exit: exit code of
 *   the process that has measured in the namespace
 * @throws {HopbenchError}
 */
export async function measureSize ({ words, options }, { enclose }) {
  const { argv = toCommandLine('size', { words, options }) } = options
  const { connections = CONNECTIONS, seed = Math.floor(Math.random() * 2 ** 32) } = options
  const offerings = offeringsFrom(options)
  rejectWithoutGoal(options)
  const typedArms = await armsFrom(words, { ...options, connections })
  rejectHttp3(typedArms)
  if (typedArms.length === 0) {
    throw badOption('hopbench size', undefined, 'it takes topologies, as in nginx:uds/express-json, or --url')
  }
  rejectNewConnections(typedArms, options)
  const mix = readMix(options)
  const arms = mix ? await toMixedArms(typedArms, seed, mix) : typedArms
  if (mix && !isEnclosed()) for (const note of describeMix(mix)) process.stderr.write(`${note}\n`)
  const wish = wishFrom(options)
  if (!isEnclosed()) {
    if (!options.lab) rejectTakenPorts(arms)
    await acquireMachineLock([...argv], { wait: options.wait })
    await prepareHops(arms)
    await localEngines.findFaster()
    const exit = await enclose()
    if (exit !== null) return { exit }
  }
  const { runSize } = await import('./study.js')
  return runSize({
    argv,
    arms,
    rate: Number(options.rps),
    p99Ms: options.p99 * 1000,
    ...wish,
    offerings,
    emulate: options.emulate ?? false,
    quick: options.quick ?? false,
    warmUpSeconds: options.warmUp,
    lab: options.lab,
    seed,
    results: options.results
  }, endingOnInterrupt('window'))
}

/** Returns the offerings that options name. @param {Record<string, any>} options as typed */
export function offeringsFrom ({ plan, plans, provider, assumeVcpu = [], results }) {
  const offerings = withScores(readOfferings(plans && resolve(callerCwd(), plans)), readScores(results))
  return selectOfferings(assumeCores(offerings, assumeVcpu), { plan, provider })
}

/** Returns what an instance and its number must meet. @param {Record<string, any>} options */
export function wishFrom (options) {
  const { headroom = HEADROOM, confidence = CONFIDENCE, profile, spare = SPARE, max = null, soak = null } = options
  const { min = 1 + spare, memoryExtra = null, newConnections = NEW_CONNECTIONS } = options
  rejectFewInstances({ spare, min, max })
  rejectConfidence(confidence)
  const file = profile === undefined || PROFILES.includes(profile) ? profile : resolve(callerCwd(), profile)
  return {
    headroom,
    confidence,
    spare,
    memoryExtra,
    newConnections,
    min,
    max,
    soakSeconds: soak,
    profile: { ...readProfile(file), name: profile ?? 'constant' }
  }
}

/**
 * Rejects a limit of instances that every offering exceeds.
 *
 * @param {{ spare: number, min: number, max: number | null }} limits
 */
function rejectFewInstances ({ spare, min, max }) {
  if (max === null) return
  if (max <= spare) {
    throw badOption('--max', String(max), `with --spare ${spare} there are at least ${spare + 1} instances`,
      `Add --spare ${max - 1}, or raise --max.`)
  }
  if (max < min) throw badOption('--max', String(max), `it is less than --min, ${min}`)
}

/** @param {number} confidence */
function rejectConfidence (confidence) {
  if (confidence >= 0.5 && confidence <= MAX_CONFIDENCE) return
  const why = confidence < 0.5
    ? 'at the capacity at least half of the windows must meet the goal'
    : 'a sizing has too few windows for a share above 99%'
  throw badOption('--confidence', String(confidence), why)
}

/** Rejects a sizing without a rate or a goal. @param {Record<string, any>} options */
export function rejectWithoutGoal ({ rps, p99 }) {
  for (const [name, value] of [['--rps', rps], ['--p99', p99]]) {
    if (value !== undefined) continue
    throw badOption('hopbench size', undefined, `it requires ${name}, as in --rps 2000 --p99 50ms`)
  }
}
