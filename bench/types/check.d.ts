/** Results of checks. */
import type { Transport } from './topology.d.ts'
import type { ServerAbout } from './plugins.d.ts'

/** A test of conformance or safety. */
export interface CheckProbe {
  name: string
  title: string
  topic: string
  rfc: string | null // section that requires the behaviour, "RFC 9110 14.2"; null: none
  safety: boolean // true: a server that fails is not recommended
}
export interface CheckResult {
  probe: string
  outcome: 'pass' | 'fail' | 'differs-by-design' | 'untested'
  saw: string // observation in words
  ms?: number // measured time
  died: boolean // whether the probe ended the server
}
/** A server alone, or behind one proxy over one transport. */
export interface CheckedChain {
  spec: string
  proxy: string | null
  transport: Transport | null
  error: string | null // reason why the chain could not be started
  results: CheckResult[]
}
export interface CheckedServer {
  name: string
  about: ServerAbout | null // null: proxies serve the files
  version: string | null // of the npm package
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
/** A probe that a server fails in at least one chain. */
export interface CheckFailure extends CheckProbe { saw: string, died: boolean, chains: string[] }
/** Result of a test of http-cache-tests for one cache. */
export interface CacheResult {
  id: string
  name: string // title in http-cache-tests
  topic: string
  /** required: by RFC 9111; optimal: possible improvement; check: both results are correct */
  kind: 'required' | 'optimal' | 'check'
  needs: string[] // tests that must pass for a meaningful result
  passed: boolean // for kind check: whether the cache shows the behaviour
  saw?: string // reason of a failure
  setup?: boolean // whether the test failed before its actual check
}
/** The cache of a proxy, in front of the server of the tests. */
export interface CheckedCache {
  spec: string // hop, "nginx:keepalive+cache=5s"
  proxy: string
  version: string
  checkedAt: string
  results: CacheResult[]
}
/** results/caches.json */
export interface CachesRecord {
  schema: number
  tests: string // package and version
  seconds: number
  caches: CheckedCache[]
}

/** Result of one behaviour of production with one proxy. */
export interface ConfigCell {
  behaviour: string
  subject: string
  outcome: 'holds' | 'fails' | 'not-offered'
  /** what happened, or why it is not offered */
  detail: string | null
}

/** `hopbench check --configs`: how recommended configurations and deploy kits behave in production. */
export interface ConfigsRecord {
  schema: 1
  seconds: number
  checkedAt: string
  /** version: of the proxy, in a kit of nginx */
  subjects: { name: string, kind: 'proxy' | 'kit', version: string }[]
  behaviours: { name: string, title: string }[]
  cells: ConfigCell[]
}
