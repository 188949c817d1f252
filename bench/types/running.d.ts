/** A topology on its way from data to running processes, and what those count. */
import type { HopbenchError } from '../errors.js'
import type { SecureVersion } from 'node:tls'
import type {
  Address, Confinement, ConfinedBy, DeployPlace, Endpoint, Modules, ProxyPlugin, ServerAbout
} from './plugins.d.ts'
import type { LogCount } from './sample.d.ts'
import type { OptionValue } from './topology.d.ts'

/** What describe() must know beside the topology. */
export interface DescribeContext {
  dir: string // folder for everything these processes write; absolute and short
  root: string // the files to serve
  address?: string // where the front listens; left out: 127.0.0.1
  /** of the front and of the server behind; `origins`: where each process has its own, left out: `origin` and up */
  ports: { front: number, origin: number, origins?: number[] }
  cores?: number // how many the served side may use; left out: 1
  clients: number // connections that the client opens
  launcher: string // absolute path of launch.js
  node: string // absolute path of the runtime of the server
  nodeVersion?: string // of the Node that runs the suite; left out: old
  module: string | null // absolute path of the server's file
  about?: ServerAbout | null // of a server that is a plug-in; null or left out: of none
  pm2?: string | null // the folder of PM2, where it manages the server
  proxy: ProxyProgram | null
  origin?: ProxyProgram | null // where the server hop names a proxy, which serves the files behind the other one
  certificate?: CertificateFiles | null // of a front that answers over TLS
  pinned?: number[] | null // the cores that the served side is pinned to; left out: all
  deploy?: DeployPlace // left out: it is not for a deploy kit
  memory?: string // folder on tmpfs; left out: there is none
  /** of a server with known vulnerabilities; null or left out: none */
  confinement?: Pick<Confinement, 'nodeArgs' | 'hidden'> | null
}
export interface ProxyProgram {
  plugin: ProxyPlugin
  program: string
  version: string
  env: Record<string, string>
  modules?: Modules | null
}
export interface CertificateFiles { certFile: string, keyFile: string }

/** What to start, and where clients ask. */
export interface Description {
  /** caFile: the certificate to trust, over TLS; http2: clients that offer HTTP/2 get it */
  target: { url: string, socketPath: string | null, caFile?: string, http2?: boolean }
  originTarget: { url: string, socketPath: string | null } // the same without the proxy
  server: ServerDescription | null // null where a proxy serves the files itself
  /** the command in the server's place */
  command: CommandDescription | null
  proxy: ProxyDescription | null
  /** the proxy in the server's place, and its folder */
  origin: ProxyDescription & { dir: string } | null
}
export interface ProxyDescription extends ServedProgram {
  check: string[]
  files: Record<string, string>
  folders: string[] // folders that must be there, and that its workers may write
  memory: string // folder on tmpfs, or else its own, for what must not wait for a disk
  listen: Address
  countersAt: Endpoint | null // where it answers for its counters; null: on its Unix socket
  startSeconds: number
}
export interface ServerDescription {
  processes: ServerProcess[] // one for each address: a manager with its workers behind it, or the server itself
  workers: number // processes that answer requests, and so control sockets
  controlDir: string
}
export interface ServerProcess extends ServedProgram {
  listen: Address
  /** what stands in the log of a manager that has given its workers up and runs on */
  gaveUp?: string
}

/** A command's processes, one for each address; what a request asks to see whether it answers. */
export interface CommandDescription {
  processes: (ServedProgram & { listen: Address, cwd: string })[]
  readySeconds: number
  quiet: boolean // whether its output is discarded
}

export interface ServedProgram { argv: string[], env: Record<string, string>, cwd?: string }

/** What launch.js gets in HOPBENCH_LAUNCH. */
export interface LaunchOrder {
  module: string // absolute path of the server's file
  root: string
  options?: Record<string, OptionValue> // of the server's own; left out: their defaults
  listen: Address
  tls?: LaunchTls // left out: it answers in plain HTTP
  instances: number // worker processes on this one address
  controlDir: string | null // folder for this process's control socket, `<pid>.sock`; null: nobody asks for its counts
  backlog: number
  /** a file that is there and that this process must not be able to read; null or left out: it is not confined */
  hidden?: string | null
  nodeArgs?: string[] // of node, for the processes that answer requests; left out: none
  reusePort?: boolean // other processes listen on the same port; left out: none does
  /** how long an idle connection is kept: above the proxy's own limit, else the two race and the proxy answers 502 */
  keepAliveSeconds: number
}
/** As node:tls has it. version: "TLSv1.3" */
export interface LaunchTls extends CertificateFiles {
  version: SecureVersion
  cipher: string
  sessions: boolean
  http2: boolean
}
/** What a worker's control socket answers to each line it is sent; counts are since its start. */
export interface WorkerCounts {
  pid: number
  atSeconds: number // Unix time of the reading, by the worker's own clock
  listening: 'tcp' | 'unix'
  connections: number
  requests: number
  /** answers with another status than 2xx or 304 */
  non2xx: number
}
/** Of all workers together, those that have died included; `atSeconds` is the latest reading. */
export interface ServerCounts extends Omit<WorkerCounts, 'pid'> {
  pids: number[] // those that answer now; so are `workers`
  workers: WorkerCounts[]
  /** how many have died since the start */
  lost: number
}
/** What the hop that the client talks to has counted; `connections` null: it does not count them; `non2xx`: as in
 * ProxyCounters. */
export interface FrontCounts { atSeconds: number, requests: number, connections: number | null, non2xx?: number }

/** What an answer must be; bytes and hash are of the body without its encoding. */
export interface Expected {
  status: number
  sha256: string | null // null: it differs from request to request
  bytes: number
  exactBytes?: boolean // its length must be that, whatever is in it; left out: it need not
  contentType: string | null // null: not compared; how it is compared: bench/topology/fixtures/types.js
  contentEncoding: string | null
  /** those that the body may have instead; left out: none */
  encodings?: string[]
}

/** What was found out about an app that a command starts. */
export interface AppFacts {
  program: string | null // that it runs in, as in "node 24.21.0" or "python3.11"; null: the kernel does not show it
  writesPerRequest: boolean // whether it writes to its output for each request; false before the gate has passed
}

/** A topology that is up. */
export interface Running {
  target: Description['target']
  originTarget: Description['originTarget']
  front: () => Promise<FrontCounts>
  /** the same hop as front where there is no proxy, null where there is no server */
  origin: () => Promise<ServerCounts | null>
  proxied: boolean
  countsLate: boolean // the front counts a request some time after its answer
  /** answers that were not plainly right, since the last call */
  noted: () => { atSeconds: number, status: number, cache: string | null }[]
  logged: () => LogCount[] // what the proxy has added to its error log since the last call, by kind
  pids: () => { proxy: number[], server: number[] }
  confinedBy?: ConfinedBy // left out: its server has no known vulnerabilities
  /** of a server without counters of its own: names the reader of the load generator's requests */
  loadedBy?: (countLoad: () => Promise<{ requests: number, atSeconds: number }>) => void
  app?: AppFacts // of a command; left out: no command is started
  /** of such a server: what the gate has proved holds, and nothing stands between it and its proxy any more */
  gatePassed?: () => Promise<void>
  failure: () => HopbenchError | null // the process that ended by itself, if one has
  pause: () => void // stops all of its processes where they are, but for what only reads counters
  resume: () => void
  stop: () => Promise<void>
}
