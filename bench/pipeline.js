/**
 * The course of a run: a plan becomes a rig, the rig makes trials in blocks, the trials become samples, and the samples
 * a record. Everything with a side effect is an argument, so that tests use a scripted rig and a clock of their own.
 */
import { blocks } from './plan/blocks.js'
import { judgeClaims } from './analysis/claims.js'
import { HopbenchError } from './errors.js'
import { recommend } from './analysis/recommendation.js'
import { findWarnings } from './analysis/warnings.js'
import { findEnd } from './analysis/stopping-rule.js'
import { summarize } from './analysis/summary.js'
import { judgeSample } from './analysis/verdict.js'
import { DIED } from './shared/trial.js'

/** @import { ServerFacts } from './analysis/recommendation.js' */
/** @import { Arm, Environment, OldReason, OpenRun, Plan, Progress, Reason, Rig } from './types.js' */
/** @import { RunEnd, RunRecord, RunTiming, Sample, StoredRun } from './types.js' */

/** Seconds of the budget reserved for ending generators and topologies. */
const SECONDS_TO_END = 2

/**
 * @typedef {object} World
 * @property {(plan: Plan) => Promise<Rig>} openRig
 * @property {OpenRun} run
 * @property {Sample[]} earlier samples of a resumed run
 * @property {RunRecord | null} [resumed] record of a resumed run
 * @property {() => number} now in seconds
 * @property {() => string} utc
 * @property {() => boolean} interrupted
 * @property {Progress} progress
 * @property {Environment} environment
 * @property {RunRecord['resolves']} [resolves] resolution of this machine according to its last selftest
 * @property {ServerFacts} [known] facts about the compared servers
 * @property {number} startedSeconds start of the run's wall time, by `now`
 * @property {string} startedAt UTC
 */

/**
 * Measures a plan and stores its record.
 *
 * @param {Plan} plan
 * @param {World} world
 * @returns {Promise<RunRecord>}
 */
export async function measure (plan, world) {
  const { run, progress } = world
  progress.start(plan, plan.targets.budgetSeconds, run.run)
  const beginning = { samples: world.earlier, ended: null }
  await run.writeRecord(createRecord(plan, world, beginning))
  const rig = await world.openRig(plan)
  await run.writeRecord(createRecord(plan, world, { ...beginning, rig }))
  /** @type {Measurement} */
  let measurement
  try {
    measurement = await measureBlocks(plan, world, rig)
    progress.stage('ending the load and comparing its counts')
    measurement.problems = new Map([...rig.refused, ...await rig.finish()])
  } finally {
    await rig.close().finally(() => progress.end())
  }
  const record = createRecord(plan, world, measurement)
  await run.writeRecord(record)
  return record
}

/**
 * Measures blocks until the run ends, and stores their samples.
 *
 * @param {Plan} plan
 * @param {World} world
 * @param {Rig} rig
 * @returns {Promise<Measurement>}
 */
async function measureBlocks (plan, world, rig) {
  const { run, progress, now, earlier, environment: { cores } } = world
  const { targets } = plan
  const samples = [...earlier]
  const from = { block: getNextBlock(earlier), start: getNextStart(earlier) }
  const firstSliceAt = now()
  /** @type {string[] | null} null: all arms */
  let needed = null
  /** @type {Measurement} */
  const measurement = { samples, rig, ended: null, firstSliceAt, lastSliceAt: firstSliceAt }
  const trials = blocks({
    plan,
    rig,
    from,
    interrupted: world.interrupted,
    needed: () => needed,
    each: sample => progress.trial?.(sample)
  })
  for await (const { block, samples: fresh } of trials) {
    const judged = fresh.map(sample => setValidity(sample, plan, cores.served.length))
    samples.push(...judged)
    await run.append(judged)
    const armFailures = findArmFailures(samples, rig.refused)
    const summary = summarize({ plan, samples, armFailures, cores, decidedBefore: measurement.decided })
    const elapsed = now() - world.startedSeconds
    // An arm that is no longer needed is never measured again, because its processes belong to an earlier start.
    if (!targets.fixed) needed = summary.needed.filter(arm => needed?.includes(arm) ?? true)
    progress.block({ block, elapsed, budget: targets.budgetSeconds, summary })
    const blockSeconds = (now() - firstSliceAt) / (block + 1 - from.block)
    const nextBlockSeconds = blockSeconds + SECONDS_TO_END
    measurement.ended = findEnd(summary, plan, { seconds: elapsed, nextBlockSeconds, needed })
    measurement.lastSliceAt = now()
    measurement.decided = summary.contrasts.map(({ decidedAtBlock = null }) => decidedAtBlock)
    if (measurement.ended) return measurement
  }
  measurement.ended = world.interrupted() ? 'interrupted' : 'failed'
  return measurement
}

/**
 * Creates the record of a run that was cut off.
 *
 * @param {StoredRun} stored
 * @returns {RunRecord}
 * @throws {HopbenchError} bad-run-file
 */
export function recordFromSamples ({ run, record, plan, samples }) {
  if (!record || !plan) {
    throw new HopbenchError('bad-run-file', { file: run, why: 'it was cut off before anything was measured' })
  }
  const { environment, startedAt } = record
  const world = { environment, startedAt, utc: () => startedAt, run: { run }, resumed: record }
  return createRecord(plan, world, { samples, ended: null })
}

/**
 * @typedef {object} Measurement
 * @property {Sample[]} samples
 * @property {RunEnd | null} ended null: not ended
 * @property {Rig} [rig] left out: the run was measured by another process, or without a rig
 * @property {Map<string, Reason>} [problems] arms that are invalid as a whole
 * @property {(number | null)[]} [decided] for each contrast the block after which it was decided
 * @property {number} [firstSliceAt] in seconds
 * @property {number} [lastSliceAt]
 */

