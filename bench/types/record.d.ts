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
import type {
  ArmName, Count, Estimate, ExperimentName, Identifier, Integer, NonNegative, Phrase, Positive, PositiveInteger,
  RunName, Share, UtcTime
} from './values.d.ts'

export interface Interval { low: Estimate, high: Estimate }
/** A ratio of two arms with its interval. */
export interface RatioInterval extends Interval { ratio: Estimate }
export type Verdict = 'faster' | 'slower' | 'no-difference' | 'inconclusive' | 'invalid'
/** The role that limited throughput. load: the generator; network: the link between two hosts */
export type Bound = 'server' | 'proxy' | 'load' | 'network' | 'none'

/** Starts of an arm whose warm-up ended before the steady state, and the largest change among them. */
export interface UnsteadyArm extends Unsteady { starts: PositiveInteger }

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
  /** left out: every start reached the steady state */
  unsteady?: UnsteadyArm
  /** why the whole arm is invalid; null: valid */
  invalid: Reason | null
}

/** Observations of an arm in its trials. */
export interface Proof {
  upstreamConnectionsPerRequest: NonNegative | null
  /** accepted by the front; of an arm only with users, whose connections can break; null or left out: not counted */
  clientConnectionsPerRequest?: NonNegative | null
  cacheHitRatio: Share | null
  socketType: 'tcp' | 'unix' | 'none'
  /** requests for files that reached the server behind the proxy, of all trials; left out: not counted */
  filesAtServer?: Count
  /**
   * requests of the busiest worker as a multiple of the mean; left out: one worker
   * @minimum 1
   */
  busiestWorker?: number
  /** of a server with known vulnerabilities; left out: it has none */
  confinedBy?: ConfinedBy
  /**
   * that an app of your own runs in: "node 24.21.0"; left out: no such app, or unknown
   * @minLength 1
   */
  program?: string
  /**
   * of such an app that used CPU time, the median of the trials; left out: no such app, or unknown
   * @minimum 1
   */
  processes?: number
  /** such an app writes to its output for each request; left out: it does not */
  writesPerRequest?: true
}

/** Protocols ladder and rates: the experiment's arm, and the step from 0. */
export interface Step { of: string, step: Count }

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

/** Change of the ratio of two arms from the first block of a start to the last. */
export interface Drift {
  /** as a share: -0.05 */
  change: number
  /** probability of a change at least as large by chance */
  p: Share
}

/** A start that differs from the other starts of its arm by more than chance explains. */
export interface StandsApart {
  arm: string
  start: Count
  /** of the rate: 0.7 for a start that is 30 % slower */
  factor: Positive
  /** first block of a state that lasted until the end of the start; null: the whole start */
  fromBlock: Integer | null
}

