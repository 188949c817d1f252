/**
 * The shapes that cross module borders. A shape used inside one file lives in that file.
 * Units are in the names: seconds, micros, MiB. Ratios are plain numbers (1.2 means 20 % more).
 */
import type { RequestListener } from 'node:http'

// ---------------------------------------------------------------- topologies

export type Transport = 'tcp' | 'keepalive' | 'uds' | 'uds-keepalive'
export type Manager = 'node' | 'cluster' | 'pm2'
export type OptionValue = string | number | boolean

/** The proxy in front. `transport` is null where it serves the files itself. */
export interface ProxyHop { name: string, transport: Transport | null, options: Record<string, OptionValue> }
/** The Node server. `name` is a plug-in's name, or a path that starts with `./`, `../` or `/`. */
export interface ServerHop { name: string, manager: Manager, instances: number | 'max', options: Record<string, OptionValue> }
/** The chain client → proxy? → server? as plain data. At least one of the two is there. */
export interface Topology { proxy: ProxyHop | null, server: ServerHop | null, lab?: LabSettings }
/** What holds for a topology's whole network. */
export interface LabSettings { sysctl?: Record<string, string>, net?: 'gigabit' }

export interface Load {
  /** Plug-in name under bench/engines/. */
  engine: string
  connections: number
  path: string
  headers: Record<string, string>
  /** a sequence of paths that every connection goes through again and again, in place of `path` */
  paths?: string[]
  /** every request on a connection of its own; left out: connections are kept */
  fresh?: boolean
  /** over TLS: whether a new connection resumes an earlier session; left out: it does not */
  resume?: boolean
  /** an answer that takes longer is a timeout, and an error; left out: as long as the generator lives */
  timeoutSeconds?: number
  /** requests per second, sent on a schedule that does not wait for answers; left out: a closed loop */
  rate?: number
  /** protocol rates: the rate is this share of what the arm does in a closed loop */
  share?: number
  /** with a rate: evenly spaced, or each independent of the others, which is the default */
  arrivals?: 'constant' | 'poisson'
  /** with a rate: of the schedule */
  seed?: number
  /** users that wait between their requests: how many new ones come in a second; left out: all at once */
  spawnPerSecond?: number
  /** … and how often each of them asks in a second; left out, where there are users: 1 */
  perUserPerSecond?: number
  /** protocol window: nothing has asked for it before, neither the gate nor a warm-up, so that caches begin empty */
  cold?: boolean
}

// ---------------------------------------------------------------- experiments and plans

export interface Source { title: string, author: string, year: number, machine: string }

/**
 * What a claim compares. rate: units per second, the default; cpu: CPU time of proxy and server for each unit;
 * memory: of proxy and server; bytes: of one answer on the wire
 */
export type Quantity = 'rate' | 'cpu' | 'memory' | 'bytes'

export type ClaimTest =
  /** measured arm/baseline ratio agrees with `published` within `tolerance` (a factor, default in verdict.js) */
  | { kind: 'ratio', arm: string, baseline: string, tolerance?: number, of?: Quantity }
  /** the arms from most to least, each step beyond the margin */
  | { kind: 'order', arms: string[], of?: Quantity }
  /** every arm within the margin of the first */
  | { kind: 'flat', arms: string[], margin?: number }
  /** the first errors come at this many connections; null: at none of those tried (protocol ladder, the arm's name without its step) */
  | { kind: 'first-error-at', arm: string, connections: number | null }
  /** these arms show errors in most of their trials, and those in none */
  | { kind: 'errors', in: string[], notIn: string[] }
  /** the error log of the proxy holds this text in all trials of these arms, and in none of those */
  | { kind: 'logged', text: string, in: string[], notIn: string[] }

export interface Claim {
  id: string
  source: Source
  statement: string
  /** The published ratio; for order and flat the published figures as text. */
  published: number | string
  test: ClaimTest
  /** Set where no machine of this kind can decide it: the reason. */
  notTestable?: string
  /** cores that the served side must have for the statement to have a meaning: as many as it runs processes */
  needsCores?: number
}

