/** Contracts of servers, proxies and engines. */
import type { RequestListener } from 'node:http'
import type { Load, OptionValue, Transport } from './topology.d.ts'
import type { ErrorCounts, KindCount, Lag, Latency, UserPoint } from './sample.d.ts'

/** servers/<name>.js: default export is a ServerFactory, `about` a ServerAbout. */
export type ServerFactory = (context: { root: string }) => Promise<RequestListener>
export interface ServerAbout {
  title: string
  /** npm package, or null for plain Node */
  package: string | null
  /** pages: of its own making, compared with what it answers when it is asked without a proxy */
  serves: ('json' | 'static' | 'pages')[]
  bytesFrom: 'memory' | 'disk'
  compression: 'none' | 'on-the-fly' | 'precompressed'
  /** the settings it runs with, in words */
  settings?: string
  /**
   * known vulnerabilities for which there is no fixed release, one sentence: it runs confined; left out: none are
   * known
   */
  vulnerable?: string
}
/**
 * What keeps a server with known vulnerabilities from all files but its own:
 * bench/topology/confinement/confinement.js
 */
export type ConfinedBy = 'namespace' | 'permissions' | 'nothing'
export interface Confinement {
  by: ConfinedBy
  /** why not by a namespace; null: it is */
  why: string | null
  /** argv in front of the server, in place of what gives up root; empty: there is none */
  enter: string[]
  /** of the processes that answer requests */
  nodeArgs: string[]
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
  /** of a duration: the program counts whole seconds */
  wholeSeconds?: boolean
  /** it has a meaning only where this other option is not off */
  needs?: string
}
export interface Endpoint { kind: 'tcp', host: string, port: number }
export interface SocketEndpoint { kind: 'unix', path: string }
export type Address = Endpoint | SocketEndpoint

export interface RenderRequest {
  /** the program's version, as `version()` gave it: "1.22.1" */
  version: string
  listen: Address
  /** null where the proxy serves files itself */
  upstream: null | { addresses: Address[], transport: Transport }
  /** folder of the files to serve */
  root: string
  options: Record<string, OptionValue>
  /** folder for everything the program writes; absolute */
  dir: string
  /** folder on tmpfs for what shall not wait for a disk; left out: there is none but `dir` */
  memory?: string
  /** of programs whose parts are files of their own; left out: of all others */
  modules?: Modules | null
  /** client connections that it must hold */
  clients: number
  /** where it answers over TLS (its option `tls`): files made on the spot; null or left out: plain HTTP */
  certificate?: { certFile: string, keyFile: string } | null
  /** the cores that it is pinned to; null or left out: all */
  cores?: number[] | null
  /** 'measure' adds counters and logs for the suite; 'home' is what a person takes away */
  purpose: 'measure' | 'home'
}
/** The parts of a program that lie in files of their own, and those compiled in. */
export interface Modules {
  /** where they lie here; absolute; null: nowhere that is known */
  folder: string | null
  /** where their package puts them on a system it is installed on */
  installed: string
  /** "mod_proxy.so" */
  files: string[]
  /** "mod_so.c" */
  builtIn: string[]
}
export interface ProxyPlugin {
  about: {
    title: string
    program: string
    packages: { debian: string[], fedora?: string[], alpine?: string[], brew?: string[] }
    options: Record<string, OptionSpec>
    /** it serves files itself */
    static: boolean
    /**
     * it can do so behind another proxy too: it counts connections, and listens on a Unix socket; left out: it cannot
     */
    origin?: boolean
  }
  /** the arguments that print the version, and how to read what they print */
  version: { args: string[], parse: (output: string) => string | null }
  /**
   * where its modules may lie, relative to what the package's paths start from; how to ask which are compiled in; the
   * files a topology needs
   */
  modules?: {
    folders: string[]
    builtIn: { args: string[], parse: (output: string) => string[] }
    needed: (request: RenderRequest) => string[]
  }
  /**
   * what its configuration cannot hold as it is, beside control characters, which none may hold: such values are
   * refused before `render` sees them; `in` left out: in all; left out: there is nothing
   */
  interprets?: { signs: string[], in?: (keyof RenderRequest)[] }
  /** pure: file name (relative to dir) → text */
  render: (request: RenderRequest) => Record<string, string>
  /** pure: folders, absolute, that must be there before it starts, and that its workers may write; left out: none */
  folders?: (request: RenderRequest) => string[]
  /** pure: how long it may take to start; left out: 15 */
  startSeconds?: (request: RenderRequest) => number
  /** argv after the program, in the foreground, files lying in dir; the version as in RenderRequest */
  command: (dir: string, version: string) => string[]
  /** argv that checks the configuration without starting, or null */
  check: (dir: string, version: string) => string[]
  counters: {
    /** Unix socket, relative to dir, that answers HTTP with the counters */
    socket: string
    /**
     * it knows no Unix sockets, and answers for its counters where it listens for clients: a relay joins the two. Not
     * on a port of their own: with a second one Apache's processes take turns at accepting.
     */
    onFront?: boolean
    path: string
    parse: (body: string, headers: Record<string, string | string[] | undefined>) => ProxyCounters
    /** whether all of it is up, as a reading's body tells; left out: it is when the counters answer */
    isReady?: (body: string) => boolean
    /** a request is counted some time after its answer is sent; left out: when it begins */
    late?: boolean
    /** what one reading itself adds to `requests` and `connections` */
    cost: { requests: number, connections: number }
    /** reads one line of the log of answers that were not plainly right */
    parseLogLine: (line: string) => null | { atSeconds: number, status: number, cache: string | null }
    log: string
    errorLog: string
  }
}
/** `connections` accepted so far; null: the program does not count them */
export interface ProxyCounters { atSeconds: number, connections: number | null, requests: number, active: number }

