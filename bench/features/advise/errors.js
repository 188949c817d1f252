/** Errors of `hopbench advise`. */
/** @import { ErrorEntry } from '../../errors/words.js' */

/** @satisfies {Record<string, ErrorEntry>} */
export const advise = {
  'advise-nothing': {
    what: (/** @type {{ why: string }} */ d) => `No comparison succeeded, so there is no advice: ${d.why}`,
    remedy: 'Measure the app by itself first, with hopbench run --app and --quick.'
  }
}
