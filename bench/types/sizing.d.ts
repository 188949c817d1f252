/** Types of the results of `hopbench size`. */
import type { Reason, SizingWhy } from './facts.d.ts'
import type { ByRole, Latency } from './sample.d.ts'
import type { Topology } from './topology.d.ts'

/** Prices of use; the free amounts are per month and account. */
export interface UsePrices {
  /** way of billing, if there are several */
  name?: string
  vcpuSecond: number
  gibSecond: number
  millionRequests?: number
  /** 'running': all CPU and memory of a running instance; 'used': what its processes use */
  billed: 'running' | 'used'
  freeVcpuSeconds?: number
  freeGibSeconds?: number
  freeRequests?: number
  /** minimum price of a month, traffic included */
  least?: number
}

/** An instance size that a provider sells. bench/studies/sizing/offerings.schema.json describes each field. */
export interface Offering {
  provider: string
  class?: 'function' | 'shared' | 'dedicated' | 'vm'
  /** the provider's name of it; in a file of offerings: plan */
  name: string
  /** the provider's own page or repository */
  url: string
  /** sources of the figures */
  source?: string
  /** source of each figure; secondary: a third party quotes it from there */
  sources?: { of: string, url: string, read: string | null, secondary?: boolean }[]
  /** day on which the figures were read, "2026-05-04"; null: unknown */
  read: string | null
  /** a third party quotes one of the figures */
  secondary?: boolean
  /** day since which new customers are refused */
  closed?: string
  region: string
  /** cores' worth of CPU time that is promised permanently, without bursts; null: none */
  vcpu: number | null
  /** CPU to calculate with where none is promised: with busy and with idle neighbours */
  assumed?: { low: number, high: number, why: string }
  burst?: { periodMs?: number, seconds?: number, rule: string }
  memoryMiB: number
  /** of an instance for a month; null: not sold by the month */
  price: number | null
  hourly?: number
  /** a list: ways of billing, of which the cheapest counts */
  use?: UsePrices | UsePrices[]
  /** "USD" */
  currency: string
  /** null: unknown; freeGb: per month and account */
  egress?: { perGb: number, freeGb?: number } | null
  /** data sent to the internet that is included, per instance and month */
  includedGb?: number
  /** price of a month besides the instances, paid once; includes: part of it that pays for instances; from: fewest
   * instances for which it is paid, default: 1 */
  plusMonthly?: { price: number, includes?: number, from?: number, why: string }
  /** most instances; default: unlimited */
  most?: number
  /** of all instances */
  mostRps?: number
  /** of all instances */
  mostConnections?: number
  /** requests in flight of an instance */
  mostConcurrency?: number
  autoscales?: boolean
  /** when the provider stops an idle instance */
  sleeps?: string
  /** purpose of the offering in the provider's words, as a clause */
  purpose?: string
  note?: string
}

/** Change of the request rate over a day. */
export interface LoadProfile {
  name: string
  /** of the peak, at equal distances over a day; the largest is 1 */
  shares: number[]
}

/** Range of instances or prices; high: left out where another sizing may find no rate that meets the goal, or where the
 * price of the upper end is unknown. */
export interface OpenRange { low: number, high?: number }

/** Row of the price table: an offering for a topology. */
export interface PriceRow {
  offering: Offering
  topology: string
  /** requests per second at the goal; null: unknown */
  perInstance: number | null
  /** perInstance is a lower bound */
  atLeast: boolean
  /** reason for perInstance: the offering's CPU quota or limit of requests in flight, or the goal without them */
  limit: 'quota' | 'goal' | 'concurrency' | null
  /** usable share of the quota at the goal; null: the quota is not the limit */
  usable: number | null
  /** instances for the peak, with the headroom and the spare ones */
  instances: number | null
  /** mean over a day; smaller where the provider autoscales */
  meanInstances?: number | null
  /** price of all instances and of what is paid once, in the offering's currency, without egress */
  monthly: number | null
  /** monthly price of data sent to the internet; null: unknown */
  egress?: number | null
  /** monthly and egress together; null: one of them is unknown */
  total: number | null
  /** instances and total that another sizing may find; most: instances that can be had, where the upper end is above
   * it; null: unknown */
  range?: {
    instances: OpenRange
    total: OpenRange | null
    most?: number
  } | null
  /** the figures are older than half a year, or of an unknown day */
  old?: boolean
  /** monthly price of a thousand requests per second at the goal with traffic, without headroom and rounding, and
   * without what is paid once; null: unknown */
  perThousand: number | null
  /** the CPU time of TLS, which a virtual machine ends itself, was not measured */
  withoutTls?: boolean
  /** processes to start in an instance (0: not one fits), the reason for no more, and the platforms' rule of thumb */
  workers: { workers: number, limit: 'memory' | 'cpu', rule: number } | null
  /** reason why there is no estimate or no price */
  why: SizingWhy | null
}

