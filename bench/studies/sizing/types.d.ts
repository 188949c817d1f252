/** What sizings are made of. */
import type { Arm, LimitStats, Offering, Sample, Sizing } from '../../types.js'
import type { CoreSplit } from '../../machine/shapes.js'

/** What the served side uses at a rate: CPU seconds per second. */
export type Usage = { rate: number, cores: number }

export interface SizingRig {
  /** version by program */
  tools: Record<string, string>
  /** of the server */
  processes: number
  /** judged */
  paced: (order: { rate: number, seconds: number, seed: number, arrivals?: 'constant' | 'poisson' }) => Promise<Sample>
  /** as fast as it answers; judged */
  closed: (order: { seconds: number, connections?: number, path?: string }) => Promise<Sample>
  /** null: there are no limits */
  limitStats: () => LimitStats | null
  close: () => Promise<void>
}

export interface Emulation {
  /** of control groups */
  version: 1 | 2
  /** argv that puts what follows under the limits */
  enter: string[]
  stats: () => LimitStats
  /** when nothing runs in it any more */
  close: () => Promise<void>
}

/** Cores, and MiB; null: no limit. */
export type Limits = { cpu: number | null, memoryMiB: number | null }

export type Wanted = { mounts: string, self: string, name: string, limits: Limits }

export interface SizeOptions {
  /** the goal */
  p99Ms: number
  quick: boolean
  seed: number
  temp: string
  lab: boolean
  cores: CoreSplit
  cwd: string
  /** progress */
  note: (text: string) => void
  interrupted: () => boolean
  /** seconds */
  now: () => number
}

/** One trial at a rate. */
export interface Outcome {
  /** requests per second, as asked for */
  rate: number
  /** the goal */
  holds: boolean
  /** why it does not; null: it does */
  why: string | null
  /** it is not the goal that failed: the generator could not keep the rate */
  generator: boolean
  sample: Sample
}

export interface Capacity {
  /** the highest at which the goal holds: the median of all searches; 0: at none */
  rate: number
  /** of its 95 % interval, or the smallest result where there are fewer than six */
  low: number
  high: number
  /** what each has found */
  searches: number[]
  /** the generator could not go further: it is more than this */
  atLeast: boolean
  /** all of them, in the order in which they were made */
  trials: Outcome[]
}

export interface SizeRequest {
  /** a topology each */
  arms: Arm[]
  /** requests per second, in all */
  rate: number
  p99Ms: number
  /** share */
  headroom: number
  plans: Offering[]
  verify: boolean
  quick: boolean
  lab: boolean
  json: boolean
  seed: number
  results?: string
}

/** So far. */
export type Found = { samples: Sample[] } & Pick<Sizing, 'topologies' | 'verification' | 'emulation'>

/** What price needs to know of a topology. */
export interface Measured {
  word: string
  /** requests per second at the goal, without a quota */
  capacity: number
  /** it is more than this */
  atLeast: boolean
  /** that the served side could use */
  cores: number
  usages: Usage[]
  /** index of dispersion of the CPU time used, seconds; null: not known */
  burst: number | null
  /** seconds that an answer may wait for CPU time */
  delay: number
  /** of all of the served side, under load */
  memoryMiB: number
  /** of one server process */
  processMiB: number
}
