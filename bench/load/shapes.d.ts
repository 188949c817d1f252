/** What makes load, as it is found, started and queried. */
import type { HopbenchError } from '../errors.js'
import type { Network } from '../machine/shapes.d.ts'
import type { EnginePart, EnginePlugin, Load, Measurement, Target } from '../types.js'

/** What makes load, here or on another machine: nothing of it is read by its process ids. */
export interface Generator {
  thaw: () => Promise<void>
  freeze: () => Promise<void>
  look: () => Promise<void> // its processes may have changed: whose CPU time counts is looked up again
  cpu: () => Promise<CpuReading>
  errors: () => Promise<SlicedErrors> // seen since the last call
  /** throws where the engine's requests cannot be counted while it runs, see EngineAbout.counted */
  counts: () => Promise<LoadCounts>
  failure: () => Promise<HopbenchError | null>
  end: () => Promise<Report | null> // ends it and reads its report; null: the engine gives none
  /** waits until it has ended by itself after `maxSeconds`, at most so much longer, and reads its report */
  finished: (graceSeconds: number) => Promise<Report>
  kill: () => Promise<void>
}
/** The requests of a generator so far: completed ones, or sent ones where the kernel counts them. */
export interface LoadCounts {
  requests: number
  atSeconds: number // by the clock of the process that counts
  isIdle: boolean // every response that had arrived is handled; a paused generator's last reading counts as such
}
/** non2xx: where the target says that nobody else counts them; left out: none */
export interface SlicedErrors { mismatches: number, timeouts: number, resets: number, non2xx?: number }
export interface CpuReading {
  seconds: number // of CPU time so far
  atSeconds: number // by the clock of the machine that it was read on
  /** any of its processes runs */
  alive: boolean
}
/** sampled: requests of the sampler beside the engine */
export interface Report { measurement: Measurement, sampled: number }

export interface GeneratorOrder {
  name: string // of the arm, for messages
  load: Load
  target: Target
  network: Pick<Network, 'enter'>
  cores: number[] | null
  dir: string // takes its files, reports and logs
  maxSeconds: number // it ends by itself after this time at the latest
  /** of an engine that spreads itself over machines; left out: it is whole */
  part?: EnginePart
}

/** An engine whose program is at hand. */
export interface FoundEngine {
  name: string
  plugin: EnginePlugin
  program: string // absolute path
  env: Record<string, string> // what it needs in its environment
  version: string
  start: (order: GeneratorOrder) => Promise<Generator>
}

/** Where load is made: on this machine, or on others. */
export interface Engines {
  /** throws unknown-plugin; tool-missing and its like where the program is not available */
  find: (name: string) => Promise<FoundEngine>
  findFaster: () => Promise<FoundEngine | null> // the engine that takes over; null: it is not available
  /** the engine that is wanted, or the next best where nobody insists on it; instead: why it is another one */
  findOrNext: (wanted: string, options: { insist: boolean }) => Promise<FoundEngine & { instead: Instead | null }>
}
export interface Instead { wanted: string, why: string }

/** What an asker was answered. sha256, bytes: of the body as it came over the wire */
export interface Answer {
  path?: string // what was asked for
  status: number
  sha256: string
  bytes: number
  wholeBytes?: number // of the body with what varies by nature, which `bytes` and the hash leave out; left out: nothing
  location?: string | null // where an answer that is no 2xx leads
  plainSha256?: string | null // of the body without its Content-Encoding; null: it cannot be undone
  contentType: string | null
  contentLength: string | null
  contentEncoding: string | null
  /** X-Cache-Status, or what X-Cache begins with */
  cache: string | null
}

/** What was negotiated. protocol: "TLSv1.3"; cipher: "TLS_AES_256_GCM_SHA384"; keyType: as node:crypto calls it */
export interface Handshake {
  protocol: string | null
  cipher: string
  keyType: string | undefined
  bits: number | undefined // of an RSA key
  /** of an EC key */
  curve: string | undefined
}
export interface Handshakes {
  first: Handshake | null
  reused: boolean // the second connection resumed the session of the first
  /** negotiated with a client that knows another version only; null: it was refused, as it should be */
  otherVersion: string | null
  /** ALPN, of a client that offers HTTP/2 and then HTTP/1.1: "h2"; null: the served side knows no ALPN */
  chosen: string | null
  /** why there was no handshake */
  error: string | null
}
