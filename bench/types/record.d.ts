/** What a run found. */
import type { Load, Topology } from './topology.d.ts'
import type { Conditions, Plan, Protocol, Source, Unit } from './plan.d.ts'
import type { ConfinedBy } from './plugins.d.ts'
import type { ByRole, ErrorCounts, KindCount, Latency, LogCount, Reason, SeriesPoint, UserPoint } from './sample.d.ts'
import type { Sizing } from './sizing.d.ts'
import type { SelfTest } from './studies.d.ts'

export interface Interval { low: number, high: number }
export type Verdict = 'faster' | 'slower' | 'no-difference' | 'inconclusive' | 'invalid'
/** load: the generator; network: the link between two hosts */
export type Bound = 'server' | 'proxy' | 'load' | 'network' | 'none'

export interface ArmResult {
  name: string
  word: string // the topology as a word
  topology: Topology
  load: Load
  trials: number
  invalidTrials: { block: number, reason: Reason }[]
  rps: { median: number, low: number, high: number } | null
  errors: ErrorCounts
  latencyMs: Latency | null
  cpuMicrosPerRequest: ByRole | null
  bytesPerResponse?: number | null // bytes of one answer on the wire, headers counted; null: not measured
  memoryMiB: { proxy: number, server: number } | null
  bound: Bound
  boundWhy?: string // of 'none': where nobody was busy; left out: there is nothing to explain
  linkShare?: number // the median of what its trials took of the link; left out: there is none whose rate is known
  /** clientConnectionsPerRequest: with users, of which some may have to connect again */
  proof: { upstreamConnectionsPerRequest: number | null; clientConnectionsPerRequest?: number | null;
    cacheHitRatio: number | null; socketType: 'tcp' | 'unix' | 'none'; busiestWorker?: number; confinedBy?: ConfinedBy }
  series?: SeriesPoint[] // protocol series: the median of all trials, second by second
  users?: UserPoint[] // with users: the median of all trials, second by second
  failures?: KindCount[] // errors of all trials by what the engine calls them
  notes?: string[] // what the engine itself warned of
  errorLog?: LogCount[] // what the error log of the proxy had to say in all trials
  /** requests that reached the server behind a cache, in one window; null or left out: not counted */
  originRequests?: number | null
  ladder?: { of: string, step: number } // protocol ladder
  /** why the arm as a whole is invalid (refused by the gate, counts disagree …); null: it is valid */
  invalid: Reason | null
}

export interface Contrast extends Interval {
  arm: string
  baseline: string
  ratio: number // NaN without a block; then low and high too. With too few for the level they are 0 and Infinity.
  level: number // confidence level of [low, high], after the adjustment: 0.99
  blocks: number // blocks in which both arms were valid
  pooled: number // how many independent blocks would say as much, neighbours being alike: whole, at most `blocks`
  lag1: number // lag-1 autocorrelation of the block log-ratios as measured; NaN below three blocks
  /** 'at-least' where the arm is bound by the load generator, 'at-most' where the baseline is */
  oneSided: null | 'at-least' | 'at-most'
  verdict: Verdict
  /** of a ratio of rates: capacities where both arms were saturated, else how fast requests are handed on with so many
   * connections; left out: unknown, or the run is older */
  measures?: 'capacity' | 'hand-off latency'
  why: string | null // why it is invalid or inconclusive
  /** estimated run time of a conclusive result at 80 % power; null: conclusive, not known, or beyond four hours */
  secondsToSettle: number | null
  starts?: number // how many starts of its arms the interval comes from; left out: one
  df?: number | null // degrees of freedom of the interval over starts; null or left out: one start, or decided before
  within?: Interval // the interval as if these starts were all there is; left out: one start
  /** the block after which its verdict could not change any more; null or left out: it was open to the end */
  decidedAtBlock?: number | null
}

/** A start that differs from the other starts of its arm by more than chance explains. */
export interface StandsApart {
  arm: string
  start: number
  factor: number // of the rate: 0.7 for a start that is 30 % slower
  /** the first block of another state that lasted to the end of the start; null: it was so from its beginning */
  fromBlock: number | null
}

