/** The record of a run: run.json in its folder. */
import type { Load, Topology } from './topology.d.ts'
import type { Advice, ClaimWhy, ContrastWhy, Reason, Warning } from './facts.d.ts'
import type { Conditions, Plan, Source, Unit } from './plan.d.ts'
import type { ConfinedBy } from './plugins.d.ts'
import type { PlaysResult } from './behaviour.d.ts'
import type {
  BlockLoad, ByRole, ErrorCounts, KindCount, Latency, LatencyByKind, LogCount, SeriesPoint, Unsteady, UserPoint
} from './sample.d.ts'
import type { RunDiff } from './diff.d.ts'
import type { Deployed, Sizing } from './sizing.d.ts'
import type { SelfTest } from './studies.d.ts'

export interface Interval { low: number, high: number }
/** A ratio of two arms with its interval. */
export interface RatioInterval extends Interval { ratio: number }
export type Verdict = 'faster' | 'slower' | 'no-difference' | 'inconclusive' | 'invalid'
/** The role that limited throughput. load: the generator; network: the link between two hosts */
export type Bound = 'server' | 'proxy' | 'load' | 'network' | 'none'

/** Starts of an arm whose warm-up ended before the steady state, and the largest change among them. */
export interface UnsteadyArm extends Unsteady { starts: number }

export interface ArmResult {
  name: string
  spec: string // the topology as a spec
  topology: Topology
  load: Load
  trials: number
  invalidTrials: { block: number, reason: Reason }[]
  rps: (Interval & { median: number }) | null // units per second
  errors: ErrorCounts
  latencyMs: Latency | null
  /** p99 of the time by which an open-loop generator sent late, which response times include; left out: requests had no timetable */
  lagP99Ms?: number
  latencyByKind?: LatencyByKind // left out: not measured, or the files of the app are unknown
  cpuMicrosPerRequest: ByRole | null
  /** bytes on the wire, headers included, of a response, or of a page view if these are the unit; null: not measured */
  bytesPerResponse?: number | null
  memoryMiB: { proxy: number, server: number } | null
  bound: Bound
  boundWhy?: 'both-waited' // neither side was saturated; left out: bound names the bottleneck
  linkShare?: number // median share of the link that its trials used; left out: the rate of the link is unknown
  proof: {
    upstreamConnectionsPerRequest: number | null
    clientConnectionsPerRequest?: number | null // with users, whose connections can break
    cacheHitRatio: number | null
    socketType: 'tcp' | 'unix' | 'none'
    filesAtServer?: number // sum of all trials, see Sample.proof
    busiestWorker?: number // see Sample.proof
    confinedBy?: ConfinedBy
    program?: string // see Sample.proof
    processes?: number // see Sample.proof; the median of all trials
    writesPerRequest?: true // see Sample.proof
  }
  series?: SeriesPoint[] // protocol series: the median of all trials, second by second
  users?: UserPoint[] // with users: the median of all trials, second by second
  failures?: KindCount[] // errors of all trials by the engine's names
  notes?: string[] // warnings of the engine
  plays?: PlaysResult // protocol plays; left out: no valid play
  errorLog?: LogCount[] // lines in the error log of the proxy, in all trials
  /** requests in one window that reached the server behind a cache; null or left out: not counted */
  originRequests?: number | null
  ladder?: { of: string, step: number } // protocols ladder and rates
  unsteady?: UnsteadyArm // left out: every start reached the steady state
  invalid: Reason | null // why the whole arm is invalid; null: valid
}

