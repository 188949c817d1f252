/** Types of runs and other studies. */
import type { CoreSplit } from '../machine/types.js'
import type { Environment, Progress } from '../types.js'
import type { HopbenchError } from '../errors.js'
import type { Feed } from './session.js'
import type { RigOptions } from '../measure/types.js'

/** Where one topology is started. */
export interface TestBed {
  temp: string // short absolute path of an empty folder
  lab: boolean // true: in a private network
  cores: CoreSplit
  cwd: string // directory from which hopbench was started; paths of modules are relative to it
  keepIn?: string // folder to which the study writes
}

/** Temporary folder and progress of a study. */
export interface Workspace {
  temp: string
  folder: (name: string) => string // creates a folder in `temp` with a short path
  cwd: string // directory from which hopbench was started; paths of modules are relative to it
  progress: Progress
  printProgress: (text: string) => void // reports progress
  close: () => void
}

/** Everything that a study on this machine needs. lab: whether topologies run in private networks */
export type Session = Workspace & { lab: boolean, cores: CoreSplit, environment: Environment }

/** Where a run takes place. */
export interface RunLocation {
  environment: Environment
  machine: Pick<RigOptions, 'cores' | 'engines' | 'lab' | 'address' | 'turnSeconds'>
  findLostHost: () => HopbenchError | null // error of a machine that became unreachable; null: none
}

/** World of a task of a worker, beside its request. */
export interface WorkerWorld {
  /** performs the task in a PID namespace, with this standard input; exit code; null: there is none */
  enclose: (input?: string) => Promise<number | null>
  feed: Feed
}
