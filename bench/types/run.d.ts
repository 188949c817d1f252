/** Runs in progress, and stored runs. */

import type { Advice, GateRefusal, Reason, RefusedRequests, Warning } from './facts.d.ts'
import type { ArmResult, ClaimResult, Contrast, OpenLoop, Sample } from './results.d.ts'
import type {
  Environment, FileDifferences, RatioInterval, RecordKind, RunEnd, RunTiming, SlowerUsers, StandsApart, StartNoise
} from './record.d.ts'
import type {
  AbsolutePath, ExperimentName, Identifier, Integer, Line, NonNegative, Phrase, Positive, PositiveInteger, RunName,
  UtcTime
} from './values.d.ts'
import type { AnswerWords, Arm, Claim, Experiment, OpenLoopPlan, Targets, Unit, WarmUpPlan } from './plan.d.ts'
import type { Deployed, Sizing } from './sizing.d.ts'
import type { SelfTest } from './studies.d.ts'
import type { RunDiff } from './diff.d.ts'
import type { RunRollout } from './rollout.d.ts'
import type { ServerAbout, ServerFactory, UpgradeListener } from './plugins.d.ts'
import type { ProxyPlugin } from './running.d.ts'
import type { EnginePlugin } from './engine.d.ts'
import type { Scenario } from './behaviour.d.ts'
import type { Rule } from './advice.d.ts'

/** Measures a plan. A protocol opens it, and the pipeline makes trials with it. */
export interface Rig {
  /** Makes one trial of each of these arms, except lost ones, and yields samples as soon as they are complete: those of
   * all arms together where arms take turns. The sample of a failed trial has the reason. Throws gate-refused. */
  trials: (arms: string[], block: number) => AsyncIterable<Sample[]>
  keepsStart?: boolean // whether processes are not replaced any more; omitted: they are, after startBlocks
  lost: () => Set<string> // arms without further trials, because the gate refused them or one of their processes ended
  refused: Map<string, GateRefusal> // arms that the gate has refused
  engine: string
  switchedFor: { arm: string, share: number } | null // arm for which the default engine was too slow
  instead: { wanted: string, why: string } | null // requested engine that is not available
  /** the arm with too many processes to pause within a turn of a gang; null: whole arms are paused, or no gang */
  crowded: { arm: string, processes: number } | null
  fileDifferences?: FileDifferences[] // of arms whose proxy serves files of the app; left out: none
  slowerUsers: SlowerUsers | null // users whose rate was reduced, once it is known
  tools: Record<string, string> // version by program
  finish: () => Promise<Map<string, Reason>> // stops the load; returns arms whose counts disagree
  close: () => Promise<void> // stops all processes; can be called at any time
}

/**
 * Properties of a protocol: `about` of a file in bench/measure/protocols/. Defaults are in brackets.
 * @closed
 */
export interface ProtocolAbout {
  paused: boolean // the generator is paused between the trials of its arm (false)
  clientCounts: boolean // counts are those of the clients, because a proxy may reject to report its counters (false)
  /** default length of a trial; null: that of a slice (null) */
  windowSeconds: { full: Positive, quick: Positive, smoke: Positive } | null
  /** load that increases from step to step, on the same processes; null: constant load (null) */
  steps: 'connections' | 'shares' | null
  warm: boolean // arms are loaded before the window (false)
  series: boolean // results are reported for each second (false)
  starts: boolean // all processes are replaced at intervals, and intervals are computed over starts (false)
  /** protocol that replaces this one if another machine takes part; null: none (null) */
  elsewhere: string | null
  /** main result: throughput, connections at the first errors, latency by load, or outcomes of plays (throughput) */
  result: 'throughput' | 'first-errors' | 'latency' | 'behaviour'
}

/** Shows the progress of a run. */
export interface Progress {
  start: (plan: Plan, budgetSeconds: number, run?: string) => void // run: its name
  note: (text: string) => void // prints a permanent line
  stage: (text: string) => void // shows the current activity
  trial?: (sample: Sample) => void // called after each trial
  block: (state: BlockState) => void // called after each block
  end: () => void
}

export interface BlockState {
  block: number // from 0
  elapsed: number // seconds since the start
  budget: number // seconds
  /** current estimates */
  summary: { contrasts: Pick<Contrast, 'arm' | 'baseline' | 'ratio' | 'low' | 'high' | 'decidedAtBlock'>[] }
}

/** A run to which samples are written. Calls must not overlap. */
export interface OpenRun {
  dir: string // absolute path of its folder
  run: string // its name
  append: (samples: Sample[]) => Promise<void> // stores and syncs a block; all writing methods throw disk-full
  writeRecord: (record: RunRecord) => Promise<void> // replaces run.json
  /** Writes any other file, such as a configuration. Returns its path. */
  writeFile: (relative: string, text: string) => Promise<string>
  close: () => Promise<void>
}

