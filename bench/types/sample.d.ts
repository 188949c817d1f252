/** The result of a trial. */
import type { Count, Estimate, NonNegative, PositiveInteger, Share } from './values.d.ts'

export interface ErrorCounts {
  /** responses with a status other than 2xx */
  non2xx: Count
  timeouts: Count
  /** connections that ended before the response did, or could not be opened */
  resets: Count
  /** responses with another body than the expected one */
  mismatches: Count
}
/** Clients without an accepted connection, of all clients. */
export interface Unserved {
  clients: PositiveInteger
  of: PositiveInteger
}
/** From the time at which a request should have been sent until the end of its response, in milliseconds. */
export interface Latency extends Percentiles {
  /** requests per second that were offered; null: closed loop */
  rate: NonNegative | null
  /** engine that measured it, and how */
  source: string
}
export interface Percentiles {
  p50: NonNegative
  p90: NonNegative
  p95: NonNegative
  p99: NonNegative
  max: NonNegative
  /** of several blocks at one offered rate: lowest and highest p99; left out: of one window */
  p99Range?: { low: NonNegative, high: NonNegative }
}
/** Kind of a request to an app whose files are known: for a file below one of its prefixes, or any other. */
export type RequestKind = 'app' | 'files'
/** Response times of the requests of one kind, in milliseconds, over all windows together. */
export interface KindLatency extends Percentiles { responses: PositiveInteger }
/** null: without a response */
export type LatencyByKind = Record<RequestKind, KindLatency | null>
export interface ByRole { load: NonNegative, proxy: NonNegative, server: NonNegative }

/** Things of one kind, counted. */
export interface KindCount { kind: string, count: Count }
/** Log lines that differ only in their numbers: one of them, and their count. */
export interface LogCount { text: string, count: Count }

/** A second from the users' side, counted by the engine. */
export interface UserPoint {
  /** from the start of the first user */
  second: NonNegative
  /** present users */
  users: NonNegative
  /** requests that ended in this second, including failures */
  rps: NonNegative
  failures: NonNegative
  /** ms, of the last ten seconds; null: no request had ended */
  p50: NonNegative | null
  p95: NonNegative | null
}

/** A second of a series, counted on the served side. */
export interface SeriesPoint {
  /** end of the interval, from the start of the load */
  second: NonNegative
  /** units per second */
  rate: Estimate
  /** error responses in this second */
  errors: NonNegative
  /** sockets in TIME_WAIT in the arm's network at the end; null: the host's network is used */
  timeWait: NonNegative | null
}

/** Result of a warm-up that ended at its limit, before the CPU time per request was stationary. */
export interface Unsteady {
  /** which was not warm */
  role: keyof ByRole
  /** of its CPU time per request in the last quarter of its CPU time, below 0; null: it no longer fell, but its
   * processes had done too little work to have compiled their code */
  change: number | null
  /** length of the warm-up */
  seconds: NonNegative
}

/** The load that other guests and programs were during a block, which begins at the end of the block before. Left out:
 * unknown, because the system does not show it. */
export interface BlockLoad {
  /** of the CPU time of all cores, given to other guests by the hypervisor */
  stealShare?: Share
  /** threads that ran or waited for a core at the ends of the block, where all arms are paused or idle: mean of both,
   * without the reading thread */
  runQueue?: NonNegative
}
