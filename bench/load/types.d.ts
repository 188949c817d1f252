/** The shapes that the files of bench/load/ and their callers share. */
import type { HopbenchError } from '../errors.js'
import type { Network } from '../machine/types.d.ts'
import type { EnginePart, EnginePlugin, Load, Measurement, Rig, Target } from '../types.js'

/** A machine that makes load, reached by the system's ssh. */
export interface Host {
  name: string // "user@host", or a host of the user's ssh configuration
  ssh: string[] // the ssh command with its options
}

/** A machine that makes load, after it was reached. */
export interface LoadHost extends Host {
  address: string // of this machine, as the other one reaches it
  cpu: { model: string, cores: number }
  kernel: string
  lost: HopbenchError | null // why it became unreachable; null: it did not
}

/** A load generator on this machine or on another one. */
export interface Generator {
  host?: string // the machine that makes the load; left out: this one
  resume: () => Promise<void>
  pause: () => Promise<void>
  findProcesses: () => Promise<void> // looks up its processes again, because some may have been replaced
  cpu: () => Promise<CpuReading>
  errors: () => Promise<SlicedErrors> // since the last call
  /** throws if the engine's requests cannot be counted while it runs, see EngineAbout.counted */
  counts: () => Promise<LoadCounts>
  failure: () => Promise<HopbenchError | null>
  end: () => Promise<Report | null> // ends it and reads its report; null: the engine has none
  /** waits until it has ended by itself after `maxSeconds`, at most this much longer, and reads its report */
  finished: (graceSeconds: number) => Promise<Report>
  kill: () => Promise<void>
}
/** The requests of a generator so far: completed ones, or sent ones where the kernel counts them. */
export interface LoadCounts {
  requests: number
  atSeconds: number // by the clock of the process that counts
  isIdle: boolean // every response that had arrived is handled; a paused generator's last reading counts as such
}
/** non2xx: omitted if the served side counts them */
export interface SlicedErrors { mismatches: number, timeouts: number, resets: number, non2xx?: number }
export interface CpuReading {
  seconds: number // CPU time so far
  atSeconds: number // by the clock of this machine
  alive: boolean // any of its processes runs
}
/** sampled: requests of the sampler beside the engine */
export interface Report { measurement: Measurement, sampled: number }

export interface GeneratorOptions {
  name: string // of the arm, for messages
  load: Load
  target: Target
  network: Pick<Network, 'enter'>
  cores: number[] | null
  dir: string // takes its files, reports and logs
  maxSeconds: number // after which it ends by itself
  part?: EnginePart // of the master of an engine that is spread over machines
}

/** An engine whose program is available. */
export interface FoundEngine {
  name: string
  plugin: EnginePlugin
  program: string // absolute path
  env: Record<string, string>
  version: string
  start: (order: GeneratorOptions) => Promise<Generator>
}

/** Finds engines on this machine or on other ones. */
export interface Engines {
  /** throws unknown-plugin, and tool-missing and similar codes if the program is not available */
  find: (name: string) => Promise<FoundEngine>
  findFaster: () => Promise<FoundEngine | null> // null: not available
  /** this engine, or the next best unless `insist`; instead: why it is another one */
  findOrNext: (name: string, options: { insist: boolean }) => Promise<FoundEngine & { instead: Rig['instead'] }>
}

/** A response that checker.js has received. sha256, bytes: of the body on the wire */
export interface CheckedResponse {
  request?: number // index among the different requests of a mix
  status: number
  sha256: string
  bytes: number
  wholeBytes?: number // of the body with the part that Load.ignoreBody matches, which `bytes` and `sha256` leave out
  location?: string | null // header Location of a status from 300
  headers?: Record<string, string | null> // those requested, by name in lower case; null: missing
  plainSha256?: string | null // of the body without its Content-Encoding; null: it cannot be decoded
  contentType: string | null
  contentLength: string | null
  contentEncoding: string | null
  cache: string | null // X-Cache-Status, or the first spec of X-Cache
}

export interface Handshakes {
  /** protocol: "TLSv1.3"; cipher: "TLS_AES_256_GCM_SHA384"; keyType: as in node:crypto; bits: of an
   * RSA key; curve: of an EC key */
  first: {
    protocol: string | null
    cipher: string
    keyType: string | undefined
    bits: number | undefined
    curve: string | undefined
  } | null
  reused: boolean // the second connection resumed the session of the first
  otherVersion: string | null // negotiated with a client that supports only another version; null: refused, as expected
  chosen: string | null // ALPN of a client that offers HTTP/2, then HTTP/1.1: "h2"; null: ALPN is not supported
  error: string | null // why there was no handshake
}
