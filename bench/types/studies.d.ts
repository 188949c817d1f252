/** Results of suites and selftests. */
import type { Bound, ClaimResult, Interval, RatioInterval, Verdict } from './record.d.ts'
import type { ErrorCounts, Latency } from './sample.d.ts'

/** An experiment of a suite. */
export interface SuiteEntry {
  experiment: string
  status: 'waiting' | 'running' | 'done' | 'failed' | 'interrupted'
  run: string | null // name of the run's folder; null: none or unknown
  seconds: number | null // wall time
  verdicts: Partial<Record<Verdict, number>> // number of contrasts with each verdict
  claims: Partial<Record<ClaimResult['status'], number>> // number of claims with each status
  error: string | null // one sentence
}
export interface SuiteRecord {
  schema: number
  suite: string // name of its folder
  startedAt: string // UTC
  endedAt: string | null // null: experiments are missing
  quick: boolean
  /** in the order of execution */
  entries: SuiteEntry[]
}

export interface PlantedResult extends RatioInterval {
  more: number // additional CPU time of a request, as a share: 0.05
  expected: number // ratio of the rates calculated from `more`
  verdict: string // over all runs, like the interval
  /** numbers of independent runs: all, those whose 95 % interval contains `expected`, those with the verdict different.
   * Undefined in older selftests. */
  runs?: number
  held?: number
  found?: number
}
/** Ratio of a server with a planted warm-up to one without, over all runs. They are equal after the warm-up. */
export interface LateResult extends RatioInterval {
  requests: number // of a process that cost more
  more: number // additional CPU time of each of them, as a share
  verdict: string
}
/** Standard deviations of the log ratio of two arms, by level; null: unknown; 0: explained by the lower levels. */
export interface Variances {
  sliceSd: number | null // between blocks
  startSd: number | null // between starts
  runSd: number | null // between independent runs
  starts: number
  runs: number
}
export interface Resolution {
  /** smallest difference, as a share, that is detectable at 80 % power, by wall time */
  table: { minutes: number, blocks: number, difference: number, starts?: number }[]
  variances?: Variances // undefined in older selftests
  /** numbers of comparisons of two equal arms: all, those with the verdict different; runs: of independent runs */
  equal: { segments: number, different: number, runs?: number }
  late?: LateResult // undefined in older selftests
  planted: PlantedResult[]
}
/** A measured latency and its calculated value. */
export interface OpenLoopAccuracy {
  engine: string
  rate: number // requests per second
  kind: 'stall' | 'delay'
  figure: 'p50' | 'p95' | 'p99' | 'max'
  measured: number // ms, median of all windows
  calculated: number // ms
}
/** Result of `hopbench selftest`. */
export interface SelfTest {
  resolution: Resolution
  microsPerRequest: number // CPU time of a request, without planted work
  /** shares of CPU time used by other guests, by other programs, and by the generator on its core */
  noise: { stealShare: number | null; otherShare: number | null; governor: string | null; virtual: boolean | null;
    generatorShare: number | null }
  counts: { arms: number, disagreements: string[] } // compared between client and server
  /** here and below null: interrupted before */
  byHand: { ratio: number; pairs: number[] } | null // rate with hopbench divided by that of the engine alone
  openLoop: { capacity: number; accuracies: OpenLoopAccuracy[]; beyond: number[] } | null
  seconds: number // wall time
}
