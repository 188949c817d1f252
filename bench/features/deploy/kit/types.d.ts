/** Shapes of deploy kits. */
import type { FilePrefix, ProxyPlugin, Topology } from '../../../types.js'
import type { NodeProject } from '../../../request/types.d.ts'

export interface KitRequest {
  topology: Topology
  spec: string
  target: string // key of TARGETS in targets.js
  proxy: ProxyPlugin | null // null: the app responds itself
  clients: number // client connections
  trusted: string[] // networks of additional routers in front
  keepBuilds?: number // earlier builds whose files nginx sends, too; left out: none
  facts: KitFacts
}
/** Facts about the deployed project. */
export interface KitFacts {
  name: string // lower-case letters, digits, hyphens
  kit: string // folder of the kit inside the project: "deploy/", or "" if it is the project's folder
  app: string | null // module, relative to the project; null: a command, or no app
  command: KitCommand | null // null: a module, or no app
  root: string | null // folder of files that the proxy serves, relative to the project
  files: FilePrefix[] // prefixes of an app that the proxy serves; folder: relative to the project
  node: NodeProject | null // null: the app needs no Node
  python: PythonProject | null // null: the app needs no Python
  image: OwnImage | null // null: the kit's Dockerfile builds the image of the app
  context: ImageContext | null // null: the kit has no ignore file
  buildpacks: string[] // of Heroku for the app
  warnings: string[] // sentences about what of the app is not meant for a platform
  path: string // of the health check
  settings: {
    processes: number
    memoryMiB: number | null // of an instance; null: unknown
    heapMiB: number | null // of a process; null: unknown
    instances: number | null // null: unknown
    plan: string | null // name of the offering at its provider; null: unknown
    inFlight: number | null // requests of an instance at its capacity; null: unknown
  }
  sized: string[] // sentences about the source of the settings
}
/** A command that starts the app. */
export interface KitCommand {
  run: string // for sh
  way: 'tcp' | 'unix' | number // where it listens: on $PORT, on $SOCKET, or on this port only
  readySeconds: number // time limit until it listens
}
/** How the packages of a Python project are installed in an image. */
export interface PythonProject {
  version: string // "3.13"
  files: string // to copy before the installation; "": the whole project, to whose files requirements.txt refers
  install: string // command
  isSlim: boolean // whether the image needs neither git nor a compiler
  environments: string[] // folders of virtual environments, which are made in the image
}
/** Files of the project that an image gets, and those that it does not get. */
export interface ImageContext {
  allowed: string[] // lines for files and folders
  excluded: string[] // lines, which are applied after the ones above
  exceptions: string[] // lines for files, which are applied last
  secrets: string[] // paths of files with secrets
  odd: string[] // paths that cannot be patterns
  untracked: string[] // paths that git does not track
}
/** Settings, or a variable, that the build of an image gets as a secret. */
export interface BuildSecret {
  file: string | null // relative to the project; null: a variable
  id: string // letters, digits and "_", which all platforms accept; of a variable its name
}
/** A Dockerfile of the project. */
export interface OwnImage {
  file: string // relative to the project
  isChecked: boolean // has a health check
  isStarted: boolean // has a command or an entry point
}
