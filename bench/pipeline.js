/** The whole story of a run: a question becomes a plan, the plan a rig, the rig trials in blocks, the trials samples,
 * the samples a verdict. Everything that touches the world is passed in, so that the whole of it is tested on a
 * scripted rig and a clock of its own. */
import { blocks } from './plan/blocks.js'
import { judgeClaims } from './analysis/claims.js'
import { HopbenchError } from './errors.js'
import { recommend } from './analysis/recommendation.js'
import { findWarnings } from './analysis/warnings.js'
import { stopDecision, summarize } from './analysis/summary.js'
import { judgeSample } from './analysis/verdict.js'
import { DIED } from './shared/trial.js'

/** @import { Known } from './analysis/recommendation.js' */
/** @import { Arm, Environment, OpenRun, Plan, Progress, Reason, Rig } from './types.js' */
/** @import { RunRecord, Sample, StoredRun } from './types.js' */

/** Ending generators and topologies takes about this long: kept free of the budget. */
const SECONDS_TO_END = 2

/** @typedef {object} World
 * @property {(plan: Plan) => Promise<Rig>} openRig
 * @property {OpenRun} run where everything is kept
 * @property {Sample[]} earlier samples of a run that is resumed
 * @property {RunRecord | null} [resumed] its record
 * @property {() => number} now seconds
 * @property {() => string} utc
 * @property {() => boolean} interrupted
 * @property {Progress} progress
 * @property {Environment} environment
 * @property {RunRecord['resolves']} [resolves] what the last selftest says of this machine
 * @property {Known} [known] what the last check found against a server, and what that server is
 * @property {number} startedSeconds when the run's wall time began, by `now`
 * @property {string} startedAt UTC */

/** Measures a plan. @param {Plan} plan @param {World} world @returns {Promise<RunRecord>} also stored */
export async function measure (plan, world) {
  const { run, progress, now } = world
  /** @type {Sample[]} */
  const samples = [...world.earlier]
  progress.start(plan, plan.targets.budgetSeconds, run.run)
  const started = recordOf(plan, world, { samples, ended: null })
  await run.writeRecord(started)
  const rig = await world.openRig(plan)
  // A resumed run has what it was begun with.
  await run.writeRecord({ ...started, arms: loadedBy(rig.engine, started.arms), tools: rig.tools() })
  const firstSliceAt = now()
  const firstBlock = nextBlock(world.earlier)
  /** @type {Ending} */
  let ending = { samples, rig, ended: null, firstSliceAt, lastSliceAt: firstSliceAt, problems: rig.refused() }
  /** @type {string[] | null} null: all arms */
  let needed = null
  try {
    for await (const { block, samples: fresh } of blocks({
      plan,
      rig,
      from: { block: nextBlock(samples), start: nextStart(samples) },
      interrupted: world.interrupted,
      needed: () => needed,
      each: sample => progress.trial?.(sample)
    })) {
      const judged = fresh.map(sample => judge(sample, plan, world.environment.cores.served.length))
      samples.push(...judged)
      await run.append(judged)
      const summary = summarize({
        plan,
        samples,
        armFailures: failuresOf(samples, rig.refused()),
        cores: world.environment.cores,
        decidedBefore: ending.decided
      })
      const elapsed = now() - world.startedSeconds
      // What is decided and known is measured no more, whatever others show later: its processes are of an old start.
      if (!plan.targets.fixed) needed = summary.needed.filter(arm => needed?.includes(arm) ?? true)
      progress.block({ block, elapsed, budget: plan.targets.budgetSeconds, summary })
      const blockSeconds = (now() - firstSliceAt) / (block + 1 - firstBlock)
      const decision = stopDecision(summary, plan, {
        seconds: elapsed, nextBlockSeconds: blockSeconds + SECONDS_TO_END, needed
      })
      ending = { ...ending, lastSliceAt: now(), ended: decision.ended, decided: decidedIn(summary) }
      if (decision.stop) break
    }
    // Blocks ended without a decision: nobody wants more, or no arm is left.
    ending.ended ??= world.interrupted() ? 'interrupted' : 'failed'
    progress.stage('ending the load and comparing its counts')
    ending.problems = new Map([...rig.refused(), ...await rig.finish()])
  } finally {
    await rig.close().finally(() => progress.end())
  }
  const record = recordOf(plan, world, ending)
  await run.writeRecord(record)
  return record
}

/** What there is of a run that was cut off, as a record. @param {StoredRun} stored @returns {RunRecord} */
export function recordFromSamples ({ run, record, plan, samples }) {
  if (!record || !plan) {
    throw new HopbenchError('bad-run-file', { file: run, why: 'it was cut off before anything was measured' })
  }
  const { environment, startedAt } = record
  const world = { environment, startedAt, utc: () => startedAt, run: { run }, resumed: record }
  return recordOf(plan, world, { samples, ended: null })
}

/** @typedef {object} Ending
 * @property {Sample[]} samples
 * @property {string | null} ended why; null while it goes on
 * @property {Rig} [rig]
 * @property {Map<string, Reason>} [problems] arms that are invalid as a whole
 * @property {(number | null)[]} [decided] for each contrast the block after which it was decided
 * @property {number} [firstSliceAt]
 * @property {number} [lastSliceAt] */

