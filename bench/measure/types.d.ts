/** The shapes that the files of bench/measure/ and their callers share. */
import type { CpuReading, Engines, FoundEngine, Generator, Report } from '../load/types.js'
import type { CoreSplit, Network } from '../machine/types.d.ts'
import type { FrontCounts, Running, ServerCounts } from '../types.d.ts'
import type {
  Arm, Confinement, Description, ErrorCounts, Expected, FileDifferences, GateRefusal, Plan, ProtocolAbout, ProxyPlugin,
  ProxyProgram, Rig, Sample, Target, Unit, Unsteady
} from '../types.js'
import type { FilesPassed } from './gate/files-gate.js'
import type { watchTrial } from './watch-trial.js'

/** A file of bench/measure/protocols/. */
export interface ProtocolModule {
  about: Partial<ProtocolAbout>
  open: (plan: Plan, options: RigOptions) => Promise<Rig>
}

export interface RigOptions {
  temp: string // short absolute folder
  keepIn: string // folder that gets the configurations and logs at the end
  lab: boolean // each arm has a private network
  address?: string // without private networks: address of this host for clients on other machines; omitted: loopback
  urlAddresses?: Record<string, string> // IP addresses of hosts by origin; omitted: URLs have addresses
  cores: CoreSplit
  engine: string
  engines?: Engines // omitted: the load is made on this machine
  mayswitch: boolean // another engine may replace this one; false: you have chosen the engine
  cwd: string // paths to your own modules are relative to it
  maxSeconds: number // after which every generator ends by itself
  turnSeconds?: number // length of a turn of an arm; omitted: the shortest
  interrupted?: () => boolean // ends a warm-up early; omitted: warm-ups take their time
  printProgress: (text: string) => void // prints progress
}

export interface StageOptions extends Pick<RigOptions, 'temp' | 'lab' | 'address' | 'cwd' | 'urlAddresses'> {
  certificates?: string // folder of the run's certificates; omitted: a folder in `temp`
  keepIn?: string
  cores: number[] | null // of the served side; null: all
  root?: string // your own folder in place of the fixtures
  /** pairs of arms whose responses must be the same; omitted: each arm and the first one */
  contrasts?: Plan['contrasts']
  frontPort?: number // the only port that the front may listen on
  limit?: string[] // argv that puts the served side under limits
  reach?: string // folder around `root` that a confined server may read and write too
}
export interface ArmOptions extends StageOptions {
  root: string
  dir: string // takes the files of the arm
  proxies: Map<string, ProxyProgram>
}

/** An arm whose network is open, before its processes are started. */
export interface PreparedArm {
  arm: Arm
  dir: string
  network: Network
  configs: string[] // paths of rendered files, relative to `dir`
  keepIn?: string // folder to which the run writes
  address?: string // IP address of the host of a URL
  /** null: the app of a URL, which is up already */
  described: {
    description: Description
    confinement: Confinement | null
    cores: number[] | null
    proxyPlugin: ProxyPlugin | null
  } | null
}
export interface Stage {
  arms: Map<string, StagedArm> // arms that have passed the gate
  refused: Map<string, GateRefusal>
  fileDifferences: FileDifferences[] // of arms whose proxy serves files of the app
  tools: Record<string, string> // version by program
  configs: (dir: string) => string[] // paths of the configurations in an arm's folder
  close: () => Promise<void>
}
export interface StagedArm {
  arm: Arm
  dir: string
  network: Network
  running: Running
  target: Target
  /** of your own app, to be compared with other arms; bytes, sha256: null if they vary */
  answer?: { status: number, bytes: number | null, sha256: string | null }
  answers?: Map<string, Expected> // by the name of the request, if there are several
  bytesPerResponse: number | null // on the wire, headers included; null: not measured
  files?: FilesPassed // of the prefixes; left out: none are known
  startSeconds?: number // from the start of the processes to the first response; left out: an app that was already up
}
/** Findings of the gate, which are added to the arm. target: what responses are compared with under load */
export type Passed = Pick<StagedArm, 'answer' | 'answers' | 'bytesPerResponse' | 'files'> & { target: Partial<Target> }

export interface LoadedArm {
  staged: StagedArm
  generator: Generator // paused
  frontBefore: number // requests that the front had counted before the generator started
  unsteady: Unsteady | null // role whose cost still moved at the end of the warm-up; null: it is warm
  warmCost: number // CPU time of the served side per request at the end of the warm-up, in seconds; 0: not measured
}

/** A window to measure: an arm that is up, and its load. */
export interface WindowOptions {
  arm: Arm
  block?: number // by default 0
  startedAt?: string // UTC; by default now
  staged: StagedArm
  engine: FoundEngine
  cores: CoreSplit
  kind?: Partial<Pick<ProtocolAbout, 'series'>> // reported second by second
  seconds: number
  unit?: Unit // by default requests
  tag?: string // part of the name of the generator's folder, unique among the windows of an arm; omitted: the step
  watch?: typeof watchTrial // of the clocks
}

/** Decides which arm of an AllUpRig runs when. */
export interface Scheduler {
  lost: Set<string> // arms of which a process has ended
  /** as Rig.trials; seconds: of one trial, by default SLICE_SECONDS */
  trials: (arms: string[], block: number, seconds?: number) => AsyncIterable<Sample[]>
  /** resumes all served processes */
  close: () => void
}

/** Counts of both ends of a chain, and CPU time, at one moment. */
export interface Reading {
  /** null: the front could not be read, because all of its connections are taken; non2xx: without a proxy */
  front: FrontCounts & { non2xx?: number } | null
  origin: ServerCounts | null
  cpu: { proxy: Map<number, number>, server: Map<number, number> } // CPU seconds by process
  linkBytes: number | null // sent through the link; null: not read
  noted: ReturnType<Running['noted']> // errors and cache states since the reading before
  units?: number // what the front has served, in the unit of the plan; omitted: the clients count
  atSeconds?: number // by the suite's clock, under load; omitted: at rest, so that CPU time need not be scaled
  load?: CpuReading
}

/** Facts that a sample needs in addition to its two readings. */
export interface Seen {
  unit: Unit
  requestsPerUnit?: number // by default 1
  running: Pick<Running, 'proxied' | 'confinedBy' | 'app'>
  network: Pick<Network, 'link'>
  errors: ErrorCounts // of the whole trial
  atRest?: [Reading, Reading] // around the other two, with nothing in flight; omitted: the other two
  /** of a generator that ended by itself and counted in place of the front */
  report?: Report & { seconds: number, cpuSeconds: number }
  idleSeconds?: number // CPU time of all other arms
  pool?: number // connections to the server that may still be opened, and are kept
  reopens?: boolean // whether these may be all of the pool, which the app had closed (false)
}
