/** Actions on a running topology that a scenario can ask for, such as a reload of the proxy (pure). */

/** @import { ProxyPlugin, Topology } from '../types.js' */

/** The proxy reads its configuration again. */
export const RELOAD_PROXY = 'reload-proxy'
/** All processes of the server are replaced by new ones, by its manager or by hopbench. */
export const RESTART_APP = 'restart-app'
/** The first process that serves is killed, and started again by its manager or by hopbench. */
export const KILL_APP = 'kill-app'

/**
 * Returns the names of the actions that a topology has.
 * @param {Topology} topology
 * @param {object} parts
 * @param {ProxyPlugin | null} parts.plugin of the proxy in front; null: there is none
 * @param {boolean} parts.canRestart whether the server is a Node server of hopbench or a command
 * @returns {string[]}
 */
export function listActs ({ proxy }, { plugin, canRestart }) {
  const { reload } = plugin ?? {}
  const canReload = reload !== undefined && (reload.needs === undefined || proxy?.options[reload.needs] === true)
  return [...canReload ? [RELOAD_PROXY] : [], ...canRestart ? [RESTART_APP, KILL_APP] : []]
}
