/** The conformance and safety matrix. */
import type { Transport } from './topology.d.ts'
import type { ServerAbout } from './plugins.d.ts'

/** One question of the conformance and safety matrix. */
export interface CheckProbe {
  name: string
  title: string
  topic: string
  rfc: string | null // section of the RFC that decides, "RFC 9110 14.2"; null where it is about safety alone
  /** a failure keeps a server from being recommended */
  safety: boolean
}
export interface CheckResult {
  probe: string
  outcome: 'pass' | 'fail' | 'differs-by-design' | 'untested'
  saw: string // what was seen, in words
  ms?: number // where a time was measured
  /** the server did not survive the probe */
  died: boolean
}
/** A server bare, or behind one proxy over one transport. */
export interface CheckedChain {
  word: string
  proxy: string | null
  transport: Transport | null
  error: string | null // why it could not be started; null: it was
  results: CheckResult[]
}
export interface CheckedServer {
  name: string
  about: ServerAbout | null // null for the proxies' own static serving
  version: string | null // of its npm package
  checkedAt: string
  node: string
  chains: CheckedChain[]
}
/** results/check.json */
export interface CheckRecord {
  schema: number
  tools: Record<string, string>
  seconds: number
  probes: CheckProbe[]
  servers: CheckedServer[]
}
/** A probe that a server fails, over all its chains. */
export interface CheckFailure extends CheckProbe { saw: string, died: boolean, chains: string[] }
/** One test of http-cache-tests against one cache. */
export interface CacheResult {
  id: string
  name: string // what it asks, in its author's words
  topic: string
  /** required: RFC 9111 demands it; optimal: a better cache does it; check: a behaviour, correct in both cases */
  kind: 'required' | 'optimal' | 'check'
  needs: string[] // tests without which it means nothing
  passed: boolean // of a behaviour: yes
  saw?: string // why not
  setup?: boolean // the question was not reached; left out: it passed
}
/** A proxy's cache, with the tests' own server behind it. */
export interface CheckedCache {
  word: string // the hop, "nginx:keepalive+cache=5s"
  proxy: string
  version: string
  checkedAt: string
  results: CacheResult[]
}
/** results/caches.json */
export interface CachesRecord {
  schema: number
  tests: string // the package and its version
  seconds: number
  caches: CheckedCache[]
}
