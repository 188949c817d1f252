/** Types of bench/machine/ and its callers. */
import type { Environment, Packages, ReleaseVersion, Runtime, Wheel } from '../types.js'

export interface ProcessSpec {
  name: string // in messages: "nginx of arm uds"
  argv: string[]
  env?: Record<string, string> // in addition to this process's environment
  inherit?: string[] // names of inherited variables; left out: all
  cwd?: string
  enter?: string[] // argv prefix that enters the topology's network and user
  mark?: string // variable of `env` with its value, "NAME=value", that finds processes in other groups
  cores?: number[] | null // pins the process to these cores
  log: string // file that takes stderr, and stdout unless `stdout` is given
  stdout?: string
  input?: string // file for stdin; left out: empty
  shown?: (text: string) => string // removes secrets from the log; left out: shown unchanged
}

/** A program that leads a process group. Signals go to the whole group, and to the other groups of a marked program. */
export interface Child {
  name: string
  pid: number
  groups: () => number[] // process groups: its own, and those that a marked program has now
  enter: string[] // argv prefix with which it entered its network; empty: it is in the network of hopbench
  /** null: the leader runs, or a process that it left after code 0 */
  ended: () => { code: number | null, signal: string | null } | null
  exited: Promise<{ code: number | null, signal: string | null }> // of the leader; never rejects
  signal: (signal: NodeJS.Signals) => void
  pause: () => void // SIGSTOP
  resume: () => void // SIGCONT
  /** kills the group if it does not end; resolves when the group is empty; insist: whether the signal is repeated */
  stop: (options?: { signal?: NodeJS.Signals, graceSeconds?: number, insist?: boolean }) => Child['exited']
  tail: () => string // the last lines of its log
}

export interface Network {
  enter: string[] // argv prefix that enters the clients' side
  enterServed: string[] // the same for the served side, under a user ID other than 0
  enterBeside: string[] // the same for the suite's own programs on the served side
  address: string // of the served side, as clients use it
  /** the served side's end of the link; null: the loopback; bitsPerSecond: null if unknown */
  link: { device: string, bitsPerSecond: number | null } | null
  port: (wanted: number) => Promise<number> // returns a free TCP port
  close: () => Promise<void>
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

export interface ToolSpec {
  program: string // "nginx"
  packages: Partial<Packages> | null // left out for a system: its package has the program's name
  install?: string // how to install it without a package, one sentence
  inside?: string // path in the packages if not in a usual folder: "usr/lib/chromium/chromium"
  release?: string // value of +release; left out: this system's own release
  wheel?: Wheel // contains the program where it is not on PATH; left out: the packages do
}

export interface Tool {
  program: string
  path: string // absolute
  env: Record<string, string> // variables that the program needs
  from: 'path' | 'cache'
  root: string // its modules and data files are in `${root}/usr/lib/…`; "/" on PATH
  release?: ReleaseVersion // of a program of another Debian release, or of a wheel
}

/** Versions of packages in the releases of Debian, newest first. readAt: when its lists were read, ISO 8601 */
export interface Archive { readAt: string, packages: Record<string, ReleaseVersion[]> }

/** env: provides PATH, HOME and HOPBENCH_CACHE; printProgress: prints what is fetched. */
export interface SetupOptions { env?: NodeJS.ProcessEnv, printProgress?: (line: string) => void }

/** A line of `hopbench doctor`. */
export interface Finding {
  name: string // "nginx"
  status: 'ok' | 'warn' | 'fail' // fail: the headline experiments do not run
  text: string // one sentence
  remedy: string | null // null: no fault
}

export interface DoctorOptions {
  environment: Environment
  /** programs that plug-ins need */
  tools: (ToolSpec & { version: null | { args: string[], parse: (output: string) => string | null } })[]
  resultsDir: string
  runtimes?: [name: string, runtime: Runtime][] // that servers can run under; left out: none
  lastDay?: string | null // last day of releases of this Node's line, if it is past
  env?: NodeJS.ProcessEnv
  root?: string // is prepended to /proc and /sys
  watch?: () => Promise<{ busy: number, steal: number } | null> // reads the shares of busy and stolen time
}
