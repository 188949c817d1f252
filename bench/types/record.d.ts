/** The record of a run: run.json in its folder. */
import type { ConfinedBy } from './plugins.d.ts'
import type { BlockLoad, Unsteady } from './sample.d.ts'
import type { Count, Estimate, Integer, NonNegative, Positive, PositiveInteger, Share } from './values.d.ts'

export interface Interval { low: Estimate, high: Estimate }
/** A ratio of two arms with its interval. */
export interface RatioInterval extends Interval { ratio: Estimate }
export type Verdict = 'faster' | 'slower' | 'no-difference' | 'inconclusive' | 'invalid'
/** The role that limited throughput. load: the generator; network: the link between two hosts */
export type Bound = 'server' | 'proxy' | 'load' | 'network' | 'none'

/** Starts of an arm whose warm-up ended before the steady state, and the largest change among them. */
export interface UnsteadyArm extends Unsteady { starts: PositiveInteger }

/** Observations of an arm in its trials. */
export interface Proof {
  upstreamConnectionsPerRequest: NonNegative | null
  /** accepted by the front; of an arm only with users, whose connections can break; null or left out: not counted */
  clientConnectionsPerRequest?: NonNegative | null
  cacheHitRatio: Share | null
  socketType: 'tcp' | 'unix' | 'none'
  /** requests for files that reached the server behind the proxy, of all trials; left out: not counted */
  filesAtServer?: Count
  /**
   * requests of the busiest worker as a multiple of the mean; left out: one worker
   * @minimum 1
   */
  busiestWorker?: number
  /** of a server with known vulnerabilities; left out: it has none */
  confinedBy?: ConfinedBy
  /**
   * that an app of your own runs in: "node 24.21.0"; left out: no such app, or unknown
   * @minLength 1
   */
  program?: string
  /**
   * of such an app that used CPU time, the median of the trials; left out: no such app, or unknown
   * @minimum 1
   */
  processes?: number
  /** such an app writes to its output for each request; left out: it does not */
  writesPerRequest?: true
}

/** Protocols ladder and rates: the experiment's arm, and the step from 0. */
export interface Step { of: string, step: Count }

/** Change of the ratio of two arms from the first block of a start to the last. */
export interface Drift {
  /** as a share: -0.05 */
  change: number
  /** probability of a change at least as large by chance */
  p: Share
}

/** A start that differs from the other starts of its arm by more than chance explains. */
export interface StandsApart {
  arm: string
  start: Count
  /** of the rate: 0.7 for a start that is 30 % slower */
  factor: Positive
  /** first block of a state that lasted until the end of the start; null: the whole start */
  fromBlock: Integer | null
}

/** Standard deviations of the log-ratio of two arms: of a block, and of a start. */
export interface StartNoise {
  sliceSd: NonNegative
  /** 0: no more than blocks explain */
  startSd: NonNegative
  starts: PositiveInteger
  /** degrees of freedom of startSd, over all arms */
  df: NonNegative
}

/** Subject of a record. `hopbench size --url`: url-sizing */
export type RecordKind = 'run' | 'sizing' | 'url-sizing' | 'diff' | 'rollout' | 'selftest'

/** Why a run ended. 'decided': more blocks would change no verdict, and the size of every ratio is known */
export type RunEnd = 'precision' | 'decided' | 'blocks' | 'budget' | 'interrupted' | 'failed'

/** Wall time and measured time of a run, in seconds, and the means of the load of its blocks. */
export interface RunTiming extends BlockLoad {
  /** until the first block */
  setupSeconds: NonNegative
  /** sum over all trials */
  measuredSeconds: NonNegative
  /** from the first block to the end of the last */
  sliceWallSeconds: NonNegative
  blocks: Count
}

/** Users whose pace was lowered to what the generator can keep. */
export interface SlowerUsers {
  /** requests per second that the engine makes here in a closed loop */
  capacity: Positive
  /** share of the capacity that the engine is given to make */
  share: Positive
  /**
   * wanted, used: requests per second of each user
   * @minItems 1
   */
  arms: { arm: string, users: PositiveInteger, wanted: Positive, used: Positive }[]
}

/** The machine before the run. null: not shown by the system */
export interface Environment {
  cpu: {
    model: string
    cores: PositiveInteger
    governor: string | null
    virtual: boolean | null
    idle?: string | null
    family?: Count | null
    modelNumber?: Count | null
    stepping?: Count | null
    /** KiB, by name: "L1d", "L1i", "L2", "L3" */
    caches?: Record<string, Count> | null
    /** "KVM"; null: none, or unknown */
    hypervisor?: string | null
  }
  /** null: not measured */
  calibration: Calibration | null
  /** time that a turn of a paused process loses, by cold caches; below 0 by noise; null: not measured */
  turnLossMs?: number | null
  memoryMiB: NonNegative
  /** random identifier of this start of the kernel; left out: unknown */
  boot?: string
  kernel: string
  platform: string
  /** @pattern ^\d+(\.\d+){0,2}([-+][\w.+-]*)?$ */
  node: string
  user: { uid: Integer | null }
  limits: { openFiles: Estimate | null }
  sysctl: Record<string, string>
  /**
   * namespaces: a private network per topology; shared-loopback: no namespaces, because of `why`. congestionControl: of
   * TCP in the private networks; left out: as in `sysctl`
   */
  lab: { network: 'namespaces' | 'shared-loopback', pids: boolean, why: string | null, congestionControl?: string }
  cores: Cores
  /** machines that made the load; left out: this one */
  hosts?: { load: { name: string, cpu: { model: string, cores: PositiveInteger }, kernel: string }[] }
  /**
   * busyShare: share of all cores' time in use just before the run; null or left out: unknown. process: the name under
   * which other processes used most of it; left out: unknown, or nothing was busy
   */
  busy: {
    loadAverage: NonNegative
    stealShare: Share | null
    busyShare?: Share | null
    process?: { name: ProcessName, share: Share }
  }
}

/** As in /proc/PID/comm. @pattern ^[ -~]{1,15}$ */
export type ProcessName = string

/** Speed of fixed work on one core before the run, per second. systemCalls and roundTrips also depend on the version of
 * Node. */
export interface Calibration {
  /** integer operations */
  arithmetic: Positive
  /** bytes copied */
  memory: Positive
  /** reads of one byte */
  systemCalls: Positive
  /** over TCP between two threads, on the loopback */
  roundTrips: Positive
}

/** CPU time of all cores since the start of the machine, in clock ticks, and its run queue. */
export interface CpuTicks {
  total: number
  idle: number
  steal: number // given to other guests by the hypervisor
  running: number | null // threads that run or wait for a core, the reading one included; null: not shown
}

/** Core numbers of the generator and of the served side; the sets can overlap. */
export interface Cores {
  load: Integer[]
  served: Integer[]
  /** generators on machines of their own, each with a process of an arm; left out: one, here */
  generators?: PositiveInteger
}
/** Differences between the files as a proxy serves them and as the app does, found by the gate, that are no faults. */
export interface FileDifferences {
  arm: string
  /** files; fewer than `total`: a sample */
  compared: Count
  total: Count
  /** header that differs: number of files, and the values of the first of them; null: missing */
  headers: { name: string, files: PositiveInteger, path: string, app: string | null, proxy: string | null }[]
}
