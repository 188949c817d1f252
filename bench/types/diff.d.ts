/** Results of `hopbench diff`: two states of an app, measured in one run. */
import type { ChangeWhy } from './facts.d.ts'
import type { Verdict } from './record.d.ts'
import type { ArmName, CommitHash, Count, Line, Positive } from './values.d.ts'

/** Change of a figure between two runs, or between two states of an app in one run. */
export interface Change {
  /** after ÷ before */
  ratio: number | null
  low: number | null
  high: number | null
  /** confidence level of the interval */
  level: number
  /** largest difference that counts as none, as a share */
  margin: Positive
  /** direction in which the figure is worse: rates lower, costs and times higher */
  worse: 'lower' | 'higher'
  /** inconclusive without a ratio: the figures are not comparable */
  verdict: Verdict
  /** why the change is invalid or inconclusive; null: it is decided, or its interval too wide */
  why: ChangeWhy | null
  /** smallest deterioration that is detectable at 80 % power, as a share */
  sees: number | null
}

/**
 * A figure of head against base, whose ratio is head ÷ base. cpu: µs of CPU time per request; p99: ms; memory: MiB;
 * bytes: per response
 */
export interface DiffMetric extends Change {
  figure: 'cpu' | 'throughput' | 'p99' | 'memory' | 'bytes'
  /** of head */
  arm: ArmName
  /** of base */
  baseline: ArmName
  /** of base; null: not measured */
  before: number | null
  /** of head */
  after: number | null
  /** whether the exit code depends on it */
  decides: boolean
  /** p99: offered requests per second of each arm */
  rate?: Positive
}

export interface DiffResult {
  /** as a share */
  margin: Positive
  starts: Count
  figures: DiffMetric[]
  /** whether a deciding figure is worse by more than the margin */
  slower: boolean
  /** whether a deciding figure is inconclusive, or none decides */
  open: boolean
  /** slowdown that is detectable in every deciding figure at 80 % power; null: none */
  sees: number | null
}

/** A state of the app. */
export interface DiffSide {
  /** in sentences: main at 1a2b3c4d "Faster routes" */
  label: Line
  /** as typed; null: a folder, or the working tree */
  ref: string | null
  /** null: a folder in no repository */
  commit: CommitHash | null
  /** uncommitted files */
  changes: Count
}

/** The comparison of a run. */
export interface RunDiff extends DiffResult {
  base: DiffSide
  head: DiffSide
}
