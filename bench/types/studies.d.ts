/** What suites, comparisons of engines, `hopbench selftest` and `hopbench size` found. */
import type { Bound, ClaimResult, Interval, Verdict } from './record.d.ts'
import type { ByRole, ErrorCounts, Latency, Reason } from './sample.d.ts'
import type { Topology } from './topology.d.ts'

type Ratio = Interval & { ratio: number }
type Rate = Interval & { median: number }

/** One experiment of a suite. */
export interface SuiteEntry {
  experiment: string
  status: 'waiting' | 'running' | 'done' | 'failed' | 'interrupted'
  /** name of its folder in the results; null: none was made, or it is not known */
  run: string | null
  /** wall time */
  seconds: number | null
  /** how many contrasts have each */
  verdicts: Partial<Record<Verdict, number>>
  /** how many claims have each */
  claims: Partial<Record<ClaimResult['status'], number>>
  /** one sentence */
  error: string | null
}
export interface SuiteRecord {
  schema: number
  /** name of its folder */
  suite: string
  /** UTC */
  startedAt: string
  /** null while experiments are missing */
  endedAt: string | null
  quick: boolean
  /** in the order in which they are run */
  entries: SuiteEntry[]
}

/** What one engine made of a topology. */
export interface EngineResult {
  name: string
  title: string
  version: string
  /** that count */
  windows: number
  /** by served-side counts; null: no window */
  rps: Rate | null
  /** by the engine's own counts: the median */
  ownRps: number | null
  /** of the engine */
  cpuMicrosPerRequest: number | null
  /** of one core that it used */
  share: number | null
  bound: Bound
  /** the served side waited for requests, and the engine was not busy either: its figure says nothing */
  waits?: boolean
  /**
   * its rate against the middle of the engines that were not the bottleneck, block by block; null where fewer than two
   * were not, or it was
   */
  toMiddle: Ratio | null
  /** the whole interval of `toMiddle` lies within ENGINE_AGREEMENT, none of it does, or neither */
  agrees: 'yes' | 'no' | 'open' | null
  /** the median of each figure */
  latencyMs: Latency | null
  latencyNote: string
  errors: ErrorCounts
  /** of counts */
  disagreements: string[]
  /** of windows without a report */
  failures: string[]
}
export interface EngineComparison {
  topology: string
  path: string
  connections: number
  windowSeconds: number
  blocks: number
  /** false: it was interrupted */
  complete: boolean
  cores: { load: number[], served: number[], split: boolean }
  engines: EngineResult[]
  /** engines that are not at hand, or cannot make this load */
  leftOut: { name: string, why: string }[]
  tools: Record<string, string>
}

export interface PlantedResult extends Ratio {
  /** CPU time of a request, as a share: 0.05 */
  more: number
  /** ratio of the rates that follows from it */
  expected: number
  verdict: string
  /** blocks from which on it was told apart from its equal to the end; null: it was not */
  foundAfter: number | null
}
export interface Resolution {
  /** the smallest difference, as a share, that is found four times in five in so much wall time */
  table: { minutes: number, blocks: number, difference: number }[]
  /** how often twelve blocks of two equal arms were called different */
  equal: { segments: number, different: number, blocks: number }
  planted: PlantedResult[]
}
/** A latency that is known by calculation, as an open loop told it. */
export interface OpenLoopAccuracy {
  engine: string
  /** requests per second */
  rate: number
  kind: 'stall' | 'delay'
  figure: 'p50' | 'p95' | 'p99' | 'max'
  /** ms, the median of all turns */
  measured: number
  /** ms */
  calculated: number
}
/** What `hopbench selftest` found. */
export interface SelfTest {
  resolution: Resolution
  /** CPU time of a request of the server that the planted ones are made of */
  microsPerRequest: number
  /** stealShare: taken by other guests; otherShare: of all cores' time, other programs; generatorShare: of its core */
  noise: { stealShare: number | null; otherShare: number | null; governor: string | null; virtual: boolean | null;
    generatorShare: number | null }
  /** of client and server */
  counts: { arms: number, disagreements: string[] }
  /** null: it was interrupted before that, and so below */
  engines: Pick<EngineResult, 'name' | 'rps' | 'share' | 'bound' | 'toMiddle' | 'agrees'>[] | null
  /** the suite's rate over that of the same engine by hand */
  byHand: { ratio: number; pairs: number[] } | null
  openLoop: { capacity: number; accuracies: OpenLoopAccuracy[]; beyond: number[] } | null
  /** wall time of all of it */
  seconds: number
}

