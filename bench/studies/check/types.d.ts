/** What checks of servers are made of. */

export interface Message {
  status: number
  /** names in lower case; repeated ones joined by ", " */
  headers: Record<string, string>
  /** without chunks */
  body: Buffer
  /** all of the body is there */
  complete: boolean
  /** what follows the message on the connection */
  surplus: Buffer
}

export interface Ask {
  /** sent as it stands */
  path: string
  /** GET */
  method?: string
  headers?: Record<string, string>
  body?: string
}

export type Place = { host: string, port: number }

/** `ms`: from connecting to the last byte. */
export type Answer = Message & { ms: number }

export interface Context {
  /** where to ask */
  place: Place
  /** one whole answer; anything else is a NoAnswer, which fails the probe with its words */
  ask: (path: string, headers?: Record<string, string>, more?: { method?: string, body?: string }) => Promise<Answer>
  site: Site
  /** a proxy stands between */
  proxied: boolean
  /** of the server's processes; null: this system does not tell */
  openFiles: () => number | null
  /** resident, of the server's processes */
  memoryMiB: () => number | null
}

export interface Probe {
  name: string
  /** what is asked, as a statement that holds for a server that is right */
  title: string
  /** "RFC 9110, 9.3.2"; null where no RFC speaks of it */
  rfc: string | null
  /** a server that fails it must not be recommended */
  safety: boolean
  run: (context: Context) => Promise<Finding>
}

/** A file under probes/. */
export type Topic = { topic: string, probes: Probe[] }

/** What all chains of a check share. */
export interface Rig {
  temp: string
  cwd: string
  proxies: Awaited<ReturnType<typeof import('../../measure/stage.js').findProxies>>
  /** a number for a folder of its own */
  next: () => number
  /** starts come one after the other: they look for free ports */
  turn: <T>(start: () => Promise<T>) => Promise<T>
}

export interface Chain {
  /** ends what was there before, and puts the files back */
  start: () => Promise<void>
  context: () => Context
  /** how it ended, in words; null: it lives, answers, and still lives so much later */
  death: (patienceMs: number) => Promise<string | null>
  stop: () => Promise<void>
}

export type TopicProbe = Probe & { topic: string }

export interface Site {
  /** the folder to serve */
  root: string
  /** the folder around it */
  outside: string
}

export interface Finding {
  /**
   * `differs-by-design`: not what most servers do, and allowed by the RFC or documented by the server; `untested`:
   * this machine cannot tell
   */
  outcome: Outcome
  /** what was seen, in words */
  saw: string
  /** where a time was measured */
  ms?: number
}

export type Outcome = 'pass' | 'fail' | 'differs-by-design' | 'untested'
