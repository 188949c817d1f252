/** What is up already, as an arm: nothing of it is started, stopped, counted or frozen. */
import { LOOPBACK } from '../machine/lab.js'

/** @import { Arm } from '../types.js' @import { StagedArm } from './shapes.js' */

/** @param {Arm} arm of a URL @param {string} dir @returns {StagedArm} */
export function holdUrl (arm, dir) {
  const target = { url: /** @type {string} */ (arm.topology.url), socketPath: null }
  return {
    arm,
    dir,
    network: {
      enter: [],
      enterServed: [],
      enterBeside: [],
      address: LOOPBACK,
      link: null,
      port: async wanted => wanted,
      close: async () => {}
    },
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
      freeze: () => {},
      thaw: () => {},
      stop: async () => {}
    },
    target: { ...target, expectBody: null, tellStatuses: true },
    bytesPerResponse: null
  }
}