/** How much the log-ratio of two arms varies, as an sd: by slices (of a block), and by starts. */
export interface StartNoise {
  sliceSd: number
  startSd: number // 0: no more than slices explain
  starts: number
  /** degrees of freedom of what starts show, over all arms */
  df: number
}

export interface ClaimResult {
  id: string
  source: Source
  statement: string
  published: number | string
  measured: number | string | null
  low: number | null
  high: number | null
  status: 'confirmed' | 'refuted' | 'inconclusive' | 'not-testable'
  why: string
  conditions?: Conditions // beside those of its source
}

export interface Warning { code: string, text: string, remedy: string }

export interface RunRecord {
  schema: 1
  run: string // folder name: <UTC time>-<experiment>
  experiment: string
  question: string
  protocol: Protocol
  unit: Unit
  startedAt: string
  endedAt: string | null
  complete: boolean
  ended: string | null // why it ended: 'precision' | 'budget' | 'blocks' | 'interrupted' | 'failed'
  seed: number
  plan: Plan
  environment: Environment
  tools: Record<string, string>
  /** the arm for which the default engine was too slow, and the share of its core it used; null: the engine is the one
   * asked for */
  switchedFor?: { arm: string, share: number } | null
  /** the engine that the experiment names and that is not available here; null: it is the one in use */
  engineInstead?: { wanted: string, why: string } | null
  /** where users request less often than planned, since the generator is too slow; null or left out: they do not */
  slowerUsers?: SlowerUsers | null
  crowded?: CrowdedArm // protocol gang: why only generators were paused, in slices; left out: whole arms were
  arms: ArmResult[]
  contrasts: Contrast[]
  noiseFloor: { ratio: number, low: number, high: number } | null
  standsApart?: StandsApart[] // left out: none does, or all have one start
  noise?: StartNoise // left out: one start
  claims: ClaimResult[]
  warnings: Warning[]
  recommendation?: string[] // of static servers: which to take for which case, in sentences
  recommended?: string[] // … and their arms, the first one first
  sizing?: Sizing // of `hopbench size`: capacity, cost, plans
  selftest?: SelfTest // of `hopbench selftest`: what the machine resolves
  /** what the last selftest on this machine says of it; left out: there was none */
  resolves?: { run: string, minutes: number, difference: number }
  /** how the wall time was spent */
  timing: { setupSeconds: number, measuredSeconds: number, sliceWallSeconds: number, blocks: number }
}

/** An arm with more processes than can be stopped within a turn. */
export interface CrowdedArm { arm: string, processes: number }

/** Users whose pace was lowered, so that the generator can keep it. */
export interface SlowerUsers {
  /** requests a second that the engine makes here when nobody waits, and the share of that which it is given to make */
  capacity: number
  share: number
  /** requests a second of each user that were wanted, and that were made */
  arms: { arm: string, users: number, wanted: number, used: number }[]
}

export interface Environment {
  cpu: { model: string, cores: number, governor: string | null, virtual: boolean | null, idle?: string | null }
  memoryMiB: number
  kernel: string
  platform: string
  node: string
  user: { uid: number | null }
  limits: { openFiles: number | null }
  sysctl: Record<string, string>
  /** namespaces: private network per topology; shared-loopback: none available, and why */
  lab: { network: 'namespaces' | 'shared-loopback', pids: boolean, why: string | null }
  /** generators: on so many machines of their own, each with a process of an arm; left out: one, here */
  cores: { load: number[], served: number[], generators?: number }
  /** where more machines than one took part; server: null: the one that led the run; load: empty: likewise */
  hosts?: { server: string | null;
    load: { name: string; node: string; cpu: { model: string; cores: number }; kernel: string }[] }
  /** busyShare: of all cores' time, what was at work just before the run; null or left out: not known */
  busy: { loadAverage: number, stealShare: number | null, busyShare?: number | null }
}
