import type { Child } from '../../../machine/shapes.js'

/** A proxy with its recommended configuration, in front of an app (origin.js). */
export interface Subject {
  port: number
  /** processes of the app */
  processes: Child[]
  /** returns the text of all logs of the proxy */
  readLogs: () => string
  /** sends SIGTERM to the proxy and waits for its end */
}

/** Something that a configuration in production must do. A file in behaviours/ exports one. */
export interface Behaviour {
  /** sentence that is true where the behaviour holds */
  title: string
  /** options of the proxy in the topology; left out: none */
  options?: Record<string, string>
  /** processes of the app; default: 1 */
  processes?: number
  /** takes more than a minute, so it is tried first */
  isSlow?: boolean
  /** proxies that do not offer it, each with the reason */
  notOffered?: Record<string, string>
  /** tries the behaviour; returns the observed fault, or null where the behaviour holds */
  run: (subject: Subject) => Promise<string | null>
}
