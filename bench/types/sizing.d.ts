/** Types of the results of `hopbench size`. */
import type { Reason, SizingWhy } from './facts.d.ts'
import type { ByRole, Latency } from './sample.d.ts'
import type { Topology } from './topology.d.ts'
import type {
  AbsolutePath, Count, Day, Estimate, Line, NonNegative, Phrase, Positive, PositiveInteger, Share, WebAddress
} from './values.d.ts'

/** Prices of use; the free amounts are per month and account. @closed */
export interface UsePrices {
  /** way of billing, if there are several */
  name?: Phrase
  vcpuSecond: NonNegative
  gibSecond: NonNegative
  millionRequests?: NonNegative
  /** 'running': all CPU and memory of a running instance; 'used': what its processes use */
  billed: 'running' | 'used'
  freeVcpuSeconds?: NonNegative
  freeGibSeconds?: NonNegative
  freeRequests?: NonNegative
  /** minimum price of a month, traffic included */
  least?: NonNegative
}

/** Limits that a provider publishes. */
export interface OfferingLimits {
  /** most instances; null: unknown */
  most: PositiveInteger | null
  /** of all instances; null: unknown */
  mostRps: PositiveInteger | null
  /** of all instances; null: unknown */
  mostConnections: PositiveInteger | null
  /** requests in flight of an instance; null: unknown */
  mostConcurrency: PositiveInteger | null
}

/** Rule by which a provider starts and ends instances. @closed */
export interface Autoscaling {
  /** metric of an instance that the rule keeps at its target */
  by: 'concurrency' | 'cpu' | 'requests'
  /** requests in flight, share of the CPU, or requests per second of an instance; null: you set it */
  target: Positive | null
  /** fewest instances by default */
  least: Count
  /** most instances, if fewer than of a fixed number; null: as many */
  most: PositiveInteger | null
}

/** An instance size that a provider sells. @closed */
export interface Offering extends Partial<OfferingLimits> {
  provider: Phrase
  /** function: billed while requests are served, starts and ends instances by itself; shared: a platform whose
   * instances share cores; dedicated: a platform with cores of an instance's own; vm: a virtual server */
  class?: 'function' | 'shared' | 'dedicated' | 'vm'
  /** hop that ends TLS; balancer: that of plusMonthly; default: instance for a vm, else router */
  tlsEnds?: 'router' | 'balancer' | 'instance'
  /** speed of a core; left out: unknown */
  score?: OfferingScore
  /** the provider's name of it; in a file of offerings: plan */
  name: Phrase
  /** the provider's own page or repository */
  url: WebAddress
  /** sources of the figures */
  source?: Phrase
  /** source of each figure; secondary: a third party quotes it from there */
  sources?: OfferingSources
  /** day on which the figures were read, "2026-05-04"; null: unknown */
  read: Day | null
  /** a third party quotes one of the figures */
  secondary?: boolean
  /** day since which new customers are refused */
  closed?: Day
  region: Phrase
  /** cores' worth of CPU time that is promised permanently, without bursts; null: none */
  vcpu: Positive | null
  assumed?: AssumedCores
  burst?: Burst
  memoryMiB: Memory
  /** of an instance for a month; null: not sold by the month */
  price: NonNegative | null
  hourly?: NonNegative
  /** a list: ways of billing, of which the cheapest counts */
  use?: UsePrices | WaysOfBilling
  currency: Currency
  /** null: unknown */
  egress?: EgressPrice | null
  /** data sent to the internet that is included, per instance and month */
  includedGb?: NonNegative
  plusMonthly?: PlusMonthly
  /** boolean: in a record from before limits were mandatory */
  autoscales?: Autoscaling | boolean | null
  /** when the provider stops an idle instance */
  sleeps?: Phrase
  /** purpose of the offering in the provider's words, as a clause */
  purpose?: Phrase
  note?: Phrase
}

/**
 * Speed of a core, relative to the reference machine (bench/judge/machines.js). low, high: range of its measurements;
 * from: how it was measured.
 * @closed
 */
export interface OfferingScore { value: Positive, low?: Positive, high?: Positive, from: Phrase, read: Day }

/** @exclusiveMinimum 0 @maximum 1000000000 */
export type Memory = number
/** @minimum 0 @maximum 1000000000 */
export type UsedMemory = number
/** @asType integer @minimum 1 @maximum 1000000000 */
export type Instances = number
/** 0: not one fits. @asType integer @minimum 0 @maximum 1000000 */
export type Workers = number
/** @nullable */
export type Slope = number
/** ISO 4217. @pattern ^[A-Z]{3}$ */
export type Currency = string

