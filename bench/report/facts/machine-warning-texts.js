/** Texts of the warnings about the machine. bench/judge/warnings.js decides when each applies. */
import { count, isNumber, percent, plural } from '../../shared/format.js'
import { nameArms } from './name-arms.js'

/** @import { WarningTexts } from './warning-texts.js' */

/**
 * @type {WarningTexts<'shared-loopback' | 'congestion-control' | 'shared-cores' | 'shared-cores-on-purpose' |
 *   'fewer-cores-than-workers' | 'busy-machine' | 'steal-time' | 'governor-powersave' | 'open-files'>}
 */
export const machineWarningTexts = {
  'shared-loopback': ({ why }) => ({
    text:
      `All topologies shared the host's loopback${why ? `, because ${why}` : ''}: the connections that one leaves ` +
      'behind can slow the next.',
    remedy: 'run it on Linux where user namespaces are allowed; to see what is missing'
  }),

  'congestion-control': ({ control }) => ({
    text:
      `TCP used the congestion control ${control} in place of cubic, the default of Linux: large responses may ` +
      'cost more CPU time than on most machines, and sendfile may save less.',
    remedy: 'as root'
  }),

  'shared-cores': ({ cores }) => ({
    text:
      `Load generator and servers shared ${cores === 1 ? 'the only core' : 'the same cores'}: the generator took CPU ` +
      'time from the served side.',
    remedy: cores === 1
      ? 'run it on two cores or more.'
      : 'run it on Linux with taskset (util-linux), which gives each side cores of its own.'
  }),

  'shared-cores-on-purpose': () => ({
    text:
      'Load generator and servers shared all cores, because this experiment is about more processes: the generator ' +
      'took CPU time from the served side, the same from every arm.',
    remedy: 'look at the column "load" of the CPU table for how much that was.'
  }),

  'fewer-cores-than-workers': ({ arms, cores }) => ({
    text:
      `${nameArms(arms)} had more processes than the ${plural(cores, 'core')} of this machine: read the CPU time ` +
      'per request. The rates do not show what as many processes would serve with a core each.',
    remedy: 'run it on a machine with more cores than processes.'
  }),

  'busy-machine': ({ busyShare, loadAverage, cores, process }) => {
    const load = isNumber(busyShare)
      ? `${percent(busyShare)} of the time`
      : `a load average of ${loadAverage.toFixed(1)}`
    return {
      text: `Other programs were busy when the run began: ${load} on ${plural(cores, 'core')}` +
        `${process ? `, most of all ${process.name} (${percent(process.share)})` : ''}.`,
      remedy: `end ${process ? process.name : 'the other programs'}, wait a minute and run it again.`
    }
  },

  'steal-time': ({ share, isOfRun }) => ({
    text: `Other guests of this host took ${percent(share)} of the CPU time ${
      isOfRun ? 'during the run' : 'when the run began'}.`,
    remedy: 'run it at another time, or on a machine that is not shared.'
  }),

  'governor-powersave': () => ({
    text: 'The CPU saves power (governor "powersave"): its speed may change in the middle of a run.',
    remedy: 'as root'
  }),

  'open-files': ({ limit, needed }) => ({
    text:
      `A process may have ${count(limit)} files open here, and this load can need ${count(needed)}: connections may ` +
      'be refused.',
    remedy: 'raise the limit in this shell first'
  })
}
