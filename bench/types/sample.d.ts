/** The result of a trial. */
import type { Reason } from './facts.d.ts'
import type { StoredPlay } from './behaviour.d.ts'
import type { HistogramData } from './plugins.d.ts'
import type { Proof } from './record.d.ts'
import type { Count, Estimate, NonNegative, PositiveInteger, Share, UtcTime } from './values.d.ts'

export interface ErrorCounts {
  /** responses with a status other than 2xx */
  non2xx: Count
  timeouts: Count
  /** connections that ended before the response did, or could not be opened */
  resets: Count
  /** responses with another body than the expected one */
  mismatches: Count
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

/** A line of samples.jsonl: an arm in a block. The BlockLoad is that of all arms. */
export interface Sample extends BlockLoad {
  arm: string
  block: Count
  /** number of the start of the arm's processes, from 0; left out: the only start, or one per trial */
  start?: Count
  startedAt: UtcTime
  /** of the start; left out: it reached the steady state, or was not warmed up */
  unsteady?: Unsteady
  /** units within `seconds`, without error responses (`errors.non2xx`): counted on the served side, by its clock, or by
   * the clients (ProtocolAbout.clientCounts). All bytes, if bytes are the unit. With page views not a whole number */
  requests: NonNegative
  /** requests of a page view; left out: page views are not the unit */
  requestsPerUnit?: PositiveInteger
  seconds: NonNegative
  rps: Estimate
  /** while a topology is sized: cores that the served side used, in each tenth of a second */
  coresUsed?: number[]
  errors: ErrorCounts
  /** used in the measured window, by role; idle: by the processes of other arms */
  cpuSeconds: ByRole & { idle: NonNegative }
  memoryMiB: { proxy: NonNegative, server: NonNegative }
  /**
   * on the wire, headers included, measured by the gate: of a response, or of all responses of a page view; null or
   * left out: unknown
   */
  bytesPerResponse?: NonNegative | null
  /** share of the link between two hosts that responses used; left out: its rate is unknown */
  linkShare?: NonNegative
  /** as reported by the engine; left out or null where it would mean nothing */
  latencyMs?: Latency | null
  /** in microseconds; left out: the kinds are unknown */
  latencyByKind?: Record<RequestKind, HistogramData>
  /** send lag, with a rate: how late scheduled requests left the generator. The server does not affect it. */
  lagMs?: { p50: Estimate, p99: Estimate, max: Estimate } | null
  /** with a rate: requests without a response in the middle and at the end of the schedule, and responses by the end */
  backlog?: { middle: Count, end: Count, answered: Count }
  /** protocol series: the window second by second */
  series?: SeriesPoint[]
  /** with users: the window second by second */
  users?: UserPoint[]
  /** errors by the engine's names */
  failures?: KindCount[]
  /** warnings of the engine */
  notes?: string[]
  /** protocol plays */
  play?: StoredPlay
  /** lines in the error log of the proxy within the window; left out: none, or not read */
  errorLog?: LogCount[]
  /** requests that reached the server behind a cache; left out or null: not counted */
  originRequests?: NonNegative | null
  /** cacheExpiries: responses from an expired cache entry within the slice; null: no cache */
  proof: Proof & { cacheExpiries: Count | null }
  /** null: valid */
  invalid: Reason | null
}
