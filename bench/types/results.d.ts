/** Results of a run: samples, arms, contrasts and claims. */
import type {
  BlockLoad, ByRole, ErrorCounts, KindCount, Latency, LatencyByKind, LogCount, RequestKind, SeriesPoint, Unserved,
  Unsteady, UserPoint
} from './sample.d.ts'
import type {
  ArmName, Count, Estimate, NonNegative, Phrase, Positive, PositiveInteger, Share, UtcTime
} from './values.d.ts'
import type { HistogramData } from './plugins.d.ts'
import type { PlaysResult, StoredPlay } from './behaviour.d.ts'
import type { Bound, Drift, Interval, Proof, RatioInterval, Step, UnsteadyArm, Verdict } from './record.d.ts'
import type { ClaimWhy, ContrastWhy, Reason } from './facts.d.ts'
import type { Load, Topology } from './topology.d.ts'
import type { Conditions, Source } from './plan.d.ts'

export interface ArmResult {
  name: ArmName
  /** the topology as a spec */
  spec: Phrase
  topology: Topology
  load: Load
  trials: Count
  invalidTrials: { block: Count, reason: Reason }[]
  /** units per second; null: no valid trial */
  rps: (Interval & { median: NonNegative }) | null
  errors: ErrorCounts
  latencyMs: Latency | null
  /** p99 of the time by which an open-loop generator sent late, which response times include; left out: no timetable */
  lagP99Ms?: NonNegative
  /** left out: not measured, or the files of the app are unknown */
  latencyByKind?: LatencyByKind
  cpuMicrosPerRequest: ByRole | null
  /** bytes on the wire, headers included, of a response, or of a page view if these are the unit; null: not measured */
  bytesPerResponse?: NonNegative | null
  memoryMiB: { proxy: NonNegative, server: NonNegative } | null
  bound: Bound
  /** neither side was saturated; left out: bound names the bottleneck */
  boundWhy?: 'both-waited'
  /** median share of the link that its trials used; left out: the rate of the link is unknown */
  linkShare?: NonNegative
  proof: Proof
  /** protocol series: the median of all trials, second by second */
  series?: SeriesPoint[]
  /** with users: the median of all trials, second by second */
  users?: UserPoint[]
  /** errors of all trials by the engine's names */
  failures?: KindCount[]
  /** warnings of the engine */
  notes?: string[]
  /** protocol plays; left out: no valid play */
  plays?: PlaysResult
  /** lines in the error log of the proxy, in all trials */
  errorLog?: LogCount[]
  /** requests in one window that reached the server behind a cache; null or left out: not counted */
  originRequests?: NonNegative | null
  ladder?: Step
  /** left out: a start reached the steady state */
  unsteady?: UnsteadyArm
  /** starts whose blocks are left out because the arm was not warm; left out: none */
  unwarmStarts?: PositiveInteger
  /** why the whole arm is invalid; null: valid */
  invalid: Reason | null
}

export interface Contrast extends RatioInterval {
  arm: string
  baseline: string
  /** NaN without a block, as are low and high. With too few blocks for the level these are 0 and Infinity. */
  ratio: Estimate
  /** confidence level of the interval after the adjustment, such as 0.99 */
  level: Share
  /** blocks in which both arms were valid */
  blocks: Count
  /** number of independent blocks with the same information, at most `blocks` */
  pooled: Count
  /**
   * lag-1 autocorrelation of the block log-ratios as measured; NaN below three blocks
   * @minimum -1
   * @maximum 1
   * @nullable
   */
  lag1: number
  /** largest difference that counts as none, as a share */
  margin: Positive
  /** 'at-least': the rate of the arm is a lower bound, because the load generator limited it or only the baseline was
   * saturated; 'at-most': that of the baseline is */
  oneSided: null | 'at-least' | 'at-most'
  verdict: Verdict
  /** what a ratio of rates compares: capacities, if both arms were saturated, otherwise the time to hand on requests;
   * left out: unknown */
  measures?: 'capacity' | 'hand-off latency'
  /** why it is invalid or inconclusive */
  why: ContrastWhy | null
  /** estimated wall time of a conclusive result at 80 % power; null: conclusive, unknown, or beyond four hours */
  secondsToSettle: NonNegative | null
  /** number of starts behind the interval; left out: one */
  starts?: PositiveInteger
  /** degrees of freedom of the interval over starts; null or left out: one start */
  df?: NonNegative | null
  /** the interval without the variance between starts; left out: one start */
  within?: Interval
  /** left out: too few blocks, or a start for each trial */
  drift?: Drift
  /** first block after which the confidence sequence decided the verdict; null or left out: open until the end */
  decidedAtBlock?: Count | null
}

