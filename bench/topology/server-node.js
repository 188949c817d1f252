/**
 * Node of the built-in servers. Where the Node that runs hopbench is past its end of life, they run under the current
 * LTS line. Apps of your own run under the Node that starts them.
 */
import { findCurrentLts, OWN, pastItsEnd, runtimes } from '../plan/runtimes.js'
import { isOwn, print } from '../plan/spec.js'
import { hasProxyOrigin } from './proxy-origin.js'

/** @import { Arm, Runtime, Topology } from '../types.js' */

/** Returns whether the server is built in, and its topology names no runtime. @param {Topology} topology */
export const hasDefaultRuntime = ({ server, ...topology }) =>
  server !== null && !isOwn(server) && server.options.runtime === undefined && !hasProxyOrigin({ ...topology, server })

/**
 * Returns the runtime of built-in servers that name none.
 *
 * @param {string} [own] version of the Node that runs hopbench
 * @param {string} [today] ISO 8601
 * @returns {{ name: string, runtime: Runtime } | null} null: the Node that runs hopbench
 */
export function getServerRuntimeHere (own = process.versions.node, today = new Date().toISOString()) {
  const name = pastItsEnd(own, today) ? findCurrentLts(today) : null
  return name === null ? null : { name, runtime: runtimes[name] }
}

/**
 * Returns the version of Node under which the server of a topology runs.
 *
 * @param {Topology} topology with a Node server that names no runtime
 */
export const getDefaultNodeVersion = topology =>
  (hasDefaultRuntime(topology) ? getServerRuntimeHere()?.runtime.version : undefined) ?? process.versions.node

/**
 * Returns the arm with its built-in server under the Node that runs hopbench.
 *
 * @template {Pick<Arm, 'topology' | 'spec'>} T
 * @param {T} arm
 * @returns {T}
 */
export function withOwnNode (arm) {
  const { server } = arm.topology
  if (!server || !hasDefaultRuntime(arm.topology)) return arm
  const topology = { ...arm.topology, server: { ...server, options: { ...server.options, runtime: OWN } } }
  return { ...arm, topology, spec: print(topology) }
}
