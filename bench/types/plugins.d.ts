/** Contracts of servers, proxies and engines. */
import type { RequestListener } from 'node:http'
import type { Load, OptionValue, Transport } from './topology.d.ts'
import type { ErrorCounts, KindCount, Lag, Latency, UserPoint } from './sample.d.ts'

/** servers/<name>.js: default export is a ServerFactory, `about` a ServerAbout. */
export type ServerFactory = (context: {
  root: string
  options?: Record<string, OptionValue> // those of `about.options`, with their defaults; left out: their defaults
}) => Promise<RequestListener>
export interface ServerAbout {
  title: string
  package: string | null // npm package, or null for plain Node
  /** pages: of its own making, compared with what it answers when it is asked without a proxy */
  serves: ('json' | 'static' | 'pages')[]
  bytesFrom: 'memory' | 'disk'
  compression: 'none' | 'on-the-fly' | 'precompressed'
  settings?: string // the settings it runs with, in words
  options?: Record<string, OptionSpec> // of its own, beside those that all servers have; left out: none
  http1Only?: string // why it cannot answer over HTTP/2, one sentence; left out: it can
  demonstration?: boolean // it shows what something costs, and is nothing to take: never recommended
  /** known vulnerabilities for which there is no fixed release, one sentence: it runs confined; left out: none are
   * known */
  vulnerable?: string
}
/** What keeps a server with known vulnerabilities from all files but its own: bench/topology/confinement/confinement.js
 */
export type ConfinedBy = 'namespace' | 'permissions' | 'nothing'
export interface Confinement {
  by: ConfinedBy
  why: string | null // why not by a namespace; null: it is
  enter: string[] // argv in front of the server, in place of what gives up root; empty: there is none
  nodeArgs: string[] // of the processes that answer requests
  /** a file that is there, and that the server must not be able to read; null: none is known */
  hidden: string | null
}

export interface OptionSpec {
  type: 'boolean' | 'number' | 'string' | 'duration'
  default: OptionValue
  help: string
  choices?: OptionValue[]
  /** where it has a meaning: 'app' with a server behind, 'files' where the proxy serves them itself; left out: both */
  for?: 'app' | 'files'
  wholeSeconds?: boolean // of a duration: the program counts whole seconds
  /** it has a meaning only where this other option is not off */
  needs?: string
}
export interface Endpoint { kind: 'tcp', host: string, port: number }
export interface SocketEndpoint { kind: 'unix', path: string }
export type Address = Endpoint | SocketEndpoint

