/** Types of the live page. */
import type { FeedEvent } from '../../report/progress-feed.js'

export type JobEvent = FeedEvent
  | { event: 'begins', what: string, startedAt: string }
  | { event: 'ended', exit: number | null, run: string | null, error: string | null }

/** Words and options of `hopbench run`. */
export interface Order { words: string[], argv: string[] }

/** Runs one job at a time, because two runs would disturb each other. */
export interface Jobs {
  events: () => JobEvent[] // first and latest events of the current or last run
  isRunning: () => boolean
  begin: (order: Order) => void
  stop: () => Promise<void> // resolves when the run has ended; can be called repeatedly
  follow: (listener: (event: JobEvent) => void) => () => void // returns a function that removes the listener
}

export interface Entry {
  run: string
  experiment: string
  startedAt: string
  question: string
  answer: string
  state: 'complete' | 'cut off' | 'unreadable'
}
