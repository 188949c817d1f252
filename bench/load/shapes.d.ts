/** What makes load, as it is found, started and asked. */
import type { HopbenchError } from '../errors.js'
import type { Network } from '../machine/shapes.d.ts'
import type { EnginePart, EnginePlugin, Load, Measurement, Target } from '../types.js'

/** What makes load, here or on another machine: nothing of it is read by its process ids. */
export interface Generator {
  thaw: () => Promise<void>
  freeze: () => Promise<void>
  /** its processes may have changed: whose CPU time counts is looked up again */
  look: () => Promise<void>
  cpu: () => Promise<CpuReading>
  /** seen since the last call */
  errors: () => Promise<SlicedErrors>
  failure: () => Promise<HopbenchError | null>
  /** ends it and reads its report; null: the engine gives none */
  end: () => Promise<Report | null>
  /** waits until it has ended by itself after `maxSeconds`, at most so much longer, and reads its report */
  finished: (graceSeconds: number) => Promise<Report>
  kill: () => Promise<void>
}
export interface SlicedErrors { mismatches: number, timeouts: number, resets: number }
export interface CpuReading {
  /** of CPU time so far */
  seconds: number
  /** by the clock of the machine that it was read on */
  atSeconds: number
  /** any of its processes runs */
  alive: boolean
}
/** sampled: requests of the sampler beside the engine */
export interface Report { measurement: Measurement, sampled: number }

export interface GeneratorOrder {
  /** of the arm, for messages */
  name: string
  load: Load
  target: Target
  network: Pick<Network, 'enter'>
  cores: number[] | null
  /** takes its files, reports and logs */
  dir: string
  /** it ends by itself after this time at the latest */
  maxSeconds: number
  /** of an engine that spreads itself over machines; left out: it is whole */
  part?: EnginePart
}

/** An engine whose program is at hand. */
export interface FoundEngine {
  name: string
  plugin: EnginePlugin
  /** absolute path */
  program: string
  /** what it needs in its environment */
  env: Record<string, string>
  version: string
  start: (order: GeneratorOrder) => Promise<Generator>
}

/** Where load is made: on this machine, or on others. */
export interface Engines {
  /** throws unknown-plugin; tool-missing and its like where the program cannot be had */
  find: (name: string) => Promise<FoundEngine>
  /** the engine that takes over; null: it is not to be had */
  findFaster: () => Promise<FoundEngine | null>
  /** the engine that is wanted, or the next best where nobody insists on it; instead: why it is another one */
  findOrNext: (wanted: string, options: { insist: boolean }) => Promise<FoundEngine & { instead: Instead | null }>
}
export interface Instead { wanted: string, why: string }

/** What an asker was answered. sha256, bytes: of the body as it came over the wire */
export interface Answer {
  /** what was asked for */
  path?: string
  status: number
  sha256: string
  bytes: number
  /** of the body without its Content-Encoding; null: it cannot be undone */
  plainSha256?: string | null
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
  /** of an RSA key */
  bits: number | undefined
  /** of an EC key */
  curve: string | undefined
}
export interface Handshakes {
  first: Handshake | null
  /** the second connection resumed the session of the first */
  reused: boolean
  /** negotiated with a client that knows another version only; null: it was refused, as it should be */
  otherVersion: string | null
  /** why there was no handshake */
  error: string | null
}
