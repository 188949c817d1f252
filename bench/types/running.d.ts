/** A topology from its description to its running processes, and their counts. */
import type { HopbenchError } from '../errors.js'
import type { SecureVersion } from 'node:tls'
import type {
  Address, Confinement, ConfinedBy, DeployPlace, Modules, ProxyPlugin, RenderRequest, ServerAbout
} from './plugins.d.ts'
import type { LogCount } from './sample.d.ts'
import type { OptionValue } from './topology.d.ts'

/** Facts that describe() needs in addition to the topology. */
export interface DescribeContext {
  dir: string // short absolute folder for all files that these processes write
  root: string // the files to serve
  address?: string // that the front listens at, by default 127.0.0.1
  /** of the front and of the server behind it; origins: one for each process, by default `origin` and up */
  ports: { front: number, origin: number, origins?: number[] }
  cores?: number // number of cores of the served side, by default 1
  clients: number // connections that the client opens
  launcher: string // absolute path of launch.js
  node: string // absolute path of the runtime of the server
  nodeVersion?: string // of the Node that runs the suite; omitted: an old one
  module: string | null // absolute path of the server's file
  about?: ServerAbout | null // of a plug-in's server
  pm2?: string | null // folder of PM2, if PM2 manages the server
  proxy: ProxyProgram | null
  origin?: ProxyProgram | null // proxy that serves the files in the server's place
  certificate?: RenderRequest['certificate'] // of a front with TLS
  pinned?: number[] | null // cores that the served side is pinned to; omitted: all
  deploy?: DeployPlace // only for a deploy kit
  beside?: { host: string, dir: string } // name of the server's container, and folder of its socket, only for a kit
  memory?: string // folder on tmpfs
  /** of a server with known vulnerabilities */
  confinement?: Pick<Confinement, 'dir' | 'nodeArgs' | 'unreadableFile'> | null
}
export interface ProxyProgram {
  plugin: ProxyPlugin
  program: string
  version: string
  env: Record<string, string>
  modules?: Modules | null
  release?: ReleaseVersion | null // null or left out: the installed program
}
/** Package of a program in a Debian release, or its wheel. */
export interface ReleaseVersion {
  release: string // "sid"; "wheel"
  version: string // of the package: "1.30.6-2"; name and version of the wheel
}

/** The processes to start, and the address of their front. */
export interface Description {
  /** caFile: certificate to trust; http2: the front selects HTTP/2 if clients offer it */
  target: { url: string, socketPath: string | null, caFile?: string, http2?: boolean }
  originTarget: { url: string, socketPath: string | null } // without the proxy
  server: ServerDescription | null // null: a proxy serves the files, or a command is started
  command: CommandDescription | null // in the server's place
  proxy: ProxyDescription | null
  /** proxy in the server's place, and its folder */
  origin: ProxyDescription & { dir: string } | null
}
export interface ProxyDescription extends ServedProgram {
  check: string[]
  files: Record<string, string>
  folders: string[] // that must exist and be writable by its workers
  memory: string // folder for files that must not wait for a disk: on tmpfs, or else its own
  listen: Address
  countersAt: Extract<Address, { kind: 'tcp' }> | null // address of its counters; null: its Unix socket
  startSeconds: number
}
export interface ServerDescription {
  /** one for each address: a manager, or the server itself; gaveUp: text in the log of a manager that no longer
   * restarts its workers; rolling: how a manager replaces its workers one after the other */
  processes: (ServedProgram & { listen: Address, gaveUp?: string, rolling?: Rolling })[]
  workers: number // processes that serve requests, each with a control socket
  controlDir: string
}

/** A signal to the manager, or a process that instructs it and ends. */
export type Rolling = { signal: NodeJS.Signals } | { argv: string[] }

/** The processes of a command, one for each address. */
export interface CommandDescription {
  processes: (ServedProgram & { listen: Address, cwd: string })[]
  readySeconds: number
  quiet: boolean // output is discarded
}

export interface ServedProgram { argv: string[], env: Record<string, string>, cwd?: string }

