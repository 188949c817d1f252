/** Errors of the live page. */

/** @import { ErrorEntry } from '../../errors/words.js' */

/** @satisfies {Record<string, ErrorEntry>} */
export const serve = {
  'bad-order': {
    exit: 2,
    what: (/** @type {{ why: string }} */ d) => `The page requested a run that cannot be started: ${d.why}.`,
    remedy: 'Name an experiment or topologies, as in: uds, or express-json nginx:uds/express-json'
  },
  'already-running': {
    what: 'Another run is already in progress, and two would disturb each other.',
    remedy: 'Wait until it ends, or stop it.'
  },
  'cannot-listen': {
    what: (/** @type {{ host: string, port: number, why: string }} */ d) =>
      `The page cannot listen on ${d.host}, port ${d.port}: ${d.why}.`,
    remedy: 'Choose another port with --port, any free port with --port 0, or an address of this machine with --host.'
  }
}
