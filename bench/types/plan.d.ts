/** Types of experiments and of the plans that are made from them. */
import type { ProtocolAbout } from './run.d.ts'
import type { Load, OptionValue, Topology } from './topology.d.ts'

export interface Source { title: string, author: string, year: number, machine: string, conditions?: Conditions }
/** Conditions of a published figure that another machine can reproduce. */
export interface Conditions {
  cores?: number // of the served side
  hosts?: 1 | 2 // 2: the load came from another machine
  link?: 'gigabit' // carried all responses
  processes?: number // of the app
  software?: Record<string, string> // versions by program; the first two numbers are compared
}

/**
 * Quantity that a claim compares. rate: units per second, the default; cpu: CPU time of proxy and server per unit;
 * memory: of proxy and server; bytes: of one response on the wire.
 */
export type Quantity = 'rate' | 'cpu' | 'memory' | 'bytes'

export type ClaimTest =
  /**
   * The measured arm/baseline ratio agrees with `published` within `tolerance`, a factor. Default: CLAIM_TOLERANCE of
   * bench/shared/thresholds.js.
   */
  | { kind: 'ratio', arm: string, baseline: string, tolerance?: number, of?: Quantity }
  /** The arms from highest to lowest, each step larger than the margin. */
  | { kind: 'order', arms: string[], of?: Quantity }
  /** Each arm is within the margin of the first. */
  | { kind: 'flat', arms: string[], margin?: number }
  /**
   * The first errors occur at this many connections; null: at no step. For protocol ladder; the arm's name is the one
   * without its step.
   */
  | { kind: 'first-error-at', arm: string, connections: number | null }
  /** The arms `in` have errors in most of their trials, the arms `notIn` in none. */
  | { kind: 'errors', in: string[], notIn: string[] }
  /** The proxy's error log contains this text in all trials of the arms `in`, and in none of `notIn`. */
  | { kind: 'logged', text: string, in: string[], notIn: string[] }
  /** Requests of plays, of one group or of all, fail in the arms `in`, and none do in `notIn`. */
  | { kind: 'failures', in: string[], notIn: string[], group?: string }
  /** The ratio arm/baseline of a figure of plays agrees with `published` within `tolerance`, as that of rates. */
  | { kind: 'figure', figure: string, arm: string, baseline: string, tolerance?: number }

export interface Claim {
  id: string
  source: Source
  statement: string
  published: number | string // the published ratio; for order and flat the published figures as text
  test: ClaimTest
  needsCores?: number // cores of the served side without which the statement is meaningless: one for each process
  conditions?: Conditions // in addition to those of its source
}

/** Thing that is counted. Connections and handshakes are those that the front has accepted. A page view is one pass
 * through the requests of a load with several paths. */
export type Unit = 'requests' | 'connections' | 'handshakes' | 'bytes' | 'pages'

/**
 * How reports answer the question of an experiment: by pairs of arms, in words, or by another result of the run.
 * Every pair is a contrast of the experiment.
 */
export interface AnswerWords {
  by?: 'pairs' | 'errors' | 'origin' | 'latency' | 'users' | 'first-errors' | 'behaviour' // left out: pairs
  subject?: string // of the whole sentence: "nginx in front"; left out: each arm is compared with its baseline by name
  /** arm, baseline, and with a subject the end of the sentence: "over keepalive" */
  pairs?: ([string, string] | [string, string, string])[]
  names?: Record<string, string> // of arms in the sentence; left out: the name of the arm
  figure?: string // of plays: name of the figure that answers; left out: delay, or the requests that failed
  delay?: string // of plays: name of the delay whose p99 answers
  group?: string // of plays: kind of the requests that the answer is about; left out: all
}

