/** What `hopbench size` found. */
import type { ByRole, Latency, Reason } from './sample.d.ts'
import type { Topology } from './topology.d.ts'

/** What a provider sells; bench/studies/sizing/offerings.schema.json describes each field. */
export interface Offering {
  provider: string
  plan: string
  url: string // the provider's own page or repository
  source?: string // which figure is from where
  read: string | null // the day on which it was so, "2026-05-04"; null: not known
  region: string
  vcpu: number | null // cores' worth of CPU time that is promised for good, bursts left out; null: none is
  assumed?: { vcpu: number, why: string } // where none is promised
  burst?: { periodMs?: number, seconds?: number, rule: string }
  memoryMiB: number
  price: number | null // of an instance a month; null: it is not sold by the month
  hourly?: number
  use?: UsePrices
  currency: string // "USD"
  egress?: { perGb: number } | null // null or left out: unknown
  includedGb?: number // sent to the internet, of an instance a month
  most?: number // instances of it that there may be; left out: as many as one likes
  autoscales?: boolean
  sleeps?: string // when
  note?: string
}
/** What is paid for what is used; the free amounts are of a month and an account. */
export interface UsePrices {
  vcpuSecond: number
  gibSecond: number
  millionRequests?: number
  billed: 'running' | 'used' // all of an instance while it runs, or what its processes use
  freeVcpuSeconds?: number
  freeGibSeconds?: number
  freeRequests?: number
  /** a month costs that in any case */
  least?: number
}
/** How the rate goes up and down in a day. */
export interface LoadProfile {
  name: string
  shares: number[] // of the peak, at equal distances over a day; the largest is 1
}
/** How many processes to start in an instance. */
export interface WorkerAdvice {
  workers: number // to start; 0: not one fits into the memory
  limit: 'memory' | 'cpu' // what keeps it from being more
  /** what the platform's rule of thumb would set */
  rule: number
}
/** One offering for one topology. */
export interface PriceRow {
  plan: Offering
  topology: string
  perInstance: number | null // requests per second at the goal; null: unknown
  atLeast: boolean // of perInstance: it may be more
  limit: 'quota' | 'goal' | null // what limits it: the plan's CPU, or the goal before that
  /** share of the plan's CPU time that can be used at the goal, where that is the limit; null: it is not, or it is not
   * known */
  usable: number | null
  instances: number | null // for the peak, with the headroom
  meanInstances?: number | null // over a day: less where the provider starts and ends them by load
  monthly: number | null // price of all instances, in the plan's currency, without what is sent to the internet
  egress?: number | null // price of that, a month; null: unknown
  old?: boolean // the plan's figures are older than half a year, or of no known day
  /** price a month of a thousand requests per second at the goal, without the headroom and rounding */
  perThousand: number | null
  workers: WorkerAdvice | null
  /** why it is not known */
  why: string | null
}

/** At one share of the capacity. */
export interface CurvePoint {
  share: number
  rate: number // requests per second
  latencyMs: Latency | null
  p99Range?: { low: number, high: number } | null // over all trials of this step
  trials?: number // of this step; left out: 1
  disturbed?: boolean // a higher load was faster, again and again
  cores: number // that the served side used
  micros: ByRole // CPU time of a request, by role
  /** why it is invalid */
  invalid: Reason | null
}
/** One trial of the search for the capacity. */
export interface TrialLine {
  rate: number
  holds: boolean
  p99Ms: number | null
  lagMs: number | null // at the 99th percentile
  /** the goal does not hold */
  why: string | null
}
export interface SizedTopology {
  word: string
  path: string
  connections: number // at most
  topology: Topology
  floor: { rate: number, p50Ms: number, p99Ms: number } // the unloaded latency
  peak: number // in a closed loop, requests per second
  capacity: { rate: number, low: number, high: number, searches: number[], atLeast: boolean } // at the goal
  trials: TrialLine[]
  curve: CurvePoint[]
  /** CPU time of the served side for a request, by connections in a closed loop and by size in KiB, and the slopes of
   * straight lines through them */
  growth: { connections: { x: number, micros: number }[]; perConnection: number; bytes: { x: number, micros: number }[];
    perKiB: number | null }
  /** index of dispersion of the CPU time that the served side used: its variance in a tenth of a second over its mean;
   * null: not known */
  burstMs: number | null
  pauseMs?: number | null // CPU time of one of the larger bursts: what a period with a garbage collection uses more
  /** capacities of more processes of the same server, where cores were there for them */
  more?: { processes: number, rate: number, low: number, high: number }[]
  /** with --soak: memory over time at half the capacity */
  soak?: Soak
  bytesPerResponse?: number | null // on the wire; null: not measured
  memoryMiB: number // of the served side, under load
  processMiB: number // of one server process; of the proxy where it serves the files itself
  cores: number // that the served side could use
  tools: Record<string, string>
}

/** How memory grew while the load did not. */
export interface Soak {
  seconds: number
  rate: number // requests per second
  points: { seconds: number, memoryMiB: number }[]
  slope: number // MiB an hour, after the warm-up (Theil and Sen)
  low: number | null // of its 95 % interval; null: there are too few readings for one
  high: number | null
  /** the interval is above 0, and a day of it outgrows the memory used */
  leaks: boolean
}

/** What the kernel has counted of a group of processes under limits, since it was made. */
export interface LimitStats {
  periods: number // in which there was work
  throttledPeriods: number // of those, in which the CPU time ran out
  throttledSeconds: number // for which there was work and no CPU time
  oomKills: number // processes killed out of memory
  memoryPeakMiB: number
}
/** The recommended instance at its share of the rate, under the plan's limits. */
export interface Verification {
  plan: string
  topology: string
  rate: number
  seconds: number
  holds: boolean
  why: string | null // it does not
  windows?: { held: number, of: number } // of which the last is shown; left out: one
  latencyMs: Latency | null
  limits: LimitStats // what the kernel counted in the window
}

/** So many processes, and what they did together. */
export interface UslPoint { n: number, x: number }
/** Parameters of the universal scalability law, see analysis/stats/usl.js. */
export interface Usl { lambda: number, sigma: number, kappa: number }
/** What more processes bring, in one family of topologies. */
export interface Scaling {
  /** its words, the number of processes left open: "express-json@cluster:N" */
  family: string
  points: UslPoint[] // processes, and requests per second at the goal
  usl: Usl | null // null: it cannot be fitted
  predicted: { n: number, x: number, low: number, high: number } | null // for as many as can be predicted
  /** why there is no prediction for more processes */
  refused?: string | null
}

/** What `hopbench size` found: the goal, each topology's capacity, and what it takes to serve the rate. */
export interface Sizing {
  goal: {
    rate: number // at the peak
    p99Ms: number
    headroom: number
    fewestInstances: number
    mostInstances?: number | null // null or left out: as many as the provider allows
    profile?: LoadProfile // left out: the same all day
    /** of the 3 s windows, the share that must hold the goal at the capacity; left out: half of them */
    confidence?: number
  }
  topologies: SizedTopology[]
  table: PriceRow[]
  verification: Verification | null
  refuted?: Verification[] // cheaper plans that were verified before it and did not hold; left out: none
  scaling: Scaling[] // where four topologies or more differ in nothing but their number of processes
  /** whether limits can be set here, and why not */
  emulation: { version: 1 | 2 | null, why: string | null }
}
