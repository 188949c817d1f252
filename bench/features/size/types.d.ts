/** Types of sizings. */
import type {
  Arm, LimitStats, LoadProfile, Offering, Sample, SizedTopology, SizingWhy, Unsteady
} from '../../types.js'
import type { TestBed } from '../../run/types.js'

/** CPU usage of the served side at a rate. */
export type Usage = { rate: number, cores: number }

/** Dispersion of the CPU time that keeps a quota from being used up. Times in seconds. */
export interface Uneven {
  /** cores that can be used at once */
  cores: number
  /** index of dispersion of the CPU time used */
  burst: number
  /** time that a response may wait for CPU time */
  delay: number
  /** CPU time per request, garbage collections included, where the quota is used up; default: half of burst */
  cost?: number
  /** CPU time per request by rate; default: cost at all rates */
  costs?: { rate: number, cost: number }[]
  /** CPU time of a garbage collection; default: 0.02 */
  pause?: number
  /** cost of a request in a batch, as a share of cost; default: 1 */
  batch?: number
  /** length of a quota period; default: 0.1 */
  period?: number
}

export interface SizingRig {
  /** version by program */
  tools: Record<string, string>
  /** number of server processes */
  processes: number
  /** time from the start of its processes to the first response */
  startSeconds?: number
  /** Loads the topology until it is warm; null: it is, else its cost still moved at the limit. */
  warm: () => Promise<Unsteady | null>
  /** Measures a judged window at a fixed rate. */
  paced: (options: { rate: number, seconds: number, seed: number, arrivals?: 'constant' | 'poisson' }) =>
    Promise<Sample>
  /** Measures a judged window in a closed loop, by the fastest engine if none is named. */
  closed: (options: { seconds: number, connections?: number, path?: string, engine?: string }) => Promise<Sample>
  /** Reads the kernel's counters of the limits; null: the rig has no limits. */
  limitStats: () => LimitStats | null
  /** Reads the limit of the heap of the server's Node, in MiB; null: it is another program. */
  heapLimitMiB?: () => Promise<number | null>
  close: () => Promise<void>
}

/** Limits of an offering: cores and MiB; null: unlimited. */
export type Limits = { name?: string, cpu: number | null, memoryMiB: number | null, periodMs?: number }

export interface SizeOptions extends TestBed {
  /** the goal */
  p99Ms: number
  quick: boolean
  /** longest warm-up of a topology; left out: the default */
  warmUpSeconds?: number
  seed: number
  /** Shows progress. */
  printProgress: (text: string) => void
  /** share of the windows that hold the goal at the capacity; default: half */
  confidence?: number
  /** duration of the memory measurement; null: none */
  soakSeconds?: number | null
  /** Called with a preliminary result after the first search. */
  onFirst?: (provisional: SizedTopology) => void
  interrupted: () => boolean
  /** seconds */
  now: () => number
}

/** Result of a trial at a rate. */
export interface Outcome {
  /** offered requests per second */
  rate: number
  /** whether the goal holds */
  holds: boolean
  /** reason why the goal does not hold */
  why: SizingWhy | null
  /** the generator, not the topology, kept the goal from holding */
  isGeneratorLimited: boolean
  sample: Sample
}

export interface SizeRequest {
  /** command line after `hopbench`, which is stored without secrets */
  argv: readonly string[]
  /** one per topology */
  arms: Arm[]
  /** requests per second of all instances together */
  rate: number
  p99Ms: number
  /** share of the capacity */
  headroom: number
  profile: LoadProfile
  /** instances that may be lost */
  spare: number
  /** share of requests on a new connection, where the instance ends TLS */
  newConnections: number
  /** MiB added to each process; null: 128 for examples */
  memoryExtra: number | null
  /** fewest instances */
  min: number
  /** most instances */
  max: number | null
  /** share of the windows that hold the goal at the capacity */
  confidence: number
  soakSeconds: number | null
  offerings: Offering[]
  emulate: boolean
  quick: boolean
  /** longest warm-up of a topology; left out: the default */
  warmUpSeconds?: number
  lab: boolean
  seed: number
  results?: string
}

/** Measurements of a topology from which prices are computed. */
export interface Measured extends Pick<SizedTopology, 'spec' | 'cores' | 'memoryMiB' | 'processMiB' |
  'bytesPerResponse' | 'startSeconds' | 'tls'> {
  /** requests per second at the goal without a quota */
  capacity: number
  /** the capacity is a lower bound */
  atLeast: boolean
  /** number of server processes; default: 1 */
  processes?: number
  /** capacities of more processes */
  more?: { processes: number, rate: number, low?: number, high?: number }[]
  usages: Usage[]
  /** index of dispersion of the CPU time used, seconds; null: unknown */
  burst: number | null
  /** CPU time of a garbage collection, seconds */
  pause?: number
  /** seconds that a response may wait for CPU time */
  delay: number
  /** seconds that a response may take */
  goalSeconds: number
  /** the hop that clients connect to ends TLS, so that its CPU time is in all measurements */
  endsTls?: boolean
  /** median latency without load, ms; left out: unknown */
  responseMs?: number
  /** 90th percentile of the latency at the highest load of the curve, seconds */
  busySeconds?: number
  /** of the capacity, and of the dispersion of CPU time and of large bursts over the windows, seconds */
  range?: { low: number, high: number, burst?: Range, pause?: Range }
  /** share of the cores' time that other programs used just before the sizing; null or left out: unknown */
  otherShare?: number | null
  /** speed of this machine's cores at the time of the sizing; null or left out: unknown */
  score?: number | null
}

export type Range = { low: number, high: number }
