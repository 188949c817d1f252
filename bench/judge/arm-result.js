/** Samples of one arm → its result (pure). */
import { joinLogs } from '../shared/log-kinds.js'
import { ERROR_KINDS, ROLES, groupBy, toRecord } from '../shared/group-by.js'
import { combineLatenciesByKind } from './latency-by-kind.js'
import { findUnsteady } from './not-steady.js'
import { combinePlays } from './plays.js'
import { median, medianInterval } from './stats/quantile.js'
import { findBottleneck } from './bottleneck.js'
import { INVALID_SHARE_LIMIT, JUDGED_FROM_TRIALS, LEVEL, LINK_BOUND_SHARE } from '../shared/thresholds.js'

/** @import { Arm, ArmResult, ByRole, Cores, ErrorCounts, Reason, Sample } from '../types.js' */
/** @import { KindCount, SeriesPoint, UserPoint } from '../types.js' */

/**
 * @param {object} input
 * @param {Arm} input.arm
 * @param {Sample[]} input.samples of this arm
 * @param {ReadonlyMap<number, number>} input.blocks rates of the blocks that are evaluated, by block number
 * @param {Reason | null} input.failure why the whole arm is invalid
 * @param {Cores} input.cores
 * @returns {ArmResult}
 */
export function computeArmResult ({ arm, samples, blocks, failure, cores }) {
  const valid = samples.filter(({ block, invalid }) => !invalid && blocks.has(block))
  // Without a valid trial, series and proofs are those of the invalid trials.
  const shown = valid.length > 0 ? valid : samples
  const byKind = combineLatenciesByKind(valid)
  const originRequests = samples.flatMap(sample => sample.originRequests ?? [])
  const plays = combinePlays(valid)
  const unsteady = findUnsteady(valid)
  const leftOut = unsteady ? null : findUnsteady(samples.filter(({ invalid }) => !invalid))
  const lagP99Ms = medianOfKnown(valid.map(({ lagMs }) => lagMs?.p99 ?? null))
  return {
    name: arm.name,
    spec: arm.spec,
    topology: arm.topology,
    load: arm.load,
    trials: samples.length,
    invalidTrials: samples.flatMap(({ block, invalid }) => invalid ? [{ block, reason: invalid }] : []),
    rps: valid.length > 0 ? computeThroughput(valid.map(({ rps }) => rps)) : null,
    errors: sumErrors(samples),
    latencyMs: combineLatencies(valid),
    ...lagP99Ms !== null && { lagP99Ms },
    ...byKind && { latencyByKind: byKind },
    ...plays && { plays },
    ...arm.ladder && { ladder: arm.ladder },
    ...unsteady && { unsteady },
    ...leftOut && { unwarmStarts: leftOut.starts },
    ...samples.some(({ series }) => series) && { series: combineSeries(shown) },
    ...getObservations(samples, shown),
    ...originRequests.length > 0 && { originRequests: median(originRequests) },
    ...computeUsage(arm, valid, cores),
    bytesPerResponse: samples.findLast(sample => sample.bytesPerResponse != null)?.bytesPerResponse ?? null,
    proof: combineProofs(shown),
    invalid: failure ?? findRejection(samples)
  }
}

/**
 * Returns CPU time, memory and the bottleneck. A program always uses CPU time and memory, so 0 means that this system
 * does not report them.
 *
 * @param {Arm} arm
 * @param {Sample[]} valid
 * @param {Cores} cores
 * @returns {Pick<ArmResult, 'cpuMicrosPerRequest' | 'memoryMiB' | 'linkShare' | 'bound' | 'boundWhy'>}
 */
function computeUsage (arm, valid, cores) {
  const requests = sumOf(valid, sample => sample.requests)
  const cpuSeconds = sumCpuSeconds(valid)
  const hasCpuTime = arm.topology.url === undefined && cpuSeconds.load + cpuSeconds.proxy + cpuSeconds.server > 0
  const hasMemory = valid.some(({ memoryMiB: { proxy, server } }) => proxy + server > 0)

  const linkShares = valid.flatMap(sample => sample.linkShare ?? [])
  const linkShare = linkShares.length > 0 ? median(linkShares) : null
  const isLinkBound = linkShare !== null && linkShare >= LINK_BOUND_SHARE
  // Without the generator's CPU time the bottleneck is unknown. With 0 s findBottleneck() returns 'none'.
  const secondsWithCpuTime = cpuSeconds.load > 0 ? sumOf(valid, sample => sample.seconds) : 0
  const { bound, waits } = isLinkBound
    ? { bound: /** @type {const} */ ('network'), waits: false }
    : findBottleneck(cpuSeconds, cores, secondsWithCpuTime, getLoadContext(arm, combineProofs(valid)))
  return {
    cpuMicrosPerRequest: requests > 0 && hasCpuTime ? toRecord(ROLES, role => cpuSeconds[role] / requests * 1e6) : null,
    memoryMiB: hasMemory
      ? toRecord(['proxy', 'server'], role => median(valid.map(({ memoryMiB }) => memoryMiB[role])))
      : null,
    ...linkShare !== null && { linkShare },
    bound,
    ...waits && { boundWhy: 'both-waited' }
  }
}

