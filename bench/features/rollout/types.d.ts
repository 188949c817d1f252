/** Shapes of a rollout: builds, ways to replace one by another, clients, and what they have lost. */
import type { Child, Network } from '../../machine/types.js'
import type { AppEnd, RolloutEvent } from '../../types/rollout.d.ts'

/** Shapes that are stored. */
export type * from '../../types/rollout.d.ts'

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

/** Functions by which a way starts processes. The caller ends all of them. */
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
  /**
   * Starts a process of a build, and waits until it responds to a request for the page. isFront: it is a program in
   * front of the app, and no event of it is recorded.
   */
  startApp: (build: Build, listen: AppListen, options?: { isFront?: boolean }) => Promise<AppProcess>
  /**
   * Starts nginx at `port` in front of addresses, as `hopbench config nginx` prints it. skipsFailed: nginx skips a
   * process for 10 s after a failure, as by default.
   */
  startNginx: (upstreams: AppListen[], options?: { skipsFailed?: boolean }) => Promise<NginxProcess>
  /** Records what has happened now to a process, or to none, for the explanation of losses. */
  note: (what: RolloutEvent['what'], process?: number) => void
}

export interface AppListen { port: number }

export interface AppProcess {
  listen: AppListen
  child: Child
  /** Environment variables of the command. */
  env: Record<string, string>
  /** Sends SIGTERM, and waits for its end; SIGKILL after the time that the platform of the way gives. */
  end: (graceSeconds?: number) => Promise<AppEnd>
}

export interface NginxProcess {
  /** Writes other addresses into the configuration, reloads, and waits for new workers. */
  setUpstreams: (upstreams: AppListen[]) => Promise<void>
  /** Waits until the workers of earlier configurations have ended, for this long at most. */
  drain: (seconds: number) => Promise<void>
}

/** Way to replace the old build, in the table of bench/features/rollout/ways.js. */
export interface Way {
  /** As `blue-green by a reload of nginx`. */
  title: string
  /** Programs and platforms that do it so: `systemctl restart`, `docker compose up`. */
  usedBy: string
  /** Emulated part of a platform. Left out: all is the real program. */
  emulated?: string
  /** Whether nginx is in front. */
  hasNginx: boolean
  /** Returns why the way cannot replace these builds here; null: it can. Left out: it always can. */
  findUnfit?: (builds: Pick<Stage, 'old' | 'new'>) => Promise<string | null> | string | null
  /** Serves the old build at stage.port. */
  start: (stage: Stage) => Promise<RunningWay>
}

export interface RunningWay {
  /** Replaces the old build by the new one. Resolves when the old processes have ended. */
  replace: () => Promise<{ ends: AppEnd[] }>
}
