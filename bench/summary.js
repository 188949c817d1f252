/**
 * Samples → arms, contrasts, noise floor, and whether to go on (pure).
 *
 * A block counts for a contrast when both arms were valid in it; blocks at the start that still
 * trend in all arms count for none.
 *
 * @import { Arm, ArmResult, Contrast, ErrorCounts, Plan, Reason, Sample } from './types.js'
 */
import { joinLogs } from './log-kinds.js'
import { blockLogRatios } from './stats/block-ratios.js'
import { leadingTrend } from './stats/leading.js'
import { halfWidth, pairedRatio } from './stats/paired.js'
import { median, medianInterval } from './stats/quantile.js'
import { smallestSampleFor } from './stats/signed-rank.js'
import { middleUsers, sumFailures } from './users.js'
import { blocksToSettle, boundOf, FAMILY_ERROR, INVALID_SHARE_LIMIT, isDisturbance, JUDGED_FROM_TRIALS, knownFrom, LINK_BOUND_SHARE, verdictOf } from './verdict.js'

/** Level of every interval that stands alone: an arm's throughput, the noise floor. */
const LEVEL = 1 - FAMILY_ERROR

/**
 * @typedef {object} Input
 * @property {Plan} plan
 * @property {Sample[]} samples in any order; those of arms that the plan does not know are left out
 * @property {Record<string, Reason>} [armFailures] arms that do not count as a whole, and why
 * @property {{ load: number[], served: number[], generators?: number }} cores
 * @property {Record<string, { proxy?: number, server?: number }>} [processes] for an arm, how many
 *   cores its proxy and its server can use; left out: what its topology says
 * @property {{ setupSeconds: number, sliceWallSeconds: number } | null} [timing] of the run so far, the
 *   second the wall time of all its blocks;
 *   without it no time to settle can be told
 */

/**
 * @typedef {object} Summary
 * @property {ArmResult[]} arms
 * @property {Contrast[]} contrasts
 * @property {{ ratio: number, low: number, high: number } | null} noiseFloor
 * @property {number[]} halfWidths of each contrast's interval as a share; NaN or Infinity without one
 * @property {boolean[]} decided for each contrast: its verdict is neither inconclusive nor invalid
 * @property {number} blocks how many were begun
 * @property {number} dropped how many of them were dropped at the start, because they trended
 */

/**
 * @param {Input} input
 * @returns {Summary}
 */
export function summarize ({ plan, samples, armFailures = {}, cores, processes = {}, timing = null }) {
  const { byArm, blocks, dropped } = validBlocks(plan, samples)
  const arms = plan.arms.map(arm => armResult({
    arm, samples: samples.filter(sample => sample.arm === arm.name), blocks: of(byArm, arm.name), failure: armFailures[arm.name] ?? null, cores, processes: processes[arm.name] ?? processesOf(arm)
  }))
  const noiseFloor = noiseFloorOf(plan, arms, byArm)
  const contrasts = plan.contrasts.map(([arm, baseline]) => contrastOf({
    arms: [find(arms, arm), find(arms, baseline)], logRatios: blockLogRatios(of(byArm, arm), of(byArm, baseline)), level: levelOf(plan), noiseFloor, timing
  }))
  return {
    arms,
    contrasts,
    noiseFloor,
    halfWidths: contrasts.map(halfWidth),
    decided: contrasts.map(({ verdict }) => verdict !== 'inconclusive' && verdict !== 'invalid'),
    blocks,
    dropped
  }
}

/**
 * Confidence level of each listed contrast: Bonferroni's, so that all of them hold together.
 * @param {Pick<Plan, 'contrasts' | 'targets'>} plan
 */
export const levelOf = ({ contrasts, targets }) => 1 - FAMILY_ERROR / (targets.adjusted ? Math.max(1, contrasts.length) : 1)

/**
 * Throughput by arm and block, of valid trials behind the leading trend.
 * @param {Plan} plan
 * @param {Sample[]} samples
 * @returns {{ byArm: Map<string, Map<number, number>>, blocks: number, dropped: number }}
 */
export function validBlocks (plan, samples) {
  // Slices of another length, before one was chosen, vary otherwise.
  const from = plan.adaptive?.from ?? 0
  const numbers = [...new Set(samples.map(({ block }) => block))].filter(block => block >= from).sort((a, b) => a - b)
  const byArm = new Map(plan.arms.map(({ name }) => [name, /** @type {Map<number, number>} */ (new Map())]))
  for (const { arm, block, rps, invalid } of samples) if (!invalid && block >= from) byArm.get(arm)?.set(block, rps)
  const dropped = leadingTrend([...byArm.values()].map(arm => numbers.map(block => arm.get(block) ?? NaN)))
  for (const arm of byArm.values()) for (const block of numbers.slice(0, dropped)) arm.delete(block)
  return { byArm, blocks: numbers.length, dropped }
}

