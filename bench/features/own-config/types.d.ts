import type { Subject } from '../deploy/configs/types.js'

/** Directive of a configuration file, with its place. */
export interface Directive {
  name: string
  args: { value: string, from: number, to: number }[]
  /** path in the room */
  file: string
  /** from 1 */
  line: number
  /** offset in the text of the file */
  from: number
  /** offset behind its ";" or "}" */
  to: number
  /** of a block */
  children?: Directive[]
}

/** Directive with the blocks around it, the outermost first. */
export interface Placed {
  directive: Directive
  around: Directive[]
}

/** A text of a file in the room. */
export interface RoomFile {
  /** path in the room */
  path: string
  /** path as typed, for findings and patches; null: of the distribution, or made for the run */
  shown: string | null
  text: string
  /** latin1: the bytes are no UTF-8 */
  encoding: 'utf8' | 'latin1'
}

/** A configuration that was read from a path. */
export interface Source {
  /** path in the room of the file with which the program starts */
  main: string
  files: RoomFile[]
  /** sentences about files that were added */
  notes: string[]
  /** folder to which the shown paths of files are relative */
  root: string
  /** whether names of hosts are those of containers */
  hasContainers: boolean
}

/** Address at which a configuration expects an app. */
export interface AppAddress {
  /** name or address of a host; null: a Unix socket */
  host: string | null
  port: number
  path: string | null
  isTls: boolean
  /** name of the upstream block that has it */
  upstream: string | null
}

/** What apps in a room are started with. */
export interface AppPlan {
  hosts: Map<string, string>
  /** paths below which apps are, the longest first */
  bases: string[]
  certificate: { cert: string, key: string }
  /** the person's commands by the name of the app; "": for all others */
  commands: Record<string, string>
  /** in which the commands run */
  folder: string
}

export interface RunningApp {
  stop: () => Promise<unknown>
  /** null: the app is one of the check */
  countConnections: (() => number) | null
}

/** Listener of a server block. */
export interface Listen {
  /** equal for the listeners of blocks that share an address */
  key: string
  /** name or address of a host; null: a Unix socket */
  host: string | null
  port: number
  path: string | null
  tls: boolean
  isDefault: boolean
  /** clients begin with the PROXY protocol */
  hasProxyHeader: boolean
}

/** Server block of HTTP. */
export interface ProxyServer {
  index: number
  server: Directive
  /** with the block itself */
  around: Directive[]
  /** without those of internal locations, if there are others */
  passes: Placed[]
  allPasses: Placed[]
  listens: Listen[]
}

/** Server block that passes requests on. */
export interface ProxyBlock {
  /** number among the server blocks */
  index: number
  /** host of its requests */
  host: string
  port: number
  tls: boolean
  file: string
  line: number
  /** path below which it reaches the app: "" or "/api" */
  base: string
  listen: Listen
  /** address of clients; null: any */
  from: string | null
  /** whether the app is the person's */
  isOwn: boolean
}

export interface Outcome {
  block: number
  behaviour: string
  outcome: 'holds' | 'fails' | 'not-offered'
  detail: string | null
}


/** Why a configuration cannot be tried. */
export interface Rejection {
  why: string
  /** path in the room; null: of no file */
  file: string | null
  line: number
}

/** Request to the program in a room. */
export interface RoomRequest {
  main: string
  /** paths in the room */
  files: string[]
  /** of requests; null: of each block */
  host: string | null
  /** the person's commands by the name of the app; "": for all others */
  apps: Record<string, string>
  /** in which the commands run */
  folder: string
  /** words that start nginx */
  nginx: string[]
  /** null: reads the configuration, and finds its blocks */
  block: ProxyBlock | null
  /** names of behaviours to try, one after the other */
  behaviours: string[]
  /** at once, on one start */
  isAtOnce: boolean
  /** whether names of hosts are those of containers */
  hasContainers: boolean
}

/** Reply of a room to a request without a block. */
export interface Reading {
  rejected: Rejection | null
  supplied: string[]
  blocks: ProxyBlock[]
  /** server blocks that are not tried */
  skipped: Rejection[]
}

/** A configuration of one's own, started in a room. */
export interface OwnSubject extends Subject {
  block: ProxyBlock
  tree: Directive[]
  /** the blocks around the directives of the server block */
  around: Directive[]
  apps: AppAddress[]
  /** passes on to the app with their locations */
  passes: Placed[]
  /** whether names of hosts are those of containers */
  hasContainers: boolean
  /** lets each app send the next event of its stream */
  sendNextEvents: () => Promise<void>
  /** starts each app that is found by name at another address */
  moveApps: () => Promise<void>
}

/** Data from which edits of a configuration are made. */
export interface MendContext {
  /** texts of the person's files by path */
  texts: Map<string, string>
  tree: Directive[]
  around: Directive[]
  passes: Placed[]
  /** path below which the block reaches the app */
  base: string
  tls: boolean
}

/** Behaviour that a configuration of one's own is tried with. */
export interface Check {
  name: string
  /** left out: of ../deploy/behaviours/ */
  title?: string
  /** what a visitor of the site sees where it fails, as a sentence */
  sees: string
  /** lasts a minute, so that it is tried beside the others */
  isSlow?: boolean
  /** needs no route of the app of the check */
  isOfSite?: boolean
  /** ends or moves apps, so that the next behaviour gets a new start */
  isDisturbing?: boolean
  /** returns why a configuration does not offer it, or null */
  findMissing?: (subject: OwnSubject) => string | null
  /** returns the setting that makes a failure a decision of the configuration, or null */
  findDecision?: (subject: OwnSubject) => string | null
  /** left out: of ../deploy/behaviours/ */
  run?: (subject: OwnSubject) => Promise<string | null>
  /** returns edits after which it holds */
  mend: (context: MendContext) => { file: string, from: number, to: number, text: string }[]
}

/** A behaviour that fails, with the change that mends it. */
export interface OwnFinding extends Outcome {
  sees: string
  /** lines to change */
  places: { file: string, line: number }[]
  /** for `patch -p1`; empty: no rule mends it */
  patch: string
}

/** Finding of gixy, a linter of configurations of nginx. */
export interface GixyFinding { plugin: string, severity: string, summary: string }

/** Result of a check of a configuration of one's own. */
export interface OwnRecord {
  schema: 1
  path: string
  root: string
  version: string
  checkedAt: string
  seconds: number
  notes: string[]
  supplied: string[]
  /** findings of gixy, if it is installed */
  gixy: GixyFinding[]
  rejected: Rejection | null
  skipped: Rejection[]
  blocks: ProxyBlock[]
  behaviours: { name: string, title: string }[]
  cells: Outcome[]
  findings: OwnFinding[]
  /** that mends all findings */
  patch: string
}
