/**
 * Runs a plan: opens a rig, measures trials in blocks, stores their samples, and computes a record from the samples.
 * Everything with a side effect is an argument, so that tests use a scripted rig and a scripted clock.
 *
 * An arm is a topology with its load. A trial measures one arm once; its result is a sample. A block has one trial of
 * each arm. A start is one set of processes, which serves several blocks before all processes are replaced.
 */
import { blocks } from '../plan/blocks.js'
import { computeBlockLoad, computeTiming, getNextBlock } from '../judge/block-load.js'
import { judgeClaims } from '../judge/claims/claims.js'
import { HopbenchError } from '../errors.js'
import { recommend } from '../judge/recommendation.js'
import { findWarnings } from '../judge/warnings.js'
import { endsWhenResolved, findEnd } from '../judge/stopping-rule.js'
import { summarize } from '../judge/summary.js'
import { judgeSample } from '../judge/verdict.js'
import { DIED } from '../shared/trial.js'

/** @import { ServerFacts } from '../judge/recommendation.js' */
/** @import { Arm, CpuTicks, Environment, OpenRun, Plan, Progress, Reason, Rig } from '../types.js' */
/** @import { RunEnd, RunRecord, Sample, StoredRun } from '../types.js' */

/** Part of the budget that is reserved for ending generators and topologies, in seconds. */
const SECONDS_TO_END = 2
/** Fewest blocks for which a start is worth its warm-up. */
const MIN_BLOCKS_OF_START = 3

