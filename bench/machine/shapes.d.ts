/** Types of bench/machine/ and its callers. */
import type { Readable, Stream, Writable } from 'node:stream'
import type { Environment, Runtime } from '../types.js'

export interface Ended { code: number | null, signal: string | null }

export interface ProcessSpec {
  name: string // in messages: "nginx of arm uds"
  argv: string[]
  env?: Record<string, string> // in addition to this process's environment
  inherit?: string[] // names of inherited variables; left out: all
  cwd?: string
  enter?: string[] // argv prefix that enters the topology's network and user
  cores?: number[] | null // pins the process to these cores
  log: string // file that takes stderr, and stdout unless `stdout` is given
  stdout?: string
  input?: string // file for stdin; left out: empty
  shown?: (text: string) => string // removes secrets from the log; left out: shown unchanged
}

export interface StopOptions {
  signal?: NodeJS.Signals
  graceSeconds?: number
  insist?: boolean // whether the signal is repeated
}

/** A program that leads a process group. Signals go to the whole group. */
export interface Child {
  name: string
  pid: number
  ended: () => Ended | null // null while the leader runs
  exited: Promise<Ended> // of the leader; never rejects
  signal: (signal: NodeJS.Signals) => void
  pause: () => void // SIGSTOP
  resume: () => void // SIGCONT
  /** kills the group if it does not end; resolves when the group is empty */
  stop: (options?: StopOptions) => Promise<Ended>
  tail: () => string // the last lines of its log
}

/** A program that exchanges messages over its pipes. */
export interface Converser {
  stdin: Writable
  stdout: Readable
  ends: (graceSeconds: number) => Promise<void> // waits for its end, and kills it after that time
}

export interface RunOptions {
  env?: Record<string, string> // in addition to this process's environment
  cwd?: string
  timeoutSeconds?: number
  input?: string | Uint8Array
}
export interface RunResult {
  exit: number | null // null: ended by a signal, or not started; then stderr holds the reason
  signal: string | null
  stdout: string
  stderr: string
  timedOut: boolean
}

/** A program in the foreground of this terminal. */
export interface Foreground {
  stdio: (Stream | null | undefined)[]
  exit: Promise<number> // 1 if ended by a signal
  kill: () => void
}

export interface LabFacts {
  network: 'namespaces' | 'shared-loopback'
  pids: boolean // whether PID namespaces are available
  why: string | null // why a namespace is unavailable; null: all are available
}

export interface Network {
  enter: string[] // argv prefix that enters the clients' side
  enterServed: string[] // the same for the served side, under a user ID other than 0
  enterBeside: string[] // the same for the suite's own programs on the served side
  address: string // of the served side, as clients use it
  link: Link | null // the served side's end of the link; null: the loopback
  port: (wanted: number) => Promise<number> // returns a free TCP port
  close: () => Promise<void>
}
export interface NetworkOptions {
  name: string
  dir: string // folder for the holder's log
  private: boolean // false: shares the host's loopback or address
  sysctl?: Record<string, string>
  net?: 'gigabit'
  address?: string // not private: this host's address for clients on other machines
}
export interface Link {
  device: string
  bitsPerSecond: number | null // null: unknown
}

export interface CoreSplit {
  load: number[]
  served: number[]
  split: boolean // false: both share the same cores, or one side is on another machine
}

/** Readings in seconds, each clock from its own origin. */
export interface Clocks {
  monotonic: number
  boot: number | null // null: unavailable
  wall: number
  apart?: number // time between the first and the last reading; left out: 0
}

/** Condition for being at rest: less than `share` of a core during `stepMs`. The wait ends after `limitMs`. */
export interface Rest { share: number, stepMs: number, limitMs: number }

/** The process that holds a name. */
export interface Holder {
  about: Record<string, any> // its description; empty if it does not reply
  gone: Promise<void> // resolves when the name is released
  leave: () => void // ends the wait
}

export interface ToolSpec {
  program: string // "nginx"
  packages: Packages | null // left out for a system: its package has the program's name
  install?: string // how to install it without a package, one sentence
  inside?: string // path in the packages if not in a usual folder: "usr/lib/chromium/chromium"
}
export interface Packages { debian?: string[], fedora?: string[], alpine?: string[], brew?: string[] }
export type VersionedSpec = ToolSpec & {
  version: null | { args: string[], parse: (output: string) => string | null }
}

export interface Tool {
  program: string
  path: string // absolute
  env: Record<string, string> // variables that the program needs
  from: 'path' | 'cache'
  root: string // its modules and data files are in `${root}/usr/lib/…`; "/" on PATH
}

/** env: provides PATH, HOME and HOPBENCH_CACHE; say: prints what is fetched. */
export interface SetupOptions { env?: NodeJS.ProcessEnv, say?: (line: string) => void }

/** Options of filling the cache. */
export interface Fetch {
  needed: () => boolean // called under the lock: whether the fetch is still needed
  waiting: () => void // called if another process is fetching
  what: string
  mib: number // space needed during the fetch
}

/** Note of one fetched program. Paths are relative to the note's folder. */
export interface Note {
  program: string
  root: string // folder into which its packages were unpacked
  path: string // the program
  digest: string // SHA-256 of all files in `root`
  libraries: string[] // folders of its libraries
  versions: Record<string, string> // by package
}

export interface PythonSpec {
  program: string // in messages: "Locust"
  requirements: string // absolute path of the list: name==version and the hashes of its wheels
  least: string // the oldest Python that these versions run on: "3.10"
}
export interface PythonEnvironment { python: string, folder: string }

/** A line of `hopbench doctor`. */
export interface Finding {
  name: string // "nginx"
  status: 'ok' | 'warn' | 'fail' // fail: the headline experiments do not run
  text: string // one sentence
  remedy: string | null // null: no fault
}

export interface DoctorOptions {
  environment: Environment
  tools: VersionedSpec[] // programs that plug-ins need
  resultsDir: string
  runtimes?: [name: string, runtime: Runtime][] // that servers can run under; left out: none
  lastDay?: string | null // last day of releases of this Node's line, if it is past
  env?: NodeJS.ProcessEnv
  root?: string // is prepended to /proc and /sys
  watch?: () => Promise<{ busy: number, steal: number } | null> // reads the shares of busy and stolen time
}
