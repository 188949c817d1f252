/**
 * The whole story of a run: a question becomes a plan, the plan a rig, the rig trials in
 * blocks, the trials samples, the samples a verdict. Everything that touches the world is passed in, so that the
 * whole of it is tested on a scripted rig and a clock of its own.
 */
import { adapt, trialOptions } from './adaptive/adapt.js'
import { blocks } from './blocks.js'
import { judgeClaims } from './claims/claims.js'
import { HopbenchError } from './errors.js'
import { chosenSentence } from './report/adaptive.js'
import { recommend } from './report/recommendation.js'
import { warningsOf } from './report/warnings.js'
import { DIED } from './measure/rig.js'
import { stopDecision, summarize } from './summary.js'
import { judgeSample } from './verdict.js'

/** @typedef {import('./types.d.ts').Plan} Plan */
/** @typedef {import('./types.d.ts').Sample} Sample */
/** @typedef {import('./types.d.ts').Reason} Reason */
/** @typedef {import('./types.d.ts').RunRecord} RunRecord */

/** Ending generators and topologies takes about this long: kept free of the budget. */
const SECONDS_TO_END = 2

/**
 * @typedef {object} World
 * @property {(plan: Plan) => Promise<import('./measure/rig.js').Rig>} openRig
 * @property {import('./store/write.js').OpenRun} run where everything is kept
 * @property {Sample[]} earlier samples of a run that is resumed
 * @property {() => number} now seconds
 * @property {() => string} utc
 * @property {() => boolean} interrupted
 * @property {import('./report/progress.js').Progress} progress
 * @property {import('./types.d.ts').Environment} environment
 * @property {RunRecord['resolves']} [resolves] what the last selftest says of this machine
 * @property {(server: string, proxy?: string) => import('./types.d.ts').CheckFailure[] | null} [checked] what the last check found against a server
 * @property {(server: string) => 'memory' | 'disk' | null} [bytesFrom] where the check saw that a server has its bytes from
 * @property {number} startedSeconds when the run's wall time began, by `now`
 * @property {string} startedAt UTC
 */

/**
 * Measures a plan.
 * @param {Plan} planned
 * @param {World} world
 * @returns {Promise<RunRecord>} also stored
 */