/** @minItems 1 */
export type WaysOfBilling = UsePrices[]
/** @minItems 1 */
export type OfferingSources = OfferingSource[]
/** @closed */
export interface OfferingSource {
  /** the figures */
  of: Phrase
  url: WebAddress
  read: Day | null
  /** a third party quotes it from there */
  secondary?: boolean
}
/**
 * CPU to calculate with where none is promised: with busy and with idle neighbours.
 * @closed
 */
export interface AssumedCores { low: Positive, high: Positive, why: Phrase }
/** @closed */
export interface Burst {
  /**
   * of the quota; left out: 100, as in the kernel
   * @minimum 1
   * @maximum 1000
   */
  periodMs?: number
  /** CPU time that can be accumulated */
  seconds?: Positive
  rule: Phrase
}
/** freeGb: per month and account. @closed */
export interface EgressPrice { perGb: NonNegative, freeGb?: NonNegative }
/**
 * Price of a month besides the instances, paid once. includes: part of it that pays for instances; from: fewest
 * instances for which it is paid, default: 1; includedGb: data sent to the internet that it includes, in place of that
 * of the instances behind it.
 * @closed
 */
export interface PlusMonthly {
  price: NonNegative
  includes?: NonNegative
  includedGb?: NonNegative
  from?: PositiveInteger
  why: Phrase
}

/** A file of offerings. Other fields apply to all of them. */
export interface OfferingsFile {
  /** plan: the name @minItems 1 */
  plans: PlanOffering[]
}
/** @closed */
export type PlanOffering = Omit<Offering, 'name' | 'autoscales' | keyof OfferingLimits> & OfferingLimits & {
  plan: Phrase
  /** null: a fixed number of instances */
  autoscales: Autoscaling | null
}

/** Change of the request rate over a day. */
export interface LoadProfile {
  name: Line
  /** of the peak, at equal distances over a day; the largest is 1 */
  shares: NonNegative[]
}

/** Range of instances or prices; high: left out where another sizing may find no rate that meets the goal, or where the
 * price of the upper end is unknown. */
export interface OpenRange { low: number, high?: number }

/** Row of the price table: an offering for a topology. */
export interface PriceRow {
  offering: Offering
  topology: Line
  /** requests per second at the goal; null: unknown */
  perInstance: number | null
  /** perInstance is a lower bound */
  atLeast: boolean
  /** reason for perInstance: the offering's CPU quota or limit of requests in flight, or the goal without them */
  limit: 'quota' | 'goal' | 'concurrency' | null
  /** usable share of the quota at the goal; null: the quota is not the limit */
  usable: number | null
  /** whether the speed of the offering's cores is that of a score, or assumed */
  portability?: 'known' | 'assumed'
  /** of a core, relative to this machine; middle: in perInstance; the range contains low and high */
  speed?: { low: Positive, middle: Positive, high: Positive }
  /** source of the estimate for several processes: a second process, or the laws of published tables */
  scaling?: 'measured' | 'law'
  /** instances for the peak, with the headroom and the spare ones */
  instances: Instances | null
  /** mean over a day; smaller where the provider autoscales */
  meanInstances?: number | null
  /** minimum to set in the provider's autoscaler, whose rule keeps fewer than the goal needs; null: none */
  minimum?: Instances | null
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
    most?: PositiveInteger
  } | null
  /** the figures are older than half a year, or of an unknown day */
  old?: boolean
  /** monthly price of a thousand requests per second at the goal with traffic, without headroom and rounding, and
   * without what is paid once; null: unknown */
  perThousand: number | null
  /** the CPU time of TLS, which a virtual machine ends itself, was not measured */
  withoutTls?: boolean
  /** processes to start in an instance (0: not one fits), the reason for no more, and the platforms' rule of thumb */
  workers: { workers: Workers, limit: 'memory' | 'cpu', rule: NonNegative } | null
  /** reason why there is no estimate or no price */
  why: SizingWhy | null
}

/** Measurement at a share of the capacity. */
export interface CurvePoint {
  share: NonNegative
  /** requests per second */
  rate: Estimate
  latencyMs: Latency | null
  /** range of all trials of this step */
  p99Range?: { low: number, high: number } | null
  /** default: 1 */
  trials?: Count
  /** a step of higher load was faster in all repeats */
  disturbed?: boolean
  /** the send lag of the generator was more than a tenth of p50 or p99 in all trials, so that latencyMs is null */
  lagging?: boolean
  /** used by the served side */
  cores: Estimate
  /** CPU time per request */
  micros: Record<keyof ByRole, Estimate>
  /** reason why the point is invalid */
  invalid: Reason | null
}

