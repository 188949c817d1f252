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
  /** arms that can have no more trials: refused, or a process of theirs has ended */
  lost: () => Set<string>
  /** arms that the gate has refused */
  refused: () => Map<string, Reason>
  /** the engine that makes the load */
  engine: string
  /** why it is not the default one */
  switchedFor: { arm: string, share: number } | null
  /** the engine that was wanted and is not to be had */
  instead: { wanted: string, why: string } | null
  /** users whose pace was lowered, once it is known */
  slowerUsers?: () => SlowerUsers | null
  /** version by program */
  tools: () => Record<string, string>
  /** ends the load; arms whose counts disagree */
  finish: () => Promise<Map<string, Reason>>
  /** ends everything; may be called at any time */
  close: () => Promise<void>
}

/**
 * What a protocol is: `about` of a file in bench/measure/protocols/, in which what is left out is as here in
 * brackets.
 */
export interface ProtocolAbout {
  /** the generator is paused between the trials of its arm (false) */
  paused: boolean
  /** the clients count, and say for how long: a front may refuse its own counters (false) */
  clientCounts: boolean
  /** the length of a trial may be chosen by the machine's noise (false) */
  adaptive: boolean
  /** of one trial, where the experiment does not say; null: the usual slice (null) */
  windowSeconds: { full: number, quick: number, smoke: number } | null
  /** what every arm of an experiment is tried at, one after the other, on the same processes; null: nothing (null) */
  steps: 'connections' | 'shares' | null
  /** its arms are loaded before the window (false) */
  warm: boolean
  /** its window is told second by second (false) */
  series: boolean
  /** all processes are replaced now and then: an interval is one over starts (false) */
  starts: boolean
  /** the protocol in its place where load or served side are on other machines; null: itself (null) */
  elsewhere: string | null
  /** what its runs are about: throughput, the connections at the first errors, or latency at each load (throughput) */
  result: RunResult
}
export type RunResult = 'throughput' | 'first-errors' | 'latency'

/** How a slice is made; other protocols make their windows as the plan says. */
export interface TrialOptions {
  /** left out: the usual length */
  seconds?: number
  /** the slice is read so often while it runs, see Sample.parts */
  stepSeconds?: number
}

/** What shows how far a run is. */
export interface Progress {
  /** seconds: the budget; run: its name */
  start: (plan: Plan, seconds: number, run?: string) => void
  /** a line that stays */
  note: (text: string) => void
  /** what is being done now */
  stage: (text: string) => void
  /** a trial has been made */
  trial?: (sample: Sample) => void
  /** a block has been measured */
  block: (state: BlockState) => void
  /** the length of the slices to come has been chosen */
  adapted: (plan: Plan) => void
  end: () => void
}

export interface BlockState {
  /** its number, from 0 */
  block: number
  /** seconds since the start */
  elapsed: number
  /** seconds */
  budget: number
  /** the estimates so far */
  summary: { contrasts: Pick<Contrast, 'arm' | 'baseline' | 'ratio' | 'low' | 'high'>[] }
}

/** A run that is being written; one call at a time. */
export interface OpenRun {
  /** absolute path of its folder */
  dir: string
  /** its name */
  run: string
  /** stores a block's samples for good; throws disk-full, and so do the others */
  append: (samples: Sample[]) => Promise<void>
  /** replaces plan.json */
  writePlan: (plan: Plan) => Promise<void>
  /** replaces run.json */
  writeRecord: (record: RunRecord) => Promise<void>
  /** any other file, such as a rendered configuration; gives its path */
  writeFile: (relative: string, text: string) => Promise<string>
  close: () => Promise<void>
}

/** What is there of a run. */
export interface StoredRun {
  /** absolute path of its folder */
  dir: string
  /** its name */
  run: string
  /** null where it was cut off before the first record */
  record: RunRecord | null
  plan: Plan | null
  /** in the order of measuring */
  samples: Sample[]
}
