/** Errors that prevent a deploy kit from being written. */

/** @import { ErrorEntry } from './words.js' */

/** @satisfies {Record<string, ErrorEntry>} */
export const deploy = {
  'cannot-deploy': {
    exit: 2,
    what: (/** @type {{ word: string, target: string, why: string }} */ d) =>
      `There is no deploy kit of ${d.word} for ${d.target}: ${d.why}.`,
    remedy: (/** @type {{ remedy: string }} */ d) => d.remedy
  },
  'kit-in-the-way': {
    exit: 1,
    what: (/** @type {{ dir: string, files: string[] }} */ d) =>
      `Nothing was written: ${d.dir} has ${d.files.join(', ')} already.`,
    remedy: () => 'Name another folder with --out, or overwrite these files with --force.'
  },
  'kit-not-writable': {
    exit: 1,
    what: (/** @type {{ dir: string, why: string }} */ d) => `The kit cannot be written to ${d.dir}: ${d.why}.`,
    remedy: () => 'Name a folder inside the project with --out, as in --out ./deploy.'
  },
  'not-sized': {
    exit: 2,
    what: (/** @type {{ run: string, what: string, why: string }} */ d) =>
      `${d.run} says nothing about ${d.what}: ${d.why}.`,
    remedy: (/** @type {{ remedy: string }} */ d) => d.remedy
  }
}
