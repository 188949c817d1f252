/** Types of a suite. */
import type { SuiteEntry } from '../types.js'

export interface SuiteWorld {
  resultsDir: string // absolute
  interrupted: () => number // number of times that Ctrl-C was pressed
  begins: (entry: SuiteEntry, position: number) => void // position: from 1
  ends: (entry: SuiteEntry) => void
  runOptions?: string[] // of each new run
  command?: string[] // argv before "run …"; default: this hopbench
  secondsFor?: (experiment: string, quick: boolean) => Promise<number> // time limit of a run
  utc: () => string
}
