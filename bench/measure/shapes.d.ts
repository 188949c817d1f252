/** What a rig holds, and what is read of it. */
import type { CpuReading, Engines, FoundEngine, Generator, Report } from '../load/shapes.js'
import type { CoreSplit, Network } from '../machine/shapes.d.ts'
import type { FrontCounts, Running, ServerCounts } from '../types.d.ts'
import type { Arm, ErrorCounts, Plan, ProtocolAbout, Reason, Rig, Sample, Target, Unit } from '../types.js'
import type { watchTrial } from './watch-trial.js'

/** A file of bench/measure/protocols/. */
export interface ProtocolModule {
  about: Partial<ProtocolAbout>
  open: (plan: Plan, options: RigOptions) => Promise<Rig>
}

export interface RigOptions {
  /** short absolute folder */
  temp: string
  /** folder that takes the configurations and logs in the end */
  keepIn: string
  /** private networks */
  lab: boolean
  /** where there are none: of this host, that clients on other machines ask; left out: its loopback */
  address?: string
  cores: CoreSplit
  engine: string
  /** where the load is made; left out: here */
  engines?: Engines
  /** false: a person has chosen the engine */
  mayswitch: boolean
  /** what a path to a person's own module is relative to */
  cwd: string
  /** every generator ends by itself after this time */
  maxSeconds: number
  /** progress */
  note: (text: string) => void
}

export interface StageOptions extends Pick<RigOptions, 'temp' | 'lab' | 'address' | 'cwd'> {
  /** folder of the run's certificates; left out: one in `temp` */
  certificates?: string
  keepIn?: string
  /** of the served side */
  cores: number[] | null
  /** a person's own folder in place of the fixtures */
  root?: string
  /** this port and no other */
  frontPort?: number
  /** argv that puts what is served under limits; left out: there are none */
  limit?: string[]
  /** a folder around `root` that a confined server may read and write too; left out: none */
  reach?: string
}
export interface Stage {
  /** those that may be measured */
  arms: Map<string, StagedArm>
  /** by the gate */
  refused: Map<string, Reason>
  /** version by program */
  tools: Record<string, string>
  /** paths of the configurations in an arm's folder */
  configs: (dir: string) => string[]
  close: () => Promise<void>
}
export interface StagedArm {
  arm: Arm
  dir: string
  network: Network
  running: Running
  target: Target
  /** of a command, or of what is up, to be compared with others; bytes, sha256: null where they vary; left out: what is
   * right is known */
  answer?: { status: number, bytes: number | null, sha256: string | null }
  /** of one answer on the wire, headers counted; null: not known yet */
  bytesPerResponse: number | null
}
export interface LoadedArm {
  staged: StagedArm
  /** frozen */
  generator: Generator
  /** requests that the front had counted before the generator started */
  frontBefore: number
}

/** One window: an arm that is up, and who loads it. */
export interface WindowOrder {
  arm: Arm
  block: number
  /** UTC */
  startedAt: string
  staged: StagedArm
  engine: FoundEngine
  cores: CoreSplit
  /** loaded before the window; reported second by second */
  kind: Pick<ProtocolAbout, 'warm' | 'series'>
  seconds: number
  unit: Unit
  /** distinguishes the generator's files from those of other windows of this arm; left out: the ladder's step does */
  tag?: string
  /** over the clocks */
  watch?: typeof watchTrial
}

/** Decides which arm of an AllUpRig runs when. */
export interface Scheduler {
  lost: Set<string> // arms of which a process has ended
  /** as Rig.trials; seconds: of one trial, by default SLICE_SECONDS */
  trials: (arms: string[], block: number, seconds?: number) => AsyncIterable<Sample[]>
  /** resumes what is paused, but for the generators */
  close: () => void
}

/** What both ends of a chain have counted, and what was used, by one moment. */
export interface Reading {
  /** null: all connections are taken, and it could not be asked; non2xx: where it is the server itself */
  front: FrontCounts & { non2xx?: number } | null
  origin: ServerCounts | null
  /** CPU seconds by process */
  cpu: { proxy: Map<number, number>, server: Map<number, number> }
  /** sent through the link; null: unknown */
  linkBytes: number | null
  /** answers that were not plainly right, since the reading before */
  noted: ReturnType<Running['noted']>
  /** what the front has served, in the unit of the plan; left out: the clients count */
  units?: number
  /** by the suite's clock, where requests were under way; left out: none were, and all of the CPU time belongs here */
  atSeconds?: number
  load?: CpuReading
}

/** What else there is to say of the time between two readings. */
export interface Seen {
  unit: Unit
  running: Pick<Running, 'proxied' | 'confinedBy' | 'app'>
  network: Pick<Network, 'link'>
  /** of the whole trial */
  errors: ErrorCounts
  /** readings around the other two with nothing under way, and all that was noted between them; left out: the two */
  atRest?: [Reading, Reading]
  /** of a generator that ended by itself: it counts, in place of the front */
  report?: Report & { seconds: number, cpuSeconds: number }
  /** CPU of all other arms */
  idleSeconds?: number
  /** connections to the server that may be opened for the first time meanwhile, and are kept */
  pool?: number
}
