/** Samples of one arm → what it did (pure).
 * @import { Arm, ArmResult, ErrorCounts, Reason, Sample, SeriesPoint } from '../types.js' */
import { joinLogs } from '../shared/log-kinds.js'
import { median, medianInterval } from './stats/quantile.js'
import { middleUsers, sumFailures } from './users.js'
import { bottleneckOf } from './verdict.js'
import { INVALID_SHARE_LIMIT, JUDGED_FROM_TRIALS, LEVEL, LINK_BOUND_SHARE } from '../shared/thresholds.js'

/** @param {object} input @param {Arm} input.arm @param {Sample[]} input.samples of this arm
 * @param {ReadonlyMap<number, number>} input.blocks those that count @param {Reason | null} input.failure
 * @param {{ load: number[], served: number[], generators?: number }} input.cores
 * @param {ReturnType<typeof processesOf>} input.processes @returns {ArmResult} */
export function armResult ({ arm, samples, blocks, failure, cores, processes }) {
  const valid = samples.filter(({ block, invalid }) => !invalid && blocks.has(block))
  const sum = (/** @type {(sample: Sample) => number} */ value) =>
    valid.reduce((total, sample) => total + value(sample), 0)
  const requests = sum(sample => sample.requests)
  const cpu = {
    load: sum(s => s.cpuSeconds.load),
    proxy: sum(s => s.cpuSeconds.proxy),
    server: sum(s => s.cpuSeconds.server)
  }
  // Nothing runs without CPU time or memory: where there is none of it, this system does not show it.
  const cpuIsKnown = arm.topology.url === undefined && cpu.load + cpu.proxy + cpu.server > 0
  const memoryIsKnown = valid.some(({ memoryMiB: { proxy, server } }) => proxy + server > 0)
  const micros = (/** @type {number} */ seconds) => seconds / requests * 1e6
  const shares = valid.flatMap(({ linkShare }) => linkShare ?? [])
  const linkShare = shares.length > 0 ? median(shares) : null
  /** @type {ReturnType<typeof bottleneckOf>} */
  const limit = linkShare !== null && linkShare >= LINK_BOUND_SHARE
    ? { bound: 'network', waits: false }
    : bottleneckOf(cpu, cores, cpu.load > 0 ? sum(({ seconds }) => seconds) : 0, processes)
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
    ...samples.some(({ originRequests }) => originRequests != null) &&
      { originRequests: median(samples.flatMap(({ originRequests }) => originRequests ?? [])) },
    cpuMicrosPerRequest: requests > 0 && cpuIsKnown
      ? { load: micros(cpu.load), proxy: micros(cpu.proxy), server: micros(cpu.server) }
      : null,
    memoryMiB: memoryIsKnown
      ? { proxy: median(valid.map(s => s.memoryMiB.proxy)), server: median(valid.map(s => s.memoryMiB.server)) }
      : null,
    bytesPerResponse: samples.findLast(sample => sample.bytesPerResponse != null)?.bytesPerResponse ?? null,
    ...linkShare !== null && { linkShare },
    bound: limit.bound,
    ...limit.waits && { boundWhy: BOTH_WAITED },
    proof: proofOf(valid.length > 0 ? valid : samples),
    invalid: failure ?? mostlyInvalid(samples)
  }
}

const BOTH_WAITED = 'neither the load generator nor the served side was busy: each waited for the other'

/** @param {Pick<Sample, 'latencyMs'>[]} samples @returns {ArmResult['latencyMs']} the median of each figure */
export function middleLatency (samples) {
  const known = samples.flatMap(({ latencyMs }) => latencyMs ?? [])
  if (known.length === 0) return null
  const middle = (/** @type {'p50' | 'p90' | 'p95' | 'p99' | 'max'} */ key) =>
    median(known.map(latency => latency[key]))
  return {
    p50: middle('p50'),
    p90: middle('p90'),
    p95: middle('p95'),
    p99: middle('p99'),
    max: middle('max'),
    ...known[0].rate !== null && known[0].rate !== undefined && {
      p99Range: { low: Math.min(...known.map(({ p99 }) => p99)), high: Math.max(...known.map(({ p99 }) => p99)) }
    },
    rate: known[0].rate,
    source: known[0].source
  }
}

