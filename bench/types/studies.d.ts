/** What suites, comparisons of engines and `hopbench selftest` found. */
import type { Bound, ClaimResult, Interval, Verdict } from './record.d.ts'
import type { ErrorCounts, Latency } from './sample.d.ts'

type Ratio = Interval & { ratio: number }
type Rate = Interval & { median: number }

/** One experiment of a suite. */
export interface SuiteEntry {
  experiment: string
  status: 'waiting' | 'running' | 'done' | 'failed' | 'interrupted'
  run: string | null // name of its folder in the results; null: none was made, or it is not known
  seconds: number | null // wall time
  verdicts: Partial<Record<Verdict, number>> // how many contrasts have each
  claims: Partial<Record<ClaimResult['status'], number>> // how many claims have each
  /** one sentence */
  error: string | null
}
export interface SuiteRecord {
  schema: number
  suite: string // name of its folder
  startedAt: string // UTC
  endedAt: string | null // null while experiments are missing
  quick: boolean
  /** in the order in which they are run */
  entries: SuiteEntry[]
}

/** What one engine made of a topology. */
export interface EngineResult {
  name: string
  title: string
  version: string
  windows: number // that count
  rps: Rate | null // by served-side counts; null: no window
  ownRps: number | null // by the engine's own counts: the median
  cpuMicrosPerRequest: number | null // of the engine
  share: number | null // of one core that it used
  bound: Bound
  waits?: boolean // the served side waited for requests, and the engine was not busy either: its figure says nothing
  /** its rate against the middle of the engines that were not the bottleneck, block by block; null where fewer than two
   * were not, or it was */
  toMiddle: Ratio | null
  /** the whole interval of `toMiddle` lies within ENGINE_AGREEMENT, none of it does, or neither */
  agrees: 'yes' | 'no' | 'open' | null
  latencyMs: Latency | null // the median of each figure
  latencyNote: string
  errors: ErrorCounts
  disagreements: string[] // of counts
  /** of windows without a report */
  failures: string[]
}
export interface EngineComparison {
  topology: string
  path: string
  connections: number
  windowSeconds: number
  blocks: number
  complete: boolean // false: it was interrupted
  cores: { load: number[], served: number[], split: boolean }
  engines: EngineResult[]
  leftOut: { name: string, why: string }[] // engines that are not at hand, or cannot make this load
  tools: Record<string, string>
}

export interface PlantedResult extends Ratio {
  more: number // CPU time of a request, as a share: 0.05
  expected: number // ratio of the rates that follows from it
  verdict: string // of all runs together, as the interval is
  /** independent runs; of those, whose 95 % interval holds what is expected, and which called it different; left out:
   * the selftest is older */
  runs?: number
  held?: number
  found?: number
}
/** What the log-ratio of two arms varies by, as an sd; null: not known; 0: no more than what is below it explains. */
export interface Variances {
  sliceSd: number | null // of a block
  startSd: number | null // of a start of both arms
  runSd: number | null // of independent runs, beyond their starts
  starts: number
  runs: number
}
export interface Resolution {
  /** the smallest difference, as a share, that is detectable at 80 % power in so much wall time */
  table: { minutes: number, blocks: number, difference: number, starts?: number }[]
  variances?: Variances // left out: the selftest is older
  /** comparisons of two equal arms, and how many called them different; runs: independent ones that they come from */
  equal: { segments: number, different: number, runs?: number }
  planted: PlantedResult[]
}
/** A latency that is known by calculation, as an open loop measured it. */
export interface OpenLoopAccuracy {
  engine: string
  rate: number // requests per second
  kind: 'stall' | 'delay'
  figure: 'p50' | 'p95' | 'p99' | 'max'
  measured: number // ms, the median of all turns
  /** ms */
  calculated: number
}
/** What `hopbench selftest` found. */
export interface SelfTest {
  resolution: Resolution
  microsPerRequest: number // CPU time of a request of the server that the planted ones are made of
  /** stealShare: taken by other guests; otherShare: of all cores' time, other programs; generatorShare: of its core */
  noise: { stealShare: number | null; otherShare: number | null; governor: string | null; virtual: boolean | null;
    generatorShare: number | null }
  counts: { arms: number, disagreements: string[] } // of client and server
  /** null: it was interrupted before that, and so below */
  engines: Pick<EngineResult, 'name' | 'rps' | 'share' | 'bound' | 'toMiddle' | 'agrees'>[] | null
  byHand: { ratio: number; pairs: number[] } | null // the suite's rate over that of the same engine by hand
  openLoop: { capacity: number; accuracies: OpenLoopAccuracy[]; beyond: number[] } | null
  /** wall time of all of it */
  seconds: number
}
