import type { Modules } from '../../types.js'
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
  program: OwnProgram
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

/** Part of a configuration for a host: a server block, a site, a frontend with a backend. */
export interface Site {
  /** host of its requests */
  host: string
  /** in the order in which they are tried */
  listens: Listen[]
  /** directives that pass requests on; empty: the site does not */
  passes: Placed[]
  /** the blocks around its directives, its own block last */
  around: Directive[]
  /** paths below which requests are passed on, in the order in which they are tried after "" */
  bases: string[]
  /** requests of other paths go to another site */
  isBelow?: boolean
  apps: AppAddress[]
  /** equal for sites that behave alike; left out: the text of the block and its passes */
  shape?: string
  /** why the site cannot be tried, if that is known */
  why?: string
  /** whether the site requires an account of a file */
  hasAccounts?: boolean
  /** address of clients that it allows while it denies others */
  allowed?: string | null
  /** port on which the program itself redirects to HTTPS; left out: that of the site of the same host without TLS */
  redirectPort?: number | null
}

/** Listener of a site. */
export interface Listen {
  port: number
  tls: boolean
  /** name or address; left out: the loopback; null: a Unix socket */
  host?: string | null
  path?: string | null
  /** clients begin with the PROXY protocol */
  hasProxyHeader?: boolean
}

/** Listener of a server block of nginx. key: equal for the listeners of blocks that share an address */
export interface ProxyListen extends Listen {
  key: string
  host: string | null
  path: string | null
  isDefault: boolean
}

/** Server block of nginx. */
export interface ProxyServer {
  server: Directive
  /** with the block itself */
  around: Directive[]
  /** without those of internal locations, if there are others */
  passes: Placed[]
  allPasses: Placed[]
  listens: ProxyListen[]
}

/** Functions that supply something. Each returns whether it was missing and is there now. */
export interface Supplier {
  host: (name: string) => boolean
  /** the name of an app, or the folder of its socket */
  app: (app: Pick<AppAddress, 'host' | 'path'>) => void
  file: (path: string, what: string, text: string) => boolean
  certificate: (path: string) => boolean
  key: (path: string) => boolean
  /** a file with the certificate and its key */
  both: (path: string) => boolean
  account: (name: string) => boolean
  /** an account for requests in a file of accounts */
  login: (path: string) => void
  /** an address or the socket of a listener */
  listener: (listen: Listen) => void
  /** is not listed; returns whether the folder is there */
  folder: (path: string) => boolean
  /** something else */
  list: (what: string) => void
  /** a folder of pages with a page */
  pages: (path: string) => void
}

/** Data for a program's own check. root: folder of its package. */
export interface CheckContext { main: string, root: string, tree: Directive[], add: Supplier }

/** Result of a program's own check. */
export interface Checked {
  exit: number | null
  stdout: string
  /** of the standard output and the standard error */
  output: string
}

/** Runs the program in the room with these arguments. */
export type Exec = (args: string[]) => Promise<Checked>