/** Measurement at a share of the capacity. */
export interface CurvePoint {
  share: number
  /** requests per second */
  rate: number
  latencyMs: Latency | null
  /** range of all trials of this step */
  p99Range?: { low: number, high: number } | null
  /** default: 1 */
  trials?: number
  /** a step of higher load was faster in all repeats */
  disturbed?: boolean
  /** used by the served side */
  cores: number
  /** CPU time per request */
  micros: ByRole
  /** reason why the point is invalid */
  invalid: Reason | null
}

export interface SizedTopology {
  spec: string
  path: string
  /** most connections */
  connections: number
  topology: Topology
  /** unloaded latency */
  floor: { rate: number, p50Ms: number, p99Ms: number }
  /** requests per second in a closed loop */
  peak: number
  /** highest rate at the goal with its 95 % interval, the rates of all searches, and whether it is a lower bound */
  capacity: { rate: number, low: number, high: number, searches: number[], atLeast: boolean }
  /** trials of the search; lagMs: the generator's p99 send lag; why: reason why the goal does not hold */
  trials: { rate: number, holds: boolean, p99Ms: number | null, lagMs: number | null, why: SizingWhy | null }[]
  curve: CurvePoint[]
  /** CPU time per request of the served side by connections in a closed loop and by size in KiB, and the slopes */
  growth: {
    connections: { x: number, micros: number }[]
    perConnection: number
    bytes: { x: number, micros: number }[]
    perKiB: number | null
  }
  /** index of dispersion of the served side's CPU time: its variance in 0.1 s over its mean; null: unknown */
  burstMs: number | null
  /** CPU time of a large burst, such as a garbage collection */
  pauseMs?: number | null
  /** CPU time that TLS adds to a request, and that of a new connection; left out: not measured */
  tls?: { requestMicros: number, handshakeMicros: number }
  /** range over the windows of burstMs and pauseMs; left out: unknown */
  spread?: { burstMs: { low: number, high: number }, pauseMs: { low: number, high: number } }
  /** capacities of more processes of the same server, where the machine has cores for them */
  more?: { processes: number, rate: number, low: number, high: number }[]
  soak?: Soak
  /** of a response on the wire; null: unknown */
  bytesPerResponse?: number | null
  /** of the served side under load */
  memoryMiB: number
  /** of one server process, or of the proxy where it serves the files itself */
  processMiB: number
  /** available to the served side */
  cores: number
  /** version by program */
  tools: Record<string, string>
}

/** Growth of memory at a steady load. */
export interface Soak {
  seconds: number
  /** requests per second */
  rate: number
  points: { seconds: number, memoryMiB: number }[]
  /** MiB per hour after the warm-up (Theil and Sen) */
  slope: number
  /** lower bound of the 95 % interval; null: too few readings */
  low: number | null
  high: number | null
  /** the interval is above 0, and memory would more than double within a day */
  leaks: boolean
}

/** The kernel's counters of a control group since its creation. */
export interface LimitStats {
  /** periods with a runnable process */
  periods: number
  /** periods in which the CPU quota was used up */
  throttledPeriods: number
  /** time in which runnable processes had no CPU time */
  throttledSeconds: number
  /** processes killed out of memory */
  oomKills: number
  memoryPeakMiB: number
}

/** Measurement of an offering under its limits, at its share of the rate. */
export interface Verification {
  /** name of the offering with its provider */
  offering: string
  topology: string
  rate: number
  seconds: number
  /** whether the goal holds at the rate, and at a limit of requests in flight */
  holds: boolean
  /** reason why the goal does not hold */
  why: SizingWhy | null
  /** windows that held the goal; the other fields are of the last window; default: one window */
  windows?: { held: number, of: number }
  latencyMs: Latency | null
  /** counted in the last window */
  limits: LimitStats
  /** the instance ended TLS, on kept connections, in addition to the topology */
  endsTls?: boolean
  /** p99 with as many requests in flight as a kit permits; left out: the goal was missed, there is a pause, or an older
   * version */
  atLimit?: AtLimit
  /** time that a saturated instance waits for its next quota, where it is the goal or longer, so that no limit of
   * requests in flight keeps it */
  pauseMs?: number
}