/**
 * Whether to measure another block. Never because of a verdict: a run that stops at the first
 * significant difference finds one in every fifth pair of twins.
 * @param {Summary} summary
 * @param {Plan} plan
 * @param {{ seconds: number, nextBlockSeconds?: number }} elapsed wall time of the whole run so far,
 *   and what another block will take
 * @returns {{ stop: boolean, ended: 'precision' | 'blocks' | 'budget' | 'failed' | null }}
 */
export function stopDecision (summary, plan, { seconds, nextBlockSeconds = 0 }) {
  const { targets } = plan
  const open = summary.contrasts.filter(({ verdict }) => verdict !== 'invalid')
  const counted = open.length > 0 ? Math.min(...open.map(({ blocks }) => blocks)) : summary.blocks - summary.dropped - disturbedBlocks(summary)
  const stop = (/** @type {'precision' | 'blocks' | 'budget' | 'failed'} */ ended) => ({ stop: true, ended })
  if (summary.contrasts.length > 0 && open.length === 0) return stop('failed')
  // Of rates that were asked for there is no precision to reach.
  if ((plan.protocol === 'rates' || (plan.twin === null && plan.contrasts.length === 0)) && counted >= targets.minBlocks) return stop('blocks')
  if (counted >= targets.minBlocks && precisionReached(open, targets.precision)) return stop('precision')
  // A block lost to an invalid trial is made up for, but not without end.
  if (targets.maxBlocks !== null && (counted >= targets.maxBlocks || summary.blocks >= 2 * targets.maxBlocks)) return stop('blocks')
  if (seconds + nextBlockSeconds > targets.budgetSeconds) return stop('budget')
  return { stop: false, ended: null }
}

/** Blocks with a trial that says nothing about its arm. @param {Pick<Summary, 'arms'>} summary */
const disturbedBlocks = ({ arms }) => new Set(arms.flatMap(({ invalidTrials }) => invalidTrials.filter(({ reason }) => isDisturbance(reason)).map(({ block }) => block))).size

/**
 * @param {{ low: number, high: number }[]} contrasts
 * @param {number} precision half-width as a share
 */
export const precisionReached = (contrasts, precision) => contrasts.every(contrast => halfWidth(contrast) <= precision)

/**
 * @param {object} input
 * @param {Arm} input.arm
 * @param {Sample[]} input.samples of this arm
 * @param {ReadonlyMap<number, number>} input.blocks those that count
 * @param {Reason | null} input.failure
 * @param {{ load: number[], served: number[], generators?: number }} input.cores
 * @param {{ proxy?: number, server?: number }} input.processes
 * @returns {ArmResult}
 */
function armResult ({ arm, samples, blocks, failure, cores, processes }) {
  const valid = samples.filter(({ block, invalid }) => !invalid && blocks.has(block))
  const sum = (/** @type {(sample: Sample) => number} */ value) => valid.reduce((total, sample) => total + value(sample), 0)
  const requests = sum(sample => sample.requests)
  const cpu = { load: sum(s => s.cpuSeconds.load), proxy: sum(s => s.cpuSeconds.proxy), server: sum(s => s.cpuSeconds.server) }
  // Nothing runs without CPU time or memory: where there is none of it, this system does not tell.
  const cpuIsKnown = cpu.load + cpu.proxy + cpu.server > 0
  const memoryIsKnown = valid.some(({ memoryMiB: { proxy, server } }) => proxy + server > 0)
  const micros = (/** @type {number} */ seconds) => seconds / requests * 1e6
  const shares = valid.flatMap(({ linkShare }) => linkShare ?? [])
  const linkShare = shares.length > 0 ? median(shares) : null
  return {
    name: arm.name,
    word: arm.word,
    topology: arm.topology,
    load: arm.load,
    trials: samples.length,
    invalidTrials: samples.flatMap(({ block, invalid }) => invalid ? [{ block, reason: invalid }] : []),
    rps: valid.length > 0 ? throughput(valid.map(({ rps }) => rps)) : null,
    errors: sumErrors(samples),
    // A frozen generator's latencies are nonsense: samples of slices have none.
    latencyMs: middleLatency(valid),
    ...arm.ladder && { ladder: arm.ladder },
    ...samples.some(({ series }) => series) && { series: middleSeries(valid.length > 0 ? valid : samples) },
    ...seenBy(samples, valid.length > 0 ? valid : samples),
    ...samples.some(({ originRequests }) => originRequests != null) && { originRequests: median(samples.flatMap(({ originRequests }) => originRequests ?? [])) },
    cpuMicrosPerRequest: requests > 0 && cpuIsKnown ? { load: micros(cpu.load), proxy: micros(cpu.proxy), server: micros(cpu.server) } : null,
    memoryMiB: memoryIsKnown ? { proxy: median(valid.map(s => s.memoryMiB.proxy)), server: median(valid.map(s => s.memoryMiB.server)) } : null,
    bytesPerResponse: samples.findLast(sample => sample.bytesPerResponse != null)?.bytesPerResponse ?? null,
    ...linkShare !== null && { linkShare },
    bound: linkShare !== null && linkShare >= LINK_BOUND_SHARE ? 'network' : cpuIsKnown ? boundOf(cpu, cores, sum(({ seconds }) => seconds), processes) : 'none',
    proof: proofOf(valid.length > 0 ? valid : samples),
    invalid: failure ?? mostlyInvalid(samples)
  }
}