/** What an engine can do and what not: bench/load/capabilities.js refuses the rest before anything starts. */
export interface EngineAbout {
  title: string
  program: string
  packages: Packages | null
  /** how to come by it where no package brings it, one sentence */
  install?: string
  /**
   * it is made of Python packages: their list, below bench/load/generators/, and the oldest Python that runs them;
   * left out: it is not
   */
  python?: { requirements: string, least: string }
  closedLoop: boolean
  rate: boolean
  /**
   * users that come one after the other and wait between their requests: neither a closed loop nor a schedule; left
   * out: it cannot
   */
  users?: boolean
  /** it spreads itself over workers on other machines, which its master leads; left out: it cannot */
  workers?: boolean
  unixTarget: boolean
  /** https, without looking at the certificate */
  tls: boolean
  /** http without TLS */
  plain: boolean
  /** many requests on one connection */
  keepAlive: boolean
  /** every request on a connection of its own */
  freshConnections: boolean
  /** whether a new TLS connection resumes a session where the server lets it; null: it opens none under load */
  resumption: 'always' | 'never' | 'chosen' | null
  /** a list of paths in place of one */
  paths: boolean
  /** headers of the load */
  headers: boolean
  /** connections that it opens at most; null: as many as there may be open files */
  mostConnections: number | null
  /**
   * what counts as a timeout with `load.timeoutSeconds`. all: every answer that takes longer; late: those that come
   * after it, none that never comes; null: nothing
   */
  timeouts: 'all' | 'late' | null
  /** its report tells for how long it has counted */
  timesItself: boolean
  /** how finely its latencies are told; null: it tells no percentiles */
  latencyResolutionMicros: number | null
  /** what its latencies are, and why they cannot be set beside another engine's: one sentence */
  latencyNote: string
  /** the signal that ends it with a report; null: only the served side's counts can be used */
  stop: NodeJS.Signals | null
  /** checks bodies under load by itself */
  checksBodies: boolean
  /** file in its folder to which it writes errors as they happen: lines of { mismatches, timeouts, resets } */
  errorLog: string | null
}
/** What brings a program, by kind of system; an empty list: nothing does. */
export interface Packages { debian: string[], fedora?: string[], alpine?: string[], brew?: string[] }
export interface Target {
  url: string
  socketPath: string | null
  /** the body as it comes over the wire */
  expectBody: { file: string, sha256: string, bytes: number } | null
  /** hashes by path, where many paths are asked for: a sampler looks at them */
  expectByPath?: Record<string, string>
  /** of an https: URL: the certificate to trust; null or left out: plain HTTP */
  caFile?: string | null
}
/**
 * What an engine is that spreads itself: the one that leads, or one of those that make the load. host, port: where
 * the master listens
 */
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
  /** with a rate: how late requests left; null or left out: not told */
  lagMs?: Lag | null
  /**
   * of microseconds: what its percentiles come from, to be merged with those of other generators; left out: it has
   * none
   */
  histograms?: { latency: HistogramData, lag?: HistogramData }
  /** with users: second by second */
  users?: UserPoint[]
  /** errors by what the engine calls them */
  failures?: KindCount[]
  /** what the engine itself warned of */
  notes?: string[]
}
/** As bench/load/histogram.js writes and reads it. */
export interface HistogramData { count: number, max: number, counts: [value: number, count: number][] }
export interface EnginePlugin {
  about: EngineAbout
  /**
   * arguments that print the version, and how to read it; or an npm package's own; 'own': it is part of the project,
   * run by Node
   */
  version: { args: string[], parse: (output: string) => string | null } | { npm: string } | 'own'
  /**
   * `program` is the absolute path found by tools.js; runs until stopped, and ends by itself with its report after
   * maxSeconds, whole; cores: how many it may use, left out: one; part: of an engine that spreads itself, left out:
   * it is whole
   */
  command: (
    load: Load,
    target: Target,
    context: { program: string; dir: string; maxSeconds: number; cores?: number; part?: EnginePart }
  ) => { files: Record<string, string>; processes: EngineProcess[] }
  parse: (results: { stdout: string; stderr: string; dir: string; exit: number | null }[]) => Measurement
}
/** bench/engines/<name>.js, in which `about` says what differs from most: bench/plugins.js fills in the rest. */
export type EngineFile = Omit<EnginePlugin, 'about'> & {
  about: Pick<EngineAbout, 'title' | 'program' | 'latencyNote'> & Partial<EngineAbout>
}