/** How trials are made: one file each in bench/protocols/. */
export type Protocol = 'slices' | 'window' | 'ladder' | 'series' | 'rates'
/** What is counted. Connections and handshakes are counted by what the front has accepted. */
export type Unit = 'requests' | 'connections' | 'handshakes' | 'bytes'

/** An experiment file: data only. Topologies are written as words. */
export interface Experiment {
  title: string
  question: string
  source: Source | null
  /** arm name → topology word, with a load of its own where it differs from the experiment's */
  arms: Record<string, string | { topology: string, load?: Partial<Load>, lab?: LabSettings }>
  /** Pairs [arm, baseline]; left out: all against the first arm. */
  contrasts?: [string, string][]
  /** The arm that runs twice as the noise floor; left out: the first. */
  twin?: string
  protocol: Protocol
  unit: Unit
  load?: Partial<Load>
  /** protocol ladder: the connections tried, in rising order. Every arm becomes an arm for each step, "nginx c500"; contrasts and claims name those. */
  steps?: number[]
  /** protocol rates: the shares of its peak at which every arm is loaded, rising. Every arm becomes an arm for each, "nginx 50 %" */
  shares?: number[]
  /** protocols other than slices: how long one window is, and with --quick; left out: as the protocol has it */
  windowSeconds?: { full: number, quick: number }
  /** wall time of a default run, and with --quick; left out, or a number: the other is as plan.js has it */
  budgetSeconds?: number | { full: number, quick: number }
  /** the run ends after so many blocks, and with --quick; left out: when it is precise enough, or its time is over */
  blocks?: { full: number, quick: number }
  /** errors and cache misses are what the experiment is about: an arm with errors is a result and no failure of the run */
  errorsAreResults?: boolean
  /** 'shared': load and served side may use all cores; for experiments about more processes. Left out: split. */
  cores?: 'split' | 'shared'
  claims?: Claim[]
}

export interface Arm {
  name: string
  /** the topology as typed: what topology/word.js prints */
  word: string
  topology: Topology
  load: Load
  /** the arm this one repeats, for the A/A twin only */
  twinOf: string | null
  /** protocols ladder and rates: the arm as the experiment names it, and which of its steps this is, from 0 */
  ladder?: { of: string, step: number }
}

/** When a run stops. */
export interface Targets {
  /** half-width of every contrast's interval, as a share: 0.02 */
  precision: number
  /** wall time of the whole run */
  budgetSeconds: number
  minBlocks: number
  /** null: until precision or budget */
  maxBlocks: number | null
  /** Bonferroni over the listed contrasts; off for --quick */
  adjusted: boolean
}

export interface Adaptive {
  /** the difference to be told apart four times in five, as a share; null: as small a one as the budget allows */
  detect: number | null
  /** blocks whose noise is looked at first */
  lookBlocks: number
  /** the first block that counts */
  from: number
  /** null: not yet */
  chosen: {
    /** of a slice */
    seconds: number
    /** another length than that of the blocks looked at, which do not count then */
    changed: boolean
    /** variance of a block's log-ratio = white / seconds + floor; null: too few slices counted to say */
    noise: { white: number, floor: number, freedom: number, curve: { seconds: number, sd: number }[] } | null
    /** what was expected then; blocks: all that count; wallSeconds: from then on; neededSeconds: what the goal takes; difference: found four times in five */
    expected: { overheadSeconds: number, blocks: number, wallSeconds: number, neededSeconds: number | null, difference: number, enough: boolean } | null
  } | null
}

export interface Plan {
  experiment: string
  question: string
  protocol: Protocol
  unit: Unit
  arms: Arm[]
  contrasts: [string, string][]
  /** null where there is no A/A arm */
  twin: { arm: string, of: string } | null
  claims: Claim[]
  cores: 'split' | 'shared'
  /** a person's own folder in place of the fixtures; absolute */
  root?: string
  seed: number
  quick: boolean
  /** how long one window is, of protocols that start everything anew; of slices where another length than the usual was chosen */
  windowSeconds?: number
  /** the length of a slice is chosen by the noise of the first blocks; left out: it is the usual one */
  adaptive?: Adaptive
  /** errors are what the experiment is about */
  errorsAreResults?: boolean
  targets: Targets
}

