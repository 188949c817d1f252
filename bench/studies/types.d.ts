/** What studies share. */
import type { CoreSplit } from '../machine/shapes.js'
import type { Environment, Plan, Progress, StoredRun, SuiteEntry } from '../types.js'
import type { Host } from './remote/types.js'

/** Where one topology is brought up. */
export interface TestBed {
  /** short absolute folder of its own */
  temp: string
  /** private network */
  lab: boolean
  cores: CoreSplit
  /** what a path to a person's own module is relative to */
  cwd: string
}

/** Where a study keeps things while it runs, and how it tells of itself. */
export interface Desk {
  temp: string
  /** a short one of its own in it */
  folder: (name: string) => string
  /** what a path to a person's own module is relative to */
  cwd: string
  progress: Progress
  /** progress */
  note: (text: string) => void
  close: () => void
}

/** Lab: in private networks. */
export type Ground = { lab: boolean, cores: CoreSplit, environment: Environment }

export interface SuiteWorld {
  /** absolute */
  resultsDir: string
  /** how often Ctrl-C was pressed */
  interrupted: () => number
  /** `at`: its place among all, from 1 */
  begins: (entry: SuiteEntry, at: number) => void
  ends: (entry: SuiteEntry) => void
  /** argv in front of "run …"; left out: this hopbench */
  command?: string[]
  /** how long a run may take */
  secondsFor?: (experiment: string, quick: boolean) => Promise<number>
  utc: () => string
}

/** The flags of `hopbench run`. */
export interface RunOptions {
  quick?: boolean
  smoke?: boolean
  /** seconds */
  budget?: number
  /** share */
  precision?: number
  /** share */
  detect?: number
  connections?: number
  engine?: string
  path?: string
  seed?: number
  resume?: string
  /** a stored run may start what is outside the project */
  trustRun?: boolean
  results?: string
  /** folder of one's own */
  root?: string
  /** list of paths or access log */
  paths?: string
  lab: boolean
  /** the machine of the served side */
  server?: Host
  /** the machines that make load */
  load?: Host[]
  /** the machines of Locust's workers */
  locustWorkers?: Host[]
  /** of Locust, that a person starts */
  expectWorkers?: number
  /** two hosts on such a link in place of the loopback */
  net?: 'gigabit'
}

export interface Request {
  plan: Plan
  options: RunOptions
}

/** Path → how often. */
export type Mix = Map<string, number>

export type Begun = Pick<StoredRun, 'dir' | 'run' | 'record' | 'samples'>
