/** Types of bench/topology/ and its callers. */
import type {
  Address, Confinement, DeployPlace, OptionValue, ProxyProgram, RenderRequest, ServerAbout
} from '../types.d.ts'
import type { SecureVersion } from 'node:tls'

/** Facts that describe() needs in addition to the topology. */
export interface DescribeContext {
  dir: string // short absolute folder for all files that these processes write
  root: string // the files to serve
  built?: RenderRequest['built']
  address?: string // that the front listens at, by default 127.0.0.1
  /** of the front and of the server behind it; origins: one for each process, by default `origin` and up */
  ports: { front: number, origin: number, origins?: number[] }
  cores?: number // number of cores of the served side, by default 1
  clients: number // connections that the client opens
  launcher?: string // absolute path of launch.js; omitted, as `node` and `module`: no server is started
  node?: string // absolute path of the runtime of the server
  nodeVersion?: string // of the Node that runs the suite; omitted: an old one
  module?: string | null // absolute path of the server's file
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
  prefixes?: string[] // beginnings of paths whose requests are counted as files: "/assets/"; omitted: no counter
  paths?: string[] // paths whose requests are counted as files; omitted: none
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
