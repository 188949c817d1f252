/** What the live page is made of. */
import type { FeedEvent } from '../../report/progress-feed.js'

export type JobEvent = FeedEvent
  | { event: 'begins', what: string, startedAt: string }
  | { event: 'ended', exit: number | null, run: string | null, error: string | null }

/** Experiments or topologies, and options as the command line takes them. */
export interface Order { words: string[], argv: string[] }

/** One run at a time: two would disturb each other. */
export interface Jobs {
  events: () => JobEvent[] // the run under way, or the last one: its beginning, and its latest events
  isRunning: () => boolean
  begin: (order: Order) => void
  stop: () => Promise<void> // resolves when it has ended; asked again while it ends, it goes on ending
  /** gives how to stop following */
  follow: (listener: (event: JobEvent) => void) => () => void
}

export interface Entry {
  run: string
  experiment: string
  startedAt: string
  question: string
  answer: string
  state: 'complete' | 'cut off' | 'unreadable'
}
