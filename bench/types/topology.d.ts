/** Topologies, as data. */

export type Transport = 'tcp' | 'keepalive' | 'uds' | 'uds-keepalive'
export type OptionValue = string | number | boolean

/** The proxy in front. */
export interface ProxyHop {
  name: string // of a plug-in
  transport: Transport | null // null: the proxy serves the files itself
  options: Record<string, OptionValue>
}
/** The server behind it. */
export interface ServerHop {
  name: string // of a plug-in, or a path that begins with ./, ../ or /
  manager: 'node' | 'cluster' | 'pm2'
  instances: number | 'max'
  options: Record<string, OptionValue>
  command?: AppCommand // starts the server; left out: its module is started
}
/** A shell command that starts a server in place of the suite's. */
export interface AppCommand {
  run: string // for sh, with $PORT or $SOCKET in its environment
  listen: ('tcp' | 'unix' | number)[] // ways in which it can listen, of which one is used; a number: only on this port
  cwd: string // absolute
  readySeconds: number // timeout of its first response
  quiet?: boolean // its output is discarded; left out: its output goes to a file in the run's folder
  servesRoot?: boolean // it is to serve the folder in $ROOT; left out: $ROOT is not set
}
/** URLs of an app that are the files of a folder. A proxy with the option `static` serves them itself. */
export interface FilePrefix {
  prefix: string // begins with a slash and ends without one: "/assets"
  folder: string // absolute; of a built-in server: relative to the root that is served
}
/** The chain client, proxy?, server?. At least one hop is present, or the `url` of a server that is up already. */
export interface Topology {
  proxy: ProxyHop | null
  server: ServerHop | null
  files?: FilePrefix[] // prefixes of the app whose responses are files; left out: none is known
  lab?: { sysctl?: Record<string, string>, net?: 'gigabit' } // settings of its private network
  url?: string
}
/** TLS between clients and the front. */
export interface TlsSettings {
  kind: string // of the certificate, see KEY_KINDS
  version: number // the only version: 1.2 or 1.3
  sessions: boolean // whether clients may resume sessions
  http2: boolean // whether HTTP/2 is offered
}
/** Request of a load that has several. */
export interface MixedRequest {
  path: string
  method?: string // left out: GET
  headers?: Record<string, string> // besides those of the load, which take precedence; left out: none
  body?: Load['body']
}
/** A scenario with its options. axis, expects: of its `about`, for the report */
export interface PlayedScenario {
  name: string
  options: Record<string, OptionValue>
  axis?: string
  expects?: string[]
}
export interface Load {
  engine: string // name of a plug-in in bench/engines/
  connections: number
  path: string
  headers: Record<string, string>
  method?: string // left out: GET
  /** base64: null in stored records, where `sha256` identifies the body; left out: none */
  body?: { base64: string | null, bytes: number, sha256: string }
  compare?: ('status' | 'length')[] // parts of a response that are compared; left out: all of it
  ignoreBody?: string // regular expression; its matches are removed before bodies are compared
  paths?: string[] // requested by every connection in turn, in place of `path`
  requests?: MixedRequest[] // different requests with headers, methods or bodies of their own, in place of `paths`
  sequence?: number[] // with `requests`: their indices, in the order in which every connection sends them
  streams?: number // over HTTP/2: requests in flight on each connection; left out: one
  fresh?: boolean // every request on a new connection; left out: connections are kept
  resume?: boolean // over TLS: whether a new connection resumes a session; left out: it does not
  timeoutSeconds?: number // of a response; left out: as long as the generator runs
  rate?: number // requests per second of an open loop; left out: a closed loop
  share?: number // protocol rates: the rate as a share of the arm's rate in a closed loop
  arrivals?: 'constant' | 'poisson' // with a rate; left out: poisson
  seed?: number // with a rate: of the schedule
  spawnPerSecond?: number // users that wait between their requests: new users per second; left out: all at once
  perUserPerSecond?: number // requests per second of each user; left out, if there are users: 1
  scenario?: PlayedScenario // plays requests; left out: an engine loads
  cold?: boolean // protocol window: nothing was requested before, neither by the gate nor by a warm-up
}