/** A question with its arms, contrasts, protocol and claims. Topologies are written as words. */
export interface Experiment {
  title: string
  group?: string // key of GROUPS in bench/plan/experiment.js; left out: other
  question: string
  answer?: AnswerWords // left out, as in a comparison that is typed: the general form
  source: Source | null
  /** topology words by arm name, with a load where it differs from the experiment's */
  arms: Record<string, string | ArmEntry>
  contrasts?: [string, string][] // pairs [arm, baseline]; left out: all against the first arm
  twin?: string // arm that runs twice to measure the noise floor; left out: the first
  protocol: string // way of making trials: name of a file in bench/measure/protocols/
  unit: Unit
  load?: Partial<Load>
  /**
   * For protocol ladder: numbers of connections in rising order. Each arm becomes an arm for each step, "nginx c500",
   * which contrasts and claims name.
   */
  steps?: number[]
  scenario?: string // for protocol plays: name of a file in bench/scenarios/
  options?: Record<string, OptionValue> // of the scenario; left out: its defaults
  /** Option of the scenario with several values. Each arm becomes an arm for each value, "nginx rate=50". */
  scan?: { option: string, values: OptionValue[] }
  /** For protocol rates: shares of its peak in rising order. Each arm becomes an arm for each share, "nginx 50 %". */
  shares?: number[]
  windowSeconds?: { full: number, quick: number } // length of a window, except in slices; left out: the protocol's
  /** Wall time of a run. Left out, or for --quick with a number: the default of bench/plan/targets.js. */
  budgetSeconds?: number | { full: number, quick: number }
  blocks?: { full: number, quick: number } // number of blocks; left out: the run ends by precision or budget
  errorsAreResults?: boolean // the experiment is about errors or cache misses, so an arm with errors is a valid result
  cores?: 'split' | 'shared' // shared: load and served side may use all cores; left out: split
  claims?: Claim[]
  variants?: Record<string, Experiment> // other experiments of the same file by the end of their name: by-cpu
}

/** An arm of an experiment. options: of the scenario, besides those of the experiment */
export interface ArmEntry {
  topology: string
  load?: Partial<Load>
  lab?: Topology['lab']
  options?: Record<string, OptionValue>
}

/** An experiment as its file states it, which contains data only. bench/plan/experiment.js adds what is left out. */
export type ExperimentFile = Omit<Experiment, 'source' | 'protocol' | 'unit' | 'claims' | 'variants'> &
  Partial<Pick<Experiment, 'source' | 'protocol' | 'unit'>> & {
  claims?: (Omit<Claim, 'source'> & Partial<Pick<Claim, 'source'>>)[] // source left out: the experiment's
  variants?: Record<string, Omit<ExperimentFile, 'variants'>> // by the end of their name: by-cpu
}

export interface Arm {
  name: string
  spec: string // the topology as bench/plan/spec.js prints it
  topology: Topology
  load: Load
  twinOf: string | null // the arm that this one repeats, for the A/A twin only
  ladder?: { of: string, step: number } // protocols ladder and rates: the experiment's arm, and the step from 0
}

/** Stop conditions of a run. */
export interface Targets {
  precision: number // half-width of every contrast's interval, as a share: 0.02
  budgetSeconds: number // wall time of the whole run
  minBlocks: number
  maxBlocks: number | null // null: until precision or budget
  fixed?: boolean // all contrasts must reach the precision; left out: a contrast with a verdict is complete
  requested?: boolean // the precision was requested; left out: it is the default
  adjusted: boolean // Bonferroni over the listed contrasts; off for --quick
  margin?: number // slowdown to be decided, as a share: the run ends when its comparison is resolved; left out: none
}

export interface Plan {
  experiment: string
  command: string[] // command line after `hopbench`, without secrets
  question: string
  answer?: AnswerWords // left out: the general form
  protocol: string
  result: ProtocolAbout['result']
  unit: Unit
  arms: Arm[]
  contrasts: [string, string][]
  twin: { arm: string, of: string } | null // null: there is no A/A arm
  claims: Claim[]
  cores: 'split' | 'shared'
  root?: string // folder that is served in place of the fixtures; absolute
  seed: number
  quick: boolean
  smoke?: boolean // one block of the shortest trials, without intervals; implies quick
  windowSeconds?: number // length of a window or slice; left out: a slice of the default length
  /** Blocks of one start, after which all processes are replaced; null: a single start; left out: no starts. */
  startBlocks?: number | null
  warmUp?: WarmUpPlan // left out: no warm-up
  errorsAreResults?: boolean
  allowsDifferent?: boolean // arms of a contrast may respond differently; left out: they must not
  targets: Targets
  openLoop?: OpenLoopPlan // with --rate; left out: there is no such part
}

/** Warm-up of an arm, which ends when the CPU time per request no longer falls. */
export interface WarmUpPlan {
  limitSeconds: number // time at which it ends in any case
}

/** Second part of a run, after the throughput: every arm at the same offered rate. */
export interface OpenLoopPlan {
  rate: number // requests per second of each arm
  blocks: number
  windowSeconds: number
  seconds: number // estimated wall time
}
