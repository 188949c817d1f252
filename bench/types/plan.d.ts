/** Experiments, and plans made from them. */
import type { ResultKind } from './run.d.ts'
import type { LabSettings, Load, Topology } from './topology.d.ts'

export interface Source { title: string, author: string, year: number, machine: string, conditions?: Conditions }
/** Under which a figure was published, as far as another machine can have them. */
export interface Conditions {
  cores?: number // of the served side
  hosts?: 1 | 2 // 2: the load came from another machine
  link?: 'gigabit' // that all answers went through
  processes?: number // of the app
  software?: Record<string, string> // versions by program; the first two numbers count
}

/** What a claim compares. rate: units per second, the default; cpu: CPU time of proxy and server for each unit; memory:
 * of proxy and server; bytes: of one answer on the wire */
export type Quantity = 'rate' | 'cpu' | 'memory' | 'bytes'

export type ClaimTest =
  /** measured arm/baseline ratio agrees with `published` within `tolerance` (a factor, default in verdict.js) */
  | { kind: 'ratio', arm: string, baseline: string, tolerance?: number, of?: Quantity }
  /** the arms from most to least, each step beyond the margin */
  | { kind: 'order', arms: string[], of?: Quantity }
  /** every arm within the margin of the first */
  | { kind: 'flat', arms: string[], margin?: number }
  /** the first errors come at this many connections; null: at none of those tried (protocol ladder, the arm's name
   * without its step) */
  | { kind: 'first-error-at', arm: string, connections: number | null }
  /** these arms show errors in most of their trials, and those in none */
  | { kind: 'errors', in: string[], notIn: string[] }
  /** the error log of the proxy holds this text in all trials of these arms, and in none of those */
  | { kind: 'logged', text: string, in: string[], notIn: string[] }

export interface Claim {
  id: string
  source: Source
  statement: string
  published: number | string // The published ratio; for order and flat the published figures as text.
  test: ClaimTest
  notTestable?: string // Set where no machine of this kind can decide it: the reason.
  /** cores that the served side must have for the statement to have a meaning: as many as it runs processes */
  needsCores?: number
  conditions?: Conditions // beside those of its source
}

/** How trials are made: one file each in bench/measure/protocols/. */
export type Protocol = string
/** What is counted. Connections and handshakes are counted by what the front has accepted. */
export type Unit = 'requests' | 'connections' | 'handshakes' | 'bytes'

/** An experiment file: data only. Topologies are written as words. */
export interface Experiment {
  title: string
  group?: string // the question that it helps to answer, by its name in plan/experiment.js; left out: other
  question: string
  source: Source | null
  /** arm name → topology word, with a load of its own where it differs from the experiment's */
  arms: Record<string, string | { topology: string, load?: Partial<Load>, lab?: LabSettings }>
  contrasts?: [string, string][] // Pairs [arm, baseline]; left out: all against the first arm.
  twin?: string // The arm that runs twice as the noise floor; left out: the first.
  protocol: Protocol
  unit: Unit
  load?: Partial<Load>
  /** protocol ladder: the connections tried, in rising order. Every arm becomes an arm for each step, "nginx c500";
   * contrasts and claims name those. */
  steps?: number[]
  /** protocol rates: the shares of its peak at which every arm is loaded, rising. Every arm becomes an arm for each,
   * "nginx 50 %" */
  shares?: number[]
  /** protocols other than slices: how long one window is, and with --quick; left out: as the protocol has it */
  windowSeconds?: { full: number, quick: number }
  /** wall time of a default run, and with --quick; left out, or a number: the other is as plan.js has it */
  budgetSeconds?: number | { full: number, quick: number }
  /** the run ends after so many blocks, and with --quick; left out: when it is precise enough, or its time is over */
  blocks?: { full: number, quick: number }
  /** errors and cache misses are what the experiment is about: an arm with errors is a result and no failure of the run
   */
  errorsAreResults?: boolean
  /** 'shared': load and served side may use all cores; for experiments about more processes. Left out: split. */
  cores?: 'split' | 'shared'
  claims?: Claim[]
}

export interface Arm {
  name: string
  word: string // the topology as typed: what topology/word.js prints
  topology: Topology
  load: Load
  twinOf: string | null // the arm this one repeats, for the A/A twin only
  /** protocols ladder and rates: the arm as the experiment names it, and which of its steps this is, from 0 */
  ladder?: { of: string, step: number }
}

/** When a run stops. */
export interface Targets {
  precision: number // half-width of every contrast's interval, as a share: 0.02
  budgetSeconds: number // wall time of the whole run
  minBlocks: number
  maxBlocks: number | null // null: until precision or budget
  fixed?: boolean // it ends by its precision, whatever is decided before; left out: what is decided is measured no more
  /** Bonferroni over the listed contrasts; off for --quick */
  adjusted: boolean
}

export interface Plan {
  experiment: string
  question: string
  protocol: Protocol
  result?: ResultKind // what the protocol says that its runs are about; left out: a run stored before plans said so
  unit: Unit
  arms: Arm[]
  contrasts: [string, string][]
  twin: { arm: string, of: string } | null // null where there is no A/A arm
  claims: Claim[]
  cores: 'split' | 'shared'
  root?: string // a person's own folder in place of the fixtures; absolute
  seed: number
  quick: boolean
  smoke?: boolean // one block of the shortest trials, without intervals; quick, too
  /** how long one window is, of protocols that start everything anew; of slices where another length than the usual was
   * chosen */
  windowSeconds?: number
  /** all processes are replaced after so many blocks; null: never, in this run; left out: the protocol does not */
  startBlocks?: number | null
  adaptive?: { from: number } // of older releases, which discarded the blocks before `from`
  errorsAreResults?: boolean // errors are what the experiment is about
  targets: Targets
}