/** Window in a closed loop at the limit of requests in flight. */
export interface AtLimit {
  /** requests in flight at the capacity, by Little's law, and no more than the provider permits or the topology's
   * connections */
  limit: number
  /** requests in flight in the last window, fewer than the limit if p99 was above the goal there */
  inFlight: number
  p99Ms: number
  /** whether the goal holds in the last window */
  holds: boolean
}

/** Scaling of a family of topologies with the number of processes. */
export interface Scaling {
  /** spec with an open number of processes: "express-json@cluster:N" */
  family: string
  /** processes, and requests per second at the goal */
  points: { n: number, x: number }[]
  /** parameters of the universal scalability law, see bench/judge/stats/usl.js; null: no fit */
  usl: { lambda: number, sigma: number, kappa: number } | null
  /** for the largest predictable number */
  predicted: { n: number, x: number, low: number, high: number } | null
  /** reason why there is no prediction */
  refused?: SizingWhy | null
}

/** Simulated response times of an offering's instances behind a balancer. */
export interface FleetTails {
  /** name of the offering with its provider */
  offering: string
  /** instances that were simulated */
  instances: number
  /** share of an instance's time in use */
  use: number
  /** by policy of the balancer; slow, lost: with a slow instance, after one is lost; failed: share of the requests */
  rows: { name: string, p50Ms: number, p99Ms: number, slowP99Ms: number, lostP99Ms: number, failed: number }[]
  /** p99 in ms by percent of the time in use, for each policy */
  lines: { name: string, points: { x: number, y: number }[] }[]
}

/** Options that chose the offerings of a sizing, as typed. */
export interface ChosenOfferings {
  /** of --plan */
  plans?: string[]
  /** of --provider */
  providers?: string[]
  /** whether --plans added a file */
  hasFile?: boolean
}

/** Result of `hopbench size`. */
export interface Sizing {
  goal: {
    /** at the peak */
    rate: number
    p99Ms: number
    headroom: number
    fewestInstances: number
    /** instances that may be lost */
    spare: number
    /** share of requests on a new connection, where the instance ends TLS */
    newConnections?: number
    /** MiB added to each process, by topology */
    memoryExtraMiB?: Record<string, number>
    /** null: unlimited */
    mostInstances?: number | null
    /** default: constant */
    profile?: LoadProfile
    /** share of the 3 s windows that hold the goal at the capacity */
    confidence: number
    /** choice of offerings by options; left out: those of the project */
    offerings?: ChosenOfferings
  }
  topologies: SizedTopology[]
  table: PriceRow[]
  verification: Verification | null
  /** cheaper offerings that were verified before and did not hold the goal */
  refuted?: Verification[]
  /** further offerings that were verified and held the goal */
  verified?: Verification[]
  /** of families of at least four topologies */
  scaling: Scaling[]
  /** null: no class has two instances, or no CPU time was measured; left out: an incomplete sizing, or prices of
   * another day */
  tails?: FleetTails | null
  /** version of control groups that can set limits, or the reason why none can */
  emulation: { version: 1 | 2 | null, why: string | null }
}

/** Result of `hopbench size --url`: one deployed instance, as its clients see it. */
export interface Deployed {
  /** without secrets */
  url: string
  goal: {
    /** requests per second of all instances */
    rate: number
    p99Ms: number
    headroom: number
    confidence: number
    spare: number
    fewest: number
  }
  /** permitted load; seconds: of the whole measurement */
  caps: { mostRps: number, mostRequests: number, seconds: number }
  /** requests sent; late ones are counted twice */
  sent: number
  /** highest rate at the goal; atLeast: no higher rate was permitted, or the generator could not send it */
  capacity: SizedTopology['capacity']
  trials: SizedTopology['trials']
  /** latency with the network, by share of the capacity; null: invalid, or a p99 of fewer than 100 responses */
  curve: { share: number, rate: number, p50Ms: number | null, p99Ms: number | null }[]
  /** TCP handshakes without load: median and longest */
  roundTrip: { p50Ms: number, maxMs: number }
  /** median latency at the lowest share, less the median round trip; null: unknown */
  serverP50Ms: number | null
  instances: number
  /** of a stored sizing, for the offering on which the instance runs; atLeast: perInstance is a lower bound; ratio:
   * measured over estimated */
  estimates: {
    run: string, offering: string, topology: string, perInstance: number, atLeast?: boolean, ratio: number
  }[]
}
