/** Facts that a record stores as codes with parameters; bench/report/ puts them into words. */
import type { Quantity, Unit } from './plan.d.ts'
import type { Drift, FileDifferences, SlowerUsers } from './record.d.ts'
import type { ErrorCounts, Unserved, Unsteady } from './sample.d.ts'
import type { Count, Phrase, PositiveInteger, Share } from './values.d.ts'

/** command: a shell command that follows from the fact, to be copied. @discriminator code */
type Fact<Params> = {
  [Code in keyof Params]: { code: Code, params: Params[Code], command?: string }
}[keyof Params]

type Nothing = Record<string, never>
type Arms = { arms: string[] }
/** The arm of the largest change among those that did not reach the steady state. */
export interface NotSteady extends Unsteady { arm: string }

/** Why a trial or an arm is invalid. message: the text of an error, such as that of a program that failed. */
export interface ReasonParams {
  /** p99 of the send lag */
  'behind-schedule': { p99Ms: number, limitMs: number }
  /** of the step with the first errors */
  'beyond-first-errors': { connections: number }
  /** as shares of the requests */
  'cache-missed': { hits: number, limit: number }
  'client-not-fresh': { perRequest: number }
  /** hanging: connections without a response for so many seconds; left out: nothing was busy in a slice */
  'clients-hang': { hanging: number, connections: number, seconds: number } | { requests: number, seconds: number }
  /** negative: back */
  'clock-stepped': { seconds: number }
  'counts-disagree': {
    generator: number
    served: number
    /** largest difference that is no fault */
    most: number
  }
  /** left out: both sides */
  errors: { errors: ErrorCounts, unserved?: Unserved, requests: number, countedBy?: 'generator' }
  /** in requests */
  'file-changed': { path: string }
  /** for files that the proxy serves itself */
  'files-passed-on': { requests: number }
  /** why: a clause; remedy: sentence; add: option for the typed command */
  'gate-refused': { why: string, remedy?: string, add?: string[] }
  /** shares of these cores */
  'idle-arms-busy': { share: number, cores: number, limit: number }
  'no-proof': { uncounted: 'connections' | 'cache hits' }
  /** null: without an error */
  'no-reading': { message: string | null }
  'no-report': { message: string }
  /** connections to the server */
  'not-fresh': { perRequest: number, transport: string, limit: number }
  'not-measured': { message: string }
  'not-pooled': { perRequest: number, transport: string, limit: number }
  'nothing-served': Nothing
  /** waiting: sockets in TIME_WAIT */
  'ports-exhausted': { waiting: number, ports: number }
  'process-died': { message: string }
  /** asleep: by the boot clock; paused: the suite did not run; ahead: by the wall clock, which may have been set */
  suspended: { seconds: number, seen: 'asleep' | 'paused' | 'ahead' }
  'worker-died': { workers: number }
  'wrong-body': Nothing
  'wrong-socket': { socketType: 'tcp' | 'unix' | 'none', transport: string }
}
/** most: of an arm whose most frequent reason this is, if too many of its trials are invalid. Left out: the arm has
 * this one reason. @discriminator code */
export type Reason = Fact<ReasonParams> & { most?: InvalidTrials }
export interface InvalidTrials { invalid: PositiveInteger, trials: PositiveInteger }
/** Why the gate refused an arm. */
export type GateRefusal = Extract<Reason, { code: 'gate-refused' }>
/** Why the time of a trial is unreliable. */
export type Disturbance = Extract<Reason, { code: 'suspended' | 'clock-stepped' }>

/** Requests that an app refuses by now, which are left out of all arms. */
export interface RefusedRequests {
  /** of the requests, by weight */
  share: Share
  /** the first ones, each with the response */
  requests: Phrase[]
  /** number of the others */
  more: Count
}