/** The order of launch.js, in HOPBENCH_LAUNCH. */
export interface LaunchOrder {
  module: string // absolute path of the server's file
  root: string
  options?: Record<string, OptionValue> // options of the server itself
  listen: Address
  tls?: LaunchTls // omitted: plain HTTP
  http2?: boolean // without TLS: speaks HTTP/2 only, to the proxy in front; omitted: HTTP/1.1
  instances: number // worker processes on this address
  /** beginning of the path of the control socket of each worker, followed by `<pid>.sock`; null: none */
  control: string | null
  backlog: number
  unreadableFile?: string | null // existing file that a confined process must be unable to read
  nodeArgs?: string[] // for node, in the processes that serve requests
  reusePort?: boolean // other processes listen on the same port
  drains?: boolean // completes the responses in flight before it ends; left out: closes their connections
  /** lifetime of an idle connection, longer than at the proxy, because a race of both ends makes the proxy send 502 */
  keepAliveSeconds: number
  prefixes?: string[] // beginnings of paths whose requests are counted as files: "/assets/"; omitted: none
}
/** Settings of node:tls. version: "TLSv1.3" */
export interface LaunchTls {
  certFile: string
  keyFile: string
  version: SecureVersion
  cipher: string
  sessions: boolean
  http2: boolean
}
/** A reply of a worker's control socket. Counts are since its start. */
export interface WorkerCounts {
  pid: number // in the PID namespace of the server
  atSeconds: number // Unix time, by the worker's own clock
  listening: 'tcp' | 'unix'
  connections: number
  requests: number
  non2xx: number // responses with a status other than 2xx and 304
  files?: number // requests below the prefixes of files; omitted: none are known
}
/** Sum over all workers, including those that have died. atSeconds: of the latest reading */
export interface ServerCounts extends Omit<WorkerCounts, 'pid'> {
  pids: number[] // of workers that run now
  workers: WorkerCounts[] // that run now
  lost: number // workers that have died since the start
}
/**
 * Counts of the hop that clients connect to. connections: accepted so far; null: not counted. non2xx: responses with
 * another status than 2xx or 304 that are not in the log of a proxy; left out: all are in the log.
 */
export interface FrontCounts { atSeconds: number, requests: number, connections: number | null, non2xx?: number }

/** The expected response. bytes, sha256: of the body without its encoding */
export interface Expected {
  status: number
  sha256: string | null // null: the body differs from response to response
  bytes: number
  exactBytes?: boolean // the length is compared even if the body is not
  contentType: string | null // compared by bench/shared/http/media-types.js; null: not compared
  contentEncoding: string | null
  encodings?: string[] // also accepted
}

/** A topology that is up. */
export interface Running {
  target: Description['target']
  originTarget: Description['originTarget']
  front: () => Promise<FrontCounts>
  /** without a proxy the same hop as `front`; null without a server */
  origin: () => Promise<ServerCounts | null>
  proxied: boolean
  countsLate: boolean // the front counts a request some time after its response
  /** errors and cache states since the last call */
  noted: () => { atSeconds: number, status: number, cache: string | null }[]
  logged: () => LogCount[] // new lines of the proxy's error log since the last call, by kind
  pids: () => { proxy: number[], server: number[] }
  confinedBy?: ConfinedBy // only for a server with known vulnerabilities
  serverLog?: string // file with the output of the server's first process; omitted: the topology is a URL
  /** only for a server without counters: sets the reader of the load generator's requests */
  setLoadCounter?: (countLoad: () => Promise<{ requests: number, atSeconds: number }>) => void
  /** only for a command. program: runtime, as in "node 24.21.0" or "python3.11"; null: the kernel does not show it;
   * writesPerRequest: the app writes to its output for each request; false before the gate */
  app?: { program: string | null, writesPerRequest: boolean }
  /** only for a command: ends the counting of lines and connections for the gate, and removes the relay between proxy
   * and server */
  endGateCounting?: () => Promise<void>
  failure: () => HopbenchError | null // the process that ended by itself, if one has
  /** performs an action of bench/topology/acts.js; left out: the topology has none */
  act?: (name: string) => Promise<void>
  pause: () => void // pauses all processes except those that only read counters
  resume: () => void
  /** pauses the server alone; left out: the topology is a URL */
  pauseServer?: () => void
  resumeServer?: () => void
  stop: () => Promise<void>
}
