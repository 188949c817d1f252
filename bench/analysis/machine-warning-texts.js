/** What each warning about the machine says, and what to try (pure): bench/analysis/warnings.js knows when.
 * @import { Warning } from '../types.js' */
import { count, listing, percent, plural } from '../shared/format.js'

/** @type {(why: string | null) => Warning} */
export const sharedLoopback = why => ({
  code: 'shared-loopback',
  text:
    `All topologies shared the host's loopback${why ? `, because ${why}` : ''}: the connections that one leaves ` +
    'behind can slow the next.',
  remedy: 'run it on Linux where user namespaces are allowed; to see what is missing: npm run hopbench -- doctor'
})

/** @type {(cores: number) => Warning} */
export const sharedCores = cores => ({
  code: 'shared-cores',
  text:
    `Load generator and servers shared ${cores === 1 ? 'the only core' : 'the same cores'}: the generator took time ` +
    'from what it measured.',
  remedy: cores === 1
    ? 'run it on two cores or more.'
    : 'run it on Linux with taskset (util-linux), which gives each side cores of its own.'
})

/** @type {(arms: string[], cores: number) => Warning} */
export const fewerCores = (arms, cores) => ({
  code: 'fewer-cores-than-workers',
  text:
    `${listing(arms)} had more processes than the ${plural(cores, 'core')} of this machine: read the CPU time ` +
    'per request. The rates do not show what as many processes would serve with a core each.',
  remedy: 'run it on a machine with more cores than processes.'
})

/** @type {() => Warning} */
export const sharedOnPurpose = () => ({
  code: 'shared-cores-on-purpose',
  text:
    'Load generator and servers shared all cores, as this experiment is about more processes: the generator took ' +
    'time from what it measured, the same from every arm.',
  remedy: 'look at the column "load" of the CPU table for how much that was.'
})

/** @type {(what: string, cores: number) => Warning} */
export const busyMachine = (what, cores) => ({
  code: 'busy-machine',
  text: `The machine was busy with something else when the run began: ${what} on ${plural(cores, 'core')}.`,
  remedy: 'end the other programs, wait a minute and run it again.'
})

/** @type {(share: number) => Warning} */
export const stealTime = share => ({
  code: 'steal-time',
  text: `Other guests of this host took ${percent(share)} of the CPU time when the run began.`,
  remedy: 'run it at another time, or on a machine that is not shared.'
})

/** @type {() => Warning} */
export const powersave = () => ({
  code: 'governor-powersave',
  text: 'The CPU saves power (governor "powersave"): its speed may change in the middle of a run.',
  remedy: 'as root: cpupower frequency-set -g performance'
})

/** @type {(limit: number, needed: number) => Warning} */
export const fewOpenFiles = (limit, needed) => ({
  code: 'open-files',
  text:
    `A process may have ${count(limit)} files open here, and this load can need ${count(needed)}: connections may ` +
    'be refused.',
  remedy: `raise the limit in this shell first: ulimit -n ${needed}`
})
