/** The app of a URL as an arm. It is up already: it is neither started, stopped, paused nor counted. */
import { LOOPBACK } from '../machine/network/lab.js'

/** @import { Network } from '../machine/types.js' */
/** @import { Arm } from '../types.js' */
/** @import { StagedArm } from './types.js' */

/** @type {Network} */
export const NO_NETWORK = {
  enter: [],
  enterServed: [],
  enterBeside: [],
  address: LOOPBACK,
  link: null,
  port: async wanted => wanted,
  close: async () => {}
}

/**
 * @param {Arm} arm
 * @param {string} dir
 * @param {string} [address] IP address to which all connections go; left out: the URL has one
 * @returns {StagedArm}
 */
export function toStagedUrl (arm, dir, address) {
  const target = { url: /** @type {string} */ (arm.topology.url), socketPath: null, ...address && { address } }
  return {
    arm,
    dir,
    network: NO_NETWORK,
    running: {
      target,
      originTarget: target,
      front: async () => { throw new Error('it has no counters') },
      origin: async () => null,
      proxied: false,
      countsLate: false,
      noted: () => [],
      logged: () => [],
      pids: () => ({ proxy: [], server: [] }),
      failure: () => null,
      pause: () => {},
      resume: () => {},
      stop: async () => {}
    },
    target: { ...target, expectBody: null, countsErrorResponses: true },
    bytesPerResponse: null
  }
}
