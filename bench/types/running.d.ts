/** A topology on its way from data to running processes, and what those count. */
import type { Address, Confinement, ConfinedBy, Endpoint, Modules, ProxyPlugin } from './plugins.d.ts'
import type { LogCount } from './sample.d.ts'

/** What describe() must know beside the topology. */
export interface DescribeContext {
  /** folder for everything these processes write; absolute and short */
  dir: string
  /** the files to serve */
  root: string
  /** where the front listens; left out: 127.0.0.1 */
  address?: string
  /** of the front and of the server behind; `origins`: where each process has its own, left out: `origin` and up */
  ports: { front: number, origin: number, origins?: number[] }
  /** how many the served side may use; left out: 1 */
  cores?: number
  /** connections that the client opens */
  clients: number
  /** absolute path of launch.js */
  launcher: string
  /** absolute path of node */
  node: string
  /** absolute path of the server's file */
  module: string | null
  proxy: ProxyProgram | null
  /** where the server hop names a proxy, which serves the files behind the other one */
  origin?: ProxyProgram | null
  /** of a proxy that answers over TLS */
  certificate?: CertificateFiles | null
  /** the cores that the served side is pinned to; left out: all */
  pinned?: number[] | null
  /** folder on tmpfs; left out: there is none */
  memory?: string
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
  /** `caFile`: the certificate to trust, over TLS */
  target: { url: string, socketPath: string | null, caFile?: string }
  /** the same without the proxy */
  originTarget: { url: string, socketPath: string | null }
  /** null where a proxy serves the files itself */
  server: ServerDescription | null
  proxy: ProxyDescription | null
  /** the proxy in the server's place, and its folder */
  origin: ProxyDescription & { dir: string } | null
}
export interface ProxyDescription extends ServedProgram {
  check: string[]
  files: Record<string, string>
  /** folders that must be there, and that its workers may write */
  folders: string[]
  listen: Address
  /** where it answers for its counters; null: on its Unix socket */
  countersAt: Endpoint | null
  startSeconds: number
}
export interface ServerDescription {
  /** one for each address: a manager with its workers behind it, or the server itself */
  processes: ServerProcess[]
  /** processes that answer requests, and so control sockets */
  workers: number
  controlDir: string
}
export interface ServerProcess extends ServedProgram {
  listen: Address
  /** what stands in the log of a manager that has given its workers up and runs on */
  gaveUp?: string
}

export interface ServedProgram { argv: string[], env: Record<string, string> }

/** What launch.js is told in HOPBENCH_LAUNCH. */
export interface LaunchOrder {
  /** absolute path of the server's file */
  module: string
  root: string
  listen: Address
  /** worker processes on this one address */
  instances: number
  /** folder for this process's control socket, `<pid>.sock`; null: nobody asks for its counts */
  controlDir: string | null
  backlog: number
  /** a file that is there and that this process must not be able to read; null or left out: it is not confined */
  hidden?: string | null
  /** of node, for the processes that answer requests; left out: none */
  nodeArgs?: string[]
  /** how long an idle connection is kept: above the proxy's own limit, else the two race and the proxy answers 502 */
  keepAliveSeconds: number
}
/** What a worker's control socket answers to each line it is sent; counts are since its start. */
export interface WorkerCounts {
  pid: number
  /** Unix time of the reading, by the worker's own clock */
  atSeconds: number
  listening: 'tcp' | 'unix'
  connections: number
  requests: number
  /** answers with another status than 2xx or 304 */
  non2xx: number
}
/** Of all workers together, those that have died included; `atSeconds` is the latest reading. */
export interface ServerCounts extends Omit<WorkerCounts, 'pid'> {
  /** those that answer now; so are `workers` */
  pids: number[]
  workers: WorkerCounts[]
  /** how many have died since the start */
  lost: number
}
/** What the hop that the client talks to has counted; `connections` null: it does not count them. */
export interface FrontCounts { atSeconds: number, requests: number, connections: number | null }

/** What bench/errors.js makes, which imports these shapes itself. */
export interface CodedError extends Error {
  code: string
  details: Record<string, any>
  exit: 1 | 2
  remedy: string
}

/** What an answer must be; bytes and hash are of the body without its encoding. */
export interface Expected {
  status: number
  /** null: it differs from request to request */
  sha256: string | null
  bytes: number
  /** null: not compared; how it is compared: bench/topology/fixtures/types.js */
  contentType: string | null
  contentEncoding: string | null
  /** those that the body may have instead; left out: none */
  encodings?: string[]
}

/** A topology that is up. */
export interface Running {
  target: Description['target']
  originTarget: Description['originTarget']
  front: () => Promise<FrontCounts>
  /** the same hop as front where there is no proxy, null where there is no server */
  origin: () => Promise<ServerCounts | null>
  proxied: boolean
  /** the front counts a request some time after its answer */
  countsLate: boolean
  /** answers that were not plainly right, since the last call */
  noted: () => { atSeconds: number, status: number, cache: string | null }[]
  /** what the proxy has added to its error log since the last call, by kind */
  logged: () => LogCount[]
  pids: () => { proxy: number[], server: number[] }
  /** left out: its server has no known vulnerabilities */
  confinedBy?: ConfinedBy
  /** the process that ended by itself, if one has */
  failure: () => CodedError | null
  /** stops all of its processes where they are, but for what only reads counters */
  freeze: () => void
  thaw: () => void
  stop: () => Promise<void>
}