/**
 * Sums the CPU time of generator, proxy and server.
 *
 * @param {{ cpuSeconds: ByRole }[]} samples
 * @returns {ByRole}
 */
const sumCpuSeconds = samples => toRecord(ROLES, role => sumOf(samples, ({ cpuSeconds }) => cpuSeconds[role]))

/**
 * @template Item
 * @param {Item[]} samples
 * @param {(sample: Item) => number} value
 */
export const sumOf = (samples, value) => samples.reduce((sum, sample) => sum + value(sample), 0)

/**
 * Returns the median of each percentile. Samples of slices have no latencies, because a paused generator measures none.
 *
 * @param {Pick<Sample, 'latencyMs'>[]} samples
 * @returns {ArmResult['latencyMs']}
 */
export function combineLatencies (samples) {
  const known = samples.flatMap(({ latencyMs }) => latencyMs ?? [])
  if (known.length === 0) return null
  const [{ rate, source }] = known
  const hasOfferedRate = rate !== null && rate !== undefined
  const p99s = known.map(({ p99 }) => p99)
  return {
    ...toRecord(['p50', 'p90', 'p95', 'p99', 'max'], key => median(known.map(latency => latency[key]))),
    ...hasOfferedRate && { p99Range: { low: Math.min(...p99s), high: Math.max(...p99s) } },
    rate,
    source
  }
}

/**
 * Returns what engine and error log reported besides the figures. Invalid trials are included, because their errors
 * happened too.
 *
 * @param {Sample[]} samples
 * @param {Sample[]} shown trials whose series are shown
 * @returns {Pick<ArmResult, 'users' | 'failures' | 'notes' | 'errorLog'>}
 */
const getObservations = (samples, shown) => ({
  ...samples.some(({ users }) => users) && { users: combineUsers(shown) },
  ...samples.some(({ failures }) => failures) && { failures: sumFailures(samples) },
  ...samples.some(({ notes }) => notes) && { notes: [...new Set(samples.flatMap(({ notes }) => notes ?? []))] },
  ...samples.some(({ errorLog }) => errorLog) &&
    { errorLog: joinLogs(samples.flatMap(({ errorLog }) => errorLog ?? [])) }
})

/**
 * Returns the median rate and its interval, or the whole range below six trials, which have no interval.
 *
 * @param {number[]} rates
 */
function computeThroughput (rates) {
  const { low, high } = medianInterval(rates, LEVEL) ?? { low: Math.min(...rates), high: Math.max(...rates) }
  return { median: median(rates), low, high }
}

/**
 * Sums the errors of all trials, because those of an invalid trial happened too.
 *
 * @param {{ errors: ErrorCounts }[]} samples
 * @returns {ErrorCounts}
 */
export const sumErrors = samples => toRecord(ERROR_KINDS, kind => sumOf(samples, ({ errors }) => errors[kind]))

/**
 * @param {Sample[]} samples
 * @returns {ArmResult['proof']}
 */
function combineProofs (samples) {
  const proofs = samples.map(({ proof }) => proof)
  const busiestWorker = medianOfKnown(proofs.map(proof => proof.busiestWorker ?? null))
  const confinedBy = proofs.find(proof => proof.confinedBy)?.confinedBy
  const program = proofs.find(proof => proof.program)?.program
  const processes = medianOfKnown(proofs.map(proof => proof.processes ?? null))
  return {
    upstreamConnectionsPerRequest: medianOfKnown(proofs.map(proof => proof.upstreamConnectionsPerRequest)),
    cacheHitRatio: medianOfKnown(proofs.map(proof => proof.cacheHitRatio)),
    ...samples.some(({ users }) => users) &&
      { clientConnectionsPerRequest: medianOfKnown(proofs.map(proof => proof.clientConnectionsPerRequest ?? null)) },
    socketType: proofs.at(-1)?.socketType ?? 'none',
    ...proofs.some(proof => proof.filesAtServer !== undefined) &&
      { filesAtServer: sumOf(samples, ({ proof }) => proof.filesAtServer ?? 0) },
    ...busiestWorker !== null && { busiestWorker },
    ...confinedBy && { confinedBy },
    ...program && { program },
    ...processes !== null && { processes: Math.ceil(processes) },
    ...proofs.some(proof => proof.writesPerRequest) && { writesPerRequest: /** @type {const} */ (true) }
  }
}

/**
 * Returns the reason to reject an arm with too many invalid trials.
 *
 * @param {Sample[]} samples
 * @returns {Reason | null} null: the arm is not rejected
 */
