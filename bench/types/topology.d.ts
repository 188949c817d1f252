/** Topologies, as data. */

export type Transport = 'tcp' | 'keepalive' | 'uds' | 'uds-keepalive'
export type OptionValue = string | number | boolean

/** The proxy in front. `transport` is null where it serves the files itself. */
export interface ProxyHop { name: string, transport: Transport | null, options: Record<string, OptionValue> }
/** The Node server. `name` is a plug-in's name, or a path that starts with `./`, `../` or `/`. */
export interface ServerHop {
  name: string
  manager: 'node' | 'cluster' | 'pm2'
  instances: number | 'max'
  options: Record<string, OptionValue>
  command?: AppCommand // what starts it, in place of a module; left out: its module is started
}
/** A command that starts a server of anybody's making. */
export interface AppCommand {
  run: string // for sh, with $PORT or $SOCKET in its environment
  /** the ways it can listen, of which it gets one; a number: on this port and nowhere else */
  listen: ('tcp' | 'unix' | number)[]
  cwd: string // absolute
  readySeconds: number // until it answers
  quiet?: boolean // its output is discarded; left out: its output goes to a file in the run's folder
}
/** The chain client, proxy?, server? as plain data. At least one of the two is there, or the `url` of what runs. */
export interface Topology { proxy: ProxyHop | null, server: ServerHop | null, lab?: LabSettings, url?: string }
/** How the hop that clients talk to answers over TLS. kind: of its certificate, in KEY_KINDS; version: 1.2 or 1.3,
 * and no other; sessions: clients may resume them; http2: it speaks HTTP/2 with those who ask for it */
export interface TlsSettings { kind: string, version: number, sessions: boolean, http2: boolean }
/** What holds for a topology's whole network. */
export interface LabSettings { sysctl?: Record<string, string>, net?: 'gigabit' }

/** What a request carries. base64: null in what is stored, where `sha256` shows whether it is the same again. */
export interface RequestBody { base64: string | null, bytes: number, sha256: string }
export interface Load {
  engine: string // Plug-in name under bench/engines/.
  connections: number
  path: string
  headers: Record<string, string>
  method?: string // left out: GET
  body?: RequestBody // left out: none
  /** what of an answer must be as it should be; left out: all of it */
  compare?: ('status' | 'length')[]
  /** what varies in bodies by nature: a regular expression whose matches are cut out before bodies are compared */
  ignoreBody?: string
  paths?: string[] // a sequence of paths that every connection goes through again and again, in place of `path`
  streams?: number // over HTTP/2: requests under way at once on each connection; left out: one
  fresh?: boolean // every request on a connection of its own; left out: connections are kept
  resume?: boolean // over TLS: whether a new connection resumes an earlier session; left out: it does not
  /** an answer that takes longer is a timeout, and an error; left out: as long as the generator lives */
  timeoutSeconds?: number
  rate?: number // requests per second, sent on a schedule that does not wait for answers; left out: a closed loop
  share?: number // protocol rates: the rate is this share of what the arm does in a closed loop
  /** with a rate: evenly spaced, or each independent of the others, which is the default */
  arrivals?: 'constant' | 'poisson'
  seed?: number // with a rate: of the schedule
  /** users that wait between their requests: how many new ones come in a second; left out: all at once */
  spawnPerSecond?: number
  perUserPerSecond?: number // … and how often each of them asks in a second; left out, where there are users: 1
  /** protocol window: nothing has asked for it before, neither the gate nor a warm-up, so that caches begin empty */
  cold?: boolean
}
