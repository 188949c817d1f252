/** What studies share. */
import type { CoreSplit } from '../machine/shapes.js'
import type { Environment, Plan, Progress, SuiteEntry } from '../types.js'
import type { Host } from './remote/types.js'

/** Where one topology is brought up. */
export interface TestBed {
  temp: string // short absolute folder of its own
  lab: boolean // private network
  cores: CoreSplit
  /** what a path to a person's own module is relative to */
  cwd: string
}

/** Where a study keeps things while it runs, and how it reports progress. */
export interface Desk {
  temp: string
  folder: (name: string) => string // a short one of its own in it
  cwd: string // what a path to a person's own module is relative to
  progress: Progress
  note: (text: string) => void // progress
  close: () => void
}

/** Lab: in private networks. */
export type Ground = { lab: boolean, cores: CoreSplit, environment: Environment }

export interface SuiteWorld {
  resultsDir: string // absolute
  interrupted: () => number // how often Ctrl-C was pressed
  begins: (entry: SuiteEntry, at: number) => void // `at`: its place among all, from 1
  ends: (entry: SuiteEntry) => void
  command?: string[] // argv in front of "run …"; left out: this hopbench
  secondsFor?: (experiment: string, quick: boolean) => Promise<number> // how long a run may take
  utc: () => string
}

/** The flags of `hopbench run`. */
export interface RunOptions {
  quick?: boolean
  smoke?: boolean
  budget?: number // seconds
  precision?: number // share
  detect?: number // share
  connections?: number
  engine?: string
  path?: string
  app?: string // the command that starts an app
  listen?: string
  readyWithin?: number // seconds
  method?: string
  header?: string[] // "Name: value"
  body?: string
  bodyFile?: string
  ignoreBody?: string // a regular expression
  compare?: string // parts of an answer
  allowHost?: string[]
  seed?: number
  resume?: string
  trustRun?: boolean // a stored run may start what is outside the project
  results?: string
  root?: string // a folder of your own
  paths?: string // list of paths or access log
  lab: boolean
  server?: Host // the machine of the served side
  load?: Host[] // the machines that make load
  locustWorkers?: Host[] // the machines of Locust's workers
  expectWorkers?: number // of Locust, that a person starts
  /** two hosts on such a link in place of the loopback */
  net?: 'gigabit'
}

export interface Request {
  plan: Plan
  options: RunOptions
}

/** Path → how often. */
export type Mix = Map<string, number>

