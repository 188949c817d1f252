/** Results of checks. */
import type { Transport } from './topology.d.ts'
import type { ServerAbout } from './plugins.d.ts'
import type { Line, NonNegative } from './values.d.ts'

/** A test of conformance or safety. */
export interface CheckProbe {
  name: Line
  title: Line
  topic: Line
  /** section that requires the behaviour, "RFC 9110 14.2"; null: none */
  rfc: Line | null
  /** true: a server that fails is not recommended */
  safety: boolean
}
/** Material for a report of a failure. */
export interface Evidence {
  /** as sent; null: a failure of many requests */
  request: string | null
  /** status and headers; null: none */
  response: string | null
  /** shell command that shows the failure of a server at $URL, which serves $ROOT in the process $PID */
  command: string
}
export interface CheckResult {
  probe: Line
  outcome: 'pass' | 'fail' | 'differs-by-design' | 'untested'
  /** observation in words */
  saw: string
  /** measured time */
  ms?: NonNegative
  /** of a failure */
  evidence?: Evidence
  /** whether the probe ended the server */
  died: boolean
}
/** A server alone, or behind one proxy over one transport. */
export interface CheckedChain {
  spec: Line
  proxy: Line | null
  transport: Transport | null
  /** reason why the chain could not be started */
  error: string | null
  results: CheckResult[]
}
export interface CheckedServer {
  name: Line
  /** null: proxies serve the files */
  about: ServerAbout | null
  /** of the npm package */
  version: Line | null
  checkedAt: Line
  /** version of Node; empty: another runtime */
  node: Line
  chains: CheckedChain[]
}
/** results/check.json */
export interface CheckRecord {
  schema: number
  tools: Record<string, string>
  seconds: NonNegative
  probes: CheckProbe[]
  servers: CheckedServer[]
}
/** A probe that a server fails in at least one chain. */
export interface CheckFailure extends CheckProbe { saw: string, died: boolean, chains: string[] }
/** Result of a test of http-cache-tests for one cache. */
export interface CacheResult {
  id: Line
  /** title in http-cache-tests */
  name: Line
  topic: Line
  /** required: by RFC 9111; optimal: possible improvement; check: both results are correct */
  kind: 'required' | 'optimal' | 'check'
  /** tests that must pass for a meaningful result */
  needs: Line[]
  /** for kind check: whether the cache shows the behaviour */
  passed: boolean
  /** reason of a failure */
  saw?: string
  /** whether the test failed before its actual check */
  setup?: boolean
}
/** The cache of a proxy, in front of the server of the tests. */
export interface CheckedCache {
  /** hop, "nginx:keepalive+cache=5s" */
  spec: Line
  proxy: Line
  version: Line
  checkedAt: Line
  results: CacheResult[]
}
/** results/caches.json */
export interface CachesRecord {
  schema: number
  /** package and version */
  tests: Line
  seconds: NonNegative
  caches: CheckedCache[]
}

/** Result of one behaviour of production with one proxy. */
export interface ConfigCell {
  behaviour: Line
  subject: Line
  outcome: 'holds' | 'fails' | 'not-offered'
  /** what happened, or why it is not offered */
  detail: string | null
}

/** `hopbench check --configs`: how recommended configurations and deploy kits behave in production. */
export interface ConfigsRecord {
  schema: 1
  seconds: NonNegative
  checkedAt: Line
  /** version: of the proxy, in a kit of nginx */
  subjects: { name: string, kind: 'proxy' | 'kit', version: string }[]
  behaviours: { name: string, title: string }[]
  cells: ConfigCell[]
}