/**
 * @typedef {object} World the side effects and facts that a run needs
 * @property {(plan: Plan) => Promise<Rig>} openRig
 * @property {OpenRun} run stores samples and the record
 * @property {Sample[]} earlier samples of a resumed run
 * @property {RunRecord | null} [resumed] record of a resumed run
 * @property {() => number} now in seconds
 * @property {() => string} utc
 * @property {() => boolean} interrupted whether the run is to end early
 * @property {(run: { record: RunRecord, samples: Sample[] }) => boolean} [isResolved] whether the comparison of a run
 *   with a margin is resolved by the blocks so far
 * @property {Progress} progress
 * @property {Environment} environment
 * @property {() => CpuTicks | null} [readCpuTicks] of the machine that serves; left out: another one than this
 * @property {RunRecord['resolves']} [selftestResolution] smallest difference that the last selftest detected on this
 *   machine, with its duration in minutes; left out: no selftest
 * @property {ServerFacts} [serverFacts] facts about the compared servers
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
  // Stored before the first block, so that a run that is cut off can be reported and resumed.
  await run.writeRecord(createRecord(plan, world, beginning))
  const openedAt = world.now()
  const rig = await world.openRig(plan)
  const startSeconds = world.now() - openedAt
  // Adds the engine and the versions of the programs.
  await run.writeRecord(createRecord(plan, world, { ...beginning, rig }))
  /** @type {Measurement} */
  let measurement
  try {
    measurement = await measureBlocks(plan, world, rig, startSeconds)
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
 * Measures blocks until the run ends, and stores their samples. After each block, evaluates all samples so far to
 * decide whether the run ends and which arms the next block needs.
 *
 * @param {Plan} plan
 * @param {World} world
 * @param {Rig} rig
 * @param {number} startSeconds wall time of the start of all arms, warm-up included
 * @returns {Promise<Measurement>} without `problems`
 */
async function measureBlocks (plan, world, rig, startSeconds) {
  const { run, progress, now, earlier, environment: { cores }, readCpuTicks = () => null } = world
  const { targets } = plan
  const samples = [...earlier]
  const from = { block: getNextBlock(earlier), start: getNextStart(earlier) }
  const firstSliceAt = now()
  /** @type {string[] | null} arms that are still measured; null: all arms */
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
  let ticksBefore = readCpuTicks()
  for await (const { block, samples: fresh } of trials) {
    const ticks = readCpuTicks()
    const load = computeBlockLoad(ticksBefore, ticks)
    ticksBefore = ticks
    const judged = fresh.map(sample => ({ ...setValidity(sample, plan, cores.served.length), ...load }))
    samples.push(...judged)
    await run.append(judged)
    const armFailures = findArmFailures(samples, rig.refused)
    const summary = summarize({ plan, samples, armFailures, cores })
    const elapsed = now() - world.startedSeconds
    // An arm that is no longer needed stays excluded, because later starts do not start its processes. With a fixed
    // precision or a margin every arm is measured to the end.
    if (!targets.fixed && !endsWhenResolved(targets)) {
      needed = summary.needed.filter(arm => needed?.includes(arm) ?? true)
    }
    progress.block({ block, elapsed, budget: targets.budgetSeconds, summary })
    const startsBefore = (fresh.at(-1)?.start ?? from.start) - from.start
    const meanTrialSeconds = Math.max(0, now() - firstSliceAt - startsBefore * startSeconds) /
      (samples.length - earlier.length)
    const neededArms = (needed ?? plan.arms).length
    const toSeconds = (/** @type {number} */ trials) => SECONDS_TO_END + neededArms * trials * meanTrialSeconds
    const newStartSeconds = toSeconds(MIN_BLOCKS_OF_START) + neededArms * startSeconds / plan.arms.length
    // The blocks of the current start use the rest of a budget that has no time for another start.
    if (elapsed + newStartSeconds > targets.budgetSeconds) rig.keepsStart = true
    const isNewStart = plan.startBlocks && !rig.keepsStart && (block + 1 - from.block) % plan.startBlocks === 0
    const nextBlockSeconds = isNewStart ? newStartSeconds : toSeconds(1)
    measurement.ended = findEnd(summary, plan, {
      seconds: elapsed, nextBlockSeconds, needed, isResolved: isResolvedAfter(block, { plan, world, measurement })
    })
    measurement.lastSliceAt = now()
    if (measurement.ended) return measurement
  }
  // The loop ends without a stop condition if the run is interrupted or every arm is lost.
  measurement.ended = world.interrupted() ? 'interrupted' : 'failed'
  return measurement
}

/**
 * Returns whether the comparison of a run with a margin is resolved. Evaluates it at the end of each start, because the
 * variance between starts is part of the comparison.
 *
 * @param {number} block that was measured last
 * @param {{ plan: Plan, world: World, measurement: Measurement }} run
 */
function isResolvedAfter (block, { plan, world, measurement }) {
  const { isResolved } = world
  if (!isResolved || !endsWhenResolved(plan.targets)) return false
  if (plan.startBlocks && (block + 1) % plan.startBlocks !== 0) return false
  return isResolved({ record: createRecord(plan, world, measurement), samples: measurement.samples })
}

/**
 * Creates the record of a run that was cut off, from the stored samples.
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
 * @typedef {object} Measurement state of a run from which a record is created; times are in seconds of the monotonic
 *   clock
 * @property {Sample[]} samples including those of the earlier part of a resumed run
 * @property {RunEnd | null} ended null: not ended
 * @property {Rig} [rig] left out: the rig is not open yet, or another process measured the run
 * @property {Map<string, Reason>} [problems] arms that are invalid as a whole
 * @property {number} [firstSliceAt] start of the first block that this process measured
 * @property {number} [lastSliceAt] end of the last block
 */

/**
 * Creates the record of a run in any state: not yet measured, cut off, or ended.
 *
 * @param {Plan} plan
 * @param {Pick<World, 'environment' | 'startedAt' | 'utc'> & { run: { run: string } } & Partial<Pick<World,
 *   'startedSeconds' | 'earlier' | 'resumed' | 'selftestResolution' | 'serverFacts'>>} world
 * @param {Measurement} measurement
 * @returns {RunRecord}
 */
export function createRecord (plan, world, measurement) {
  const { experiment, question, protocol, unit, seed } = plan
  const { environment, startedAt, selftestResolution, serverFacts = { failuresOf: () => null } } = world
  const { samples, ended, rig, problems = new Map() } = measurement
  const timing = computeTiming(world, measurement)
  const { arms, contrasts, noiseFloor, standsApart, noise } = summarize({
    plan,
    samples,
    armFailures: findArmFailures(samples, problems),
    cores: environment.cores,
    // Without a rig this process has measured no blocks, so the time to a verdict cannot be estimated.
    timing: rig ? timing : null
  })
  const { engine, crowded, fileDifferences, ...rigFacts } = getRigFacts(rig, world.resumed ?? null)
  const { advice, arms: recommended } = recommend({ arms, plan, contrasts, startedAt }, serverFacts)
  /** @type {RunRecord} */
  const record = {
    schema: 3,
    kind: world.resumed?.kind ?? 'run',
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
    ...fileDifferences.length > 0 && { fileDifferences },
    ...selftestResolution && { resolves: selftestResolution },
    recommendation: advice,
    recommended
  }
  return { ...record, warnings: findWarnings(record) }
}

/**
 * Returns the facts about the load and the programs: as the rig reports them, or as the resumed run stored them.
 *
 * @param {Rig | undefined} rig
 * @param {RunRecord | null} resumed record of a resumed run
 */
const getRigFacts = (rig, resumed) => ({
  engine: rig?.engine ?? resumed?.arms[0]?.load.engine,
  crowded: rig?.crowded ?? resumed?.crowded,
  fileDifferences: rig?.fileDifferences ?? resumed?.fileDifferences ?? [],
  tools: rig?.tools ?? resumed?.tools ?? {},
  // A resumed run keeps its engine, so only the stored record has the reason for the choice.
  switchedFor: rig?.switchedFor ?? resumed?.switchedFor ?? null,
  engineInstead: rig?.instead ?? resumed?.engineInstead ?? null,
  slowerUsers: rig?.slowerUsers ?? resumed?.slowerUsers ?? null
})

/**
 * Returns the arms with the engine that made their load, which may differ from the planned one.
 *
 * @param {RunRecord['arms']} arms
 * @param {string} engine
 * @returns {RunRecord['arms']}
 */
const setEngine = (arms, engine) => arms.map(arm => ({ ...arm, load: { ...arm.load, engine } }))

/**
 * Finds the arms that are invalid as a whole: refused, with disagreeing counts, with a process that ended, or with a
 * wrong body under load. A single wrong body is enough, because the gate rejects wrong bodies before any load, and few
 * engines check every body.
 *
 * @param {Sample[]} samples
 * @param {Map<string, Reason>} problems rejections and disagreeing counts, as the rig reports them, by arm
 * @returns {Record<string, Reason>}
 */
function findArmFailures (samples, problems) {
  /** @type {Record<string, Reason>} */
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
 * Returns a sample with the reason for which its trial is invalid, or null.
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

/**
 * Returns the number of the next start. A resumed run starts all processes again, so it begins with a new start.
 * @param {Sample[]} samples
 */
const getNextStart = samples => samples.reduce((next, { start = 0 }) => Math.max(next, start + 1), 0)
