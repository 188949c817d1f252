/** A topology as the hops that it is made of, with what was proven of each connection between them.
 * @import { ArmResult, ConfinedBy, Load, OptionValue, RunRecord } from '../../types.js' */
import { count, isNumber, NONE, percent } from '../../shared/format.js'
import { cacheIsOn } from '../../plan/topology-options.js'

/** @typedef {{ title: string, details: string[] }} Hop */
/** @typedef {{ title: string, proofs: string[] }} Edge what leads to the hop behind it */
/** @typedef {{ name: string, word: string, hops: (Hop & { edge: Edge | null })[] }} Chain the client first, and without
 * an edge */

/** @type {Record<string, string>} */
const TRANSPORTS = {
  tcp: 'TCP, a new connection for each request',
  keepalive: 'TCP, pooled connections',
  uds: 'Unix socket, a new connection for each request',
  'uds-keepalive': 'Unix socket, pooled connections'
}

/** @param {ArmResult} arm @param {Pick<RunRecord, 'tools'>} record @returns {Chain} */
export function chainOf (arm, { tools }) {
  const { topology: { proxy, server, lab }, load } = arm
  const first = {
    title: load.fresh ? 'a connection for each request' : 'connections are kept',
    proofs: [
      ...Object.entries(lab?.sysctl ?? {}).map(([name, value]) => `${name}=${value}`),
      ...lab?.net ? ['a link of 1 Gbit/s'] : [],
      ...isNumber(arm.linkShare) ? [`${percent(arm.linkShare)} of the link used`] : []
    ]
  }
  return {
    name: arm.name,
    word: arm.word,
    hops: [
      { ...client(load, tools), edge: null },
      ...proxy ? [{ title: named(proxy.name, tools), details: options(proxy.options), edge: first }] : [],
      ...server
        ? [{
            title: server.name,
            details: [...manager(server.manager, server.instances), ...options(server.options)],
            edge: proxy ? { title: TRANSPORTS[proxy.transport ?? ''] ?? NONE, proofs: proofsOf(arm) } : first
          }]
        : []
    ]
  }
}

/** @type {(load: Load, tools: Record<string, string>) => Hop} */
const client = ({ engine, connections, path, paths }, tools) => ({
  title: named(engine, tools),
  details: [`${count(connections)} connections`, paths ? `${count(new Set(paths).size)} paths` : path]
})

/** @type {(name: string, tools: Record<string, string>) => string} */
const named = (name, tools) => tools[name] ? `${name} ${tools[name]}` : name

/** @type {(given: Record<string, OptionValue>) => string[]} */
const options = given => Object.entries(given).map(([name, value]) => value === true ? name : `${name}=${value}`)

/** @type {(manager: string, instances: number | 'max') => string[]} */
const manager = (manager, instances) =>
  manager === 'node' && instances === 1
    ? ['one process']
    : [`${manager}, ${instances === 'max' ? 'a process for each core' : `${instances} processes`}`]

/** Of a server with known vulnerabilities. @type {Record<ConfinedBy, string>} */
const CONFINED = {
  namespace: 'confined by a namespace',
  permissions: "confined by Node's permissions",
  nothing: 'not confined'
}

/** What was counted on the connection between proxy and server. @param {ArmResult} arm */
function proofsOf (arm) {
  const { upstreamConnectionsPerRequest: fresh, cacheHitRatio, socketType, confinedBy } = arm.proof
  return [
    ...isNumber(fresh)
      ? [
        `${fresh >= 0.0995 ? fresh.toFixed(2) : fresh < 0.0005 ? 'under 0.001' : fresh.toFixed(3)} connections a ` +
        'request'
        ]
      : [],
    ...cacheIsOn(arm.topology) && isNumber(cacheHitRatio) ? [`cache: ${percent(cacheHitRatio)} hits`] : [],
    ...socketType === 'none' ? [] : [`socket: ${socketType}`],
    ...confinedBy ? [CONFINED[confinedBy]] : []
  ]
}
