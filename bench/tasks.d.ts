/** Types of a suite and of the worker. */
import type { RunFlags } from './request/types.js'
import type { SuiteEntry } from './types.js'
import type { ErrorData } from './errors.js'
import type { FeedEvent } from './report/progress-feed.js'
import type { inspectApp } from './features/advise/inspect-app.js'
import type { callWorker } from './run/call-worker.js'
import type { makeKitInWorker } from './features/deploy/kit/deploy-kit.js'
import type { measureConfig } from './features/own-config/run-config.js'
import type { measureRun } from './run/run-request.js'
import type { measureSize } from './features/size/request.js'

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

/**
 * Tasks of bench/worker.js. Requests and results are JSON. A result with `exit`, the exit code of the worker in
 * the PID namespace, means that the other worker has written the result.
 */
export interface Tasks {
  run: typeof measureRun
  config: typeof measureConfig
  size: typeof measureSize
  inspect: typeof inspectApp
  kit: typeof makeKitInWorker
}

export type WorkerEvent = FeedEvent | { event: 'result', result: any } | { event: 'error', error: ErrorData }
