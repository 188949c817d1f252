/** Actions on a running topology that a scenario can ask for, such as a reload of the proxy (pure). */

/** @import { Topology } from '../types.js' */

/**
 * Returns the names of the actions that a topology has.
 * @param {Topology} _topology
 * @returns {string[]}
 */
export const listActs = _topology => []