/** Standard deviations of the log-ratio of two arms: of a block, and of a start. */
export interface StartNoise {
  sliceSd: NonNegative
  /** 0: no more than blocks explain */
  startSd: NonNegative
  starts: PositiveInteger
  /** degrees of freedom of startSd, over all arms */
  df: NonNegative
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

/** Subject of a record. `hopbench size --url`: url-sizing */
export type RecordKind = 'run' | 'sizing' | 'url-sizing' | 'diff' | 'selftest'

/**
 * run.json in a run's folder under results/, and what --json prints. Times are in the units that names and descriptions
 * give; ratios are plain numbers (1.2 means 20 % more); null means that there is no such value, never zero.
 */
export interface RunRecord {
  schema: 3
  kind: RecordKind
  run: RunName
  experiment: ExperimentName
  question: Phrase
  protocol: Identifier
  unit: Unit
  startedAt: UtcTime
  endedAt: UtcTime | null
  complete: boolean
  /** null: still running, or cut off */
  ended: RunEnd | null
  /** of the order of arms within the blocks */
  seed: Integer
  plan: Plan
  environment: Environment
  /** version by program */
  tools: Record<string, string>
  /** arm for which the default engine was too slow, and the share of its core that it used; null: no other engine */
  switchedFor?: { arm: string, share: NonNegative } | null
  /** engine that the experiment names and that is not available; null: it was used */
  engineInstead?: { wanted: string, why: string } | null
  /** null or left out: users kept the planned pace */
  slowerUsers?: SlowerUsers | null
  /** protocol gang: the arm because of which only generators were paused, in slices; left out: whole arms were */
  crowded?: { arm: string, processes: PositiveInteger }
  /** left out: none, or no proxy serves files of an app */
  fileDifferences?: FileDifferences[]
  arms: ArmResult[]
  contrasts: Contrast[]
  /** of an arm and its twin */
  noiseFloor: RatioInterval | null
  /** left out: no outlier, or one start */
  standsApart?: StandsApart[]
  /** left out: one start */
  noise?: StartNoise
  claims: ClaimResult[]
  warnings: Warning[]
  /** which static server suits which case */
  recommendation: Advice[]
  /** names of the recommended arms, the first choice first */
  recommended: string[]
  /** of `hopbench size` */
  sizing?: Sizing
  /** of `hopbench size --url` */
  deployed?: Deployed
  /** of `hopbench selftest` */
  selftest?: SelfTest
  /** with --rate; left out: no such part, or the run ended before it */
  openLoop?: OpenLoop
  /** of `hopbench diff` */
  diff?: RunDiff
  /** resolution of this machine according to its last selftest: the smallest difference, as a share, that a run of so
   * many minutes detects; left out: none */
  resolves?: { run: RunName, minutes: number, difference: number }
  timing: RunTiming
}

/** Why a run ended. 'decided': more blocks would change no verdict, and the size of every ratio is known */
export type RunEnd = 'precision' | 'decided' | 'blocks' | 'budget' | 'interrupted' | 'failed'

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

/** Wall time and measured time of a run, in seconds, and the means of the load of its blocks. */
export interface RunTiming extends BlockLoad {
  /** until the first block */
  setupSeconds: NonNegative
  /** sum over all trials */
  measuredSeconds: NonNegative
  /** from the first block to the end of the last */
  sliceWallSeconds: NonNegative
  blocks: Count
}

/** Users whose pace was lowered to what the generator can keep. */
export interface SlowerUsers {
  /** requests per second that the engine makes here in a closed loop */
  capacity: Positive
  /** share of the capacity that the engine is given to make */
  share: Positive
  /**
   * wanted, used: requests per second of each user
   * @minItems 1
   */
  arms: { arm: string, users: PositiveInteger, wanted: Positive, used: Positive }[]
}

/** The machine before the run. null: not shown by the system */
export interface Environment {
  cpu: {
    model: string
    cores: PositiveInteger
    governor: string | null
    virtual: boolean | null
    idle?: string | null
    family?: Count | null
    modelNumber?: Count | null
    stepping?: Count | null
    /** KiB, by name: "L1d", "L1i", "L2", "L3" */
    caches?: Record<string, Count> | null
    /** "KVM"; null: none, or unknown */
    hypervisor?: string | null
  }
  /** null: not measured */
  calibration: Calibration | null
  /** time that a turn of a paused process loses, by cold caches; below 0 by noise; null: not measured */
  turnLossMs?: number | null
  memoryMiB: NonNegative
  kernel: string
  platform: string
  /** @pattern ^\d+(\.\d+){0,2}([-+][\w.+-]*)?$ */
  node: string
  user: { uid: Integer | null }
  limits: { openFiles: Estimate | null }
  sysctl: Record<string, string>
  /**
   * namespaces: a private network per topology; shared-loopback: no namespaces, because of `why`. congestionControl: of
   * TCP in the private networks; left out: as in `sysctl`
   */
  lab: { network: 'namespaces' | 'shared-loopback', pids: boolean, why: string | null, congestionControl?: string }
  cores: Cores
  /** machines that made the load; left out: this one */
  hosts?: { load: { name: string, cpu: { model: string, cores: PositiveInteger }, kernel: string }[] }
  /**
   * busyShare: share of all cores' time in use just before the run; null or left out: unknown. process: the name under
   * which other processes used most of it; left out: unknown, or nothing was busy
   */
  busy: {
    loadAverage: NonNegative
    stealShare: Share | null
    busyShare?: Share | null
    process?: { name: ProcessName, share: Share }
  }
}

/** As in /proc/PID/comm. @pattern ^[ -~]{1,15}$ */
export type ProcessName = string

/** Speed of fixed work on one core before the run, per second. systemCalls and roundTrips also depend on the version of
 * Node. */
export interface Calibration {
  /** integer operations */
  arithmetic: Positive
  /** bytes copied */
  memory: Positive
  /** reads of one byte */
  systemCalls: Positive
  /** over TCP between two threads, on the loopback */
  roundTrips: Positive
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
  load: Integer[]
  served: Integer[]
  /** generators on machines of their own, each with a process of an arm; left out: one, here */
  generators?: PositiveInteger
}
/** Differences between the files as a proxy serves them and as the app does, found by the gate, that are no faults. */
export interface FileDifferences {
  arm: string
  /** files; fewer than `total`: a sample */
  compared: Count
  total: Count
  /** header that differs: number of files, and the values of the first of them; null: missing */
  headers: { name: string, files: PositiveInteger, path: string, app: string | null, proxy: string | null }[]
}