/** @param {Pick<Sample, 'latencyMs'>[]} samples @returns {ArmResult['latencyMs']} the median of each figure */
export function middleLatency (samples) {
  const known = samples.flatMap(({ latencyMs }) => latencyMs ?? [])
  if (known.length === 0) return null
  const middle = (/** @type {'p50' | 'p90' | 'p95' | 'p99' | 'max'} */ key) => median(known.map(latency => latency[key]))
  return { p50: middle('p50'), p90: middle('p90'), p95: middle('p95'), p99: middle('p99'), max: middle('max'), rate: known[0].rate, source: known[0].source }
}

/** @param {Sample[]} samples @returns {import('./types.d.ts').SeriesPoint[]} the median of all trials, second by second */
function middleSeries (samples) {
  const all = samples.flatMap(({ series }) => series ?? [])
  return [...new Set(all.map(({ second }) => second))].sort((a, b) => a - b).map(second => {
    const points = all.filter(point => point.second === second)
    const waiting = points.flatMap(({ timeWait }) => timeWait ?? [])
    return {
      second,
      rate: median(points.map(({ rate }) => rate)),
      errors: median(points.map(({ errors }) => errors)),
      timeWait: waiting.length > 0 ? median(waiting) : null
    }
  })
}

/**
 * What the engine and the error log have said beside the figures: of all trials, for an error in an invalid one happened too.
 * @param {Sample[]} samples
 * @param {Sample[]} counted those whose course is shown
 * @returns {Pick<ArmResult, 'users' | 'failures' | 'notes' | 'errorLog'>}
 */
const seenBy = (samples, counted) => ({
  ...samples.some(({ users }) => users) && { users: middleUsers(counted) },
  ...samples.some(({ failures }) => failures) && { failures: sumFailures(samples) },
  ...samples.some(({ notes }) => notes) && { notes: [...new Set(samples.flatMap(({ notes }) => notes ?? []))] },
  ...samples.some(({ errorLog }) => errorLog) && { errorLog: joinLogs(samples.flatMap(({ errorLog }) => errorLog ?? [])) }
})

/** Below six trials no interval reaches the level: then it is the whole range. @param {number[]} rps */
export function throughput (rps) {
  const { low, high } = medianInterval(rps, LEVEL) ?? { low: Math.min(...rps), high: Math.max(...rps) }
  return { median: median(rps), low, high }
}

/** Of all trials: an error in an invalid one happened too. @param {Sample[]} samples @returns {ErrorCounts} */
function sumErrors (samples) {
  const total = { non2xx: 0, timeouts: 0, resets: 0, mismatches: 0 }
  for (const { errors } of samples) for (const kind of /** @type {(keyof ErrorCounts)[]} */ (Object.keys(total))) total[kind] += errors[kind]
  return total
}

/** @param {Sample[]} samples @returns {ArmResult['proof']} */
function proofOf (samples) {
  const middle = (/** @type {(number | null)[]} */ values) => {
    const known = values.filter(value => value !== null)
    return known.length > 0 ? median(known) : null
  }
  const confinedBy = samples.find(({ proof }) => proof.confinedBy)?.proof.confinedBy
  return {
    upstreamConnectionsPerRequest: middle(samples.map(({ proof }) => proof.upstreamConnectionsPerRequest)),
    cacheHitRatio: middle(samples.map(({ proof }) => proof.cacheHitRatio)),
    ...samples.some(({ users }) => users) && { clientConnectionsPerRequest: middle(samples.map(({ proof }) => proof.clientConnectionsPerRequest ?? null)) },
    socketType: samples.at(-1)?.proof.socketType ?? 'none',
    ...confinedBy && { confinedBy }
  }
}

