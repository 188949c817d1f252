/** Errors of `hopbench advise`. */
import { suppliedRemedy } from '../../errors/words.js'

/** @import { ErrorEntry } from '../../errors/words.js' */

/** @satisfies {Record<string, ErrorEntry>} */
export const advise = {
  'advise-start': {
    what: (/** @type {{ message: string }} */ d) => `The app cannot be looked at: ${d.message.replace(/\.$/, '')}.`,
    remedy: suppliedRemedy
  },
  'advise-service': {
    what: (/** @type {{ service: string, isPrivate: boolean }} */ d) =>
      `The app did not start, because it does not reach ${d.service}` +
      `${d.isPrivate ? ': it is started in a private network' : ' on this machine'}.`,
    remedy: (/** @type {{ isPrivate: boolean }} */ { isPrivate }) => isPrivate
      ? 'Start the service on this machine and add --no-lab, which gives the app the network of this machine.'
      : 'Start the service on this machine, and set its address in the environment.'
  },
  'advise-nothing': {
    what: (/** @type {{ why: string }} */ d) => `No comparison succeeded, so there is no advice: ${d.why}`,
    remedy: 'Measure the app by itself first, with hopbench run --app and --quick.'
  }
}
