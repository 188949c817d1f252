/** A run under way, and one that is stored. */
import type { Plan } from './plan.d.ts'
import type { Reason, Sample } from './sample.d.ts'
import type { Contrast, RunRecord, SlowerUsers } from './record.d.ts'

/** What measures a plan: a protocol opens it, the pipeline asks it for trials. */
export interface Rig {
  /** what goes wrong in it is its result, not an exception */
  trial: (arm: string, block: number, how?: TrialOptions) => Promise<Sample>
  /** one trial of each of these arms, all at once; left out: they are made one after the other */
  round?: (arms: string[], block: number, how?: TrialOptions) => Promise<Sample[]>
  /** replaces all processes, and starts these arms; left out: it cannot, or every trial has processes of its own */
  restart?: (arms: string[]) => Promise<void>
  lost: () => Set<string> // arms that can have no more trials: refused, or a process of theirs has ended
  refused: () => Map<string, Reason> // arms that the gate has refused
  engine: string // the engine that makes the load
  switchedFor: { arm: string, share: number } | null // why it is not the default one
  instead: { wanted: string, why: string } | null // the engine that was wanted and is not available
  crowded?: CrowdedArm // the arm for which only generators are paused; left out: whole arms are, or it is no such rig
  slowerUsers?: () => SlowerUsers | null // users whose pace was lowered, once it is known
  tools: () => Record<string, string> // version by program
  finish: () => Promise<Map<string, Reason>> // ends the load; arms whose counts disagree
  /** ends everything; may be called at any time */
  close: () => Promise<void>
}

/** What a protocol is: `about` of a file in bench/measure/protocols/, in which what is left out is as here in brackets.
 */
export interface ProtocolAbout {
  paused: boolean // the generator is paused between the trials of its arm (false)
  clientCounts: boolean // the clients count, and say for how long: a front may refuse its own counters (false)
  /** of one trial, where the experiment does not say; null: the usual slice (null) */
  windowSeconds: { full: number, quick: number, smoke: number } | null
  /** what every arm of an experiment is tried at, one after the other, on the same processes; null: nothing (null) */
  steps: 'connections' | 'shares' | null
  warm: boolean // its arms are loaded before the window (false)
  series: boolean // its window is reported second by second (false)
  starts: boolean // all processes are replaced now and then: an interval is one over starts (false)
  /** the protocol in its place where load or served side are on other machines; null: itself (null) */
  elsewhere: string | null
  /** what its runs are about: throughput, the connections at the first errors, or latency at each load (throughput) */
  result: ResultKind
}
export type ResultKind = 'throughput' | 'first-errors' | 'latency'

/** How a slice is made; other protocols make their windows as the plan says. */
export interface TrialOptions {
  seconds?: number // left out: the usual length
}

/** What shows how far a run is. */
export interface Progress {
  start: (plan: Plan, seconds: number, run?: string) => void // seconds: the budget; run: its name
  note: (text: string) => void // a line that stays
  stage: (text: string) => void // what is being done now
  trial?: (sample: Sample) => void // a trial has been made
  block: (state: BlockState) => void // a block has been measured
  end: () => void
}

export interface BlockState {
  block: number // its number, from 0
  elapsed: number // seconds since the start
  budget: number // seconds
  /** the estimates so far */
  summary: { contrasts: Pick<Contrast, 'arm' | 'baseline' | 'ratio' | 'low' | 'high'>[] }
}

/** A run that is being written; one call at a time. */
export interface OpenRun {
  dir: string // absolute path of its folder
  run: string // its name
  /** stores a block's samples for good; throws disk-full, and so do the others */
  append: (samples: Sample[]) => Promise<void>
  writeRecord: (record: RunRecord) => Promise<void> // replaces run.json
  /** any other file, such as a rendered configuration; gives its path */
  writeFile: (relative: string, text: string) => Promise<string>
  close: () => Promise<void>
}

/** What is there of a run. */
export interface StoredRun {
  dir: string // absolute path of its folder
  run: string // its name
  record: RunRecord | null // null where it was cut off before the first record
  plan: Plan | null
  /** in the order of measuring */
  samples: Sample[]
}
