/** Types of requests. */
import type { Host } from '../load/types.js'

/** The flags of `hopbench run`. */
export interface RunFlags {
  argv?: readonly string[] // command line after `hopbench`, which is stored without secrets
  quick?: boolean
  smoke?: boolean
  budget?: number // seconds
  warmUp?: number // seconds; longest warm-up of an arm
  precision?: number // share
  detect?: number // share
  margin?: number // share; the run goes on until its comparison is resolved
  failIfSlower?: number // share; exit code 3 if an arm is slower than its baseline by more
  rate?: number // requests per second of each arm in an open loop
  connections?: number
  engine?: string
  path?: string
  app?: string | string[] // commands that start apps, with or without a name: new=npm start
  listen?: string
  readyWithin?: number // seconds
  quietApp?: boolean
  files?: string[] // prefixes of URLs and their folders: /assets=./public
  filesHidden?: string // "ignore": such a folder may hold hidden files
  method?: string
  header?: string[] // "Name: value"
  body?: string
  bodyFile?: string
  ignoreBody?: string // a regular expression
  compare?: string // parts of a response
  allowHost?: string[]
  urlAddresses?: Record<string, string> // of the hosts of URLs, by origin; planFrom() resolves them
  seed?: number
  resume?: string
  trustRun?: boolean // allows a stored run to start programs outside hopbench
  results?: string
  ownNode?: boolean // built-in servers under the Node that runs hopbench
  release?: string // Debian release, or version, of all proxies that name none
  root?: string // folder of files to serve
  paths?: string // list of paths or access log
  har?: string // requests of a page, as browsers save them
  harMethods?: string // methods of its requests that are repeated besides GET
  harOrigin?: string // host of its requests that are repeated
  logFormat?: string // log_format of nginx, of the access log of --paths
  lab: boolean
  load?: Host[] // machines of the generators
  net?: 'gigabit' // link between two hosts of a private network, in place of the loopback
}

/** How the packages of a Node project are installed in an image. */
export interface NodeProject {
  major: number // version of Node
  manager: string | null // command that installs the package manager; null: npm of the image
  files: string // to copy before the installation; "": the whole project, as scripts or workspaces need it
  secretSettings: string[] // settings of the package manager with a secret, which only the build gets
  variables: string[] // of the environment, which those settings need during the installation
  install: { all: string, production: string, prune: string | null } | null // null: there is no package.json
  build: string | null // command that builds the app
  stages: boolean // whether the installation needs a stage of its own, with packages for development
}
