/** Types of experiments and of the plans that are made from them. */
import type { Step } from './record.d.ts'
import type { Load, Topology } from './topology.d.ts'
import type {
  ArmName, Count, Identifier, Integer, NonNegative, Phrase, Positive, PositiveInteger
} from './values.d.ts'

export interface Source { title: Phrase, author: Phrase, year: Integer, machine: Phrase, conditions?: Conditions }
/** Conditions of a published figure that another machine can reproduce. */
export interface Conditions {
  /** of the served side */
  cores?: PositiveInteger
  /** 2: the load came from another machine */
  hosts?: 1 | 2
  /** that carried all responses: gigabit, as of --net, or in words */
  link?: Phrase
  /** of the app */
  processes?: PositiveInteger
  /** each request on a new connection */
  fresh?: true
  /** load generator */
  engine?: Phrase
  /** versions by program; the first two numbers are compared */
  software?: Record<string, string>
}

/**
 * Quantity that a claim compares. rate: units per second, the default; cpu: CPU time of proxy and server per unit;
 * memory: of proxy and server; bytes: of one response on the wire.
 */
export type Quantity = 'rate' | 'cpu' | 'memory' | 'bytes'

/** A factor. @exclusiveMinimum 1 */
export type Tolerance = number

/** @discriminator kind */
export type ClaimTest =
  /**
   * The measured arm/baseline ratio agrees with `published` within `tolerance`. Default: CLAIM_TOLERANCE of
   * bench/shared/thresholds.js.
   */
  | { kind: 'ratio', arm: ArmName, baseline: ArmName, tolerance?: Tolerance, of?: Quantity }
  /** The arms from highest to lowest, each step larger than the margin. */
  | { kind: 'order', arms: ArmName[], of?: Quantity }
  /** Each arm is within the margin of the first. */
  | { kind: 'flat', arms: ArmName[], margin?: number }
  /**
   * The first errors occur at this many connections; null: at no step. For protocol ladder; the arm's name is the one
   * without its step.
   */
  | { kind: 'first-error-at', arm: ArmName, connections: number | null }
  /** The arms `in` have errors in most of their trials, the arms `notIn` in none. */
  | { kind: 'errors', in: ArmName[], notIn: ArmName[] }
  /** The proxy's error log contains this text in all trials of the arms `in`, and in none of `notIn`. */
  | { kind: 'logged', text: string, in: ArmName[], notIn: ArmName[] }
  /** Requests of plays, of one group or of all, fail in the arms `in`, and none do in `notIn`. */
  | { kind: 'failures', in: ArmName[], notIn: ArmName[], group?: string }
  /** The ratio arm/baseline of a figure of plays agrees with `published` within `tolerance`, as that of rates. */
  | { kind: 'figure', figure: string, arm: ArmName, baseline: ArmName, tolerance?: Tolerance }

export interface Claim {
  id: Phrase
  source: Source
  statement: Phrase
  /** the published ratio; for order and flat the published figures as text */
  published: number | string
  test: ClaimTest
  /** cores of the served side without which the statement is meaningless: one for each process */
  needsCores?: PositiveInteger
  /** in addition to those of its source */
  conditions?: Conditions
}

/** Thing that is counted. Connections and handshakes are those that the front has accepted. A page view is one pass
 * through the requests of a load with several paths. */
export type Unit = 'requests' | 'connections' | 'handshakes' | 'bytes' | 'pages'

/**
 * How reports answer the question of an experiment: by pairs of arms, in words, or by another result of the run.
 * Every pair is a contrast of the experiment.
 */
export interface AnswerWords {
  /** left out: pairs */
  by?: 'pairs' | 'errors' | 'latency' | 'users' | 'first-errors' | 'behaviour'
  /** arm, baseline, and the action in place of the name of the arm: "a cache of 5 s over keepalive" */
  pairs?: ([Phrase, Phrase] | [Phrase, Phrase, Phrase])[]
  /** of arms in the sentence; left out: the name of the arm */
  names?: Record<string, Phrase>
  /** end of the sentence if an arm opened a connection to the app for each request: "(nginx.conf:14)" */
  fresh?: { arm: ArmName, text: Phrase }
  /** of plays: name of the figure that answers; left out: delay, or the requests that failed */
  figure?: Phrase
  /** of plays: name of the delay whose p99 answers */
  delay?: Phrase
  /** of plays: kind of the requests that the answer is about; left out: all */
  group?: Phrase
}

/** Key of GROUPS in bench/plan/experiment.js. */
export type ExperimentGroup = 'proxy' | 'cache' | 'files' | 'runtime' | 'processes' | 'load' | 'behaviour' | 'tls' |
  'compression' | 'settings' | 'other'

