/** Shapes of a rollout: builds, ways to replace one by another, clients, and what they have lost. */
import type { Child, Network } from '../../machine/types.js'

/** State of the app, as its folder on disk. */
export interface Build {
  name: 'old' | 'new'
  /** As typed, with its commit: `main (1f2e3d4)`. */
  label: string
  /** Folder of the app. */
  folder: string
  /** Command that starts it. */
  start: string
}

/** Content that a build sends without a rollout, by which responses are assigned to builds. */
export interface Site {
  /** Path of the page. */
  page: string
  /** SHA-256 of the page; null: it differs by request. */
  pageDigest: string | null
  /** Files of the page that a browser requests with it. */
  files: SiteFile[]
  /** Files that scripts of the page request later: lazy chunks. */
  lateFiles: SiteFile[]
  /** Paths that the page requests later and that are no files (`--path`). */
  api: string[]
}

export interface SiteFile {
  path: string
  digest: string
  /** Whether its name contains a hash, so that another content has another name. */
  isHashed: boolean
}

/** Clients. `idle`: a kept connection without requests; `stream`: a response that does not end. */
export type ClientType = 'page' | 'file' | 'late-file' | 'api' | 'idle' | 'stream' | 'websocket'

/**
 * Outcome of a request: `ok`; `gone`: a file of the client's build that is not sent any more (404, 410, or a page in
 * its place); `mixed`: the content of the other build; or of bench/load/scenario-client.js: `status-502`, `reset`,
 * `refused`, `timeout`, `truncated`.
 */
export type Outcome = string

/** Request without a right response. */
export interface Loss {
  client: ClientType
  path: string
  outcome: Outcome
  /** Build of the page that the client has open; null: it had none yet. */
  build: 'old' | 'new' | null
  /** Begin, in ms of the monotonic clock (process.hrtime) of this machine. */
  atMs: number
  /** Time until the outcome. */
  ms: number
  /** Whether the request was sent on a kept connection. */
  isKept: boolean
}

export interface ClientCounts {
  client: ClientType
  requests: number
  /** Requests by outcome, `ok` included. */
  counts: Record<Outcome, number>
}

/** What the clients of one rollout have seen. */
export interface Visits {
  clients: ClientCounts[]
  /** The first losses. */
  losses: Loss[]
  /** Pages whose files came from both builds. */
  mixedPages: number
  pages: number
  /** Longest time between two right responses. */
  longestPauseMs: number
  /** 99th percentile of the delay of the client against its timetable: above 50 ms the rollout is invalid. */
  lagMs: number
}

/** What each way gets to start processes with. All are ended by the caller. */
export interface Stage {
  old: Build
  new: Build
  network: Network
  /** Folder for sockets, configurations and logs. */
  dir: string
  /** Port that clients connect to. */
  port: number
  /** Returns a port of the network that nothing uses. */
  freePort: () => Promise<number>
  /** Starts a process of a build, and waits until it responds at the address. */
  startApp: (build: Build, listen: AppListen) => Promise<AppProcess>
  /** Starts nginx in front of addresses, as `hopbench config nginx` prints it. */
  startNginx: (upstreams: AppListen[]) => Promise<NginxProcess>
  /** Keeps a process for the end of the rollout. */
  keep: (child: Child) => Child
}

export type AppListen = { port: number } | { socketPath: string }

export interface AppProcess {
  build: Build
  listen: AppListen
  child: Child
  /** Sends SIGTERM, and waits for its end; SIGKILL after the time that the platform of the way gives. */
  end: (graceSeconds?: number) => Promise<AppEnd>
}

export interface AppEnd {
  /** From SIGTERM to the end. */
  seconds: number
  wasKilled: boolean
}

export interface NginxProcess {
  child: Child
  /** Writes other addresses into the configuration, reloads, and waits for new workers. */
  setUpstreams: (upstreams: AppListen[]) => Promise<void>
}

/** Way to replace the old build: a file in bench/features/rollout/ways/. */
export interface Way {
  about: {
    /** As `blue-green by a reload of nginx`. */
    title: string
    /** Who does it so: `systemctl restart`, `docker compose up`. */
    usedBy: string
    /** What of a platform is emulated; null: all is the real program. */
    emulated: string | null
  }
  /** Place in tables. */
  order: number
  /** Serves the old build at stage.port. */
  start: (stage: Stage) => Promise<RunningWay>
}

export interface RunningWay {
  /** Replaces the old build by the new one. Resolves when the old processes have ended. */
  replace: () => Promise<{ ends: AppEnd[] }>
}

/** Which builds' hashed files are sent after a rollout. */
export type FilePolicy = 'new' | 'kept' | 'attic' | 'cdn'

/** One way with its policy, in all its rollouts. */
export interface RolloutArm {
  way: string
  title: string
  emulated: string | null
  policy: FilePolicy
  /** Whether clients request a page again when one of its files is gone, as Vite documents for vite:preloadError. */
  retries: boolean
  rollouts: RolloutResult[]
}

export interface RolloutResult extends Visits {
  /** Position in the order of the run. */
  index: number
  /** Times of the monotonic clock, for the times of losses. */
  beganMs: number
  endedMs: number
  ends: AppEnd[]
  /** Why the rollout itself failed; null: it did not. */
  failure: string | null
}
