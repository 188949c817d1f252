/** Errors of storing, finding, reading or showing results. */
import { didYouMean } from './words.js'

/** @import { ErrorEntry, Nearest } from './words.js' */

/** @satisfies {Record<string, ErrorEntry>} */
export const results = {
  'results-not-writable': {
    exit: 1,
    what: (/** @type {{ dir: string, why: string }} */ d) => `The results cannot be written in ${d.dir}: ${d.why}.`,
    remedy: () => 'Name a folder that can be written with --results.'
  },
  'disk-full': {
    exit: 1,
    what: (/** @type {{ file: string }} */ d) =>
      `There is no space left to write ${d.file}; what was stored before is intact.`,
    /** @param {{ resume: string | null }} d resume: the command that resumes the run; null: there is none */
    remedy: d =>
      d.resume
        ? `Free some space and resume it: npm run hopbench -- ${d.resume}`
        : 'Free some space and try again.'
  },
  'run-in-use': {
    exit: 1,
    what: (/** @type {{ dir: string }} */ d) => `Another hopbench is writing the run ${d.dir}.`,
    remedy: () => 'Wait until it ends; its results are in the same folder.'
  },
  'untrusted-run': {
    exit: 2,
    /** @param {{ run: string, what: string }} d what: verb phrase: "contains …" */
    what: d => `Nothing was started: the stored run ${d.run} ${d.what}, and a stored run can come from anybody.`,
    remedy: () => 'If it is yours, or you have read what it names, add --trust-run.'
  },
  'other-machine': {
    exit: 2,
    /** @param {{ run: string, different: string }} d */
    what: d => `${d.run} cannot be resumed here: its samples would come from two machines (${d.different}).`,
    remedy: () => 'Resume it on the machine and with the programs that it began with, or start a new run.'
  },
  'no-runs': {
    exit: 2,
    what: (/** @type {{ dir: string }} */ d) => `There is no stored run yet in ${d.dir}.`,
    remedy: () => 'Make one with: npm run bench:uds; or name the folder that has them with --results.'
  },
  'unknown-run': {
    exit: 2,
    what: (/** @type {{ name: string, dir: string } & Nearest} */ d) =>
      `There is no run "${d.name}" in ${d.dir}.${didYouMean(d)}`,
    remedy: () => 'Give the name of a folder there, or the path of one elsewhere.'
  },
  'unknown-suite': {
    exit: 2,
    /** @param {{ name?: string, dir: string } & Nearest} d name: left out if the last run was requested */
    what: d =>
      d.name
        ? `There is no suite "${d.name}" in ${d.dir}.${didYouMean(d)}`
        : `There is no suite in ${d.dir} to resume.`,
    remedy: () => 'Start one with: npm run bench:all'
  },
  'bad-run-file': {
    exit: 1,
    /** @param {{ file: string, line?: number, why: string }} d file: or a folder */
    what: d => `${d.file}${d.line ? `, line ${d.line},` : ''} cannot be read: ${d.why}.`,
    remedy: () => 'Let this account read it, restore it from a copy, or leave this run out.'
  },
  'newer-run': {
    exit: 1,
    what: (/** @type {{ file: string, schema: number, known: number }} */ d) =>
      `${d.file} has the format ${d.schema}, and this hopbench reads up to ${d.known}.`,
    remedy: () => 'Read it with the hopbench that wrote it, or a newer one.'
  },
  'no-users': {
    exit: 1,
    what: (/** @type {{ run: string }} */ d) => `${d.run} has no users: its load was of another kind.`,
    remedy: () => 'hopbench report --export-samples - prints every trial; npm run bench:users makes a run with users.'
  },
  'nothing-to-draw': {
    exit: 1,
    what: (/** @type {{ run: string }} */ d) => `${d.run} has no ratio to draw.`,
    remedy: (/** @type {{ run: string }} */ d) => `See why with: npm run hopbench -- report ${d.run}`
  },
  'page-not-writable': {
    exit: 1,
    what: (/** @type {{ file: string, why: string }} */ d) => `The page ${d.file} cannot be written: ${d.why}.`,
    remedy: () => 'Print it instead, and save it elsewhere: npm run hopbench -- claims'
  }
}
