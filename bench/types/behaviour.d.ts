/** Scenarios, which play requests by a timetable, and the results of their plays. */
import type { HistogramData, OptionSpec } from './plugins.d.ts'
import type { Unsteady } from './sample.d.ts'
import type { OptionValue } from './topology.d.ts'
import type { Count, Estimate, PositiveInteger } from './values.d.ts'

/** bench/scenarios/<name>.js: a client that counts how a topology behaves. It does not know which proxy is in front. */
export interface Scenario {
  /** name and unit of the groups' `at`: "ms after the timeout of the app" */
  axis?: string
  /** outcomes besides `ok` that are no failures; left out: none */
  expects?: string[]
  options: Record<string, OptionSpec>
  /** Resources and abilities without which no play is possible (pure). Looked at before anything starts. */
  needs: (options: Record<string, OptionValue>) => ScenarioNeeds
  play: (context: PlayContext) => Promise<Play>
}
export interface ScenarioNeeds {
  /** length of a play at most, up to 60; the play is ended after it */
  seconds: number
  /** client connections at once; left out: those of the load */
  connections?: number
  /** the app accepts POST on the path; looked at by a request before the first play */
  post?: boolean
  /** the proxy passes on upgrades to WebSocket */
  upgrade?: boolean
  /** actions of the topology, see PlayContext.act */
  acts?: string[]
}

/** Facts and abilities that a play gets. */
export interface PlayContext {
  target: PlayTarget
  /** with defaults; durations in milliseconds */
  options: Record<string, OptionValue>
  /** performs an action on the served side and waits until it is done; rejects where the topology has no such action */
  act: (name: string) => Promise<void>
  read: () => Promise<PlayReading>
  /** ends the play */
  signal: AbortSignal
  /** of all random numbers of the play */
  seed: number
}
/** An address in the form that options of node:http and node:net take. host, port: null with a Unix socket */
export interface PlayAddress {
  /** without a path */
  url: string
  socketPath: string | null
  host: string
  port: number | null
}
/** The front. origin: the app behind it, without the proxy; without a proxy the same address */
export interface PlayTarget extends PlayAddress {
  path: string
  headers: Record<string, string>
  origin: PlayAddress
}
/** The served side at one moment. */
export interface PlayReading {
  memoryMiB: { proxy: number, server: number }
  /** so far */
  cpuSeconds: { proxy: number, server: number }
  openFiles: { proxy: number, server: number }
  /** open files that were deleted, as temporary files are */
  temporaryMiB: { proxy: number, server: number }
}

/** The result of a play. Whole microseconds in all histograms, which are those of bench/load/histogram.js. */
export interface Play {
  groups: PlayGroup<DelayHistogram>[]
  figures?: PlayMetric[]
  /** lateness of the client against its own timetable */
  lag: DelayHistogram
  /** first faults with their circumstances, one sentence each */
  evidence?: string[]
  /** of a scenario that compares costs: its warm-up ended at its limit; left out: it was warm */
  unsteady?: Unsteady
}
export interface DelayHistogram { toJSON: () => HistogramData }
/** Requests of one kind. */
export interface PlayGroup<Delay> {
  /** of the kind: "POST" */
  name: string
  /** position on the axis of the scenario; left out: the scenario has none */
  at?: number
  /** sum of all counts */
  requests: Count
  /** by outcome: ok, status-502, reset, refused, timeout, truncated, late-event … */
  counts: Record<string, Count>
  /** by name: "response", "first event"; left out: none */
  delays?: Record<string, Delay>
}
/** A figure besides counts and delays: the peak of the app's memory. */
export interface PlayMetric { name: string, value: number, unit: string }

/** A play as its sample stores it. */
export interface StoredPlay {
  groups: PlayGroup<HistogramData>[]
  figures: PlayMetric[]
  evidence: string[]
}
/** All valid plays of an arm together. */
export interface PlaysResult {
  plays: PositiveInteger
  groups: PlayGroup<DelaySummary>[]
  /** value: median of the plays; low, high: of all plays */
  figures: (PlayMetric & { low: number, high: number })[]
  evidence: string[]
}
/** Percentiles in milliseconds, over all plays. */
export interface DelaySummary { count: Count, p50: Estimate, p99: Estimate, max: Estimate }