/** @param {Sample[]} samples @returns {SeriesPoint[]} the median of all trials, second by second */
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

/** What the engine and the error log have said beside the figures: of all trials, for an error in an invalid one
 * happened too. @param {Sample[]} samples @param {Sample[]} counted those whose course is shown
 * @returns {Pick<ArmResult, 'users' | 'failures' | 'notes' | 'errorLog'>} */
const seenBy = (samples, counted) => ({
  ...samples.some(({ users }) => users) && { users: middleUsers(counted) },
  ...samples.some(({ failures }) => failures) && { failures: sumFailures(samples) },
  ...samples.some(({ notes }) => notes) && { notes: [...new Set(samples.flatMap(({ notes }) => notes ?? []))] },
  ...samples.some(({ errorLog }) => errorLog) &&
    { errorLog: joinLogs(samples.flatMap(({ errorLog }) => errorLog ?? [])) }
})

/** Below six trials no interval reaches the level: then it is the whole range. @param {number[]} rps */
export function throughput (rps) {
  const { low, high } = medianInterval(rps, LEVEL) ?? { low: Math.min(...rps), high: Math.max(...rps) }
  return { median: median(rps), low, high }
}

/** Of all trials: an error in an invalid one happened too. @param {Sample[]} samples @returns {ErrorCounts} */
function sumErrors (samples) {
  const total = { non2xx: 0, timeouts: 0, resets: 0, mismatches: 0 }
  for (const { errors } of samples) {
    for (const kind of /** @type {(keyof ErrorCounts)[]} */ (Object.keys(total))) total[kind] += errors[kind]
  }
  return total
}

/** @param {Sample[]} samples @returns {ArmResult['proof']} */
function proofOf (samples) {
  const middle = (/** @type {(number | null)[]} */ values) => {
    const known = values.filter(value => value !== null)
    return known.length > 0 ? median(known) : null
  }
  const even = middle(samples.map(({ proof }) => proof.busiestWorker ?? null))
  const confinedBy = samples.find(({ proof }) => proof.confinedBy)?.proof.confinedBy
  return {
    upstreamConnectionsPerRequest: middle(samples.map(({ proof }) => proof.upstreamConnectionsPerRequest)),
    cacheHitRatio: middle(samples.map(({ proof }) => proof.cacheHitRatio)),
    ...samples.some(({ users }) => users) &&
      { clientConnectionsPerRequest: middle(samples.map(({ proof }) => proof.clientConnectionsPerRequest ?? null)) },
    socketType: samples.at(-1)?.proof.socketType ?? 'none',
    ...even !== null && { busiestWorker: even },
    ...confinedBy && { confinedBy }
  }
}

/** @param {Sample[]} samples @returns {Reason | null} */
function mostlyInvalid (samples) {
  const invalid = samples.flatMap(sample => sample.invalid ?? [])
  if (samples.length < JUDGED_FROM_TRIALS || invalid.length <= INVALID_SHARE_LIMIT * samples.length) return null
  return commonest(invalid, `${invalid.length} of ${samples.length} trials are invalid, most often because `)
}

/** @param {Reason[]} reasons at least one @param {string} [prefix] @returns {Reason} */
export function commonest (reasons, prefix = '') {
  const count = (/** @type {Reason} */ reason) => reasons.filter(({ code }) => code === reason.code).length
  const { code, text } = reasons.reduce((most, reason) => count(reason) > count(most) ? reason : most)
  return { code, text: prefix + text }
}

/** How many cores each side can use at most. @param {Pick<Arm, 'topology'> & { load?: Arm['load'] }} arm */
export function processesOf ({ topology: { proxy, server, url }, load }) {
  const workers = proxy?.options.workers
  // A proxy in the server's place says so by its own option.
  const instances = server?.options.workers ?? server?.instances
  return {
    ...load?.rate !== undefined || load?.share !== undefined ? { paced: true } : {},
    ...load?.perUserPerSecond !== undefined || load?.spawnPerSecond !== undefined ? { users: true } : {},
    ...url !== undefined ? { unseen: true } : {},
    ...typeof workers === 'number' ? { proxy: workers } : {},
    // How many processes a command starts is its own affair.
    ...server && !server.command ? { server: typeof instances === 'number' ? instances : Infinity } : {}
  }
}
