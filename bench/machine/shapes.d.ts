/** The shapes that files of this room, and their callers, hand to each other. */
import type { Readable, Stream, Writable } from 'node:stream'
import type { Environment, Runtime } from '../types.js'

export interface Ended { code: number | null, signal: string | null }

export interface ProcessSpec {
  name: string // what it is called in messages: "nginx of arm uds"
  argv: string[]
  env?: Record<string, string> // added to this process's own
  inherit?: string[] // of this process's own variables those that it gets; left out: all
  cwd?: string
  enter?: string[] // argv that enters the topology's network and user, put in front
  cores?: number[] | null // pins the process to these cores
  log: string // file that takes stderr, and stdout unless `stdout` is given
  stdout?: string
  input?: string // file that it reads as its stdin; left out: nothing
  shown?: (text: string) => string // what may be shown of its log; left out: all of it
}

export interface StopOptions {
  signal?: NodeJS.Signals
  graceSeconds?: number
  insist?: boolean // the signal is sent again and again
}

/** A program that leads a process group of its own: signals go to the whole group. */
export interface Child {
  name: string
  pid: number
  ended: () => Ended | null // null while the leader runs
  exited: Promise<Ended> // of the leader; never rejects
  signal: (signal: NodeJS.Signals) => void
  pause: () => void // SIGSTOP
  resume: () => void // SIGCONT
  /** kills the group when it does not end; resolves when none of it is left */
  stop: (options?: StopOptions) => Promise<Ended>
  tail: () => string // the last lines of its log
}

/** A program that is spoken with over its pipes. */
export interface Converser {
  stdin: Writable
  stdout: Readable
  ends: (graceSeconds: number) => Promise<void> // waits until it has ended by itself, and kills it when it does not
}

export interface RunOptions {
  env?: Record<string, string> // added to this process's own
  cwd?: string
  timeoutSeconds?: number
  input?: string | Uint8Array
}
export interface RunResult {
  exit: number | null // null: a signal ended it, or it could not be started; then stderr says why
  signal: string | null
  stdout: string
  stderr: string
  timedOut: boolean
}

/** A program that has this terminal. */
export interface Foreground {
  stdio: (Stream | null | undefined)[]
  exit: Promise<number> // 1 when a signal ended it
  kill: () => void
}

export interface LabFacts {
  network: 'namespaces' | 'shared-loopback'
  pids: boolean // a PID namespace that dies with its owner is available
  why: string | null // why not, where something is not available
}

export interface Network {
  enter: string[] // argv that enters it, where the clients are
  enterServed: string[] // where the served side is, under a user id that is not 0
  enterBeside: string[] // where the served side is, for the suite's own programs
  address: string // of the served side, as the clients see it
  link: Link | null // the served side's end of what its answers go through; null: the loopback
  port: (wanted: number) => Promise<number> // a TCP port that is free in it
  close: () => Promise<void>
}
export interface NetworkOptions {
  name: string
  dir: string // takes the holder's log
  private: boolean // false: it shares the host's loopback, or the host's own address
  sysctl?: Record<string, string>
  net?: 'gigabit'
  address?: string // not private: the address of this host that clients on other machines ask
}
export interface Link {
  device: string
  bitsPerSecond: number | null // null: not known
}

export interface CoreSplit {
  load: number[]
  served: number[]
  split: boolean // false: both share the same cores, or one side is on another machine
}

/** In seconds, each from a beginning of its own. */
export interface Clocks {
  monotonic: number
  boot: number | null // null: unknown here
  wall: number
  apart?: number // the time between the first of them and the last; left out: none
}

/** What it means to be at rest: less than this share of a core over a step, waited for so long at most. */
export interface Rest { share: number, stepMs: number, limitMs: number }

/** Who holds a name that is taken. */
export interface Holder {
  about: Record<string, any> // what it says of itself; empty where it does not answer
  gone: Promise<void> // resolves when it has released the name, or has ended
  leave: () => void // nobody waits for that any more
}

export interface ToolSpec {
  program: string // "nginx"
  packages: Packages | null // what brings it; a system that is left out is assumed to call the package as the program
  install?: string // how to come by it where no package brings it, one sentence
  inside?: string // where it lies in the unpacked packages, if in no folder of programs: "usr/lib/chromium/chromium"
}
export interface Packages { debian?: string[], fedora?: string[], alpine?: string[], brew?: string[] }
export type VersionedSpec = ToolSpec & {
  version: null | { args: string[], parse: (output: string) => string | null }
}

export interface Tool {
  program: string
  path: string // absolute
  env: Record<string, string> // what to add to the environment of the program
  from: 'path' | 'cache'
  root: string // its modules and data files lie at `${root}/usr/lib/…`; "/" on PATH
}

/** Whose PATH, HOME and HOPBENCH_CACHE count, and who takes the line that says what is fetched. */
export interface SetupOptions { env?: NodeJS.ProcessEnv, say?: (line: string) => void }

/** How the cache is filled. */
export interface Fetch {
  needed: () => boolean // is called once the lock is ours
  waiting: () => void // another start fetches
  what: string
  mib: number // what it takes on the disk while it is fetched
}

/** What is known of one fetched program; paths are relative to the note's folder. */
export interface Note {
  program: string
  root: string // folder into which its packages were unpacked
  path: string // the program
  digest: string // SHA-256 of all that lies in `root`
  libraries: string[] // folders of the libraries that came with it
  versions: Record<string, string> // package → version
}

export interface PythonSpec {
  program: string // what it is called in messages: "Locust"
  requirements: string // absolute path of the list: name==version and the hashes of its wheels
  least: string // the oldest Python that these versions run on: "3.10"
}
export interface PythonEnvironment { python: string, folder: string }

/** One line of `hopbench doctor`. */
export interface Finding {
  name: string // what was looked at: "nginx"
  status: 'ok' | 'warn' | 'fail' // fail: the headline experiments do not run
  text: string // what was found, one sentence
  remedy: string | null // what to do; null where nothing is wrong
}

export interface DoctorOptions {
  environment: Environment
  tools: VersionedSpec[] // programs that plug-ins ask for
  resultsDir: string
  runtimes?: [name: string, runtime: Runtime][] // that servers can run under; left out: none
  lastDay?: string | null // of the line of this Node, where it is past; null or left out: it is not
  env?: NodeJS.ProcessEnv
  root?: string // stands before /proc and /sys
  watch?: () => Promise<{ busy: number, steal: number } | null> // how busy the cores are
}