/** Parameters of the warnings of a run. */
export interface WarningParams {
  'files-differ': FileDifferences
  /** null: a sizing; isFinal: nor can this run be resumed */
  'cut-off': { blocks: number | null, isFinal?: true }
  'requests-refused': RefusedRequests
  quick: { sizing: boolean }
  smoke: Nothing
  /** quick: the run does not wait for the steady state */
  'not-steady': Arms & NotSteady & { quick: boolean }
  'few-blocks': { blocks: number, needed: number }
  'one-start': Nothing
  'precision-not-reached': {
    arm: string
    baseline: string
    /** as a share; null: no interval */
    halfWidth: number | null
    /** half-width as a share */
    target: number
    /** estimated wall time of a run that reaches the target */
    secondsNeeded: number | null
  }
  'noise-floor': { ratio: number, low: number, high: number }
  autocorrelation: { contrasts: { arm: string, baseline: string, lag1: number }[] }
  'generator-bound': Arms & { engine: string }
  'network-bound': Arms & { share: number }
  'both-waited': Arms & { connections: number }
  batches: Arms & {
    connections: number
    /** between two responses of a connection */
    seconds: number
    /** length of a slice */
    windowSeconds: number
    /** connections to use instead */
    fewer: number
  }
  'engine-switched': { engine: string, arm: string, share: number }
  'engine-missing': { engine: string, wanted: string, why: string }
  /** more than can be paused within a turn */
  'too-many-to-stop': { arm: string, processes: number }
  'slower-users': SlowerUsers & { engine: string }
  'invalid-trials': { arm: string, invalid: number, trials: number, last: Reason | null }
  'disturbed-trials': { trials: number, last: Reason | null }
  'runtime-past-its-end': Arms & { lines: { line: string, lastDay: string }[] }
  'confined-by-node': Arms
  'not-confined': Arms
  'counted-by-client': Arms
  'unproven-transport': Arms
  /** words: the same topologies without a pool of connections */
  'app-closes-connections': Arms & { words: string[] }
  'app-hangs': Arms & { connections: number }
  'app-writes-output': Arms
  'no-cpu-time': Nothing
  'shared-loopback': { why: string | null }
  /** not cubic */
  'congestion-control': { control: string }
  'shared-cores': { cores: number }
  'shared-cores-on-purpose': Nothing
  'fewer-cores-than-workers': Arms & { cores: number }
  /** process: the name under which most of that time was used, and its share of all cores' time */
  'busy-machine': {
    busyShare: number | null
    loadAverage: number
    cores: number
    process?: { name: string, share: number }
  }
  /** left out: before the run */
  'steal-time': { share: number, isOfRun?: true }
  'governor-powersave': Nothing
  'open-files': { limit: number, needed: number }
}
export type Warning = Fact<WarningParams>

/** Why a contrast is invalid or inconclusive. unattainable: a verdict would take longer than the longest budget. */
export interface ContrastWhyParams {
  'arm-invalid': { arm: string, reason: Reason }
  'too-few-blocks': {
    blocks: number
    needed: number
    /** reason: the most frequent */
    lost: { arm: string, invalid: number, trials: number, reason: Reason }[]
  }
  'too-few-starts': { starts: number }
  'not-steady': NotSteady
  drift: Drift
  'generator-bound-both': Nothing
  'bounds-both': Nothing
  'generator-bound-arm': { unattainable?: true }
  'generator-bound-baseline': { unattainable?: true }
  /** whose rate is a lower bound, on the side that would decide */
  'not-saturated': { arm: string }
  'interval-too-wide': { unattainable?: true }
  /** the largest difference between twins, as a share */
  'below-noise-floor': { floor: number }
}
export type ContrastWhy = Fact<ContrastWhyParams>

/** Why a figure of two runs is invalid or not compared. arm left out: the arm whose figure it is */
export interface ChangeWhyParams {
  'nothing-valid': Nothing
  'one-start': Nothing
  'arm-invalid': { arm: string, reason: Reason }
  'other-arm': { arm?: string }
  'load-bound': { arm?: string }
  'not-steady': NotSteady
  drift: Drift
  'units-differ': { before: Unit, after: Unit }
  /** names of facts about the machines */
  'machines-differ': { differences: string[] }
  /** of the machine, in one of the runs */
  'speed-unknown': Nothing
  'rates-left-out': Nothing
}
export type ChangeWhy = Fact<ChangeWhyParams>

/** Why a goal does not hold in a sizing, or an offering or a prediction has no figure. */
export interface SizingWhyParams {
  /** requests: all, failed ones included */
  'requests-failed': { failed: number, requests: number }
  'trial-invalid': { reason: Reason }
  /** reason: the trial is invalid, too */
  'too-slow': { p99Ms: number | null, reason?: Reason }
  'no-cpu-promised': Nothing
  /** needed: with a quarter free; old: used */
  'memory-too-small': { neededMiB: number, usedMiB: number }
  'nothing-served': Nothing
  'too-few-instances': { most: number, limit: '--max' | 'provider' }
  'no-price': Nothing
  /** per second, of all instances */
  'too-many-requests': { most: number }
  /** of all instances */
  'too-many-connections': { most: number, needed: number }
  /** by an instance under the limits of the offering */
  'goal-missed': Nothing
  /** needed: different numbers of processes with a core for each */
  'too-few-cores': { cores: number, needed: number }
}
export type SizingWhy = Fact<SizingWhyParams>

