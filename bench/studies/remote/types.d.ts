/** Types of runs on several machines. */
import type { HopbenchError } from '../../errors.js'
import type { Engines } from '../../load/shapes.js'
import type { RigOptions } from '../../measure/shapes.js'
import type { Environment, Plan, Rig } from '../../types.js'
import type { Channel } from './channel.js'

/** Another machine, reached by the system's ssh. */
export interface Host {
  /** "user@host", or a host of the user's ssh configuration */
  name: string
  /** the ssh command with its options */
  ssh: string[]
}

/** The project on another machine. */
export interface Installed {
  host: Host
  /** the project's folder there, validated by isFolderOfOurs */
  dir: string
  /** version of Node there */
  node: string
  /** address by which this machine reaches the other one */
  address: string
  /** address by which the other machine reaches this one */
  seenFrom: string
}

/** Programs that a machine must have, by the names of their plug-ins. */
export interface Needs { proxies: string[], engines: string[] }

/** Request handlers that hold processes. */
export interface Service { close: () => Promise<void> }

/** Connection to another machine. */
export interface Remote extends Service, Pick<Installed, 'node' | 'address' | 'seenFrom'> {
  name: string
  channel: Channel
  environment: Environment
}

/** Machine that generates load; workers: one per core. */
export type Loader = Remote & { engines: Engines, workers: number }

/** Locust's workers. */
export interface WorkerOptions {
  /** machines on which workers are started over ssh */
  hosts: Pick<Loader, 'name' | 'engines' | 'seenFrom' | 'workers'>[]
  /** number of workers that are started by hand */
  byHand: number
  /** address of this machine, for workers that are started by hand */
  address: string
  /** Prints a line for the user. */
  print: (text: string) => void
  /** time for all workers to connect */
  waitSeconds?: number
}

/** Machines of a run, as typed. */
export interface LocationOptions {
  lab: boolean
  server?: Host
  load?: Host[]
  /** machines of Locust's workers; the master is here */
  locustWorkers?: Host[]
  /** number of Locust's workers that are started by hand */
  expectWorkers?: number
}

export interface LocationContext { temp: string, note: (text: string) => void }

/** Options of a rig that do not depend on its location. */
export type RigOrder = Omit<RigOptions, 'cores' | 'engines' | 'lab' | 'address'>

/** Location of a run's rig. */
export interface RigLocation {
  environment: Environment
  openRig: (plan: Plan, order: RigOrder) => Promise<Rig>
  /** Returns why a machine was lost, or null. */
  lost: () => Promise<HopbenchError | null>
  close: () => Promise<void>
}