/** Program whose configurations can be tried. A file in programs/ exports one. */
export interface OwnProgram {
  /** of the plug-in in proxy/ */
  name: string
  title: string
  /** names of main files */
  mains: string[]
  /** folders of its configuration in images and packages, the first one that of a file without a folder */
  folders: string[]
  /** returns whether a text is a configuration of the program */
  isOwn: (text: string, name: string) => boolean
  /** returns the path in the room of a main file; null: the text is a part, which lacks one */
  toMain: (text: string, name: string) => string | null
  /** main file around parts, and the folder of parts */
  around?: { main: string, text: string, folder: string, note: string }
  parse: (text: string, file: string) => Directive[]
  /** names of directives that include files */
  includes: string[]
  /** returns the absolute path that a directive of a file names */
  toPath: (path: string, file: string) => string
  /** returns a text with the paths of the room; lines keep their numbers */
  relocate?: (text: string, modules: Modules | null) => string
  /** files of the program's package that configurations include, and others by path */
  packaged: { names: string[], texts?: Record<string, string> }
  /** account of the program in a namespace of its own; root: for chroot */
  account?: 'root'
  /** names of its processes */
  processes: string[]
  /** supplies what the directives name */
  supply: (tree: Directive[], add: Supplier) => void
  /** returns names of hosts for the certificate of apps */
  getNames?: (tree: Directive[]) => string[]
  check: (exec: Exec, context: CheckContext) => Promise<Checked>
  /** supplies something that the program reports as missing; false: nothing that can be supplied */
  supplyMissing: (output: string, add: Supplier) => boolean
  toRejection: (output: string) => Rejection
  /** returns the arguments of a start in the foreground */
  start: (main: string, root: string, tree: Directive[]) => string[]
  /** environment besides that of the program's libraries */
  env?: Record<string, string>
  /** whether the first start leaves its process */
  hasDaemon?: (tree: Directive[]) => boolean
  /** whether certificates are made, or apps checked, after the program listens */
  isLate?: boolean
  /**
   * dump: standard output of the check; "": outside of the room, where hosts, ports and apps are not needed; host:
   * sites that do not take its requests have no passes
   */
  getSites: (tree: Directive[], dump: string, host?: string | null) => Site[]
  /** returns what passes on something that no app of the check takes */
  listUntried?: (tree: Directive[]) => Rejection[]
  /** returns addresses of name servers */
  getNameServers?: (tree: Directive[]) => string[]
  /** behaviours that the program can offer; left out: all, as checks.js mends them */
  checks?: Record<string, ProgramCheck>
}

/** The parts of a check that differ between programs. */
export type ProgramCheck = Partial<Pick<Check, 'sees' | 'findMissing' | 'findDecision' | 'mend' | 'advice'>>

/** Address at which a configuration expects an app. */
export interface AppAddress {
  /** name or address of a host; null: a Unix socket */
  host: string | null
  port: number
  path: string | null
  isTls?: boolean
  /** name of the group that has it */
  upstream?: string | null
}

/** Settings with which apps in a room are started. */
export interface AppPlan {
  hosts: Map<string, string>
  /** paths below which apps are, the longest first */
  bases: string[]
  /** texts */
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
  /** name of the program */
  program: string
  /** words that start the program */
  argv: string[]
  /** folder of the program's package */
  root: string
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

/** A configuration of one's own, started in a room, with the members of a subject that the tried behaviours read. */
export interface OwnSubject extends Pick<Subject, 'port' | 'tls' | 'headSeconds' | 'restartProcesses' | 'stop'> {
  block: ProxyBlock
  tree: Directive[]
  /** the blocks around the directives of the server block */
  around: Directive[]
  apps: AppAddress[]
  /** passes on to the app with their locations */
  passes: Placed[]
  /** whether names of hosts are those of containers */
  hasContainers: boolean
  /** whether the configuration names a name server */
  hasResolver: boolean
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
  /** returns why a configuration of any program does not offer it, or null */
  requires?: (subject: OwnSubject) => string | null
  /** returns why a configuration of this program does not offer it, or null */
  findMissing?: (subject: OwnSubject) => string | null
  /** returns the setting that makes a failure a decision of the configuration, or null */
  findDecision?: (subject: OwnSubject) => string | null
  /** left out: of ../deploy/behaviours/ */
  run?: (subject: OwnSubject) => Promise<string | null>
  /** returns edits after which it holds */
  mend: (context: MendContext) => { file: string, from: number, to: number, text: string }[]
  /** what to set where no edit is certain, as a sentence */
  advice?: string
}

/** A behaviour that fails, with the change that mends it. */
export interface OwnFinding extends Outcome {
  sees: string
  /** lines to change */
  places: { file: string, line: number }[]
  /** for `patch -p1`; empty: no rule mends it */
  patch: string
  /** what to set where there is no patch, as a sentence */
  advice: string
}

/** Finding of gixy, a linter of configurations of nginx. */
export interface GixyFinding { plugin: string, severity: string, summary: string }

/** Result of a check of a configuration of one's own. */
export interface OwnRecord {
  schema: 1
  path: string
  root: string
  /** name of the program */
  program: string
  version: string
  checkedAt: string
  seconds: number
  notes: string[]
  supplied: string[]
  /** the person's commands by the name of the app; "": for all others */
  apps: Record<string, string>
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