/** A run as stored. Parts are missing if it was interrupted early. */
export interface StoredRun {
  dir: string // absolute path of its folder
  run: string // its name
  record: RunRecord | null
  plan: Plan | null
  samples: Sample[] // in the order of measurement
}

/** Plan of a run, before anything was measured; plan.json holds the same. */
export interface Plan {
  experiment: ExperimentName
  /** command line after `hopbench`, without secrets */
  command: Line[]
  question: Phrase
  /** left out: the general form */
  answer?: AnswerWords
  protocol: Identifier
  result: ProtocolAbout['result']
  unit: Unit
  arms: Arm[]
  contrasts: [string, string][]
  /** null: there is no A/A arm */
  twin: { arm: string, of: string } | null
  claims: Claim[]
  cores: 'split' | 'shared'
  /** folder that is served in place of the fixtures */
  root?: AbsolutePath
  seed: Integer
  quick: boolean
  /** one block of the shortest trials, without intervals; implies quick */
  smoke?: boolean
  /** length of a window or slice; left out: a slice of the default length */
  windowSeconds?: Positive
  /** Blocks of one start, after which all processes are replaced; null: a single start; left out: no starts. */
  startBlocks?: PositiveInteger | null
  /** left out: no warm-up */
  warmUp?: WarmUpPlan
  errorsAreResults?: boolean
  /** arms of a contrast may respond differently; left out: they must not */
  allowsDifferent?: boolean
  targets: Targets
  /** left out: the app refuses nothing */
  refused?: RefusedRequests
  /** with --rate; left out: there is no such part */
  openLoop?: OpenLoopPlan
}

/** Exports of the file of a plug-in, by its type, with the defaults of bench/plan/plugins.js. */
export interface PluginModules {
  server: { default: ServerFactory, about: ServerAbout, upgrade?: UpgradeListener }
  proxy: { default: ProxyPlugin }
  engine: { default: EnginePlugin }
  experiment: { default: Experiment }
  protocol: { about: ProtocolAbout, open: (plan: Plan, options: never) => Promise<Rig> }
  scenario: { default: Scenario }
  rule: { default: Rule }
}

/**
 * run.json in a run's folder under results/, and what --json prints. Times are in the units that names and descriptions
 * give; ratios are plain numbers (1.2 means 20 % more); null means that there is no such value, never zero.
 */
export interface RunRecord {
  schema: 3
  kind: RecordKind
  run: RunName
  experiment: ExperimentName
  question: Phrase
  protocol: Identifier
  unit: Unit
  startedAt: UtcTime
  endedAt: UtcTime | null
  complete: boolean
  /** null: still running, or cut off */
  ended: RunEnd | null
  /** of the order of arms within the blocks */
  seed: Integer
  plan: Plan
  environment: Environment
  /** version by program */
  tools: Record<string, string>
  /** arm for which the default engine was too slow, and the share of its core that it used; null: no other engine */
  switchedFor?: { arm: string, share: NonNegative } | null
  /** engine that the experiment names and that is not available; null: it was used */
  engineInstead?: { wanted: string, why: string } | null
  /** null or left out: users kept the planned pace */
  slowerUsers?: SlowerUsers | null
  /** protocol gang: the arm because of which only generators were paused, in slices; left out: whole arms were */
  crowded?: { arm: string, processes: PositiveInteger }
  /** left out: none, or no proxy serves files of an app */
  fileDifferences?: FileDifferences[]
  arms: ArmResult[]
  contrasts: Contrast[]
  /** of an arm and its twin */
  noiseFloor: RatioInterval | null
  /** left out: no outlier, or one start */
  standsApart?: StandsApart[]
  /** left out: one start */
  noise?: StartNoise
  claims: ClaimResult[]
  warnings: Warning[]
  /** which static server suits which case */
  recommendation: Advice[]
  /** names of the recommended arms, the first choice first */
  recommended: string[]
  /** of `hopbench size` */
  sizing?: Sizing
  /** of `hopbench size --url` */
  deployed?: Deployed
  /** of `hopbench selftest` */
  selftest?: SelfTest
  /** with --rate; left out: no such part, or the run ended before it */
  openLoop?: OpenLoop
  /** of `hopbench diff` */
  diff?: RunDiff
  /** of `hopbench rollout` */
  rollout?: RunRollout
  /** resolution of this machine according to its last selftest: the smallest difference, as a share, that a run of so
   * many minutes detects; left out: none */
  resolves?: { run: RunName, minutes: number, difference: number }
  timing: RunTiming
}
