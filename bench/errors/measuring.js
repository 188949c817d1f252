/** Errors that make a measurement impossible after all programs have started. */

/** @import { ErrorEntry } from './words.js' */

/**
 * Describes the process that holds the lock.
 * @param {{ pid?: number, command?: string, since?: string, results?: string }} d empty if it did not reply
 */
const said = ({ pid, command, since, results }) => pid
  ? ` (process ${pid}, "${command}", since ${since}${results ? `, results in ${results}` : ''})`
  : ''

/** @satisfies {Record<string, ErrorEntry>} */
export const measuring = {
  'gate-refused': {
    exit: 1,
    what: (/** @type {{ name: string, why: string }} */ d) => `${d.name} answers incorrectly: ${d.why}.`,
    remedy: () =>
      'Arms that answer differently cannot be compared; send it requests by hand: npm run hopbench -- up <topology>'
  },
  'engine-report': {
    exit: 1,
    what: (/** @type {{ name: string, arm: string, why?: string | null }} */ d) =>
      `The report of ${d.name} for ${d.arm} cannot be ${d.why ? `right: ${d.why}` : 'read'}.`,
    remedy: () => 'Its output is above; its version may be one that hopbench does not know. Try another with --engine.'
  },
  'machine-disturbed': {
    exit: 1,
    what: (/** @type {{ name: string, tries: number, why: string }} */ d) =>
      `${d.name} could not be measured, ${d.tries} times in a row: ${d.why}.`,
    remedy: () => 'Keep the machine awake, let nothing set its clock meanwhile, and measure again.'
  },
  'not-saturated': {
    exit: 1,
    what: (/** @type {{ tried: number }} */ d) =>
      d.tried === 0
        ? 'No block of the pilot was valid, so a selftest cannot plant a known difference.'
        : 'More work for each request does not lower the rate here, so a selftest cannot plant a known difference.',
    remedy: () => 'Stop other programs on this machine and its load; hopbench doctor says what is in the way.'
  },
  'suite-busy': {
    exit: 1,
    what: (/** @type {Parameters<typeof said>[0]} */ d) =>
      `Another hopbench is measuring on this machine${said(d)}, and two would disturb each other.`,
    remedy: () => 'Leave out --no-wait: this one then begins when that one has ended.'
  },
  'no-cpu-time': {
    exit: 1,
    what: (/** @type {{ what: string }} */ d) =>
      `This system does not report the CPU time of processes (there is no /proc), and ${d.what} requires it.`,
    remedy: () => 'Run it on Linux, with /proc mounted.'
  },
  'too-few-files': {
    exit: 1,
    what: (/** @type {{ why: string }} */ d) => `No more files can be opened here: ${d.why}.`,
    remedy: () => 'Raise the limit in this shell, with ulimit -n 65536, or stop the program that holds so many.'
  }
}
