/** Shapes of deploy kits. */
import type { ProxyPlugin, Topology } from '../../types.js'

export interface KitRequest {
  topology: Topology
  word: string
  target: string // key of TARGETS in targets.js
  proxy: ProxyPlugin | null // null: the app responds itself
  clients: number // client connections
  trusted: string[] // networks of additional routers in front
  facts: KitFacts
}
/** Facts about the deployed project. */
export interface KitFacts {
  name: string // lower-case letters, digits, hyphens
  kit: string // folder of the kit inside the project: "deploy/", or "" if it is the project's folder
  app: string | null // module, relative to the project
  root: string | null // folder of files that the proxy serves, relative to the project
  nodeMajor: number
  install: { files: string, command: string } | null // installation of packages
  path: string // of the health check
  settings: {
    processes: number
    memoryMiB: number | null // of an instance; null: unknown
    heapMiB: number | null // of a process; null: unknown
    instances: number | null // null: unknown
    plan: string | null // name of the offering at its provider; null: unknown
  }
  sized: string[] // sentences about the source of the settings
}
