/** Advice: facts about an app, the rules that judge them, and what `hopbench advise` stores. */
import type { RatioInterval, Verdict } from './record.d.ts'
import type { ContrastWhy, GateRefusal } from './facts.d.ts'
import type { OpenRange } from './sizing.d.ts'
import type { Integer, Phrase, Positive, RunName, UtcTime } from './values.d.ts'

/** Facts of the files of a project. */
export interface ProjectFacts {
  name: string
  /** false: there is no package.json, so the app is no Node project */
  hasManifest: boolean
  framework: { name: string, version: string | null } | null
  /** whether the code or the start of the app has the framework's setting for a proxy; left out: an older advice */
  trustsProxy?: boolean
  /** whether the package is missing with which the framework builds a server for Node; left out: an older advice */
  lacksAdapter?: boolean
  /** package manager of the lock file; null: there is none */
  lock: string | null
  /** packages that take over connections, such as ws */
  upgrades: string[]
  /** folders that look like files for browsers, relative to the project, that --files does not name */
  unnamedFolders: string[]
}

/** Files of a project that state how it is deployed. */
export interface OwnFiles {
  /** path of a configuration of nginx, as `hopbench run` takes it; null: there is none */
  config: string | null
  /** names of the site */
  hosts: string[]
  /** largest body of a request, in MiB; null: no file states one */
  maxBody: number | null
  files: { file: string, keeps: string[], drops: string[] }[]
}

/** Facts of the responses to one path. */
export interface PageFacts {
  path: string
  status: number
  /** media type without its parameters; null: missing */
  type: string | null
  /** bytes of the body without compression */
  bytes: number
  /** Content-Encoding for clients that accept gzip; null: not compressed */
  encoding: string | null
  cacheControl: string | null
  setsCookie: boolean
  vary: string | null
  hasEtag: boolean
  /** two responses had different bodies */
  varies: boolean
  /** its parts come with pauses */
  streams: boolean
  /** X-Accel-Buffering: no, with which nginx keeps no part back */
  isUnbuffered: boolean
}

/** Files to which the pages of an app link, and the folders from which it sends them. */
export interface ServedFiles {
  files: number
  bytes: number
  /** of the bytes of the pages and these files */
  share: number
  /** folder: relative to the project */
  folders: { prefix: string, folder: string, files: number }[]
  /** files that neither the project nor its packages have */
  unknown: number
}

/** Facts of the running app. */
export interface RunningFacts {
  pages: PageFacts[]
  /** faults of the paths that cannot be measured */
  refused: (GateRefusal['params'] & { path: string })[]
  /** time for which the app keeps an idle connection, as it announces it; null: unknown */
  keepAliveSeconds: number | null
  closesConnections: boolean
  poweredBy: string | null
  files?: ServedFiles // left out: an older advice
  /** whether a request in flight gets its response after SIGTERM; 'arrived': only one that has wholly arrived before;
   * null: unknown */
  drains: boolean | 'arrived' | null
  /** time from SIGTERM to the end; null: longer than the limit, or unknown */
  endSeconds: number | null
}

/** Facts of a folder whose files the app serves. */
export interface FolderFacts {
  prefix: string
  files: number
  bytes: number
  /** bytes of files that compression makes smaller */
  compressible: number
  /** files with a hash in their names */
  hashed: number
  /** files with a precompressed twin (.gz or .br) */
  twins: number
  /** source maps */
  maps: number
}

/** Facts of the platform for which the advice is. */
export interface PlatformFacts {
  /** as typed; null: no provider is named */
  provider: string | null
  /** of the deploy kit */
  target: string
  /** whether a router in front terminates TLS */
  endsTls: boolean
  /** whether nginx of the kit takes the address and the scheme of clients from that router */
  trustsRouter: boolean
  /** time for which the router, or a usual load balancer, keeps idle connections to an instance */
  idleSeconds: number
  /** whether the provider documents that time */
  isIdleKnown: boolean
}

export interface AdviceFacts {
  project: ProjectFacts
  own?: OwnFiles // left out: an older advice
  app: RunningFacts
  folders: FolderFacts[]
  platform: PlatformFacts
  machine: { servedCores: number, cpu: string, node: string }
  /** whether the app listens on a Unix socket, too */
  hasSocket: boolean
  /** the app listens on $PORT, so that each of several processes can have a port of its own */
  hasOwnPort: boolean
  /** whether requests carry cookies or credentials (--header) */
  isPrivate: boolean
  /** UTC, ISO 8601 */
  today: string
}

/** Load for which the advice is; null: not typed. */
export interface AdviceLoad { rps: number | null, p99Ms: number | null }

