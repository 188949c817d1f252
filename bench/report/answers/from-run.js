/** Where an answer comes from: run, machine, load and versions in one line (pure).
 * @import { RunRecord } from '../../types.js' */
import { listing, plural } from '../../shared/format.js'
import { runtimeOf } from '../../plan/runtimes.js'
import { startsOf } from '../sentences.js'

/** @param {RunRecord} record */
export function fromRun (record) {
  const { run, environment: { cpu, cores }, plan } = record
  const served = `the served side on ${plural(cores.served.length, 'core')}`
  return `Run ${run}: ${startsOf(record)}, ${cpu.model}, ${served}` +
    `${plan.cores === 'shared' ? ' shared with the load' : ''}; ${listing([...loads(record), ...proxies(record)])}; ` +
    `${listing(runtimesOf(record))}.`
}

/** That of the first arm; a sizing has an open loop. @param {RunRecord} record
 * @returns {string[]} "wrk with 100 connections" */
const loads = ({ arms: [{ load: { engine, connections } }], sizing }) =>
  [sizing ? 'an open loop' : `${engine} with ${plural(connections, 'connection')}`]

/** @param {RunRecord} record @returns {string[]} "nginx 1.22.1" */
const proxies = ({ arms, tools }) => [...new Set(arms.flatMap(({ topology: { proxy } }) => proxy?.name ?? []))]
  .flatMap(name => tools[name] ? [`${name} ${tools[name]}`] : [])

/** What the servers ran under. @param {RunRecord} record @returns {string[]} "Node 26.10.0" */
function runtimesOf ({ arms, tools, environment: { node } }) {
  const names = arms.flatMap(({ topology: { server } }) => {
    if (!server) return []
    const runtime = runtimeOf(server)
    if (!runtime) return [`Node ${node}`]
    const version = tools[String(server.options.runtime)] ?? runtime.version
    return [`${runtime.kind === 'node' ? 'Node' : runtime.title} ${version}`]
  })
  return names.length > 0 ? [...new Set(names)] : [`Node ${node}`]
}
