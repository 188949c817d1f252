/** Results of `hopbench diff`: two states of an app, measured in one run. */
import type { ChangeWhy } from './facts.d.ts'

/** A figure of head against base. cpu: µs of CPU time per request; p99: ms; memory: MiB; bytes: per response */
export interface DiffFigure {
  figure: 'cpu' | 'throughput' | 'p99' | 'memory' | 'bytes'
  arm: string // of head
  baseline: string // arm of base
  before: number | null // of base; null: not measured
  after: number | null // of head
  decides: boolean // whether the exit code depends on it
  ratio: number | null // head ÷ base
  low: number | null
  high: number | null
  level: number // of the interval
  verdict: 'faster' | 'slower' | 'cheaper' | 'costlier' | 'no-difference' | 'inconclusive' | 'invalid' |
    'not-comparable'
  why: ChangeWhy | null
  sees: number | null // smallest deterioration that is detectable at 80 % power, as a share
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
  folder?: string // of the app in its repository, if it is not the top
}

/** The comparison of a run. */
export interface RunDiff extends DiffResult {
  base: DiffSide
  head: DiffSide
}