export interface ClaimResult {
  id: string
  source: Source
  statement: string
  published: number | string
  measured: number | string | null
  low: number | null
  high: number | null
  /** side on which the ratio is a bound, because one arm was not saturated; left out: it is an estimate */
  oneSided?: 'at-least' | 'at-most'
  status: 'confirmed' | 'refuted' | 'inconclusive' | 'not-testable'
  why: ClaimWhy[]
  /** in addition to those of its source */
  conditions?: Conditions
}

/** Response times of all arms at one offered rate. */
export interface OpenLoop {
  /** requests per second of each arm */
  rate: Positive
  windowSeconds: Positive
  arms: OpenLoopArm[]
}

export interface OpenLoopArm {
  name: string
  windows: Count
  /** false: the queue of the arm grew, so no percentile is claimed; null: not measured, because of `why` */
  sustained: boolean | null
  /** responses before the end of the schedule */
  answeredPerSecond: NonNegative | null
  /** median of the windows, from the scheduled send time of each request */
  latencyMs: Latency | null
  /** left out: not measured, or the files of the app are unknown */
  latencyByKind?: LatencyByKind
  /** see ArmResult */
  unsteady?: UnsteadyArm
  /** behind the percentiles */
  responses: Count
  errors: ErrorCounts
  why: Reason | null
}

/** A line of samples.jsonl: an arm in a block. The BlockLoad is that of all arms. */
export interface Sample extends BlockLoad {
  arm: string
  block: Count
  /** number of the start of the arm's processes, from 0; left out: the only start, or one per trial */
  start?: Count
  startedAt: UtcTime
  /** of the start; left out: it reached the steady state, or was not warmed up */
  unsteady?: Unsteady
  /** units within `seconds`, without error responses (`errors.non2xx`): counted on the served side, by its clock, or by
   * the clients (ProtocolAbout.clientCounts). All bytes, if bytes are the unit. With page views not a whole number */
  requests: NonNegative
  /** requests of a page view; left out: page views are not the unit */
  requestsPerUnit?: PositiveInteger
  seconds: NonNegative
  rps: Estimate
  /** while a topology is sized: cores that the served side used, in each tenth of a second */
  coresUsed?: number[]
  errors: ErrorCounts
  /** left out: none, or not counted */
  unserved?: Unserved
  /** used in the measured window, by role; idle: by the processes of other arms */
  cpuSeconds: ByRole & { idle: NonNegative }
  memoryMiB: { proxy: NonNegative, server: NonNegative }
  /**
   * on the wire, headers included, measured by the gate: of a response, or of all responses of a page view; null or
   * left out: unknown
   */
  bytesPerResponse?: NonNegative | null
  /** share of the link between two hosts that responses used; left out: its rate is unknown */
  linkShare?: NonNegative
  /** as reported by the engine; left out or null where it would mean nothing */
  latencyMs?: Latency | null
  /** in microseconds; left out: the kinds are unknown */
  latencyByKind?: Record<RequestKind, HistogramData>
  /** send lag, with a rate: how late scheduled requests left the generator. The server does not affect it. */
  lagMs?: { p50: Estimate, p99: Estimate, max: Estimate } | null
  /** with a rate: requests without a response in the middle and at the end of the schedule, and responses by the end */
  backlog?: { middle: Count, end: Count, answered: Count }
  /** protocol series: the window second by second */
  series?: SeriesPoint[]
  /** with users: the window second by second */
  users?: UserPoint[]
  /** errors by the engine's names */
  failures?: KindCount[]
  /** warnings of the engine */
  notes?: string[]
  /** protocol plays */
  play?: StoredPlay
  /** lines in the error log of the proxy within the window; left out: none, or not read */
  errorLog?: LogCount[]
  /** requests that reached the server behind a cache; left out or null: not counted */
  originRequests?: NonNegative | null
  /** cacheExpiries: responses from an expired cache entry within the slice; null: no cache */
  proof: Proof & { cacheExpiries: Count | null }
  /** null: valid */
  invalid: Reason | null
}
