/** A topology from its description to its running processes, and their counts. */
import type { HopbenchError } from '../errors.js'
import type {
  Address, ConfigSyntax, ConfinedBy, Modules, OptionSpec, ProxyVariant, RenderRequest, Wheel
} from './plugins.d.ts'
import type { LogCount } from './sample.d.ts'
import type { OptionValue, Transport } from './topology.d.ts'
import type { Phrase } from './values.d.ts'

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
  isRoom?: true // it is started as root of its network, and gives up root itself
  isUncounted?: true // its counters leave out requests, which the server behind it counts
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

export interface ProxyPlugin {
  about: {
    title: Phrase
    program: Phrase
    packages: { debian: string[], fedora?: string[], alpine?: string[], brew?: string[] }
    wheel?: Wheel // contains the program where it is not on PATH; left out: the packages do
    options: Record<string, OptionSpec>
    lacks?: Record<string, string> // reasons for options of other proxies that it cannot have
    static: boolean // it serves files itself
    transports?: Transport[] // transports to a server; left out: all
    /** can be a server behind another proxy, because it counts connections and listens on a Unix socket */
    origin?: boolean
    deploy?: boolean // can be part of a deploy kit
  }
  /** arguments that print the version, and their parser */
  version: { args: string[], parse: (output: string) => string | null }
  /**
   * folders relative to the root of the package's paths; arguments that print the compiled-in modules; the files that a
   * topology needs
   */
  modules?: {
    folders: string[]
    builtIn: { args: string[], parse: (output: string) => string[] }
    needed: (request: RenderRequest) => string[]
  }
  /** packages that these options need in addition (pure); null: none */
  variant?: (options: Record<string, OptionValue>) => ProxyVariant | null
  /**
   * characters that its configuration cannot contain, besides control characters, which are rejected everywhere. Such
   * values are rejected before `render`. `in` left out: in all values.
   */
  interprets?: { signs: string[], in?: (keyof RenderRequest)[] }
  /**
   * how `config --explain` reads each file, and why a directive differs between the measured and the recommended
   * configuration: a sentence by its first words; left out: the command rejects
   */
  explain?: { syntax: Record<string, ConfigSyntax>, reasons: Record<string, string> }
  /** text by file name, relative to dir (pure). All of these files are kept with the run. */
  render: (request: RenderRequest) => Record<string, string>
  /** text that adds the counters to a configuration of your own, in which dir is the folder of the arm (pure) */
  counterFile?: (dir: string) => string
  /** folders that must exist before it starts and that its workers may write, absolute (pure) */
  folders?: (request: RenderRequest) => string[]
  startSeconds?: (request: RenderRequest) => number // time that it may take to start (pure); left out: 15
  /**
   * argv after the program, in the foreground, with its files in dir. `request` is for values that belong on the
   * command line.
   */
  command: (dir: string, version: string, request: RenderRequest) => string[]
  /** argv that checks the configuration without starting */
  check: (dir: string, version: string, request: RenderRequest) => string[]
  /** how it reads its configuration again while it serves: by a signal to its first process, or by another process of
   * the program with these arguments (pure); needs: option without which it cannot; left out: it cannot */
  reload?: ({ signal: NodeJS.Signals } | { command: (dir: string) => string[] }) & { needs?: string }
  /** the program listens before it has its routes, and responds with 404 until then */
  listensEarly?: boolean
  /** environment variables that keep it out of the user's home folder, where no option does, or that are settings
   * (pure) */
  env?: (dir: string, request: RenderRequest) => Record<string, string>
  /** read: reads counters in another place than HTTP, such as shared memory; costs the program nothing; throws while
   * there are no counters; memory: as in RenderRequest, or dir */
  counters: (CountersByHttp | { read: (dir: string, memory: string) => FrontCounts }) & {
    late?: boolean // a request is counted some time after its response is sent; left out: when it begins
    /** parses a line of the log of responses that were not entirely valid */
    parseLogLine: (line: string) => null | { atSeconds: number, status: number, cache: string | null }
    log: string // relative to dir, as errorLog; `proxy.log`: its output
    errorLog: string
  }
}

/** Counters that the program provides over HTTP. */
export interface CountersByHttp {
  socket: string // Unix socket, relative to dir
  /**
   * The program does not support Unix sockets and provides its counters on the port for clients; a relay connects the
   * two. A second port would make Apache's processes take turns at accepting.
   */
  onFront?: boolean
  path: string
  /** atSeconds left out: the program states no time, so that the reading has the time of hopbench's clock */
  parse: (body: string, headers: Record<string, string | string[] | undefined>) =>
    Omit<FrontCounts, 'atSeconds'> & { atSeconds?: number }
  /** whether the program is completely up, from a reading's body; left out: when the counters respond */
  isReady?: (body: string) => boolean
  cost: { requests: number } // requests that a reading itself adds
}