export interface SizedTopology {
  spec: Line
  path: AbsolutePath
  /** most connections */
  connections: PositiveInteger
  topology: Topology
  /** time from the start of its processes to the first response; left out: not measured */
  startSeconds?: NonNegative
  /** unloaded latency */
  floor: { rate: number, p50Ms: number, p99Ms: number }
  /** requests per second in a closed loop */
  peak: number
  /** highest rate at the goal with its 95 % interval, the rates of all searches, and whether it is a lower bound */
  capacity: { rate: NonNegative, low: NonNegative, high: NonNegative, searches: number[], atLeast: boolean }
  /** trials of the search; lagMs: the generator's p99 send lag; why: reason why the goal does not hold */
  trials: { rate: NonNegative, holds: boolean, p99Ms: number | null, lagMs: number | null, why: SizingWhy | null }[]
  curve: CurvePoint[]
  /** CPU time per request of the served side by connections in a closed loop and by size in KiB, and the slopes */
  growth: {
    connections: { x: NonNegative, micros: Estimate }[]
    perConnection: Slope
    bytes: { x: NonNegative, micros: Estimate }[]
    perKiB: Slope | null
  }
  /** index of dispersion of the served side's CPU time: its variance in 0.1 s over its mean; null: unknown */
  burstMs: number | null
  /** CPU time of a large burst, such as a garbage collection */
  pauseMs?: number | null
  /** CPU time that TLS adds to a request, and that of a new connection: medians of the rounds, or upper bounds where
   * the intervals contain 0; left out: not measured */
  tls?: {
    requestMicros: NonNegative
    handshakeMicros: NonNegative
    rounds?: PositiveInteger
    bounds?: ('requestMicros' | 'handshakeMicros')[]
  }
  /** range over the windows of burstMs and pauseMs; left out: unknown */
  spread?: { burstMs: { low: number, high: number }, pauseMs: { low: number, high: number } }
  /** capacities of more processes of the same server, where the machine has cores for them */
  more?: { processes: PositiveInteger, rate: NonNegative, low: NonNegative, high: NonNegative }[]
  soak?: Soak
  /** memory of the served side from the first reading of the sizing to its last one */
  memory?: MemoryGrowth
  /** of a response on the wire; null: unknown */
  bytesPerResponse?: number | null
  /** of the served side under load */
  memoryMiB: UsedMemory
  /** of one server process, or of the proxy where it serves the files itself */
  processMiB: UsedMemory
  /** available to the served side */
  cores: PositiveInteger
  /** version by program */
  tools: Record<string, Line>
}

/** Growth of memory over a sizing, whose load changes. */
export interface MemoryGrowth {
  /** between the readings */
  seconds: NonNegative
  firstMiB: UsedMemory
  lastMiB: UsedMemory
  /** MiB per hour (Theil and Sen), with its 95 % interval; null: too few readings */
  slope: number
  low: number | null
  high: number | null
}

/** Growth of memory at a steady load. */
export interface Soak {
  seconds: NonNegative
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
  periods: NonNegative
  /** periods in which the CPU quota was used up */
  throttledPeriods: NonNegative
  /** time in which runnable processes had no CPU time */
  throttledSeconds: NonNegative
  /** processes killed out of memory */
  oomKills: NonNegative
  memoryPeakMiB: NonNegative
}

/** Measurement of an instance under the limits of an offering on this machine, at its share of the rate. */
export interface Emulated {
  /** name of the offering with its provider */
  offering: Line
  topology: Line
  rate: NonNegative
  /** in all windows */
  seconds: NonNegative
  /** the windows held the goal, but are too short together to count */
  tooShort?: boolean
  /** whether the goal holds at the rate, and at a limit of requests in flight */
  holds: boolean
  /** reason why the goal does not hold */
  why: SizingWhy | null
  /** windows that held the goal, and the length of one; left out: an older version */
  windows?: { held: Count, of: Count, seconds?: NonNegative }
  /** of the window with the median p99 */
  latencyMs: Latency | null
  /** counted in the windows; kills and peak: since the start */
  limits: LimitStats
  memory?: EmulatedMemory
  /** the instance ended TLS, on kept connections, in addition to the topology */
  endsTls?: boolean
  /** p99 with as many requests in flight as a kit permits; left out: the goal was missed, there is a pause, or an older
   * version */
  atLimit?: AtLimit
  /** time that a saturated instance waits for its next quota, where it is the goal or longer, so that no limit of
   * requests in flight keeps it */
  pauseMs?: NonNegative
}

