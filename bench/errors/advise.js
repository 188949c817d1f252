/** Errors of `hopbench advise`. */
import { suppliedRemedy } from './words.js'

/** @import { ErrorEntry } from './words.js' */

/** @satisfies {Record<string, ErrorEntry>} */
export const advise = {
  'advise-start': {
    what: (/** @type {{ message: string }} */ d) => `The app cannot be looked at: ${d.message.replace(/\.$/, '')}.`,
    remedy: suppliedRemedy
  },
  'advise-service': {
    what: (/** @type {{ service: string }} */ d) =>
      `The app did not start, because it does not reach ${d.service}: it is started in a private network.`,
    remedy: 'Start the service on this machine and add --no-lab, which gives the app the network of this machine.'
  },
  'advise-nothing': {
    what: (/** @type {{ why: string }} */ d) => `No comparison succeeded, so there is no advice: ${d.why}`,
    remedy: 'Measure the app by itself first, with hopbench run --app and --quick.'
  }
}
