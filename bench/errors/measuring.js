/** Errors that make a measurement impossible after all programs have started. */
import { readOutput, remedyOr } from './words.js'

/** @import { ErrorEntry } from './words.js' */

/**
 * Describes the process that holds the lock.
 * @param {{ pid?: number, command?: string, since?: string }} d empty without a response
 */
function describeHolder ({ pid, command, since }) {
  const known = [pid && `process ${pid}`, command && `"${command}"`, since && `since ${since}`].filter(Boolean)
  return known.length > 0 ? ` (${known.join(', ')})` : ''
}

/** @satisfies {Record<string, ErrorEntry>} */
export const measuring = {
  'gate-refused': {
    what: (/** @type {{ name: string, why: string }} */ d) => `${d.name} responds incorrectly: ${d.why}.`,
    remedy: remedyOr('Start it and send it a request by hand: npm run hopbench -- up <topology>')
  },
  'engine-report': {
    what: (/** @type {{ name: string, arm: string, why?: string | null }} */ d) =>
      `The report of ${d.name} for ${d.arm} cannot be ${d.why ? `right: ${d.why}` : 'read'}.`,
    remedy: (/** @type {{ output?: string | null }} */ d) =>
      `${readOutput(d)}; check its version with hopbench doctor, or name another with --engine.`
  },
  'no-score': {
    what: 'The cores of this machine have no score: its fixed work failed, or took more than 20 s.',
    remedy: 'End other programs, and measure again.'
  },
  'machine-disturbed': {
    what: (/** @type {{ name: string, tries: number, why: string }} */ d) =>
      `${d.name} could not be measured, ${d.tries} times in a row: ${d.why}.`,
    remedy: 'Keep the machine awake, stop programs that set its clock, and measure again.'
  },
  'not-saturated': {
    what: (/** @type {{ tried: number }} */ d) =>
      d.tried === 0
        ? 'No block of the pilot was valid, so a selftest cannot plant a known difference.'
        : 'More work for each request does not lower the rate here, so a selftest cannot plant a known difference.',
    remedy: 'Stop other programs on this machine, and check the warnings of: npm run hopbench -- doctor'
  },
  'suite-busy': {
    what: (/** @type {Parameters<typeof describeHolder>[0]} */ d) =>
      `Another hopbench is measuring on this machine${describeHolder(d)}, and two would disturb each other.`,
    remedy: 'Leave out --no-wait, so that this run waits and begins when the other one has ended.'
  },
  'suite-killed': {
    what: (/** @type {{ signal: string }} */ d) =>
      `The measuring process of hopbench was ended by ${d.signal}` +
      `${d.signal === 'SIGKILL' ? ', as by a system that is out of memory' : ''}; stored blocks are intact.`,
    remedy:
      'Free some memory, see dmesg for the reason, and start it again. A run of topologies can be resumed: ' +
      'npm run hopbench -- run --resume <its folder under results/>'
  },
  'task-late': {
    what: (/** @type {{ task: string, seconds: number }} */ d) =>
      `hopbench ${d.task} had not ended after ${Math.round(d.seconds)} s and was stopped.`,
    remedy: 'Try it by itself, when this machine is less busy.'
  },
  'no-cpu-time': {
    what: (/** @type {{ what: string }} */ d) =>
      `This system does not report the CPU time of processes (there is no /proc), and ${d.what} requires it.`,
    remedy: 'Run it on Linux, with /proc mounted.'
  },
  'too-few-files': {
    what: (/** @type {{ why: string }} */ d) => `No more files can be opened here: ${d.why}.`,
    // Node has raised its soft limit to the hard limit.
    remedy: 'Raise the hard limit as root with ulimit -Hn 65536 or with nofile in /etc/security/limits.conf, or stop ' +
      'programs that hold many open files.'
  }
}
