/** Types that several studies share. */
import type { CoreSplit } from '../machine/shapes.js'
import type { Environment, Progress, SuiteEntry } from '../types.js'
import type { ErrorData, HopbenchError } from '../errors.js'
import type { FeedEvent } from '../report/progress-feed.js'
import type { lookAtApp } from './advise/look-app.js'
import type { callWorker } from './call-worker.js'
import type { makeKitInWorker } from './deploy/deploy-kit.js'
import type { measureRun } from './run-request.js'
import type { Feed } from './session.js'
import type { measureSize } from './sizing/size-request.js'
import type { Host } from '../load/shapes.js'
import type { RigOptions } from '../measure/shapes.js'

/** Where one topology is started. */
export interface TestBed {
  temp: string // short absolute path of an empty folder
  lab: boolean // true: in a private network
  cores: CoreSplit
  cwd: string // directory from which hopbench was started; paths of modules are relative to it
}

/** Temporary folder and progress of a study. */
export interface Workspace {
  temp: string
  folder: (name: string) => string // creates a folder in `temp` with a short path
  cwd: string // directory from which hopbench was started; paths of modules are relative to it
  progress: Progress
  note: (text: string) => void // reports progress
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

export interface SuiteWorld {
  resultsDir: string // absolute
  interrupted: () => number // number of times that Ctrl-C was pressed
  begins: (entry: SuiteEntry, position: number) => void // position: from 1
  ends: (entry: SuiteEntry) => void
  runOptions?: Pick<RunFlags, 'ownNode' | 'release'> // of each new run
  call?: typeof callWorker // tests pass another one
  secondsFor?: (experiment: string, quick: boolean) => Promise<number> // time limit of a run
  utc: () => string
}

/** What a task of a worker gets beside its request. */
export interface WorkerWorld {
  enclose: () => Promise<number | null> // performs the task in a PID namespace; exit code; null: there is none
  feed: Feed
}

/**
 * Tasks of bench/studies/worker.js. Requests and results are JSON. A result with `exit`, the exit code of the worker in
 * the PID namespace, means that the other worker has written the result.
 */
export interface Tasks {
  run: typeof measureRun
  size: typeof measureSize
  look: typeof lookAtApp
  kit: typeof makeKitInWorker
}

export type WorkerEvent = FeedEvent | { event: 'result', result: any } | { event: 'error', error: ErrorData }

/** The flags of `hopbench run`. */
export interface RunFlags {
  argv?: readonly string[] // command line after `hopbench`, which is stored without secrets
  quick?: boolean
  smoke?: boolean
  budget?: number // seconds
  warmUp?: number // seconds; longest warm-up of an arm
  precision?: number // share
  detect?: number // share
  margin?: number // share; the run goes on until its comparison is resolved
  failIfSlower?: number // share; exit code 3 if an arm is slower than its baseline by more
  rate?: number // requests per second of each arm in an open loop
  connections?: number
  engine?: string
  path?: string
  app?: string | string[] // commands that start apps, with or without a name: new=npm start
  listen?: string
  readyWithin?: number // seconds
  quietApp?: boolean
  files?: string[] // prefixes of URLs and their folders: /assets=./public
  filesHidden?: string // "ignore": such a folder may hold hidden files
  method?: string
  header?: string[] // "Name: value"
  body?: string
  bodyFile?: string
  ignoreBody?: string // a regular expression
  compare?: string // parts of a response
  allowHost?: string[]
  seed?: number
  resume?: string
  trustRun?: boolean // allows a stored run to start programs outside hopbench
  results?: string
  ownNode?: boolean // built-in servers under the Node that runs hopbench
  release?: string // Debian release, or version, of all proxies that name none
  root?: string // folder of files to serve
  paths?: string // list of paths or access log
  har?: string // requests of a page, as browsers save them
  harMethods?: string // methods of its requests that are repeated besides GET
  lab: boolean
  load?: Host[] // machines of the generators
  net?: 'gigabit' // link between two hosts of a private network, in place of the loopback
}