export interface Contrast extends RatioInterval {
  arm: string
  baseline: string
  ratio: number // NaN without a block, as are low and high. With too few blocks for the level these are 0 and Infinity.
  level: number // confidence level of the interval after the adjustment, such as 0.99
  blocks: number // blocks in which both arms were valid
  pooled: number // number of independent blocks with the same information: whole, at most `blocks`
  lag1: number // lag-1 autocorrelation of the block log-ratios as measured; NaN below three blocks
  margin: number // largest difference that counts as none, as a share
  /** 'at-least': the rate of the arm is a lower bound, because the load generator limited it or only the baseline was
   * saturated; 'at-most': that of the baseline is */
  oneSided: null | 'at-least' | 'at-most'
  verdict: Verdict
  /** what a ratio of rates compares: capacities, if both arms were saturated, otherwise the time to hand on requests;
   * left out: unknown */
  measures?: 'capacity' | 'hand-off latency'
  why: ContrastWhy | null // why it is invalid or inconclusive
  /** estimated wall time of a conclusive result at 80 % power; null: conclusive, unknown, or beyond four hours */
  secondsToSettle: number | null
  starts?: number // number of starts behind the interval; left out: one
  df?: number | null // degrees of freedom of the interval over starts; null or left out: one start
  within?: Interval // the interval without the variance between starts; left out: one start
  drift?: Drift // left out: too few blocks, or a start for each trial
  /** first block after which the confidence sequence decided the verdict; null or left out: open until the end */
  decidedAtBlock?: number | null
}

/** Change of the ratio of two arms from the first block of a start to the last. */
export interface Drift {
  change: number // as a share: -0.05
  p: number // probability of a change at least as large by chance
}

/** A start that differs from the other starts of its arm by more than chance explains. */
export interface StandsApart {
  arm: string
  start: number
  factor: number // of the rate: 0.7 for a start that is 30 % slower
  fromBlock: number | null // first block of a state that lasted until the end of the start; null: the whole start
}

/** Standard deviations of the log-ratio of two arms: of a block, and of a start. */
export interface StartNoise {
  sliceSd: number
  startSd: number // 0: no more than blocks explain
  starts: number
  df: number // degrees of freedom of startSd, over all arms
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
  conditions?: Conditions // in addition to those of its source
}

/** What a record is about. `hopbench size --url`: url-sizing */
export type RecordKind = 'run' | 'sizing' | 'url-sizing' | 'diff' | 'selftest'

export interface RunRecord {
  schema: 3
  kind: RecordKind
  run: string // folder name: <UTC time>-<experiment>
  experiment: string
  question: string
  protocol: string
  unit: Unit
  startedAt: string
  endedAt: string | null
  complete: boolean
  ended: RunEnd | null // null: still running, or cut off
  seed: number
  plan: Plan
  environment: Environment
  tools: Record<string, string>
  /** arm for which the default engine was too slow, and the share of its core that it used; null: no other engine */
  switchedFor?: { arm: string, share: number } | null
  /** engine that the experiment names and that is not available; null: it was used */
  engineInstead?: { wanted: string, why: string } | null
  slowerUsers?: SlowerUsers | null // null or left out: users kept the planned pace
  /** protocol gang: the arm because of which only generators were paused, in slices; left out: whole arms were */
  crowded?: { arm: string, processes: number }
  fileDifferences?: FileDifferences[] // left out: none, or no proxy serves files of an app
  arms: ArmResult[]
  contrasts: Contrast[]
  noiseFloor: RatioInterval | null
  standsApart?: StandsApart[] // left out: no outlier, or one start
  noise?: StartNoise // left out: one start
  claims: ClaimResult[]
  warnings: (Warning)[]
  recommendation: Advice[] // which static server suits which case
  recommended: string[] // names of the recommended arms, the first choice first
  sizing?: Sizing // of `hopbench size`
  deployed?: Deployed // of `hopbench size --url`
  selftest?: SelfTest // of `hopbench selftest`
  openLoop?: OpenLoop // with --rate; left out: no such part, or the run ended before it
  diff?: RunDiff // of `hopbench diff`
  /** resolution of this machine according to its last selftest; left out: none */
  resolves?: { run: string, minutes: number, difference: number }
  timing: RunTiming
}

/** Why a run ended. 'decided': more blocks would change no verdict, and the size of every ratio is known */
export type RunEnd = 'precision' | 'decided' | 'blocks' | 'budget' | 'interrupted' | 'failed'

