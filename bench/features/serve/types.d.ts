/** Types of the live page. */
import type { FeedEvent } from '../../report/progress-feed.js'

export type JobEvent = FeedEvent
  | { event: 'begins', what: string, startedAt: string }
  | { event: 'ended', exit: number | null, run: string | null, error: string | null }

export interface Entry {
  run: string
  experiment: string
  what: string // the experiment, or the arms that were compared
  startedAt: string
  question: string
  answer: string
  state: 'complete' | 'cut off' | 'unreadable'
}