export interface RenderRequest {
  version: string // the program's version, as `version()` gave it: "1.22.1"
  listen: Address
  upstream: null | { addresses: Address[], transport: Transport } // null where the proxy serves files itself
  root: string // folder of the files to serve
  options: Record<string, OptionValue>
  dir: string // folder for everything the program writes; absolute
  memory?: string // folder on tmpfs for what must not wait for a disk; left out: there is none but `dir`
  modules?: Modules | null // of programs whose parts are files of their own; left out: of all others
  clients: number // client connections that it must hold
  /** where it answers over TLS (its option `tls`): files made on the spot; null or left out: plain HTTP */
  certificate?: { certFile: string, keyFile: string } | null
  cores?: number[] | null // the cores that it is pinned to; null or left out: all
  /** 'measure' adds counters and logs for the suite; 'home' is what a person takes away */
  purpose: 'measure' | 'home'
  /** with 'home': for a deploy kit, whose start script fills in `@PORT@`, `@RUN@` and the like; left out: none */
  deploy?: DeployPlace
}
/** What a proxy must know of the platform that it is deployed on. */
export interface DeployPlace {
  routers: string[] // networks of the platform's routers, which are believed; empty: clients connect directly
  clientHeader: string // in which they name the client's address
  drainSeconds: number // for open connections, after the signal to stop
  accessLog: string // where it goes, if there is one
  cache: string // folder
}
/** The parts of a program that lie in files of their own, and those compiled in. */
export interface Modules {
  folder: string | null // where they lie here; absolute; null: nowhere that is known
  installed: string // where their package puts them on a system it is installed on
  files: string[] // "mod_proxy.so"
  /** "mod_so.c" */
  builtIn: string[]
}
/** The same program with parts that other packages bring. */
export interface ProxyVariant {
  program: string // what it is called in the cache
  packages: Packages
  inside: string // where the program lies in the packages
  folder: string // … and its parts
  files: string[]
}
export interface ProxyPlugin {
  about: {
    title: string
    program: string
    packages: { debian: string[], fedora?: string[], alpine?: string[], brew?: string[] }
    options: Record<string, OptionSpec>
    static: boolean // it serves files itself
    transports?: Transport[] // by which it reaches a server; left out: all
    /** it can do so behind another proxy too: it counts connections, and listens on a Unix socket; left out: it cannot
     */
    origin?: boolean
    deploy?: boolean // it can be part of a deploy kit; left out: it cannot
  }
  /** the arguments that print the version, and how to read what they print */
  version: { args: string[], parse: (output: string) => string | null }
  /** where its modules may lie, relative to what the package's paths start from; how to ask which are compiled in; the
   * files a topology needs */
  modules?: {
    folders: string[]
    builtIn: { args: string[], parse: (output: string) => string[] }
    needed: (request: RenderRequest) => string[]
  }
  /** pure: what these options need beside the program itself; null: nothing; left out: none does */
  variant?: (options: Record<string, OptionValue>) => ProxyVariant | null
  /** what its configuration cannot hold as it is, beside control characters, which none may hold: such values are
   * refused before `render` sees them; `in` left out: in all; left out: there is nothing */
  interprets?: { signs: string[], in?: (keyof RenderRequest)[] }
  /** pure: file name (relative to dir) → text; whatever it is called, it is kept with the run */
  render: (request: RenderRequest) => Record<string, string>
  /** pure: folders, absolute, that must be there before it starts, and that its workers may write; left out: none */
  folders?: (request: RenderRequest) => string[]
  startSeconds?: (request: RenderRequest) => number // pure: how long it may take to start; left out: 15
  /** argv after the program, in the foreground, files lying in dir; the version as in RenderRequest. `request`: for
   * those that take on the command line what others read from their configuration */
  command: (dir: string, version: string, request: RenderRequest) => string[]
  /** argv that checks the configuration without starting */
  check: (dir: string, version: string, request: RenderRequest) => string[]
  /** pure: variables of its environment, for what no option keeps out of a person's home; left out: none */
  env?: (dir: string) => Record<string, string>
  counters: (CountersByHttp | CountersElsewhere) & {
    late?: boolean // a request is counted some time after its answer is sent; left out: when it begins
    /** reads one line of the log of answers that were not plainly right */
    parseLogLine: (line: string) => null | { atSeconds: number, status: number, cache: string | null }
    log: string // relative to dir, as errorLog is; `proxy.log`: what it writes to its output
    errorLog: string
  }
}
/** Counters that the program answers for over HTTP. */
export interface CountersByHttp {
  socket: string // Unix socket, relative to dir
  /** it knows no Unix sockets, and answers for its counters where it listens for clients: a relay joins the two. Not
   * on a port of their own: with a second one Apache's processes take turns at accepting. */
  onFront?: boolean
  path: string
  parse: (body: string, headers: Record<string, string | string[] | undefined>) => ProxyCounters
  /** whether all of it is up, as a reading's body shows; left out: it is when the counters answer */
  isReady?: (body: string) => boolean
  cost: { requests: number } // what one reading itself adds to `requests`
}
/** Counters that lie anywhere else, such as in shared memory. */
export interface CountersElsewhere {
  /** costs the program nothing; throws where they are not there (yet); memory: as in RenderRequest, or dir */
  read: (dir: string, memory: string) => ProxyCounters
}
/** `connections` accepted so far; null: the program does not count them. `non2xx`: answers with another status than 2xx
 * or 304, beside those in its log; left out: all of them are in the log */
export interface ProxyCounters { atSeconds: number, connections: number | null, requests: number, non2xx?: number }

