/** What checks of servers are made of. */

export interface Message {
  status: number
  headers: Record<string, string> // names in lower case; repeated ones joined by ", "
  body: Buffer // without chunks
  complete: boolean // all of the body is there
  /** what follows the message on the connection */
  surplus: Buffer
}

export interface Ask {
  path: string // sent as it stands
  method?: string // GET
  headers?: Record<string, string>
  body?: string
}

export type Place = { host: string, port: number }

/** `ms`: from connecting to the last byte. */
export type Answer = Message & { ms: number }

export interface Context {
  place: Place // where to ask
  /** one whole answer; anything else is a NoAnswer, which fails the probe with its words */
  ask: (path: string, headers?: Record<string, string>, more?: { method?: string, body?: string }) => Promise<Answer>
  site: Site
  proxied: boolean // a proxy stands between
  openFiles: () => number | null // of the server's processes; null: unknown on this system
  /** resident, of the server's processes */
  memoryMiB: () => number | null
}

export interface Probe {
  name: string
  title: string // the question, as a statement that holds for a server that is right
  rfc: string | null // "RFC 9110, 9.3.2"; null where no RFC speaks of it
  safety: boolean // a server that fails it must not be recommended
  run: (context: Context) => Promise<Finding>
}

/** A file under probes/. */
export type Topic = { topic: string, probes: Probe[] }

/** What all chains of a check share. */
export interface Rig {
  temp: string
  cwd: string
  proxies: Awaited<ReturnType<typeof import('../../measure/stage.js').findProxies>>
  next: () => number // a number for a folder of its own
  /** starts come one after the other: they look for free ports */
  turn: <T>(start: () => Promise<T>) => Promise<T>
}

export interface Chain {
  start: () => Promise<void> // ends what was there before, and puts the files back
  context: () => Context
  /** how it ended, in words; null: it lives, answers, and still lives so much later */
  death: (patienceMs: number) => Promise<string | null>
  stop: () => Promise<void>
}

export type TopicProbe = Probe & { topic: string }

export interface Site {
  root: string // the folder to serve
  /** the folder around it */
  outside: string
}

export interface Finding {
  /** `differs-by-design`: not what most servers do, and allowed by the RFC or documented by the server; `untested`:
   * this machine cannot test */
  outcome: Outcome
  saw: string // what was seen, in words
  /** where a time was measured */
  ms?: number
}

export type Outcome = 'pass' | 'fail' | 'differs-by-design' | 'untested'