export async function measure (planned, world) {
  let plan = planned
  const { run, progress, now } = world
  /** @type {Sample[]} */
  const samples = [...world.earlier]
  progress.start(plan, plan.targets.budgetSeconds, run.run)
  await run.writeRecord(recordOf(plan, world, { samples, ended: null }))
  const rig = await world.openRig(plan)
  const firstSliceAt = now()
  // Since when blocks take as long as they take now.
  let paceFrom = { at: firstSliceAt, block: nextBlock(world.earlier) }
  /** @type {Ending} */
  let ending = { samples, rig, ended: null, firstSliceAt, lastSliceAt: firstSliceAt, problems: rig.refused() }
  try {
    for await (const { block, samples: fresh } of blocks({ plan, rig, from: nextBlock(samples), interrupted: world.interrupted, how: () => trialOptions(plan), each: progress.trial })) {
      const judged = fresh.map(sample => judge(sample, plan, world.environment.cores.served.length))
      samples.push(...judged)
      await run.append(judged)
      const summary = summarize({ plan, samples, armFailures: failuresOf(samples, rig.refused()), cores: world.environment.cores })
      const elapsed = now() - world.startedSeconds
      progress.block({ block, elapsed, budget: plan.targets.budgetSeconds, summary })
      const blockSeconds = (now() - paceFrom.at) / (block + 1 - paceFrom.block)
      const decision = stopDecision(summary, plan, { seconds: elapsed, nextBlockSeconds: blockSeconds + SECONDS_TO_END })
      ending = { ...ending, lastSliceAt: now(), ended: decision.ended }
      if (decision.stop) break
      const adapted = adapt(plan, { samples, blockSeconds, secondsLeft: plan.targets.budgetSeconds - elapsed })
      if (!adapted) continue
      plan = adapted
      await run.writePlan(plan)
      progress.note(chosenSentence(plan))
      paceFrom = { at: now(), block: block + 1 }
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

/**
 * What there is of a run that was cut off, as a record.
 * @param {import('./store/read.js').StoredRun} stored
 * @returns {RunRecord}
 */
export function recordFromSamples ({ run, record, plan, samples }) {
  if (!record || !plan) throw new HopbenchError('bad-run-file', { file: run, why: 'it was cut off before anything was measured' })
  const { environment, startedAt, tools } = record
  return { ...recordOf(plan, { environment, startedAt, utc: () => startedAt, run: { run } }, { samples, ended: null }), tools }
}

/**
 * @typedef {object} Ending
 * @property {Sample[]} samples
 * @property {string | null} ended why; null while it goes on
 * @property {import('./measure/rig.js').Rig} [rig]
 * @property {Map<string, Reason>} [problems] arms that do not count as a whole
 * @property {number} [firstSliceAt]
 * @property {number} [lastSliceAt]
 */

/**
 * What was measured, as a record.
 * @param {Plan} plan
 * @param {Pick<World, 'environment' | 'startedAt' | 'utc'> & { run: { run: string }, startedSeconds?: number, earlier?: Sample[], resolves?: World['resolves'], checked?: World['checked'], bytesFrom?: World['bytesFrom'] }} world
 * @param {Ending} ending
 * @returns {RunRecord}
 */
export function recordOf (plan, { environment, startedAt, utc, run, startedSeconds = 0, earlier = [], resolves, checked = () => null, bytesFrom = () => null }, { samples, ended, rig, problems = new Map(), firstSliceAt = 0, lastSliceAt = 0 }) {
  const timing = {
    setupSeconds: rig ? firstSliceAt - startedSeconds : 0,
    measuredSeconds: measured(samples),
    // Of a run that was resumed, the wall time of the earlier part is not known: it had the same share.
    sliceWallSeconds: (lastSliceAt - firstSliceAt) * measured(samples) / (measured(samples.slice(earlier.length)) || 1),
    blocks: nextBlock(samples)
  }
  const { arms, contrasts, noiseFloor } = summarize({
    plan, samples, armFailures: failuresOf(samples, problems), cores: environment.cores, timing: rig ? timing : null
  })
  const used = rig ? arms.map(arm => ({ ...arm, load: { ...arm.load, engine: rig.engine } })) : arms
  const record = {
    schema: /** @type {const} */ (1),
    run: run.run,
    experiment: plan.experiment,
    question: plan.question,
    protocol: plan.protocol,
    unit: plan.unit,
    startedAt,
    endedAt: ended ? utc() : null,
    complete: ended !== null && ended !== 'interrupted',
    ended,
    seed: plan.seed,
    plan,
    environment,
    tools: rig?.tools() ?? {},
    arms: used,
    contrasts,
    noiseFloor,
    claims: judgeClaims(plan, arms, contrasts, samples, environment.cores.served.length),
    warnings: [],
    timing,
    switchedFor: rig?.switchedFor ?? null,
    engineInstead: rig?.instead ?? null,
    slowerUsers: rig?.slowerUsers?.() ?? null,
    ...resolves && { resolves },
    recommendation: recommend({ arms, plan }, checked, bytesFrom)
  }
  return { ...record, warnings: warningsOf(record) }
}

/**
 * Arms that do not count as a whole: refused, their counts disagree, a process of theirs ended, or
 * they answered with another body under load. One such answer is enough: the gate lets none pass,
 * and beside an engine that does not look at bodies only a few are seen.
 * @param {Sample[]} samples
 * @param {Map<string, Reason>} problems
 * @returns {Record<string, Reason>}
 */
function failuresOf (samples, problems) {
  /** @type {[string, Reason][]} */
  const found = samples.flatMap(({ arm, invalid, errors: { mismatches } }) => {
    if (invalid?.code === DIED) return [[arm, invalid]]
    return mismatches > 0 ? [[arm, { code: 'wrong-body', text: 'under load it answered with another body than before' }]] : []
  })
  return Object.fromEntries([...found, ...problems])
}

/**
 * @param {Sample} sample
 * @param {Plan} plan
 * @param {number} servedCores
 * @returns {Sample}
 */
function judge (sample, plan, servedCores) {
  const arm = /** @type {import('./types.d.ts').Arm} */ (plan.arms.find(({ name }) => name === sample.arm))
  return { ...sample, invalid: sample.invalid ?? judgeSample(sample, arm, { ...plan, servedCores }) }
}

/** @param {Sample[]} samples @returns {number} seconds */
const measured = samples => samples.reduce((sum, sample) => sum + sample.seconds, 0)

/** @param {Sample[]} samples */
const nextBlock = samples => samples.reduce((next, { block }) => Math.max(next, block + 1), 0)
