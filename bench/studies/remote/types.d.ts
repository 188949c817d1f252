/** Types of runs on several machines. */
import type { HopbenchError } from '../../errors.js'
import type { Engines } from '../../load/shapes.js'
import type { RigOptions } from '../../measure/shapes.js'
import type { Environment } from '../../types.js'
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
export interface Needs {
  proxies: string[]
  engines: string[]
  serverNode?: boolean // built-in servers run there; left out: none
}

/** Connection to another machine. */
export interface Remote extends Pick<Installed, 'node' | 'address' | 'seenFrom'> {
  name: string
  channel: Channel
  environment: Environment
  close: () => Promise<void>
}

/** Machine that generates load; workers: one per core. */
export type Loader = Remote & { engines: Engines, workers: number }

/** Location of a run's rig. */
export interface RigLocation {
  environment: Environment
  /** channel to the machine that serves; null: this machine serves */
  served: Channel | null
  /** options of a rig that this machine opens */
  machine: Pick<RigOptions, 'cores' | 'engines' | 'lab' | 'address' | 'turnSeconds'>
  /** Returns the error of a machine that became unreachable; null: none. */
  findLostHost: () => Promise<HopbenchError | null>
  close: () => Promise<void>
}