// ---------------------------------------------------------------- plug-ins

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
  /** known vulnerabilities for which there is no fixed release, one sentence: it runs confined; left out: none are known */
  vulnerable?: string
}
/** What keeps a server with known vulnerabilities from all files but its own: bench/confinement.js */
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
    /** it can do so behind another proxy too: it counts connections, and listens on a Unix socket; left out: it cannot */
    origin?: boolean
  }
  /** the arguments that print the version, and how to read what they print */
  version: { args: string[], parse: (output: string) => string | null }
  /** where its modules may lie, relative to what the package's paths start from; how to ask which are compiled in; the files a topology needs */
  modules?: {
    folders: string[]
    builtIn: { args: string[], parse: (output: string) => string[] }
    needed: (request: RenderRequest) => string[]
  }
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
     * it knows no Unix sockets, and answers for its counters where it listens for clients: a relay joins the two. Not on
     * a port of their own: with a second one Apache's processes take turns at accepting.
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

/** What an engine can do and what not: bench/capabilities.js refuses the rest before anything starts. */
export interface EngineAbout {
  title: string
  program: string
  packages: Packages | null
  /** how to come by it where no package brings it, one sentence */
  install?: string
  /** it is made of Python packages: their list, below bench/generators/, and the oldest Python that runs them; left out: it is not */
  python?: { requirements: string, least: string }
  closedLoop: boolean
  rate: boolean
  /** users that come one after the other and wait between their requests: neither a closed loop nor a schedule; left out: it cannot */
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
/** What an engine is that spreads itself: the one that leads, or one of those that make the load. host, port: where the master listens */
export type EnginePart = { role: 'master', host: string, port: number, workers: number, waitSeconds: number } | { role: 'worker', host: string, port: number }
export interface EngineProcess { argv: string[], env: Record<string, string> }
export interface Measurement {
  requests: number
  errors: ErrorCounts
  bytes: number | null
  seconds: number | null
  latencyMs: Latency | null
  /** with a rate: how late requests left; null or left out: not told */
  lagMs?: Lag | null
  /** of microseconds: what its percentiles come from, to be merged with those of other generators; left out: it has none */
  histograms?: { latency: HistogramData, lag?: HistogramData }
  /** with users: second by second */
  users?: UserPoint[]
  /** errors by what the engine calls them */
  failures?: KindCount[]
  /** what the engine itself warned of */
  notes?: string[]
}
/** As bench/stats/histogram.js writes and reads it. */
export interface HistogramData { count: number, max: number, counts: [value: number, count: number][] }
export interface EnginePlugin {
  about: EngineAbout
  /** arguments that print the version, and how to read it; or an npm package's own; 'own': it is part of the project, run by Node */
  version: { args: string[], parse: (output: string) => string | null } | { npm: string } | 'own'
  /** `program` is the absolute path found by tools.js; runs until stopped, and ends by itself with its report after maxSeconds, whole; cores: how many it may use, left out: one; part: of an engine that spreads itself, left out: it is whole */
  command: (load: Load, target: Target, context: { program: string, dir: string, maxSeconds: number, cores?: number, part?: EnginePart }) =>
    { files: Record<string, string>, processes: EngineProcess[] }
  parse: (results: { stdout: string, stderr: string, dir: string, exit: number | null }[]) => Measurement
}

// ---------------------------------------------------------------- measurements

export interface ErrorCounts { non2xx: number, timeouts: number, resets: number, mismatches: number }
export interface Latency { p50: number, p90: number, p95: number, p99: number, max: number, rate: number | null, source: string }
/** How late requests left that were sent on a schedule, in ms: the generator's own fault, whatever the server does. */
export interface Lag { p50: number, p99: number, max: number }
export interface ByRole { load: number, proxy: number, server: number }

export interface Reason { code: string, text: string }

/** Things of one kind, counted. */
export interface KindCount { kind: string, count: number }
/** Lines of a log that say the same but for their numbers: one of them, and how many there were. */
export interface LogCount { text: string, count: number }

/** One second of what users saw, by the engine that made them. */
export interface UserPoint {
  /** from the start of the first user */
  second: number
  /** that were there */
  users: number
  /** requests that ended in it, failures counted */
  rps: number
  failures: number
  /** ms, of the last ten seconds; null: nothing had ended */
  p50: number | null
  p95: number | null
}

/** One second of a series, counted on the served side. */
export interface SeriesPoint {
  /** end of the interval, from the start of the load */
  second: number
  /** units per second */
  rate: number
  /** answers that were errors in it */
  errors: number
  /** sockets in TIME_WAIT in the arm's network at its end; null: it shares the host's */
  timeWait: number | null
}

/** One line of samples.jsonl: one arm in one block. */
export interface Sample {
  arm: string
  block: number
  /** UTC, ISO 8601 */
  startedAt: string
  /** units counted on the served side within `seconds` of the served side's clock */
  requests: number
  seconds: number
  rps: number
  /** while the noise is looked at: units per second over the slice's first step, its first two … and all of it */
  parts?: number[]
  /** while a topology is sized: cores that the served side used, in each tenth of a second of the load */
  coresUsed?: number[]
  errors: ErrorCounts
  /** CPU seconds used in the measured window, by role; idle: by all other arms' processes */
  cpuSeconds: ByRole & { idle: number }
  memoryMiB: { proxy: number, server: number }
  /** of one answer on the wire, headers counted, as the gate saw it; null or left out: not measured */
  bytesPerResponse?: number | null
  /** of what the link between two hosts carries, the share that the answers took; left out: there is no link whose rate is known */
  linkShare?: number
  /** as the engine gave it; left out or null where that would mean nothing */
  latencyMs?: Latency | null
  /** with a rate: how late requests left */
  lagMs?: Lag | null
  /** protocol series: the window second by second */
  series?: SeriesPoint[]
  /** with users: the window second by second, as they saw it */
  users?: UserPoint[]
  /** errors by what the engine calls them */
  failures?: KindCount[]
  /** what the engine itself warned of */
  notes?: string[]
  /** what the error log of the proxy had to say in the window; left out: nothing, or it was not read */
  errorLog?: LogCount[]
  /** requests that reached the server behind a cache; left out or null: not counted */
  originRequests?: number | null
  proof: {
    upstreamConnectionsPerRequest: number | null
    /** connections that the front has accepted for each request; null or left out: it does not count them */
    clientConnectionsPerRequest?: number | null
    cacheHitRatio: number | null
    /** answers of an expired cache entry seen in the slice */
    cacheExpiries: number | null
    socketType: 'tcp' | 'unix' | 'none'
    /** of a server with known vulnerabilities; left out: it has none */
    confinedBy?: ConfinedBy
  }
  /** null: valid */
  invalid: Reason | null
}

// ---------------------------------------------------------------- results

export interface Interval { low: number, high: number }
export type Verdict = 'faster' | 'slower' | 'no-difference' | 'inconclusive' | 'invalid'
/** load: the generator; network: the link between two hosts */
export type Bound = 'server' | 'proxy' | 'load' | 'network' | 'none'

export interface ArmResult {
  name: string
  /** the topology as a word */
  word: string
  topology: Topology
  load: Load
  trials: number
  invalidTrials: { block: number, reason: Reason }[]
  rps: { median: number, low: number, high: number } | null
  errors: ErrorCounts
  latencyMs: Latency | null
  cpuMicrosPerRequest: ByRole | null
  /** bytes of one answer on the wire, headers counted; null: not measured */
  bytesPerResponse?: number | null
  memoryMiB: { proxy: number, server: number } | null
  bound: Bound
  /** the median of what its trials took of the link; left out: there is none whose rate is known */
  linkShare?: number
  /** clientConnectionsPerRequest: with users, of which some may have to connect again */
  proof: { upstreamConnectionsPerRequest: number | null, clientConnectionsPerRequest?: number | null, cacheHitRatio: number | null, socketType: 'tcp' | 'unix' | 'none', confinedBy?: ConfinedBy }
  /** protocol series: the median of all trials, second by second */
  series?: SeriesPoint[]
  /** with users: the median of all trials, second by second */
  users?: UserPoint[]
  /** errors of all trials by what the engine calls them */
  failures?: KindCount[]
  /** what the engine itself warned of */
  notes?: string[]
  /** what the error log of the proxy had to say in all trials */
  errorLog?: LogCount[]
  /** requests that reached the server behind a cache, in one window; null or left out: not counted */
  originRequests?: number | null
  /** protocol ladder */
  ladder?: { of: string, step: number }
  /** why the arm as a whole does not count (refused by the gate, counts disagree …); null: it counts */
  invalid: Reason | null
}

export interface Contrast extends Interval {
  arm: string
  baseline: string
  /** NaN without a block; then low and high too. With too few for the level they are 0 and Infinity. */
  ratio: number
  /** confidence level of [low, high], after the adjustment: 0.99 */
  level: number
  /** blocks in which both arms were valid */
  blocks: number
  /** how many independent blocks would say as much, neighbours being alike: whole, at most `blocks` */
  pooled: number
  /** lag-1 autocorrelation of the block log-ratios as measured; NaN below three blocks */
  lag1: number
  /** 'at-least' where the arm is bound by the load generator, 'at-most' where the baseline is */
  oneSided: null | 'at-least' | 'at-most'
  verdict: Verdict
  /** why it is invalid or inconclusive */
  why: string | null
  /** estimate of the run time that would settle it, for inconclusive */
  secondsToSettle: number | null
}

export interface ClaimResult {
  id: string
  source: Source
  statement: string
  published: number | string
  measured: number | string | null
  low: number | null
  high: number | null
  status: 'confirmed' | 'refuted' | 'inconclusive' | 'not-testable'
  why: string
}

export interface Warning { code: string, text: string, remedy: string }

export interface RunRecord {
  schema: 1
  /** folder name: <UTC time>-<experiment> */
  run: string
  experiment: string
  question: string
  protocol: Protocol
  unit: Unit
  startedAt: string
  endedAt: string | null
  complete: boolean
  /** why it ended: 'precision' | 'budget' | 'blocks' | 'interrupted' | 'failed' */
  ended: string | null
  seed: number
  plan: Plan
  environment: Environment
  tools: Record<string, string>
  /** the arm for which the default engine was too slow, and the share of its core it used; null: the engine is the one asked for */
  switchedFor?: { arm: string, share: number } | null
  /** the engine that the experiment names and that is not to be had here; null: it is the one in use */
  engineInstead?: { wanted: string, why: string } | null
  /** where users ask more slowly than the experiment wants, for want of generator; null or left out: they do not */
  slowerUsers?: SlowerUsers | null
  arms: ArmResult[]
  contrasts: Contrast[]
  noiseFloor: { ratio: number, low: number, high: number } | null
  claims: ClaimResult[]
  warnings: Warning[]
  /** of servers of files: which to take for which case, in sentences */
  recommendation?: string[]
  /** of `hopbench size`: capacity, cost, plans */
  sizing?: Sizing
  /** of `hopbench selftest`: what the machine can tell */
  selftest?: SelfTest
  /** what the last selftest on this machine says of it; left out: there was none */
  resolves?: { run: string, minutes: number, difference: number }
  /** how the wall time was spent */
  timing: { setupSeconds: number, measuredSeconds: number, sliceWallSeconds: number, blocks: number }
}

/** Users whose pace was lowered, so that the generator can keep it. */
export interface SlowerUsers {
  /** requests a second that the engine makes here when nobody waits, and the share of that which it is given to make */
  capacity: number
  share: number
  /** requests a second of each user that were wanted, and that were made */
  arms: { arm: string, users: number, wanted: number, used: number }[]
}

/** What `hopbench selftest` found. */
export interface SelfTest {
  resolution: import('./selftest/resolution.js').Resolution
  /** CPU time of a request of the server that the planted ones are made of */
  microsPerRequest: number
  /** stealShare: taken by other guests; otherShare: of all cores' time, other programs; generatorShare: of its core */
  noise: { stealShare: number | null, otherShare: number | null, governor: string | null, virtual: boolean | null, generatorShare: number | null }
  /** of client and server */
  counts: { arms: number, disagreements: string[] }
  /** null: it was interrupted before that, and so below */
  engines: { name: string, rps: { median: number, low: number, high: number } | null, share: number | null, bound: Bound, toMiddle: { ratio: number, low: number, high: number } | null, agrees: 'yes' | 'no' | 'open' | null }[] | null
  /** the suite's rate over that of the same engine by hand */
  byHand: { ratio: number, pairs: number[] } | null
  openLoop: { capacity: number, accuracies: import('./selftest/open-loop.js').Accuracy[], beyond: number[] } | null
  /** wall time of all of it */
  seconds: number
}

/** What `hopbench size` found: the goal, each topology's capacity, and what it takes to serve the rate. */
export interface Sizing {
  goal: { rate: number, p99Ms: number, headroom: number, fewestInstances: number }
  topologies: import('./sizing/size.js').SizedTopology[]
  table: import('./sizing/price.js').Row[]
  verification: import('./sizing/verify.js').Verification | null
  /** where four topologies or more differ in nothing but their number of processes */
  scaling: import('./sizing/scaling.js').Scaling[]
  /** whether limits can be set here, and why not */
  emulation: { version: 1 | 2 | null, why: string | null }
}

export interface Environment {
  cpu: { model: string, cores: number, governor: string | null, virtual: boolean | null }
  memoryMiB: number
  kernel: string
  platform: string
  node: string
  user: { uid: number | null }
  limits: { openFiles: number | null }
  sysctl: Record<string, string>
  /** namespaces: private network per topology; shared-loopback: none to be had, and why */
  lab: { network: 'namespaces' | 'shared-loopback', pids: boolean, why: string | null }
  /** generators: on so many machines of their own, each with a process of an arm; left out: one, here */
  cores: { load: number[], served: number[], generators?: number }
  /** where more machines than one took part; server: null: the one that led the run; load: empty: likewise */
  hosts?: { server: string | null, load: { name: string, node: string, cpu: { model: string, cores: number }, kernel: string }[] }
  /** busyShare: of all cores' time, what was at work just before the run; null or left out: not known */
  busy: { loadAverage: number, stealShare: number | null, busyShare?: number | null }
}

// ---------------------------------------------------------------- check

/** One question of the conformance and safety matrix. */
export interface CheckProbe {
  name: string
  title: string
  topic: string
  /** section of the RFC that decides, "RFC 9110 14.2"; null where it is about safety alone */
  rfc: string | null
  /** a failure keeps a server from being recommended */
  safety: boolean
}
export interface CheckResult {
  probe: string
  outcome: 'pass' | 'fail' | 'differs-by-design' | 'untested'
  /** what was seen, in words */
  saw: string
  /** where a time was measured */
  ms?: number
  /** the server did not survive the probe */
  died: boolean
}
/** A server bare, or behind one proxy over one transport. */
export interface CheckedChain {
  word: string
  proxy: string | null
  transport: Transport | null
  /** why it could not be started; null: it was */
  error: string | null
  results: CheckResult[]
}
export interface CheckedServer {
  name: string
  /** null for the proxies' own static serving */
  about: ServerAbout | null
  /** of its npm package */
  version: string | null
  checkedAt: string
  node: string
  chains: CheckedChain[]
}
/** results/check.json */
export interface CheckRecord {
  schema: number
  tools: Record<string, string>
  seconds: number
  probes: CheckProbe[]
  servers: CheckedServer[]
}
/** A probe that a server fails, over all its chains. */
export interface CheckFailure extends CheckProbe { saw: string, died: boolean, chains: string[] }

/** An error of the catalog in bench/errors/. `exit` 2: the command was wrong, 1: something failed on the way; `what`: one sentence; `remedy`: what to try. */
export interface ErrorEntry { exit: 1 | 2, what: (details: never) => string, remedy: (details: never) => string }