function findRejection (samples) {
  const reasons = samples.flatMap(sample => sample.invalid ?? [])
  if (samples.length < JUDGED_FROM_TRIALS || reasons.length <= INVALID_SHARE_LIMIT * samples.length) return null
  return { ...findMostFrequent(reasons), most: { invalid: reasons.length, trials: samples.length } }
}

/**
 * Returns a reason with the most frequent code.
 *
 * @param {Reason[]} reasons at least one
 * @returns {Reason}
 */
export function findMostFrequent (reasons) {
  const count = (/** @type {Reason} */ reason) => reasons.filter(({ code }) => code === reason.code).length
  return reasons.reduce((most, reason) => count(reason) > count(most) ? reason : most)
}

/**
 * Options for the number of a proxy's event loops, each of which uses one core at most; default in a measurement: 1.
 * Excludes proxies that start threads as they need them, because their limit is unknown.
 * @type {ReadonlyMap<string, string>}
 */
const LOOP_OPTIONS = new Map([['nginx', 'workers'], ['haproxy', 'threads'], ['envoy', 'threads']])

/** Programs that run the code of an app in one thread of each process. */
const ONE_THREAD = /^(node|bun|deno|python|ruby)/

/**
 * Returns how an arm is loaded, and the most cores that its proxy and its server can use.
 *
 * @param {Pick<Arm, 'topology' | 'load'>} arm
 * @param {Pick<ArmResult['proof'], 'program' | 'processes'>} [proof] of an app that a command starts; default: unknown
 * @returns {Parameters<typeof findBottleneck>[3]}
 */
function getLoadContext ({ topology, load }, { program = '', processes } = {}) {
  const { proxy, server } = topology
  const loopOption = proxy ? LOOP_OPTIONS.get(proxy.name) : undefined
  const loops = loopOption === undefined ? undefined : proxy?.options[loopOption]
  // A proxy that serves files as the server has an option for its processes.
  const instances = server?.options.workers ?? server?.instances
  return {
    mode: getLoadMode(topology, load),
    maxCores: {
      ...loopOption !== undefined && { proxy: typeof loops === 'number' ? loops : 1 },
      ...server && !server.command && { server: typeof instances === 'number' ? instances : Infinity },
      ...server?.command && processes !== undefined && ONE_THREAD.test(program) && { server: processes }
    }
  }
}

/**
 * @param {Arm['topology']} topology
 * @param {Arm['load']} load
 * @returns {Parameters<typeof findBottleneck>[3]['mode']}
 */
function getLoadMode ({ url }, { rate, share, scenario, perUserPerSecond, spawnPerSecond }) {
  if ((rate ?? share ?? scenario) !== undefined) return 'schedule'
  if (perUserPerSecond !== undefined || spawnPerSecond !== undefined) return 'users'
  return url === undefined ? 'closed' : 'external'
}

/**
 * Returns the median of the values that are known.
 *
 * @param {(number | null)[]} values
 * @returns {number | null}
 */
function medianOfKnown (values) {
  const known = values.filter(value => value !== null)
  return known.length > 0 ? median(known) : null
}

/**
 * Groups the points of several trials by second.
 *
 * @template {{ second: number }} Point
 * @param {Point[]} points
 * @returns {[second: number, points: Point[]][]} in rising order
 */
const groupBySecond = points => [...groupBy(points, ({ second }) => second)].sort(([a], [b]) => a - b)

/**
 * Returns the median of all trials, second by second.
 *
 * @param {Pick<Sample, 'users'>[]} samples
 * @returns {UserPoint[]}
 */
const combineUsers = samples => groupBySecond(samples.flatMap(({ users }) => users ?? []))
  .map(([second, points]) => ({
    second,
    ...toRecord(['users', 'rps', 'failures'], key => median(points.map(point => point[key]))),
    ...toRecord(['p50', 'p95'], key => medianOfKnown(points.map(point => point[key])))
  }))

/**
 * Returns the median of all trials, second by second.
 *
 * @param {Sample[]} samples
 * @returns {SeriesPoint[]}
 */
const combineSeries = samples => groupBySecond(samples.flatMap(({ series }) => series ?? []))
  .map(([second, points]) => ({
    second,
    ...toRecord(['rate', 'errors'], key => median(points.map(point => point[key]))),
    timeWait: medianOfKnown(points.map(({ timeWait }) => timeWait))
  }))

/**
 * Sums the failures of all trials by kind, the most frequent first.
 *
 * @param {Pick<Sample, 'failures'>[]} samples
 * @returns {KindCount[]}
 */
function sumFailures (samples) {
  const kinds = groupBy(samples.flatMap(({ failures }) => failures ?? []), ({ kind }) => kind)
  return [...kinds].map(([kind, same]) => ({ kind, count: sumOf(same, ({ count }) => count) }))
    .sort((a, b) => b.count - a.count)
}