/** @typedef {Pick<World, 'environment' | 'startedAt' | 'utc'> & { run: { run: string } } & Partial<Pick<World,
 * 'startedSeconds' | 'earlier' | 'resumed' | 'resolves' | 'known'>>} Around what a record says beside its plan */

/** What was measured. @param {Plan} plan @param {Around} world @param {Ending} ending @returns {RunRecord} */
export function recordOf (plan, world, ending) {
  const { experiment, question, protocol, unit, seed } = plan
  const { environment, resumed } = world
  const { samples, ended, rig, problems = new Map(), decided } = ending
  const timing = timingOf(world, ending)
  const { arms, contrasts, noiseFloor, standsApart, noise } = summarize({
    plan,
    samples,
    armFailures: failuresOf(samples, problems),
    cores: environment.cores,
    timing: rig ? timing : null,
    decidedBefore: decided
  })
  const crowded = rig?.crowded ?? resumed?.crowded
  const engine = rig?.engine ?? resumed?.arms[0]?.load.engine
  const { startedAt, known = { failuresOf: () => null } } = world
  const recommended = recommend({ arms, plan, contrasts, startedAt }, known)
  const record = {
    schema: /** @type {const} */ (1),
    run: world.run.run,
    experiment,
    question,
    protocol,
    unit,
    startedAt: world.startedAt,
    endedAt: ended ? world.utc() : null,
    complete: ended !== null && ended !== 'interrupted',
    ended,
    seed,
    plan,
    environment,
    tools: rig?.tools() ?? resumed?.tools ?? {},
    arms: engine === undefined ? arms : loadedBy(engine, arms),
    contrasts,
    noiseFloor,
    ...standsApart.length > 0 && { standsApart },
    ...noise && { noise },
    claims: judgeClaims(plan, arms, contrasts, samples, environment.cores),
    warnings: [],
    timing,
    switchedFor: rig?.switchedFor ?? resumed?.switchedFor ?? null,
    engineInstead: rig?.instead ?? resumed?.engineInstead ?? null,
    slowerUsers: rig?.slowerUsers() ?? null,
    ...crowded && { crowded },
    ...world.resolves && { resolves: world.resolves },
    recommendation: recommended.sentences,
    recommended: recommended.arms
  }
  return { ...record, warnings: findWarnings(record) }
}

/** @param {string} engine @param {RunRecord['arms']} arms */
const loadedBy = (engine, arms) => arms.map(arm => ({ ...arm, load: { ...arm.load, engine } }))

/** @param {Around} world @param {Ending} ending @returns {RunRecord['timing']} */
function timingOf ({ startedSeconds = 0, earlier = [] }, { samples, rig, firstSliceAt = 0, lastSliceAt = 0 }) {
  const seconds = measured(samples)
  return {
    setupSeconds: rig ? firstSliceAt - startedSeconds : 0,
    measuredSeconds: seconds,
    // Of a run that was resumed, the wall time of the earlier part is not known: it had the same share.
    sliceWallSeconds: (lastSliceAt - firstSliceAt) * seconds / (measured(samples.slice(earlier.length)) || 1),
    blocks: nextBlock(samples)
  }
}

/** Arms that are invalid as a whole: refused, their counts disagree, a process of theirs ended, or they answered with
 * another body under load. One such answer is enough: the gate lets none pass, and beside an engine that does not look
 * at bodies only a few are seen. @param {Sample[]} samples @param {Map<string, Reason>} problems
 * @returns {Record<string, Reason>} */
function failuresOf (samples, problems) {
  /** @type {[string, Reason][]} */
  const found = samples.flatMap(({ arm, invalid, errors: { mismatches } }) => {
    if (invalid?.code === DIED) return [[arm, invalid]]
    return mismatches > 0
      ? [[arm, { code: 'wrong-body', text: 'under load it answered with another body than before' }]]
      : []
  })
  return Object.fromEntries([...found, ...problems])
}

/** @param {Sample} sample @param {Plan} plan @param {number} servedCores @returns {Sample} */
function judge (sample, plan, servedCores) {
  const arm = /** @type {Arm} */ (plan.arms.find(({ name }) => name === sample.arm))
  return { ...sample, invalid: sample.invalid ?? judgeSample(sample, arm, { ...plan, servedCores }) }
}

/** @param {Pick<RunRecord, 'contrasts'>} summary */
const decidedIn = ({ contrasts }) => contrasts.map(({ decidedAtBlock = null }) => decidedAtBlock)

/** @param {Sample[]} samples @returns {number} seconds */
const measured = samples => samples.reduce((sum, sample) => sum + sample.seconds, 0)

/** A resumed run starts everything anew. @param {Sample[]} samples */
const nextStart = samples => samples.reduce((next, { start = 0 }) => Math.max(next, start + 1), 0)

/** @param {Sample[]} samples */
const nextBlock = samples => samples.reduce((next, { block }) => Math.max(next, block + 1), 0)
