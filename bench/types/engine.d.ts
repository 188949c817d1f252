/** Plug-ins for load generators. */
import type { ErrorCounts, KindCount, Latency, RequestKind, UserPoint } from './sample.d.ts'
import type { Sample } from './results.d.ts'
import type { EngineAbout, EnginePart, HistogramData, Target } from './plugins.d.ts'
import type { Load } from './topology.d.ts'

export interface Measurement {
  requests: number
  errors: ErrorCounts
  bytes: number | null
  seconds: number | null
  latencyMs: Latency | null
  lagMs?: Sample['lagMs'] // null or left out: unknown
  backlog?: Sample['backlog'] // with a rate; left out: unknown
  /** distributions in microseconds, to be merged with those of other generators */
  histograms?: { latency: HistogramData, lag?: HistogramData, byKind?: Record<RequestKind, HistogramData> }
  users?: UserPoint[] // users by second
  failures?: KindCount[] // errors by the engine's own names
  /** warnings of the engine itself */
  notes?: string[]
}

export interface EnginePlugin {
  about: EngineAbout
  /** arguments that print the version and their parser; an npm package; 'own': part of the project, run by Node */
  version: { args: string[], parse: (output: string) => string | null } | { npm: string } | 'own'
  /**
   * Returns files and processes. `program` is its absolute path. It runs until stopped, and ends by itself with its
   * report after maxSeconds. cores: number of cores, left out: one; part: role in an engine on several machines.
   */
  command: (
    load: Load,
    target: Target,
    context: { program: string; dir: string; maxSeconds: number; cores?: number; part?: EnginePart }
  ) => { files: Record<string, string | Buffer>; processes: { argv: string[]; env?: Record<string, string> }[] }
  parse: (results: { stdout: string; stderr: string; dir: string; exit: number | null }[]) => Measurement
}

/** bench/engines/<name>.js. Its `about` contains only what differs from the defaults in bench/plan/plugins.js. */
export type EngineFile = Omit<EnginePlugin, 'about'> & {
  about: Pick<EngineAbout, 'title' | 'program'> & Partial<EngineAbout>
}
