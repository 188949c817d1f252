/** A run under way, and one that is stored. */
import type { Plan } from './plan.d.ts'
import type { Reason, Sample } from './sample.d.ts'
import type { Contrast, CrowdedArm, RunRecord, SlowerUsers } from './record.d.ts'

/** Measures a plan. A protocol opens it, and the pipeline makes trials with it. */
export interface Rig {
  /** Makes one trial of each of these arms, except lost ones, and yields samples as soon as they are complete: those of
   * all arms together where arms take turns. The sample of a failed trial has the reason. Throws gate-refused. */
  trials: (arms: string[], block: number) => AsyncIterable<Sample[]>
  lost: () => Set<string> // arms that can have no more trials: refused, or a process of theirs has ended
  refused: () => Map<string, Reason> // arms that the gate has refused
  engine: string // the engine that makes the load
  switchedFor: { arm: string, share: number } | null // why it is not the default one
  instead: { wanted: string, why: string } | null // the engine that was wanted and is not available
  crowded: CrowdedArm | null // the arm with too many processes for a gang; null: whole arms are paused, or no gang
  slowerUsers: () => SlowerUsers | null // users whose pace was lowered, once it is known
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
