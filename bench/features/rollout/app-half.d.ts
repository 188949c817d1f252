/** Shapes of the app's half of a rollout: what an app does at SIGTERM. */
import type { HeldType } from '../../load/held-connection.js'
import type { Child, Network } from '../../machine/types.js'
import type { AppListen } from './types.js'

/** Behaviour of an app at SIGTERM. Each kind of connection is tried on processes of its own. */
export interface AppHalf {
  /**
   * `drains`: requests in flight get responses; `cuts`: none does; `cuts-incomplete`: only one whose last line arrives
   * after the signal gets none; null: no request could be held.
   */
  request: 'drains' | 'cuts' | 'cuts-incomplete' | null
  /** Status of the response to the request whose last line arrives after the signal; null: no response. */
  lateStatus: number | null
  /** Whether this response ends its connection; null: no response. */
  closesKept: boolean | null
  /** Whether a new connection gets a response after the signal. */
  acceptsNew: boolean
  /** Seconds from SIGTERM to the end by what is open meanwhile; null: killed after 10 s; left out: not tried. */
  endSeconds: Partial<Record<HeldType, number | null>>
  /** Seconds for which the app keeps an idle connection; 0: it keeps none; null: longer than was measured. */
  keepAliveSeconds: number | null
}

export interface AppToEnd {
  /** Starts the app at a free port, and waits until the app responds. */
  startApp: () => Promise<{ child: Child, listen: AppListen }>
  /** Network of its clients. */
  network: Pick<Network, 'enter' | 'address'>
  /** Folder for the output of clients. */
  dir: string
  /** Page that is requested. */
  page?: string
  /** Path of a response without an end; null: the app has none. */
  stream?: string | null
  websocket?: string | null
  /** Time after which an app that still runs is killed; left out: 10. */
  limitSeconds?: number
}

/** `short-keep-alive`: the app closes idle connections before its proxy does. */
export type AppFaultCode = 'cuts' | 'rejects' | 'accepts-new' | 'keeps-open' | 'hangs' | 'short-keep-alive'

/** code: as in the table of lines; text: a sentence with its figures */
export interface AppFault { code: AppFaultCode, text: string }

/** Lines that mend faults. place: the file, the line above, or the environment; lines: of code or of settings */
export interface MendLines { place: string, lines: string[] }
