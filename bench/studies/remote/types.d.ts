/** What runs over several machines are made of. */
import type { HopbenchError } from '../../errors.js'
import type { Engines } from '../../load/find-engine.js'
import type { RigOptions } from '../../measure/rig.js'
import type { Environment, Plan, Rig } from '../../types.js'
import type { Channel } from './channel.js'

/** Another machine, over the system's own ssh. */
export interface Host {
  /** as ssh takes it: "user@host", or a name in a person's ssh configuration */
  name: string
  /** the command and its own options */
  ssh: string[]
}

/** The project on another machine. */
export interface Installed {
  host: Host
  /** the project's folder there, of a name that `install` has made */
  dir: string
  node: string
  /** of that machine, as this one reaches it */
  address: string
  /** this machine's address, as that one sees it */
  seenFrom: string
}

/** Programs that a machine must have, by the names of their plug-ins. */
export interface Needs { proxies: string[], engines: string[] }

/** Another machine for the time of a run. */
export interface Remote extends Pick<Installed, 'node' | 'address' | 'seenFrom'> {
  name: string
  channel: Channel
  environment: Environment
  close: () => Promise<void>
}

export interface ConnectOptions {
  needs: Needs
  /** file that takes what ssh and the program there say */
  log: string
  note: (text: string) => void
  /** what it may ask of this machine; address: by which that one is reached */
  serve?: (channel: Channel, address: string) => { close: () => Promise<void> }
}

/** A machine that makes load; workers: one for each of its cores. */
export type Loader = Remote & { engines: Engines, workers: number }

/** Workers of Locust: on other machines, and started by a person. */
export interface WorkerOptions {
  hosts: Pick<Loader, 'name' | 'engines' | 'seenFrom' | 'workers'>[]
  byHand: number
  /** of this machine, for workers that a person starts */
  address: string
  /** takes what a person has to type or to know */
  say: (text: string) => void
  /** for all workers to connect */
  waitSeconds?: number
}

/** Where the parts of a run are, as typed. */
export interface LocationOptions {
  lab: boolean
  server?: Host
  load?: Host[]
  /** the machines of Locust's workers, whose master is here */
  locustWorkers?: Host[]
  /** Locust's workers that a person starts */
  expectWorkers?: number
}

export interface LocationContext { temp: string, note: (text: string) => void }

/** What a run sends to open a rig; where it is and what loads it is the location's. */
export type RigOrder = Omit<RigOptions, 'cores' | 'engines' | 'lab' | 'address'>

/** Where the rig of a run is. */
export interface RigLocation {
  environment: Environment
  openRig: (plan: Plan, order: RigOrder) => Promise<Rig>
  /** why a machine was lost on the way, null where none was */
  lost: () => Promise<HopbenchError | null>
  close: () => Promise<void>
}