/** Why a claim has its status, and what else a reader has to know about the figures. */
export interface ClaimWhyParams {
  'arm-not-run': { arm: string }
  'arm-invalid': { arm: string, reason: Reason }
  /** left: by the load, on shared cores */
  'too-few-cores': { needed: number, cores: number, left: number }
  'no-published-ratio': Nothing
  'single-arm': Nothing
  'too-few-blocks': { arm: string, baseline: string, blocks: number, needed: number }
  'not-steady': NotSteady
  drift: Drift
  'ratio-place': { place: 'within' | 'wholly outside' | 'partly outside', tolerance: number }
  'order-holds': { margin: number }
  'order-fails': { more: string, less: string, margin: number, of: Quantity }
  'order-open': { more: string, less: string, margin: number, of: Quantity }
  'flat-holds': { first: string, margin: number }
  'flat-fails': { arm: string, first: string, margin: number }
  'flat-open': { arm: string, first: string, margin: number }
  'not-a-listed-contrast': { arm: string, baseline: string, level: number }
  /** The load generator was the bottleneck in one arm, and the other was not saturated. */
  'bounds-both': Nothing
  /** arm: null: both */
  'generator-bound': { arm: string | null, known: 'at-least' | 'at-most' | 'nothing' }
  /** whose rate is a lower bound, which does not decide; never stored */
  'not-saturated': { arm: string }
  'trials-agree': Nothing
  /** logged: null: errors */
  'trials-disagree': { arm: string, logged: string | null, in: 'none' | 'some' | 'all' }
  'too-few-trials': { arm: string, trials: number, needed: number }
  'no-steps': { protocol: string }
  'no-step-measured': Nothing
  'published-first-error': { connections: number | null }
}
export type ClaimWhy = Fact<ClaimWhyParams>

/** A server in a recommendation. */
export interface AdvisedServer {
  arm: string
  perSecond: number
  /** of proxy and server, per request */
  cpuMicros: number | null
  memoryMiB: number | null
  /** with its recommended settings */
  failures: { title: string, saw: string, died: boolean }[]
  /** recommended settings in words; left out: there are none, or the record is older */
  settings?: string[]
  /** whether the figures are those of the server with these settings */
  isMeasuredSo?: boolean
}

/** Which static server suits which case. */
export interface AdviceParams {
  /** rates are over these files, each requested as often as the others */
  'files-alike': { files: number }
  // timesNode: rate against the recommended Node server; isLeast: a lower bound, because the proxy was not saturated;
  // isByMedians: the quotient of two medians, because the run does not compare the two in the same blocks
  'proxy-serves': AdvisedServer & { timesNode: number | null, isLeast?: boolean, isByMedians?: boolean }
  /** others: safe Node servers in one process beside it; names: their arms */
  /** alike: other servers without failures of safety that no verdict shows to be slower */
  'node-serves': AdvisedServer & {
    others: number
    names?: string[]
    alike?: { arm: string, perSecond: number, failures: number, memoryMiB: number | null }[]
  }
  /** server: a plug-in for which bench/shared/http/static-code.js has a module */
  'node-code': { server: string }
  /** inMemory: arm that holds every file in memory */
  'node-from-disk': AdvisedServer & { inMemory: string }
  'more-processes': AdvisedServer & { than: string, times: number, isLeast?: boolean, isByMedians?: boolean }
  /** withoutSettings: the documentation of its package offers no settings against its failures */
  unsafe: { server: string, failures: AdvisedServer['failures'], withSettings?: boolean, withoutSettings?: boolean }
  /**
   * server: or a proxy that serves files; failures: of safety, which it has only without its recommended settings;
   * settings: those that mend them; empty: the configuration of the proxy
   */
  'unsafe-as-shipped': { server: string, failures: AdvisedServer['failures'], settings: string[] }
  'not-checked': { servers: string[] }
  'checked-under': { day: string, node: string, otherRuntimes: string[] }
}
export type Advice = Fact<AdviceParams>