/** @param {Sample[]} samples @returns {Reason | null} */
function mostlyInvalid (samples) {
  const invalid = samples.flatMap(sample => sample.invalid ?? [])
  if (samples.length < JUDGED_FROM_TRIALS || invalid.length <= INVALID_SHARE_LIMIT * samples.length) return null
  return commonest(invalid, `${invalid.length} of ${samples.length} trials do not count, most often because `)
}

/** @param {Reason[]} reasons at least one @param {string} [prefix] @returns {Reason} */
function commonest (reasons, prefix = '') {
  const count = (/** @type {Reason} */ reason) => reasons.filter(({ code }) => code === reason.code).length
  const { code, text } = reasons.reduce((most, reason) => count(reason) > count(most) ? reason : most)
  return { code, text: prefix + text }
}

/**
 * How many cores each side can use at most.
 * @param {Pick<Arm, 'topology'> & { load?: Arm['load'] }} arm
 */
export function processesOf ({ topology: { proxy, server }, load }) {
  const workers = proxy?.options.workers
  // A proxy in the server's place says so by its own option.
  const instances = server?.options.workers ?? server?.instances
  return {
    ...load?.rate !== undefined || load?.share !== undefined ? { paced: true } : {},
    ...load?.perUserPerSecond !== undefined || load?.spawnPerSecond !== undefined ? { users: true } : {},
    ...typeof workers === 'number' ? { proxy: workers } : {},
    ...server ? { server: typeof instances === 'number' ? instances : Infinity } : {}
  }
}

/**
 * @param {Plan} plan
 * @param {ArmResult[]} arms
 * @param {Map<string, Map<number, number>>} byArm
 * @returns {Summary['noiseFloor']}
 */
function noiseFloorOf ({ twin }, arms, byArm) {
  if (!twin || find(arms, twin.arm).invalid || find(arms, twin.of).invalid) return null
  const { ratio, low, high, blocks } = pairedRatio(blockLogRatios(of(byArm, twin.arm), of(byArm, twin.of)), LEVEL)
  return blocks >= smallestSampleFor(LEVEL) ? { ratio, low, high } : null
}

/**
 * @param {object} input
 * @param {[ArmResult, ArmResult]} input.arms arm and baseline
 * @param {number[]} input.logRatios
 * @param {number} input.level
 * @param {Summary['noiseFloor']} input.noiseFloor
 * @param {Input['timing'] & {} | null} input.timing
 * @returns {Contrast}
 */
function contrastOf ({ arms: [arm, baseline], logRatios, level, noiseFloor, timing }) {
  const known = knownFrom(arm.bound, baseline.bound)
  const paired = pairedRatio(logRatios, level)
  const contrast = { arm: arm.name, baseline: baseline.name, ...paired, level, oneSided: known === 'nothing' ? null : known }
  const failed = [arm, baseline].find(({ invalid }) => invalid)
  if (failed) return { ...contrast, verdict: 'invalid', why: `${failed.name}: ${failed.invalid?.text}`, secondsToSettle: null }
  if (paired.blocks < smallestSampleFor(level)) {
    const why = tooFew(paired.blocks, level, [arm, baseline])
    return { ...contrast, verdict: 'inconclusive', why, secondsToSettle: timeFor(smallestSampleFor(level) / paired.blocks, timing) }
  }
  const { verdict, why, moreBlocksHelp } = verdictOf(paired, { noiseFloor, known })
  return { ...contrast, verdict, why, secondsToSettle: moreBlocksHelp ? timeFor(blocksToSettle(paired), timing) : null }
}

/**
 * @param {number} blocks
 * @param {number} level
 * @param {ArmResult[]} arms
 */
function tooFew (blocks, level, arms) {
  const need = `${blocks} of the ${smallestSampleFor(level)} blocks that an interval of this level needs`
  const lost = arms.filter(({ invalidTrials }) => invalidTrials.length > 0)
    .map(({ name, invalidTrials, trials }) => `; ${invalidTrials.length} of ${trials} trials of ${name} do not count: ${commonest(invalidTrials.map(({ reason }) => reason)).text}`)
  return need + lost.join('')
}

/**
 * @param {number} times as many blocks as now
 * @param {{ setupSeconds: number, sliceWallSeconds: number } | null} timing
 * @returns {number | null} wall time of a run with so many
 */
const timeFor = (times, timing) => timing && Number.isFinite(times) ? timing.setupSeconds + timing.sliceWallSeconds * times : null

/** @param {ArmResult[]} arms @param {string} name @returns {ArmResult} */
const find = (arms, name) => /** @type {ArmResult} */ (arms.find(arm => arm.name === name))
/** @param {Map<string, Map<number, number>>} byArm @param {string} name */
const of = (byArm, name) => /** @type {Map<number, number>} */ (byArm.get(name))
