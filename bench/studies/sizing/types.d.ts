/** What sizings are made of. */
import type {
  Arm, LimitStats, LoadProfile, Offering, Sample, SizedTopology, Sizing, Verification
} from '../../types.js'
import type { CoreSplit } from '../../machine/shapes.js'

/** What the served side uses at a rate: CPU seconds per second. */
export type Usage = { rate: number, cores: number }

/** What keeps a quota of CPU time from being used to its end. Times in seconds. */
export interface Uneven {
  cores: number // that can be used at once
  burst: number // index of dispersion of the CPU time used
  delay: number // that an answer may wait for CPU time
  /** CPU time of a request where the quota is used up, collections and all; left out: half of burst */
  cost?: number
  costs?: { rate: number, cost: number }[] // the same by rate; left out: cost at all of them
  pause?: number // CPU time of a garbage collection; left out: 0.02
  batch?: number // what a request costs that is served together with others, as a share of cost; left out: 1
  /** of the quota; left out: 0.1 */
  period?: number
}

export interface SizingRig {
  tools: Record<string, string> // version by program
  processes: number // of the server
  /** judged */
  paced: (order: { rate: number, seconds: number, seed: number, arrivals?: 'constant' | 'poisson' }) => Promise<Sample>
  /** as fast as it answers; judged */
  closed: (order: { seconds: number, connections?: number, path?: string }) => Promise<Sample>
  limitStats: () => LimitStats | null // null: there are no limits
  close: () => Promise<void>
}

export interface Emulation {
  version: 1 | 2 // of control groups
  enter: string[] // argv that puts what follows under the limits
  stats: () => LimitStats
  /** when nothing runs in it any more */
  close: () => Promise<void>
}

/** Cores, and MiB; null: no limit. */
export type Limits = { cpu: number | null, memoryMiB: number | null, periodMs?: number }

export type Wanted = { mounts: string, self: string, name: string, limits: Limits }

export interface SizeOptions {
  p99Ms: number // the goal
  quick: boolean
  seed: number
  temp: string
  lab: boolean
  cores: CoreSplit
  cwd: string
  note: (text: string) => void // progress
  confidence?: number // share of the windows that hold the goal; left out: half of them
  soakSeconds?: number | null // null or left out: memory over time is not looked at
  first?: (provisional: SizedTopology) => void // called after the first search
  interrupted: () => boolean
  /** seconds */
  now: () => number
}

/** One trial at a rate. */
export interface Outcome {
  rate: number // requests per second, as asked for
  holds: boolean // the goal
  why: string | null // why it does not; null: it does
  generator: boolean // it is not the goal that failed: the generator could not keep the rate
  sample: Sample
}

export interface Capacity {
  rate: number // the highest at which the goal holds: the median of all searches; 0: at none
  low: number // of its 95 % interval, or the smallest result where there are fewer than six
  high: number
  searches: number[] // what each has found
  atLeast: boolean // the generator could not go further: it is more than this
  /** all of them, in the order in which they were made */
  trials: Outcome[]
}

export interface SizeRequest {
  arms: Arm[] // a topology each
  rate: number // requests per second, in all
  p99Ms: number
  headroom: number // share
  profile: LoadProfile
  min: number // instances
  max: number | null
  confidence: number // share of the windows that hold the goal
  soakSeconds: number | null
  plans: Offering[]
  verify: boolean
  quick: boolean
  lab: boolean
  json: boolean
  seed: number
  results?: string
}

/** So far. */
export type Found = { samples: Sample[] } & Pick<Sizing, 'topologies' | 'verification' | 'emulation'> &
  { refuted: Verification[] }

/** What price needs to know of a topology. */
export interface Measured {
  word: string
  capacity: number // requests per second at the goal, without a quota
  atLeast: boolean // it is more than this
  cores: number // that the served side could use
  processes?: number // of the server, in what capacity is of; left out: 1
  more?: { processes: number, rate: number }[] // what more of them did
  usages: Usage[]
  burst: number | null // index of dispersion of the CPU time used, seconds; null: not known
  pause?: number // seconds of CPU time of a garbage collection; left out: not known
  delay: number // seconds that an answer may wait for CPU time
  memoryMiB: number // of all of the served side, under load
  processMiB: number // of one server process
  /** of an answer on the wire; null or left out: not known */
  bytesPerResponse?: number | null
}

/** What is wanted of all plans. */
export interface Wish {
  rate: number // at the peak, requests per second
  headroom: number // share of the capacity
  fewest: number // instances
  most: number | null
  profile: LoadProfile
  /** "2026-11-22" */
  today: string
}