/** Response times of all arms at one offered rate. */
export interface OpenLoop {
  rate: number // requests per second of each arm
  windowSeconds: number
  arms: OpenLoopArm[]
}
export interface OpenLoopArm {
  name: string
  windows: number
  /** false: the queue of the arm grew, so no percentile is claimed; null: not measured, because of `why` */
  sustained: boolean | null
  answeredPerSecond: number | null // responses before the end of the schedule
  latencyMs: Latency | null // median of the windows, from the scheduled send time of each request
  latencyByKind?: LatencyByKind // left out: not measured, or the files of the app are unknown
  unsteady?: UnsteadyArm // see ArmResult
  responses: number // behind the percentiles
  errors: ErrorCounts
  why: Reason | null
}

/** Wall time and measured time of a run, in seconds, and the means of the load of its blocks. */
export interface RunTiming extends BlockLoad {
  setupSeconds: number // until the first block
  measuredSeconds: number // sum over all trials
  sliceWallSeconds: number // from the first block to the end of the last
  blocks: number
}

/** Users whose pace was lowered to what the generator can keep. */
export interface SlowerUsers {
  capacity: number // requests per second that the engine makes here in a closed loop
  share: number // share of the capacity that the engine is given to make
  arms: { arm: string, users: number, wanted: number, used: number }[] // requests per second of each user
}

export interface Environment {
  /** null: not shown by the system */
  cpu: {
    model: string
    cores: number
    governor: string | null
    virtual: boolean | null
    idle?: string | null
    family?: number | null
    modelNumber?: number | null
    stepping?: number | null
    caches?: Record<string, number> | null // KiB, by name: "L1d", "L1i", "L2", "L3"
    hypervisor?: string | null // "KVM"; null: none, or unknown
  }
  calibration: Calibration | null // null: not measured
  turnLossMs?: number | null // time that a turn of a paused process loses, by cold caches; null: not measured
  memoryMiB: number
  kernel: string
  platform: string
  node: string
  user: { uid: number | null }
  limits: { openFiles: number | null }
  sysctl: Record<string, string>
  /**
   * namespaces: a private network per topology; shared-loopback: no namespaces, because of `why`. congestionControl: of
   * TCP in the private networks; left out: as in `sysctl`
   */
  lab: { network: 'namespaces' | 'shared-loopback', pids: boolean, why: string | null, congestionControl?: string }
  cores: Cores
  /** machines that made the load; left out: this one */
  hosts?: { load: { name: string, cpu: { model: string, cores: number }, kernel: string }[] }
  /**
   * busyShare: share of all cores' time in use just before the run; null or left out: unknown. process: the name under
   * which other processes used most of it; left out: unknown, or nothing was busy
   */
  busy: {
    loadAverage: number
    stealShare: number | null
    busyShare?: number | null
    process?: { name: string, share: number }
  }
}

/** Speed of fixed work on one core before the run, per second. systemCalls and roundTrips depend on the version of Node,
 * too. */
export interface Calibration {
  arithmetic: number // integer operations
  memory: number // bytes copied
  systemCalls: number // reads of one byte
  roundTrips: number // over TCP between two threads, on the loopback
}

/** CPU time of all cores since the start of the machine, in clock ticks, and its run queue. */
export interface CpuTicks {
  total: number
  idle: number
  steal: number // given to other guests by the hypervisor
  running: number | null // threads that run or wait for a core, the reading one included; null: not shown
}

/** Core numbers of the generator and of the served side; the sets can overlap. */
export interface Cores {
  load: number[]
  served: number[]
  generators?: number // generators on machines of their own, each with a process of an arm; left out: one, here
}
/** Differences between the files as a proxy serves them and as the app does, found by the gate, that are no faults. */
export interface FileDifferences {
  arm: string
  compared: number // files; fewer than `total`: a sample
  total: number
  /** header that differs: number of files, and the values of the first of them; null: missing */
  headers: { name: string, files: number, path: string, app: string | null, proxy: string | null }[]
}
