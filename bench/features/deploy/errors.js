/** Errors that prevent a deploy kit from being written. */
import { suppliedRemedy } from '../../errors/words.js'

/** @import { ErrorEntry } from '../../errors/words.js' */

/** @satisfies {Record<string, ErrorEntry>} */
export const deploy = {
  'cannot-deploy': {
    exit: 2,
    what: (/** @type {{ spec: string, target: string, why: string }} */ d) =>
      `There is no deploy kit of ${d.spec} for ${d.target}: ${d.why}.`,
    remedy: suppliedRemedy
  },
  'kit-in-the-way': {
    what: (/** @type {{ dir: string, files: string[] }} */ d) =>
      `The kit was not written, because ${d.dir} already has ${d.files.join(', ')}.`,
    remedy: 'Name another folder with --out, or overwrite these files with --force.'
  },
  'kit-not-writable': {
    what: (/** @type {{ dir: string, why: string }} */ d) => `The kit cannot be written to ${d.dir}: ${d.why}.`,
    remedy: 'Name a folder inside the project with --out, as in --out ./deploy.'
  },
  'not-sized': {
    exit: 2,
    what: (/** @type {{ run: string, what: string, why: string }} */ d) =>
      `${d.run} has no offering for ${d.what}: ${d.why}.`,
    remedy: suppliedRemedy
  }
}
