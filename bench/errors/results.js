/** Errors of storing, finding, reading or showing results. */
import { didYouMean, shellWord } from './words.js'

/** @import { ErrorEntry, Nearest } from './words.js' */

/** @satisfies {Record<string, ErrorEntry>} */
export const results = {
  'results-not-writable': {
    what: (/** @type {{ dir: string, why: string }} */ d) => `The results cannot be written in ${d.dir}: ${d.why}.`,
    remedy: 'Name a folder that can be written with --results.'
  },
  'disk-full': {
    what: (/** @type {{ file: string }} */ d) =>
      `There is no space left to write ${d.file}; earlier results are intact.`,
    /** @param {{ resume: string | null }} d resume: the command that resumes the run; null: there is none */
    remedy: d =>
      d.resume
        ? `Free some space and resume the run: npm run hopbench -- ${d.resume}`
        : 'Free some space and try again.'
  },
  'run-in-use': {
    what: (/** @type {{ dir: string }} */ d) => `Another hopbench is writing the run ${d.dir}.`,
    remedy: 'Wait until it ends; its results are in the same folder.'
  },
  'untrusted-run': {
    exit: 2,
    /** @param {{ run: string, what: string | null }} d what: "states that it started …"; null: it names no code */
    what: d => `The stored run ${d.run} was not used, because this account has not made it on this machine` +
      `${d.what === null ? '' : `, and it ${d.what}`}.`,
    remedy: 'Read what it names. Add --trust-run if you trust it.'
  },
  'other-machine': {
    exit: 2,
    /** @param {{ run: string, different: string }} d */
    what: d => `${d.run} cannot be resumed here: the machine or its programs differ (${d.different}).`,
    remedy: 'Resume it on the same machine with the same programs, or start a new run.'
  },
  'no-runs': {
    exit: 2,
    what: (/** @type {{ dir: string }} */ d) => `There is no stored run in ${d.dir}.`,
    remedy: 'Make one with npm run hopbench -- run uds, or name the folder that has your runs with --results.'
  },
  'unknown-run': {
    exit: 2,
    what: (/** @type {{ name: string, dir: string } & Nearest} */ d) =>
      `There is no run "${d.name}" in ${d.dir}.${didYouMean(d)}`,
    remedy: 'Use the name of a folder there, or the path of a run elsewhere.'
  },
  'unknown-suite': {
    exit: 2,
    /** @param {{ name?: string, dir: string } & Nearest} d name: left out if the last suite was requested */
    what: d =>
      d.name
        ? `There is no suite "${d.name}" in ${d.dir}.${didYouMean(d)}`
        : `There is no suite in ${d.dir} to resume.`,
    remedy: 'Start a suite with: npm run hopbench -- all'
  },
  'bad-run-file': {
    /** @param {{ file: string, line?: number, why: string }} d file: or a folder */
    what: d => `${d.file}${d.line ? `, line ${d.line},` : ''} cannot be read: ${d.why}.`,
    remedy: 'Let this account read it, restore it from a copy, or leave this run out.'
  },
  'other-format': {
    what: (/** @type {{ file: string, schema: number, known: number }} */ d) =>
      `${d.file} has format ${d.schema}, and this hopbench reads format ${d.known}.`,
    remedy: 'Read it with the version of hopbench that wrote it, or measure again.'
  },
  'no-users': {
    what: (/** @type {{ run: string }} */ d) => `${d.run} has no data of users, because its load was of another kind.`,
    remedy: 'Print its trials with --export-samples -, or make a run with users: npm run hopbench -- run users'
  },
  'nothing-to-draw': {
    what: (/** @type {{ run: string, before?: string }} */ d) =>
      `${d.before ? `${d.before} and ` : ''}${d.run} ${d.before ? 'have' : 'has'} no ratio to draw.`,
    remedy: (/** @type {{ run: string, before?: string }} */ d) => 'See why with: npm run hopbench -- ' +
      `${d.before ? `compare ${shellWord(d.before)}` : 'report'} ${shellWord(d.run)}`
  },
  'page-not-writable': {
    what: (/** @type {{ file: string, why: string }} */ d) => `The page ${d.file} cannot be written: ${d.why}.`,
    remedy: 'Print the page and save it elsewhere: npm run hopbench -- claims'
  },
  'site-not-writable': {
    what: (/** @type {{ dir: string, why: string }} */ d) => `The site cannot be written to ${d.dir}: ${d.why}.`,
    remedy: 'Name a new or an empty folder with --out, as in --out site.'
  },
  'no-github': {
    exit: 2,
    what: (/** @type {{ variable: string }} */ d) =>
      `The pull request is not known: ${d.variable} is missing in the environment, or is not what GitHub Actions sets.`,
    remedy: 'Start it in a workflow with "on: workflow_run", as in docs/examples/hopbench-comment.yml.'
  },
  'github-failed': {
    what: (/** @type {{ request: string, why: string }} */ d) =>
      `GitHub ${d.why.startsWith('status ') ? 'rejected' : 'did not answer'} ${d.request}: ${d.why}.`,
    remedy: 'Check that the job has the permission pull-requests: write, and start it again.'
  }
}
