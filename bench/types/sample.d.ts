/** The result of a trial. */
import type { Reason } from './facts.d.ts'
import type { StoredPlay } from './behaviour.d.ts'
import type { ConfinedBy, HistogramData } from './plugins.d.ts'

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
  /** of several blocks at one offered rate: lowest and highest p99; left out: of one window */
  p99Range?: { low: number, high: number }
  rate: number | null
  source: string
}
/** Kind of a request to an app whose files are known: for a file below one of its prefixes, or any other. */
export type RequestKind = 'app' | 'files'
/** Response times of the requests of one kind, in milliseconds, over all windows together. */
export interface KindLatency extends Omit<Latency, 'rate' | 'source'> { responses: number }
/** null: without a response */
export type LatencyByKind = Record<RequestKind, KindLatency | null>
export interface ByRole { load: number, proxy: number, server: number }

/** Things of one kind, counted. */
export interface KindCount { kind: string, count: number }
/** Log lines that differ only in their numbers: one of them, and their count. */
export interface LogCount { text: string, count: number }

/** A second from the users' side, counted by the engine. */
export interface UserPoint {
  second: number // from the start of the first user
  users: number // present users
  rps: number // requests that ended in this second, including failures
  failures: number
  p50: number | null // ms, of the last ten seconds; null: no request had ended
  p95: number | null
}

/** A second of a series, counted on the served side. */
export interface SeriesPoint {
  second: number // end of the interval, from the start of the load
  rate: number // units per second
  errors: number // error responses in this second
  timeWait: number | null // sockets in TIME_WAIT in the arm's network at the end; null: the host's network is used
}

/** Result of a warm-up that ended at its limit, before the CPU time per request was stationary. */
export interface Unsteady {
  role: keyof ByRole // which was not warm
  /** of its CPU time per request between the last two quarters of its CPU time, below 0; null: it no longer fell, but its
   * processes had used too little CPU time to have compiled their code */
  change: number | null
  seconds: number // length of the warm-up
}

/** The load that other guests and programs were during a block, which begins at the end of the block before. Left out:
 * unknown, because the system does not show it, or the sample is older. */
export interface BlockLoad {
  stealShare?: number // of the CPU time of all cores, given to other guests by the hypervisor
  /** threads that ran or waited for a core at the ends of the block, where all arms are paused or idle: mean of both,
   * without the reading thread */
  runQueue?: number
}

/** A line of samples.jsonl: an arm in a block. The BlockLoad is that of all arms. */
export interface Sample extends BlockLoad {
  arm: string
  block: number
  start?: number // number of the start of the arm's processes, from 0; left out: the only start, or one per trial
  startedAt: string // UTC, ISO 8601
  unsteady?: Unsteady // left out: the arm was warm, or was not warmed up
  /** units within `seconds`, without error responses (`errors.non2xx`): counted on the served side, by its clock, or by
   * the clients (ProtocolAbout.clientCounts). All bytes, if bytes are the unit. With page views not a whole number */
  requests: number
  requestsPerUnit?: number // requests of a page view; left out: page views are not the unit
  seconds: number
  rps: number
  coresUsed?: number[] // while a topology is sized: cores that the served side used, in each tenth of a second
  errors: ErrorCounts
  cpuSeconds: ByRole & { idle: number } // used in the measured window, by role; idle: by the processes of other arms
  memoryMiB: { proxy: number, server: number }
  /**
   * on the wire, headers included, measured by the gate: of a response, or of all responses of a page view; null or
   * left out: unknown
   */
  bytesPerResponse?: number | null
  linkShare?: number // share of the link between two hosts that responses used; left out: its rate is unknown
  latencyMs?: Latency | null // as reported by the engine; left out or null where it would mean nothing
  latencyByKind?: Record<RequestKind, HistogramData> // in microseconds; left out: the kinds are unknown
  /** send lag, with a rate: how late scheduled requests left the generator. The server does not affect it. */
  lagMs?: { p50: number, p99: number, max: number } | null
  /** with a rate: requests without a response in the middle and at the end of the schedule, and responses by the end */
  backlog?: { middle: number, end: number, answered: number }
  series?: SeriesPoint[] // protocol series: the window second by second
  users?: UserPoint[] // with users: the window second by second
  failures?: KindCount[] // errors by the engine's names
  notes?: string[] // warnings of the engine
  play?: StoredPlay // protocol plays
  unsteady?: Unsteady // of the start; left out: it reached the steady state
  errorLog?: LogCount[] // lines in the error log of the proxy within the window; left out: none, or not read
  originRequests?: number | null // requests that reached the server behind a cache; left out or null: not counted
  proof: {
    upstreamConnectionsPerRequest: number | null
    clientConnectionsPerRequest?: number | null // accepted by the front, per request; null or left out: not counted
    cacheHitRatio: number | null
    cacheExpiries: number | null // responses from an expired cache entry within the slice
    socketType: 'tcp' | 'unix' | 'none'
    filesAtServer?: number // requests for files that reached the server behind the proxy; left out: not counted
    busiestWorker?: number // requests of the busiest worker as a multiple of the mean; left out: one worker
    confinedBy?: ConfinedBy // of a server with known vulnerabilities; left out: it has none
    program?: string // that an app of your own runs in: "node 24.21.0"; left out: no such app, or unknown
    processes?: number // of such an app that used CPU time within the trial; left out: no such app, or unknown
    writesPerRequest?: true // such an app writes to its output for each request; left out: it does not
  }
  invalid: Reason | null // null: valid
}
