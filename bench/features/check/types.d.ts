/** Types of the checks of servers. */
import type { Evidence } from '../../types.d.ts'
import type { Message } from '../../shared/http/read-message.js'

export interface CheckResponse extends Message {
  ms: number // from connecting to the last byte
}

export interface Context {
  address: { host: string, port: number }
  /** Returns a complete response. Throws NoResponse otherwise, which fails the probe with its message. redirects: most
   * of GET and HEAD within the site that are followed */
  request: (path: string, headers?: Record<string, string>, more?: { method?: string, body?: string,
    redirects?: number }) => Promise<CheckResponse>
  site: Site
  proxied: boolean // whether a proxy is in front of the server
  openFiles: () => number | null // of the server's processes; null: unknown on this system
  memoryMiB: () => number | null // resident memory of the server's processes
  cpuSeconds: () => number | null // CPU time of the server's processes
}

export interface Probe {
  name: string
  title: string // the required behaviour
  rfc: string | null // section that requires it, "RFC 9110, 9.3.2"; null: none
  safety: boolean // true: a server that fails is not recommended
  alone?: true // true: no other probe runs meanwhile, because CPU time is measured
  run: (context: Context) => Promise<Finding>
}

/** Default export of a file in probes/. */
export type Topic = { topic: string, probes: Probe[] }

export type TopicProbe = Probe & { topic: string }

export interface Site {
  root: string // folder to serve
  outside: string // parent of the folder
}

export interface Finding {
  /** differs-by-design: unusual, but allowed by the RFC or documented; untested: not possible on this machine */
  outcome: 'pass' | 'fail' | 'differs-by-design' | 'untested'
  saw: string // observation in words
  ms?: number // measured time
  evidence?: Evidence // of a failure
}
