/** Results of `hopbench diff`: two states of an app, measured in one run. */
import type { ChangeWhy } from './facts.d.ts'
import type { Verdict } from './record.d.ts'

/** Change of a figure between two runs, or between two states of an app in one run. */
export interface Change {
  ratio: number | null // after ÷ before
  low: number | null
  high: number | null
  level: number // confidence level of the interval
  margin: number // largest difference that counts as none, as a share
  worse: 'lower' | 'higher' // direction in which the figure is worse: rates lower, costs and times higher
  verdict: Verdict // inconclusive without a ratio: the figures are not comparable
  why: ChangeWhy | null // why the change is invalid or inconclusive; null: it is decided, or its interval too wide
  sees: number | null // smallest deterioration that is detectable at 80 % power, as a share
}

/** A figure of head against base, whose ratio is head ÷ base. cpu: µs of CPU time per request; p99: ms; memory: MiB; bytes: per response */
export interface DiffFigure extends Change {
  figure: 'cpu' | 'throughput' | 'p99' | 'memory' | 'bytes'
  arm: string // of head
  baseline: string // arm of base
  before: number | null // of base; null: not measured
  after: number | null // of head
  decides: boolean // whether the exit code depends on it
  rate?: number // p99: offered requests per second of each arm
}

export interface DiffResult {
  margin: number // as a share
  starts: number
  figures: DiffFigure[]
  slower: boolean // whether a deciding figure is worse by more than the margin
  open: boolean // whether a deciding figure is inconclusive, or none decides
  sees: number | null // slowdown that is detectable in every deciding figure at 80 % power; null: none
}

/** A state of the app. */
export interface DiffSide {
  label: string // in sentences: main at 1a2b3c4d "Faster routes"
  ref: string | null // as typed; null: a folder, or the working tree
  commit: string | null // hash; null: a folder in no repository
  changes: number // uncommitted files
}

/** The comparison of a run. */
export interface RunDiff extends DiffResult {
  base: DiffSide
  head: DiffSide
}