/** What a provider sells. */
export interface Offering {
  provider: string
  plan: string
  /** cores' worth of CPU time that is promised for good, bursts left out; null: none is */
  vcpu: number | null
  memoryMiB: number
  /** a month; null: not told */
  price: number | null
  /** "USD" */
  currency: string
  /** of the figures */
  source: string
  /** when they were read there, "2026-05-04" */
  date: string
  /** instances of it that there may be; left out: as many as one likes */
  most?: number
  note?: string
}
/** How many processes to start in an instance. */
export interface WorkerAdvice {
  /** to start; 0: not one fits into the memory */
  workers: number
  /** what keeps it from being more */
  limit: 'memory' | 'cpu'
  /** what the platform's rule of thumb would set */
  rule: number
}
/** One offering for one topology. */
export interface PriceRow {
  plan: Offering
  topology: string
  /** requests per second at the goal; null: not told */
  perInstance: number | null
  /** of perInstance: it may be more */
  atLeast: boolean
  /** what limits it: the plan's CPU, or the goal before that */
  limit: 'quota' | 'goal' | null
  /**
   * share of the plan's CPU time that can be used at the goal, where that is the limit; null: it is not, or it is not
   * told
   */
  usable: number | null
  /** for the rate, with the headroom */
  instances: number | null
  /** price of all instances, in the plan's currency */
  monthly: number | null
  /** price a month of a thousand requests per second at the goal, without the headroom and rounding */
  perThousand: number | null
  workers: WorkerAdvice | null
  /** why it is not told */
  why: string | null
}

/** At one share of the capacity. */
export interface CurvePoint {
  share: number
  /** requests per second */
  rate: number
  latencyMs: Latency | null
  /** that the served side used */
  cores: number
  /** CPU time of a request, by role */
  micros: ByRole
  /** why it does not count */
  invalid: Reason | null
}
/** One trial of the search for the capacity. */
export interface TrialLine {
  rate: number
  holds: boolean
  p99Ms: number | null
  /** at the 99th percentile */
  lagMs: number | null
  /** the goal does not hold */
  why: string | null
}
export interface SizedTopology {
  word: string
  path: string
  /** at most */
  connections: number
  topology: Topology
  /** the unloaded latency */
  floor: { rate: number, p50Ms: number, p99Ms: number }
  /** in a closed loop, requests per second */
  peak: number
  /** at the goal */
  capacity: { rate: number, low: number, high: number, searches: number[], atLeast: boolean }
  trials: TrialLine[]
  curve: CurvePoint[]
  /**
   * CPU time of the served side for a request, by connections in a closed loop and by size in KiB, and the slopes of
   * straight lines through them
   */
  growth: { connections: { x: number, micros: number }[]; perConnection: number; bytes: { x: number, micros: number }[];
    perKiB: number | null }
  /**
   * index of dispersion of the CPU time that the served side used: its variance in a tenth of a second over its mean;
   * null: not known
   */
  burstMs: number | null
  /** of the served side, under load */
  memoryMiB: number
  /** of one server process; of the proxy where it serves the files itself */
  processMiB: number
  /** that the served side could use */
  cores: number
  tools: Record<string, string>
}

/** What the kernel has counted of a group of processes under limits, since it was made. */
export interface LimitStats {
  /** in which there was work */
  periods: number
  /** of those, in which the CPU time ran out */
  throttledPeriods: number
  /** for which there was work and no CPU time */
  throttledSeconds: number
  /** processes ended for want of memory */
  oomKills: number
  memoryPeakMiB: number
}
/** The recommended instance at its share of the rate, under the plan's limits. */
export interface Verification {
  plan: string
  topology: string
  rate: number
  seconds: number
  holds: boolean
  /** it does not */
  why: string | null
  latencyMs: Latency | null
  /** what the kernel counted in the window */
  limits: LimitStats
}

/** So many processes, and what they did together. */
export interface UslPoint { n: number, x: number }
/** Parameters of the universal scalability law, see analysis/stats/usl.js. */
export interface Usl { lambda: number, sigma: number, kappa: number }
/** What more processes bring, in one family of topologies. */
export interface Scaling {
  /** its words, the number of processes left open: "express-json@cluster:N" */
  family: string
  /** processes, and requests per second at the goal */
  points: UslPoint[]
  usl: Usl
  /** for as many as may be told */
  predicted: { n: number, x: number, low: number, high: number }
}

/** What `hopbench size` found: the goal, each topology's capacity, and what it takes to serve the rate. */
export interface Sizing {
  goal: { rate: number, p99Ms: number, headroom: number, fewestInstances: number }
  topologies: SizedTopology[]
  table: PriceRow[]
  verification: Verification | null
  /** where four topologies or more differ in nothing but their number of processes */
  scaling: Scaling[]
  /** whether limits can be set here, and why not */
  emulation: { version: 1 | 2 | null, why: string | null }
}