/** What an engine can do and what not: bench/load/capabilities.js refuses the rest before anything starts. */
export interface EngineAbout {
  title: string
  program: string
  packages: Packages | null
  install?: string // how to come by it where no package brings it, one sentence
  /** it is made of Python packages: their list, below bench/load/generators/, and the oldest Python that runs them;
   * left out: it is not */
  python?: { requirements: string, least: string }
  closedLoop: boolean
  rate: boolean
  /** users that come one after the other and wait between their requests: neither a closed loop nor a schedule; left
   * out: it cannot */
  users?: boolean
  workers?: boolean // it spreads itself over workers on other machines, which its master leads; left out: it cannot
  unixTarget: boolean
  tls: boolean // https, without looking at the certificate
  http2: boolean // HTTP/2 over TLS, and nothing else with such a target, several requests at once on a connection too
  plain: boolean // http without TLS
  keepAlive: boolean // many requests on one connection
  freshConnections: boolean // every request on a connection of its own
  /** whether a new TLS connection resumes a session where the server lets it; null: it opens none under load */
  resumption: 'always' | 'never' | 'chosen' | null
  paths: boolean // a list of paths in place of one
  headers: boolean // headers of the load
  /** methods that it can send a request with, or without, a body by; left out: GET alone, without one */
  methods?: { withBody: string[], without: string[], mostBytes?: number }
  /** how its requests can be counted while it runs. responses: it counts completed ones and replies on a
   * socket, see bench/load/request-counts.js; writes: it sends each request by one write(2) and writes nothing else, so the kernel counts them;
   * null: not at all */
  counted: 'responses' | 'writes' | null
  mostConnections: number | null // connections that it opens at most; null: as many as there may be open files
  /** what counts as a timeout with `load.timeoutSeconds`. all: every answer that takes longer; late: those that come
   * after it, none that never comes; null: nothing */
  timeouts: 'all' | 'late' | null
  timesItself: boolean // its report says for how long it has counted
  latencyResolutionMicros: number | null // the resolution of its latencies; null: it reports no percentiles
  latencyNote: string // what its latencies are, and why they cannot be set beside another engine's: one sentence
  stop: NodeJS.Signals | null // the signal that ends it with a report; null: only the served side's counts can be used
  checksBodies: boolean // checks bodies under load by itself
  /** file in its folder to which it writes errors as they happen: lines of { mismatches, timeouts, resets } */
  errorLog: string | null
}
/** What brings a program, by kind of system; an empty list: nothing does. */
export interface Packages { debian: string[], fedora?: string[], alpine?: string[], brew?: string[] }
export interface Target {
  url: string
  socketPath: string | null
  expectBody: { file: string, sha256: string, bytes: number } | null // the body as it comes over the wire
  expectByPath?: Record<string, string> // hashes by path, where many paths are asked for: a sampler looks at them
  /** of an https: URL: the certificate to trust; null or left out: plain HTTP */
  caFile?: string | null
  http2?: boolean // it answers in HTTP/2; left out: in HTTP/1.1
  expectStatus?: number // of a right answer; left out: 200
  /** the body with what varies by nature cut out: a sampler looks at it */
  expectMasked?: string
  tellStatuses?: boolean // only the client counts answers that are errors; left out: the served side does
}
/** What an engine is that spreads itself: the one that leads, or one of those that make the load. host, port: where the
 * master listens */
export type EnginePart = { role: 'master'; host: string; port: number; workers: number; waitSeconds: number } | {
  role: 'worker'
  host: string
  port: number
}
export interface EngineProcess {
  argv: string[]
  env: Record<string, string>
}
export interface Measurement {
  requests: number
  errors: ErrorCounts
  bytes: number | null
  seconds: number | null
  latencyMs: Latency | null
  lagMs?: Lag | null // with a rate: how late requests left; null or left out: unknown
  /** of microseconds: what its percentiles come from, to be merged with those of other generators; left out: it has
   * none */
  histograms?: { latency: HistogramData, lag?: HistogramData }
  users?: UserPoint[] // with users: second by second
  failures?: KindCount[] // errors by what the engine calls them
  /** what the engine itself warned of */
  notes?: string[]
}
/** As bench/load/histogram.js writes and reads it. */
export interface HistogramData { count: number, max: number, counts: [value: number, count: number][] }
export interface EnginePlugin {
  about: EngineAbout
  /** arguments that print the version, and how to read it; or an npm package's own; 'own': it is part of the project,
   * run by Node */
  version: { args: string[], parse: (output: string) => string | null } | { npm: string } | 'own'
  /** `program` is the absolute path found by tools.js; runs until stopped, and ends by itself with its report after
   * maxSeconds, whole; cores: how many it may use, left out: one; part: of an engine that spreads itself, left out: it
   * is whole */
  command: (
    load: Load,
    target: Target,
    context: { program: string; dir: string; maxSeconds: number; cores?: number; part?: EnginePart }
  ) => { files: Record<string, string | Buffer>; processes: EngineProcess[] }
  parse: (results: { stdout: string; stderr: string; dir: string; exit: number | null }[]) => Measurement
}
/** bench/engines/<name>.js, in which `about` says what differs from most: bench/plugins.js fills in the rest. */
export type EngineFile = Omit<EnginePlugin, 'about'> & {
  about: Pick<EngineAbout, 'title' | 'program' | 'latencyNote'> & Partial<EngineAbout>
}
