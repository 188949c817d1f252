/** Results of suites and selftests. */
import type { ClaimResult } from './results.d.ts'
import type { RatioInterval, Verdict } from './record.d.ts'
import type { Count, Estimate, RunName, UtcTime } from './values.d.ts'

/** An experiment of a suite. */
export interface SuiteEntry {
  /** @pattern ^[a-z][a-z0-9-]*$ */
  experiment: string
  status: 'waiting' | 'running' | 'done' | 'failed' | 'interrupted'
  /** name of the run's folder; null: none or unknown */
  run: RunName | null
  /** wall time */
  seconds: number | null
  /** number of contrasts with each verdict @closed */
  verdicts: Partial<Record<Verdict, Count>>
  /** number of claims with each status @closed */
  claims: Partial<Record<ClaimResult['status'], Count>>
  /** one sentence */
  error: string | null
}
export interface SuiteRecord {
  schema: number
  /** name of its folder */
  suite: RunName
  startedAt: UtcTime
  /** null: experiments are missing */
  endedAt: UtcTime | null
  quick: boolean
  /** in the order of execution */
  entries: SuiteEntry[]
}

export interface PlantedResult extends RatioInterval {
  /** additional CPU time of a request, as a share: 0.05 */
  more: number
  /** ratio of the rates calculated from `more` */
  expected: number
  /** over all runs, like the interval */
  verdict: string
  /** independent runs: all, those whose 95 % interval contains `expected`, those with the verdict different */
  runs: number
  held: number
  found: number
}
/** Ratio of a server with a planted warm-up to one without, over all runs. They are equal after the warm-up. */
export interface LateResult extends RatioInterval {
  /** of a process that cost more */
  requests: number
  /** additional CPU time of each of them, as a share */
  more: number
  verdict: string
}
/** Standard deviations of the log ratio of two arms, by level; null: unknown; 0: explained by the lower levels. */
export interface Variances {
  /** between blocks */
  sliceSd: number | null
  /** between starts */
  startSd: number | null
  /** between independent runs */
  runSd: number | null
  starts: number
  runs: number
}
export interface Resolution {
  /** smallest difference, as a share, that is detectable at 80 % power, by wall time */
  table: { minutes: number, blocks: number, difference: Estimate, starts?: number }[]
  variances: Variances
  /** numbers of comparisons of two equal arms: all, those with the verdict different; runs: of independent runs */
  equal: { segments: number, different: number, runs: number }
  late: LateResult
  planted: PlantedResult[]
}
/** A measured latency and its calculated value. */
export interface OpenLoopAccuracy {
  engine: string
  /** requests per second */
  rate: number
  kind: 'stall' | 'delay'
  figure: 'p50' | 'p95' | 'p99' | 'max'
  /** ms, median of all windows */
  measured: Estimate
  /** ms */
  calculated: number
}
/** Result of `hopbench selftest`. */
export interface SelfTest {
  resolution: Resolution
  /** CPU time of a request, without planted work */
  microsPerRequest: number
  /** shares of CPU time used by other guests, by other programs, and by the generator on its core */
  noise: { stealShare: number | null; otherShare: number | null; governor: string | null; virtual: boolean | null;
    generatorShare: number | null }
  /** compared between client and server */
  counts: { arms: number, disagreements: string[] }
  /** here and below null: interrupted before */
  /** rate with hopbench divided by that of the engine alone */
  byHand: { ratio: Estimate; pairs: Estimate[] } | null
  openLoop: { capacity: number; accuracies: OpenLoopAccuracy[]; beyond: number[] } | null
  /** wall time */
  seconds: number
}
