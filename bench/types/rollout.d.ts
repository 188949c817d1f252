/** Results of `hopbench rollout`: what clients lose while an old build of an app is replaced by a new one. */
import type { DiffSide } from './diff.d.ts'
import type {
  AbsolutePath, Count, Estimate, Identifier, Line, NonNegative, Phrase, Positive,
  PositiveInteger
} from './values.d.ts'

/** Clients. `idle`: a kept connection without requests; `stream`: a response that does not end. */
export type ClientType = 'page' | 'file' | 'late-file' | 'api' | 'idle' | 'stream' | 'websocket'

/**
 * Outcome of a request: `ok`; `gone`: a file of the client's build that is not sent any more (404, 410, or a page in
 * its place); `mixed`: the content of the other build; or of bench/load/scenario-client.js: `status-502`, `reset`,
 * `refused`, `timeout`, `truncated`.
 * @pattern ^[\w-]+$
 */
export type Outcome = string

/** Request without a right response. */
export interface Loss {
  client: ClientType
  path: AbsolutePath
  outcome: Outcome
  /** Build of the page that the client has open; null: it had none yet. */
  build: 'old' | 'new' | null
  /** Begin, in ms of the monotonic clock (process.hrtime) of this machine. */
  atMs: NonNegative
  /** Time until the outcome. */
  ms: NonNegative
  /** Whether the request was sent on a kept connection. */
  isKept: boolean
}

export interface ClientCounts {
  client: ClientType
  requests: Count
  /** Requests by outcome, `ok` included. */
  counts: Record<Outcome, Count>
}

/** Requests of the clients of one rollout. */
export interface Visits {
  clients: ClientCounts[]
  /** The first losses. */
  losses: Loss[]
  /** Pages whose files came from both builds. */
  mixedPages: Count
  pages: Count
  /** Longest time between two right responses. */
  longestPauseMs: Estimate
  /** 99th percentile of the delay of the client against its timetable: above 50 ms the rollout is invalid. */
  lagMs: Estimate
}

export interface AppEnd {
  /** From SIGTERM to the end. */
  seconds: NonNegative
  wasKilled: boolean
}

/**
 * Moment of a rollout. start: of a process; listen: it accepts connections; ready: its first response; signal:
 * SIGTERM; end: of a process; switch: the order that sends new requests to other processes.
 */
export interface RolloutEvent {
  what: 'start' | 'listen' | 'ready' | 'signal' | 'end' | 'switch'
  /** In ms of the monotonic clock. */
  atMs: NonNegative
  /** Number of the process; null: none of one process. */
  process: Count | null
}

/** Which builds' hashed files are sent after a rollout. */
export type FilePolicy = 'new' | 'kept' | 'attic' | 'cdn'

/** A way with its policy, in all rollouts. */
export interface RolloutArm {
  way: Identifier
  title: Phrase
  /** Programs and platforms that do it so. */
  usedBy: Phrase
  /** Emulated part of a platform; null: all is the real program. */
  emulated: Phrase | null
  policy: FilePolicy
  /** Whether clients request a page again when one of its files is gone, as Vite documents for vite:preloadError. */
  retries: boolean
  rollouts: RolloutResult[]
}

export interface RolloutResult extends Visits {
  /** Position in the order of the run. */
  index: Count
  /** Times of the monotonic clock, for the times of losses. */
  beganMs: NonNegative
  endedMs: NonNegative
  events: RolloutEvent[]
  ends: AppEnd[]
  /** Why the rollout itself failed; null: it did not. */
  failure: Line | null
}

/** faults: at SIGTERM; framework: package that shows it; null: unknown */
export interface AppEndFacts {
  faults: { code: Identifier, text: Phrase }[]
  framework: Phrase | null
}

/** All rollouts of a run. */
export interface RunRollout {
  old: DiffSide
  new: DiffSide
  /** Files of the page of each build. gone: those of the old build that the new one does not have */
  files: { old: Count, new: Count, gone: Count }
  page: AbsolutePath
  /** Requests per second of the clients. */
  rate: Positive
  /** Rollouts of each arm. */
  wanted: PositiveInteger
  arms: RolloutArm[]
  /** End of the new build, tried apart from rollouts; left out: not tried. */
  app?: AppEndFacts
  /** Ways that were not tried. */
  leftOut: { way: Identifier, why: Phrase }[]
}
