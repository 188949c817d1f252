import type { Child } from '../../../machine/types.js'
import type { OptionValue, ProxyProgram } from '../../../types.js'

/** The recommended configuration of a proxy, or a deploy kit. */
export interface SubjectName {
  /** "haproxy", or the target of a kit: "fly" */
  name: string
  kind: 'proxy' | 'kit'
}

/** A proxy with its recommended configuration, or a deploy kit, in front of the app of the check (app.js). */
export interface Subject {
  name: string
  port: number
  /** address of a router whose headers are trusted; null: the configuration trusts no router */
  router: string | null
  /** seconds for which the router in front keeps an idle connection */
  routerIdleSeconds: number
  /** limit of an attempt to keep connections with slow heads; left out: 80 s */
  headSeconds?: number
  /** seconds from SIGTERM to SIGKILL on the platform */
  stopSeconds: number
  /** null: plain HTTP */
  tls: TlsSubject | null
  /** ends each process of the app by SIGTERM, and the next one when another process has taken its place */
  restartProcesses: () => Promise<void>
  /** sends the signals of the platform for an end */
  askToEnd: () => void
  /** resolves when the proxy or the kit has ended */
  exited: Child['exited']
  /** returns the text of all logs of the proxy */
  readLogs: () => string
  /** ends everything that was started */
  stop: () => Promise<void>
}

/** Certificate of a subject, which is renewed in place. */
export interface TlsSubject {
  /** port of HTTP, from which clients are redirected; null: there is none */
  redirectPort: number | null
  /** writes the next certificate, and lets the configuration be read again */
  renewCertificate: () => Promise<void>
}

/** Settings with which a subject is started. */
export interface SubjectOptions {
  subject: SubjectName
  behaviour: Behaviour
  /** of this subject alone, below the temporary root */
  dir: string
  /** of the proxy, or nginx of a kit */
  program: ProxyProgram
  /** the certificate and its renewal */
  certificates: Certificate[]
  /** changes the text of each configuration and start script, to plant a fault in tests */
  change?: (text: string) => string
}

export interface Certificate { certFile: string, keyFile: string }

/** Something that a configuration in production must do. The files in behaviours/ export them by name. */
export interface Behaviour {
  /** sentence that is true where the behaviour holds */
  title: string
  /**
   * options of the proxy in the topology; default: none; tls: where the proxy has no such option, the note in its
   * configuration is followed
   */
  options?: Record<string, OptionValue>
  /** the subject serves the folder of subject-files.js for its app */
  hasFiles?: boolean
  /** processes of the app; default: 1 */
  processes?: number
  /** mostly waits for a minute or two, so that all subjects are tried at once */
  isSlow?: boolean
  /** limits the time of single requests, so that it is tried while few others run */
  isTimed?: boolean
  /** subjects that do not offer it, each with the reason; kits: all of them */
  notOffered?: Record<string, string>
  /** tries the behaviour; returns the observed fault, or null where the behaviour holds */
  run: (subject: Subject) => Promise<string | null>
}