/** Memory of an instance, in MiB. */
export interface EmulatedMemory {
  /** in the first and in the last window */
  firstMiB: UsedMemory
  lastMiB: UsedMemory
  limitMiB: UsedMemory
  /** of V8 in a Node app under the limit; null: another program */
  heapLimitMiB: UsedMemory | null
}

/** Window in a closed loop at the limit of requests in flight. */
export interface AtLimit {
  /** requests in flight at the capacity, by Little's law, and no more than the provider permits or the topology's
   * connections */
  limit: PositiveInteger
  /** requests in flight in the last window, fewer than the limit if p99 was above the goal there */
  inFlight: PositiveInteger
  p99Ms: NonNegative
  /** whether the goal holds in the last window */
  holds: boolean
}

/** Scaling of a family of topologies with the number of processes. */
export interface Scaling {
  /** spec with an open number of processes: "express-json@cluster:N" */
  family: Line
  /** processes, and requests per second at the goal */
  points: { n: PositiveInteger, x: NonNegative }[]
  /** parameters of the universal scalability law, see bench/judge/stats/usl.js; null: no fit */
  usl: { lambda: number, sigma: number, kappa: number } | null
  /** for the largest predictable number */
  predicted: { n: PositiveInteger, x: number, low: number, high: number } | null
  /** reason why there is no prediction */
  refused?: SizingWhy | null
}

/** Result of `hopbench size`. */
export interface Sizing {
  goal: {
    /** at the peak */
    rate: Positive
    p99Ms: Positive
    headroom: NonNegative
    fewestInstances: PositiveInteger
    /** instances that may be lost */
    spare: Count
    /** share of requests on a new connection, where the instance ends TLS */
    newConnections?: Share
    /** MiB added to each process, by topology */
    memoryExtraMiB?: Record<string, NonNegative>
    /** null: unlimited */
    mostInstances?: PositiveInteger | null
    /** default: constant */
    profile?: LoadProfile
    /** share of the 3 s windows that hold the goal at the capacity */
    confidence: Share
  }
  topologies: SizedTopology[]
  table: PriceRow[]
  /** offerings that were emulated here, that of the answer last; left out: none */
  emulated?: Emulated[]
  /** cheaper offerings that were emulated before and did not hold the goal */
  refuted?: Emulated[]
  /** of families of at least four topologies */
  scaling: Scaling[]
  /** version of control groups that can set limits, or the reason why none can */
  emulation: { version: 1 | 2 | null, why: Line | null }
}

/** Result of `hopbench size --url`: one deployed instance, as its clients see it. */
export interface Deployed {
  /** without secrets */
  url: Line
  goal: {
    /** requests per second of all instances */
    rate: Positive
    p99Ms: Positive
    headroom: NonNegative
    confidence: Share
    spare: Count
    fewest: PositiveInteger
  }
  /** permitted load; seconds: of the whole measurement */
  caps: { mostRps: Positive, mostRequests: PositiveInteger, seconds: Positive }
  /** requests sent; late ones are counted twice */
  sent: Count
  /** highest rate at the goal; atLeast: no higher rate was permitted, or the generator could not send it */
  capacity: SizedTopology['capacity']
  trials: SizedTopology['trials']
  /** latency with the network, by share of the capacity; null: invalid, or a p99 of fewer than 100 responses */
  curve: { share: number, rate: number, p50Ms: number | null, p99Ms: number | null }[]
  /** TCP handshakes without load: median and longest */
  roundTrip: { p50Ms: NonNegative, maxMs: NonNegative }
  /** median latency at the lowest share, less the median round trip; null: unknown */
  serverP50Ms: number | null
  instances: PositiveInteger
  /** of a stored sizing, for the offering on which the instance runs; atLeast: perInstance is a lower bound; ratio:
   * measured over estimated; score: of the offering's cores; left out: unknown */
  estimates: {
    run: Line, offering: Line, topology: Line, perInstance: Positive, atLeast?: boolean, ratio: NonNegative
    score?: { value: Positive, low: Positive, high: Positive }
  }[]
}
