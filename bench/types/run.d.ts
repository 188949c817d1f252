/** Runs in progress, and stored runs. */
import type { Plan } from './plan.d.ts'
import type { GateRefusal, Reason } from './facts.d.ts'
import type { Sample } from './sample.d.ts'
import type { Contrast, FileDifferences, RunRecord, SlowerUsers } from './record.d.ts'
import type { Positive } from './values.d.ts'

/** Measures a plan. A protocol opens it, and the pipeline makes trials with it. */
export interface Rig {
  /** Makes one trial of each of these arms, except lost ones, and yields samples as soon as they are complete: those of
   * all arms together where arms take turns. The sample of a failed trial has the reason. Throws gate-refused. */
  trials: (arms: string[], block: number) => AsyncIterable<Sample[]>
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
  clientCounts: boolean // counts are those of the clients, because a proxy may refuse to report its counters (false)
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
