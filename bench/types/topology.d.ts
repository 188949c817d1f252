/** Topologies, as data. */
import type {
  AbsolutePath, Count, Headers, Identifier, Integer, Phrase, Positive, PositiveInteger
} from './values.d.ts'

export type Transport = 'tcp' | 'keepalive' | 'uds' | 'uds-keepalive'
/** @pattern ^[A-Za-z0-9._:,%-]+$ */
export type OptionText = string
export type OptionValue = OptionText | number | boolean

/** The proxy in front. */
export interface ProxyHop {
  /** of a plug-in */
  name: Identifier
  /** null: the proxy serves the files itself */
  transport: Transport | null
  options: Record<Identifier, OptionValue>
  /** a configuration of your own in place of the template; left out: the template */
  config?: UserConfig
}
/** A configuration of your own, which runs in a room: a file system in which each of its files has its own path. */
export interface UserConfig {
  /** as typed */
  path: Phrase
  /** of its listener */
  port: ListenPort
  /** ports at which it expects the processes of the app; empty: a Unix socket */
  apps: Port[]
  /** script that starts the proxy in its room; null: in a stored plan */
  script: AbsolutePath | null
}
/** @asType integer @minimum 1 @maximum 65535 */
export type ListenPort = number
/** The server behind it. */
export interface ServerHop {
  /**
   * of a plug-in, or a path that begins with ./, ../ or /
   * @pattern ^([a-z][a-z0-9_-]*|(\.{1,2}|/@?[\p{L}\p{M}\p{N}._-]+)(/@?[\p{L}\p{M}\p{N}._-]+)*)$
   */
  name: string
  manager: 'node' | 'cluster' | 'pm2'
  instances: PositiveInteger | 'max'
  options: Record<Identifier, OptionValue>
  /** starts the server; left out: its module is started */
  command?: AppCommand
}
/** @asType integer @minimum 1024 @maximum 65535 */
export type Port = number
/** A shell command that starts a server in place of the suite's. */
export interface AppCommand {
  /**
   * for sh, with $PORT or $SOCKET in its environment; without secrets in what is stored
   * @minLength 1
   */
  run: string
  /**
   * ways in which it can listen, of which one is used; a number: only on this port
   * @minItems 1
   */
  listen: ('tcp' | 'unix' | Port)[]
  /**
   * absolute
   * @pattern ^/
   */
  cwd: string
  /** timeout of its first response */
  readySeconds: Positive
  /** its output is discarded; left out: its output goes to a file in the run's folder */
  quiet?: true
  /** it is to serve the folder in $ROOT; left out: $ROOT is not set */
  servesRoot?: boolean
}
/** URLs of an app that are the files of a folder. A proxy with the option `static` serves them itself. */
export interface FilePrefix {
  /**
   * begins with a slash and ends without one: "/assets"; empty: the whole site
   * @pattern ^(/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*$
   */
  prefix: string
  /**
   * absolute; of a built-in server: relative to the root that is served
   * @pattern ^[^\u0000-\u001f\u007f]+$
   */
  folder: string
  /** paths of the files: "/a%20b.js"; left out: each path below the prefix is one of a file */
  paths?: string[]
}
/** The chain client, proxy?, server?. At least one hop is present, or the `url` of a server that is up already. */
export interface Topology {
  proxy: ProxyHop | null
  server: ServerHop | null
  /**
   * prefixes of the app whose responses are files; left out: none is known
   * @minItems 1
   */
  files?: FilePrefix[]
  /** settings of its private network */
  lab?: { sysctl?: Record<NetworkSetting, SettingValue>, net?: 'gigabit' }
  /** @pattern ^https?://(\[[\da-fA-F:.]+\]|[\p{L}\p{M}\p{N}._-]+)(:\d{1,5})?$ */
  url?: string
}
/** @pattern ^net(\.[a-z0-9_-]+)+$ */
export type NetworkSetting = string
/** @pattern ^[A-Za-z0-9_-]+([ \t][A-Za-z0-9_-]+)*$ */
export type SettingValue = string
/** TLS between clients and the front. */
export interface TlsSettings {
  kind: string // of the certificate, see KEY_KINDS
  version: number // the only version: 1.2 or 1.3
  sessions: boolean // whether clients may resume sessions
  http2: boolean // whether HTTP/2 is offered
}
/** @pattern ^(GET|POST|PUT|PATCH|DELETE|OPTIONS)$ */
export type Method = string
/** Request of a load that has several. */
export interface MixedRequest {
  path: AbsolutePath
  /** left out: GET */
  method?: Method
  /** besides those of the load, which take precedence; left out: none */
  headers?: Headers
  body?: RequestBody
}
/** A scenario with its options. axis, expects: of its `about`, for the report */
export interface PlayedScenario {
  name: Identifier
  options: Record<string, string | number | boolean>
  axis?: string
  expects?: string[]
}
export interface RequestBody {
  /**
   * null in stored records
   * @pattern ^[A-Za-z0-9+/=]*$
   */
  base64: string | null
  bytes: Count
  /**
   * distinguishes bodies of one process; left out in stored records
   * @pattern ^[0-9a-f]{64}$
   */
  id?: string
}
/** @minItems 1 */
export type ComparedParts = ('status' | 'length')[]
/** @minLength 1 */
export type RegularExpression = string
/** @asType integer @minimum 1 @maximum 1000000 */
export type Connections = number
export interface Load {
  /** name of a plug-in in bench/engines/ */
  engine: Identifier
  connections: Connections
  path: AbsolutePath
  headers: Headers
  /** left out: GET */
  method?: Method
  /** left out: none */
  body?: RequestBody
  /** parts of a response that are compared; left out: all of it */
  compare?: ComparedParts
  /** regular expression; its matches are removed before bodies are compared */
  ignoreBody?: RegularExpression
  /** requested by every connection in turn, in place of `path` */
  paths?: AbsolutePath[]
  /**
   * different requests with headers, methods or bodies of their own, in place of `paths`
   * @minItems 1
   */
  requests?: MixedRequest[]
  /**
   * with `requests`: their indices, in the order in which every connection sends them
   * @minItems 1
   */
  sequence?: Count[]
  /** over HTTP/2: requests in flight on each connection; left out: one */
  streams?: PositiveInteger
  /** every request on a new connection; left out: connections are kept */
  fresh?: boolean
  /** over TLS: whether a new connection resumes a session; left out: it does not */
  resume?: boolean
  /** of a response; left out: as long as the generator runs */
  timeoutSeconds?: Positive
  /** requests per second of an open loop; left out: a closed loop */
  rate?: Positive
  /** protocol rates: the rate as a share of the arm's rate in a closed loop */
  share?: Positive
  /** with a rate; left out: poisson */
  arrivals?: 'constant' | 'poisson'
  /** with a rate: of the schedule */
  seed?: Integer
  /** with a rate: after so many the generator sends no more; left out: unlimited */
  mostRequests?: PositiveInteger
  /** users that wait between their requests: new users per second; left out: all at once */
  spawnPerSecond?: Positive
  /** requests per second of each user; left out, if there are users: 1 */
  perUserPerSecond?: Positive
  /** plays requests; left out: an engine loads */
  scenario?: PlayedScenario
  /** protocol window: nothing was requested before, neither by the gate nor by a warm-up */
  cold?: boolean
}
