/** What deploy kits are made of. */
import type { ProxyPlugin, Topology } from '../../types.js'

export interface KitRequest {
  topology: Topology
  word: string
  target: string // of targets.js
  proxy: ProxyPlugin | null // null: the app answers itself
  clients: number // client connections that it must hold
  trusted: string[] // networks of further routers in front
  facts: KitFacts
}
/** What is known of the project that is deployed. */
export interface KitFacts {
  name: string // lower-case letters, digits, hyphens
  kit: string // folder of the kit inside the project: "deploy/", or "" where it is the project's own
  app: string | null // module, relative to the project; null: there is none
  root: string | null // folder of files that the proxy serves, relative to the project; null: there is none
  nodeMajor: number
  install: { files: string, command: string } | null // of packages; null: there are none
  path: string // that is requested to see whether it is up
  settings: KitSettings
  /** where the settings come from: a sentence or two */
  sized: string[]
}
export interface KitSettings {
  processes: number
  memoryMiB: number | null // of an instance; null: not known, and so below
  heapMiB: number | null // of a process
  instances: number | null
  /** as its provider calls it */
  plan: string | null
}