/** A measured pair of topologies. */
export interface AdviceContrast extends RatioInterval {
  arm: string
  baseline: string
  level: number
  verdict: Verdict
  /** how the ratio differs from that of the capacities, because an arm was not saturated; left out: it does not */
  bound?: 'at-least' | 'at-most' | 'neither'
  /** why an inconclusive one is */
  why?: ContrastWhy
  /** time that a verdict would take; null: unknown, or there is one */
  secondsToSettle: number | null
  /** name of the run; null: it failed, and the verdict is invalid */
  run: string | null
  /** bytes on the wire of a response or page view; null: not measured */
  bytes: { arm: number | null, baseline: number | null }
  /** requests of a page view; 1: the rate is one of requests */
  requests: number
  /** programs that served, as in "node 26.1.0"; null: unknown; left out: an older advice */
  programs?: { arm: string | null, baseline: string | null }
  /** processes of the app that did its work; null: unknown; left out: an older advice */
  processes?: { arm: number | null, baseline: number | null }
  /** CPU time of the served side of a request or page view; null: not measured */
  cpuMicros: { arm: number | null, baseline: number | null }
  /** instances at the load, of the arm at both ends of the interval and of the baseline; left out: not sized */
  instances?: { low: number, high: number, baseline: number }
}

/** A sizing of the chosen topology. */
export interface AdviceSizing {
  run: string
  spec: string
  /** offering with its provider */
  offering: string
  /** requests per second of an instance */
  perInstance: number
  /** an instance may serve more, as with more processes than the one that was measured; left out: no bound */
  atLeast?: boolean
  instances: number
  /** instances that another sizing may find; null: unknown; left out: an older advice */
  range?: OpenRange | null
  /** whether the estimate is often wrong, because the offering has an eighth of a core or less */
  isUncertain?: boolean
  /** cores that the offering promises, or that are assumed */
  cores: number | null
  /** processes of an instance; null: unknown */
  processes: number | null
  /** price of the instances a month; null: unknown */
  monthly: number | null
  /** price of a month with traffic; null: unknown */
  total: number | null
  /** price of its traffic a month, which is part of the total; null: unknown */
  traffic: number | null
  currency: string
  /** price of a GB that is sent; null: unknown */
  perGb: number | null
  /** GB a month that are free or included */
  freeGb: number
}

/** Everything that a rule may look at. */
export interface AdviceState {
  facts: AdviceFacts
  /** a first look, which leaves out what changes a decision rarely */
  quick: boolean
  load: AdviceLoad
  /** topology that is chosen so far, as a spec */
  chosen: string
  contrasts: AdviceContrast[]
  /** null: not sized, or not yet */
  sizing: AdviceSizing | null
  /** of the rules before */
  decisions: Decision[]
}

export type DecisionKind = 'do' | 'do-not' | 'no-matter' | 'open'

/** Result of a rule. */
export interface Ruling {
  decision: DecisionKind
  /** the decision in a sentence */
  text: string
  /** what it follows from: a measured pair, or a fact in a sentence */
  because: { contrast?: AdviceContrast, fact?: string }
  /** what would reverse it, or what an open decision takes, in a sentence */
  changes: string
  /** line of code or configuration to change */
  line?: string
}

export interface Decision extends Ruling { rule: string, title: string, question: string }

/** bench/features/advise/rules/<name>.js exports a rule by default: one decision as data and pure functions. */
export interface Rule {
  about: { title: Phrase, question: Phrase }
  /** rules with a lower order decide first */
  order: Positive
  /** the rule decides by facts alone, for any chosen topology, if it needs no comparison; such decisions are
   * printed before anything is measured */
  isFactual?: true
  /** whether it is about an app with these facts; left out: about all */
  applies?: (facts: AdviceFacts) => boolean
  /** topologies to compare, the baseline first; empty: nothing has to be measured */
  needs: (state: AdviceState) => string[]
  decide: (state: AdviceState) => Ruling
  /** topology that follows from the decision "do"; left out: the same */
  apply?: (state: AdviceState) => string
}

/** Something about the app that may fail in production. */
export interface Risk { code: string, text: string, line: string }

/** A behaviour of the kit, tried while it runs. fault: null: it holds */
export interface AdviceCheck { title: string, holds: boolean, fault: string | null }

/** Result of `hopbench advise`: advice.json in its folder. */
export interface AdviceRecord {
  schema: 1
  advice: string // name of its folder
  startedAt: string // UTC
  endedAt: string | null // null: interrupted
  quick: boolean
  /** typed options and a digest of files that decide the result, without secrets; --resume requires the same */
  request: string
  /** of the random order and of the load in all runs */
  seed: number
  facts: AdviceFacts
  load: AdviceLoad
  topology: string
  decisions: Decision[]
  risks: Risk[]
  sizing: AdviceSizing | null
  /** runs by what they measured */
  runs: Record<string, string>
  /** what was left out or failed to be measured, in sentences */
  notes: string[]
  /**
   * folder of the kit, commands that deploy it, whether a Dockerfile of the project builds the image of the app, and
   * behaviours that the kit does not offer; nodeLine: of the image that the kit builds, if it builds one with Node;
   * null: none was written
   */
  kit: {
    dir: string
    files: string[]
    next: string[]
    ownImage: boolean
    nodeLine?: number | null
    notOffered: string[]
  } | null
  /** empty: the kit was not started */
  checks: AdviceCheck[]
  seconds: { firstDecision: number | null, all: number }
}

/** Fields of advice.json that are read when an advice is resumed; everything else is found anew. */
export interface StoredAdvice {
  schema: 1
  advice: RunName
  startedAt: UtcTime
  request: string
  runs: Record<string, RunName>
  seed: Integer
  load: { rps: Positive | null, p99Ms: Positive | null }
  facts: { platform: { provider: string | null } }
}
