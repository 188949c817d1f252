/** What a trial produced. */
import type { ConfinedBy } from './plugins.d.ts'

export interface ErrorCounts {
  non2xx: number
  timeouts: number
  resets: number
  mismatches: number
}
export interface Latency {
  p50: number
  p90: number
  p95: number
  p99: number
  max: number
  /** of several blocks at one offered rate: the lowest and the highest p99; left out: of a window, or an older record
   */
  p99Range?: { low: number, high: number }
  rate: number | null
  source: string
}
/** How late requests left that were sent on a schedule, in ms: the generator's own fault, whatever the server does. */
export interface Lag { p50: number, p99: number, max: number }
export interface ByRole { load: number, proxy: number, server: number }

export interface Reason { code: string, text: string }

/** Things of one kind, counted. */
export interface KindCount { kind: string, count: number }
/** Lines of a log that say the same but for their numbers: one of them, and how many there were. */
export interface LogCount { text: string, count: number }

/** One second of what users saw, by the engine that made them. */
export interface UserPoint {
  second: number // from the start of the first user
  users: number // that were there
  rps: number // requests that ended in it, failures counted
  failures: number
  p50: number | null // ms, of the last ten seconds; null: nothing had ended
  p95: number | null
}

/** One second of a series, counted on the served side. */
export interface SeriesPoint {
  second: number // end of the interval, from the start of the load
  rate: number // units per second
  errors: number // answers that were errors in it
  /** sockets in TIME_WAIT in the arm's network at its end; null: it shares the host's */
  timeWait: number | null
}

/** One line of samples.jsonl: one arm in one block. */
export interface Sample {
  arm: string
  block: number
  start?: number // which life of the arm's processes, from 0; left out: the only one, or one of this trial's own
  startedAt: string // UTC, ISO 8601
  /** units within `seconds`, without the answers that were errors (`errors.non2xx`): counted on the served side, by its
   * clock, or by the clients (ProtocolAbout.clientCounts). Of bytes all that came */
  requests: number
  seconds: number
  rps: number
  /** while a topology is sized: cores that the served side used, in each tenth of a second of the load */
  coresUsed?: number[]
  errors: ErrorCounts
  /** CPU seconds used in the measured window, by role; idle: by all other arms' processes */
  cpuSeconds: ByRole & { idle: number }
  memoryMiB: { proxy: number, server: number }
  /** of one answer on the wire, headers counted, as the gate saw it; null or left out: not measured */
  bytesPerResponse?: number | null
  /** of what the link between two hosts carries, the share that the answers took; left out: there is no link whose rate
   * is known */
  linkShare?: number
  latencyMs?: Latency | null // as the engine gave it; left out or null where that would mean nothing
  lagMs?: Lag | null // with a rate: how late requests left
  series?: SeriesPoint[] // protocol series: the window second by second
  users?: UserPoint[] // with users: the window second by second, as they saw it
  failures?: KindCount[] // errors by what the engine calls them
  notes?: string[] // what the engine itself warned of
  /** what the error log of the proxy had to say in the window; left out: nothing, or it was not read */
  errorLog?: LogCount[]
  originRequests?: number | null // requests that reached the server behind a cache; left out or null: not counted
  proof: {
    upstreamConnectionsPerRequest: number | null
    /** connections that the front has accepted for each request; null or left out: it does not count them */
    clientConnectionsPerRequest?: number | null
    cacheHitRatio: number | null
    cacheExpiries: number | null // answers of an expired cache entry seen in the slice
    socketType: 'tcp' | 'unix' | 'none'
    /** what the busiest of several workers served, as a multiple of their mean; left out: there are no several */
    busiestWorker?: number
    /** of a server with known vulnerabilities; left out: it has none */
    confinedBy?: ConfinedBy
  }
  /** null: valid */
  invalid: Reason | null
}