/** A question with its arms, contrasts, protocol and claims. Topologies are written as words. */
export interface Experiment {
  title: Phrase
  /** left out: other */
  group?: ExperimentGroup
  question: Phrase
  answer?: AnswerWords // left out, as in a comparison that is typed: the general form
  source: Source | null
  /**
   * topology words by arm name, with a load where it differs from the experiment's
   * @minProperties 2
   */
  arms: Record<ArmName, Phrase | ArmEntry>
  /** pairs [arm, baseline]; left out: all against the first arm */
  contrasts?: [string, string][]
  twin?: string // arm that runs twice to measure the noise floor; left out: the first
  protocol: Identifier // way of making trials: name of a file in bench/measure/protocols/
  unit: Unit
  load?: Partial<Load>
  /**
   * For protocol ladder: numbers of connections in rising order. Each arm becomes an arm for each step, "nginx c500",
   * which contrasts and claims name.
   * @minItems 1
   */
  steps?: PositiveInteger[]
  /** for protocol plays: name of a file in bench/scenarios/ */
  scenario?: Identifier
  /** of the scenario; left out: its defaults */
  options?: Record<string, string | number | boolean>
  /**
   * For protocol rates: shares of its peak in rising order. Each arm becomes an arm for each share, "nginx 50 %".
   * @minItems 1
   */
  shares?: PeakShare[]
  userApp?: UserAppFields
  windowSeconds?: { full: number, quick: number } // length of a window, except in slices; left out: the protocol's
  /** Wall time of a run. Left out, or for --quick with a number: the default of bench/plan/targets.js. */
  budgetSeconds?: Positive | { full: Positive, quick: Positive }
  /** number of blocks; left out: the run ends by precision or budget */
  blocks?: Blocks
  errorsAreResults?: boolean // the experiment is about errors or cache misses, so an arm with errors is a valid result
  /** shared: load and served side may use all cores; left out: split */
  cores?: 'split' | 'shared'
  claims?: Claim[]
  variants?: Record<string, Experiment> // other experiments of the same file by the end of their name: by-cpu
}
/** Fields of an experiment that differ with --app. options: besides those of the experiment */
export interface UserAppFields {
  arms?: Record<ArmName, Phrase | ArmEntry>
  answer?: AnswerWords
  options?: Record<string, string | number | boolean>
}
/** @closed */
export interface Blocks { full: PositiveInteger, quick: PositiveInteger }
/** @exclusiveMinimum 0 @exclusiveMaximum 1 */
export type PeakShare = number

/** An arm of an experiment. options: of the scenario, besides those of the experiment */
export interface ArmEntry {
  topology: string
  load?: Partial<Load>
  lab?: Topology['lab']
  options?: Record<string, string | number | boolean>
}

/** An experiment as its file states it, which contains data only. bench/plan/experiment.js adds what is left out. */
export type ExperimentFile = Omit<Experiment, 'source' | 'protocol' | 'unit' | 'claims' | 'variants'> &
  Partial<Pick<Experiment, 'source' | 'protocol' | 'unit'>> & {
  claims?: (Omit<Claim, 'source'> & Partial<Pick<Claim, 'source'>>)[] // source left out: the experiment's
  variants?: Record<string, Omit<ExperimentFile, 'variants'>> // by the end of their name: by-cpu
}

/**
 * An experiment of your own: a JSON file for `hopbench run <file>`, or the default export of a module.
 * @closed
 */
export interface UserExperiment
  extends Partial<Pick<Experiment, 'title' | 'question' | 'answer' | 'contrasts' | 'scenario' | 'options' | 'blocks' |
    'cores' | 'claims'>> {
  /** this schema, for an editor */
  $schema?: Phrase
  /** commands that start servers, by the names that topologies call them */
  servers?: Record<Identifier, UserServer>
  /**
   * topology or URL by name; the first is the baseline
   * @minProperties 2
   */
  arms: Record<ArmName, Phrase | UserArm>
  load?: UserLoad
  /** left out: gang, or window where there is a URL */
  protocol?: 'gang' | 'slices' | 'window'
  /** left out: requests */
  unit?: 'requests' | 'connections' | 'bytes'
  /** wall time of a run */
  budgetSeconds?: Positive
}
/** @closed */
export interface UserArm { topology: Phrase, load?: UserLoad }
/** @closed */
export interface UserLoad
  extends Partial<Pick<Load, 'engine' | 'connections' | 'path' | 'method' | 'headers' | 'compare' | 'ignoreBody' |
    'fresh' | 'timeoutSeconds' | 'rate'>> {
  /** text, or what becomes JSON */
  body?: string | object | unknown[]
}
/** @closed */
export interface UserServer {
  /** for sh, with $PORT or $SOCKET in its environment */
  command: Phrase
  /** $PORT (the default), $SOCKET, both with a comma, or a port */
  listen?: Phrase
  /** folder in which it starts, relative to the one in which hopbench is started */
  cwd?: Phrase
  /** timeout of its first response; left out: 60 */
  readySeconds?: Positive
  /** its output is discarded; left out: it goes to a file */
  quiet?: boolean
}

/** A topology and a load with a name. */
export interface Arm {
  name: ArmName
  /** the topology as bench/plan/spec.js prints it */
  spec: Phrase
  topology: Topology
  load: Load
  /** the arm that this one repeats, for the A/A twin only */
  twinOf: string | null
  ladder?: Step
}

/** Stop conditions of a run. */
export interface Targets {
  /** half-width of every contrast's interval, as a share: 0.02 */
  precision: Positive
  /** wall time of the whole run */
  budgetSeconds: Positive
  minBlocks: Count
  /** null: until precision or budget */
  maxBlocks: Count | null
  /** all contrasts must reach the precision; left out: a contrast with a verdict is complete */
  fixed?: boolean
  /** the precision was requested; left out: it is the default */
  requested?: boolean
  /** Bonferroni over the listed contrasts; off for --quick */
  adjusted: boolean
  /** slowdown to be decided, as a share: the run ends when its comparison is resolved; left out: none */
  margin?: Positive
}

/** Warm-up of an arm, which ends when the CPU time per request no longer falls. */
export interface WarmUpPlan {
  /** time at which it ends in any case */
  limitSeconds: Positive
}

/** Second part of a run, after the throughput: every arm at the same offered rate. */
export interface OpenLoopPlan {
  /**
   * requests per second of each arm
   * @exclusiveMinimum 0
   * @maximum 100000
   */
  rate: number
  /**
   * @asType integer
   * @minimum 1
   * @maximum 1000
   */
  blocks: number
  /**
   * @exclusiveMinimum 0
   * @maximum 3600
   */
  windowSeconds: number
  /** estimated wall time */
  seconds: NonNegative
}