/**
 * The part of a world that a record needs.
 *
 * @typedef {Pick<World, 'environment' | 'startedAt' | 'utc'> & { run: { run: string } } & Partial<Pick<World,
 *   'startedSeconds' | 'earlier' | 'resumed' | 'resolves' | 'known'>>} RecordWorld
 */

/**
 * @param {Plan} plan
 * @param {RecordWorld} world
 * @param {Measurement} measurement
 * @returns {RunRecord}
 */
export function createRecord (plan, world, measurement) {
  const { experiment, question, protocol, unit, seed } = plan
  const { environment, startedAt, resolves, known = { failuresOf: () => null } } = world
  const { samples, ended, rig, problems = new Map(), decided } = measurement
  const timing = computeTiming(world, measurement)
  const { arms, contrasts, noiseFloor, standsApart, noise } = summarize({
    plan,
    samples,
    armFailures: findArmFailures(samples, problems),
    cores: environment.cores,
    timing: rig ? timing : null,
    decidedBefore: decided
  })
  const { engine, crowded, ...rigFacts } = getRigFacts(rig, world.resumed ?? null)
  const { advice, arms: recommended } = recommend({ arms, plan, contrasts, startedAt }, known)
  /** @type {RunRecord} */
  const record = {
    schema: 2,
    run: world.run.run,
    experiment,
    question,
    protocol,
    unit,
    startedAt,
    endedAt: ended ? world.utc() : null,
    complete: ended !== null && ended !== 'interrupted',
    ended,
    seed,
    plan,
    environment,
    arms: engine === undefined ? arms : setEngine(arms, engine),
    contrasts,
    noiseFloor,
    ...standsApart.length > 0 && { standsApart },
    ...noise && { noise },
    claims: judgeClaims(plan, arms, contrasts, samples, environment.cores),
    warnings: [],
    timing,
    ...rigFacts,
    ...crowded && { crowded },
    ...resolves && { resolves },
    recommendation: advice,
    recommended
  }
  return { ...record, warnings: findWarnings(record) }
}

/**
 * Returns what a record states about the load and the programs: as the rig reports it, or as the resumed run stored it.
 *
 * @param {Rig | undefined} rig
 * @param {RunRecord | null} resumed
 */
const getRigFacts = (rig, resumed) => ({
  engine: rig?.engine ?? resumed?.arms[0]?.load.engine,
  crowded: rig?.crowded ?? resumed?.crowded,
  tools: rig?.tools ?? resumed?.tools ?? {},
  // The engine of a resumed run is fixed. Only its first part stored the reason for the choice.
  switchedFor: rig?.switchedFor ?? resumed?.switchedFor ?? null,
  engineInstead: rig?.instead ?? resumed?.engineInstead ?? null,
  slowerUsers: rig?.slowerUsers ?? null
})

/**
 * @param {RunRecord['arms']} arms
 * @param {string} engine
 * @returns {RunRecord['arms']}
 */
const setEngine = (arms, engine) => arms.map(arm => ({ ...arm, load: { ...arm.load, engine } }))

/**
 * @param {RecordWorld} world
 * @param {Measurement} measurement
 * @returns {RunTiming}
 */
function computeTiming ({ startedSeconds = 0, earlier = [] }, measurement) {
  const { samples, firstSliceAt = startedSeconds, lastSliceAt = firstSliceAt } = measurement
  const measuredSeconds = sumSeconds(samples)
  const ownSeconds = sumSeconds(samples.slice(earlier.length)) || 1
  return {
    setupSeconds: firstSliceAt - startedSeconds,
    measuredSeconds,
    // The wall time of the earlier part of a resumed run is unknown. Its share of measured time was the same.
    sliceWallSeconds: (lastSliceAt - firstSliceAt) * measuredSeconds / ownSeconds,
    blocks: getNextBlock(samples)
  }
}

/**
 * Finds the arms that are invalid as a whole: refused, with disagreeing counts, with a process that ended, or with a
 * wrong body under load. One wrong body is enough, because the gate accepts none and few engines check every body.
 *
 * @param {Sample[]} samples
 * @param {Map<string, Reason>} problems
 * @returns {Record<string, Reason | OldReason>}
 */
function findArmFailures (samples, problems) {
  /** @type {Record<string, Reason | OldReason>} */
  const failures = {}
  for (const { arm, invalid, errors } of samples) {
    if (invalid?.code === DIED) failures[arm] = invalid
    else if (errors.mismatches > 0) {
      failures[arm] = { code: 'wrong-body', params: {} }
    }
  }
  return { ...failures, ...Object.fromEntries(problems) }
}

/**
 * Marks a sample as invalid if its trial is.
 *
 * @param {Sample} sample
 * @param {Plan} plan
 * @param {number} servedCores
 * @returns {Sample}
 */
function setValidity (sample, plan, servedCores) {
  const arm = /** @type {Arm} */ (plan.arms.find(({ name }) => name === sample.arm))
  return { ...sample, invalid: judgeSample(sample, arm, { ...plan, servedCores }) }
}

/** @param {Sample[]} samples */
const sumSeconds = samples => samples.reduce((sum, { seconds }) => sum + seconds, 0)

/** Returns the number of the next start, because a resumed run starts all processes again. @param {Sample[]} samples */
const getNextStart = samples => samples.reduce((next, { start = 0 }) => Math.max(next, start + 1), 0)

/** @param {Sample[]} samples */
const getNextBlock = samples => samples.reduce((next, { block }) => Math.max(next, block + 1), 0)
