/** Errors that prevent `hopbench size` from recommending an offering. */
import { didYouMean, shellWord } from '../../errors/words.js'

/** @import { ErrorEntry, Nearest } from '../../errors/words.js' */

/** @param {number} value */
const ms = value => `${value.toFixed(2)} ms`

/** @satisfies {Record<string, ErrorEntry>} */
export const sizing = {
  'unknown-plan': {
    exit: 2,
    what: (/** @type {{ name: string } & Nearest} */ d) => `There is no offering "${d.name}".${didYouMean(d)}`,
    remedy: 'Choose one from the output of npm run hopbench -- size --list, or add a file of your own with --plans.'
  },
  'bad-plans': {
    exit: 2,
    what: (/** @type {{ file: string, why: string }} */ d) => `The offerings in ${d.file} cannot be used: ${d.why}.`,
    remedy:
      'Write a JSON file with a list "plans", as in bench/features/size/offerings/, with all limits, known or not. ' +
      'Check each field with bench/features/size/prices/offerings.schema.json.'
  },
  'assumed-too-much': {
    exit: 2,
    what: (/** @type {{ name: string, vcpu: number, cores: number }} */ d) =>
      `${d.vcpu} cores cannot be assumed for ${d.name}: this machine has ${d.cores}, and more cannot be ` +
      'measured here.',
    remedy: (/** @type {{ cores: number }} */ d) =>
      `Assume ${d.cores} or less, or measure on a machine with more cores.`
  },
  'bad-profile': {
    exit: 2,
    what: (/** @type {{ name: string, why: string, known: string[] }} */ d) =>
      `The load profile "${d.name}" cannot be used: ${d.why}.`,
    remedy: (/** @type {{ known: string[] }} */ d) =>
      `Use one of ${d.known.join(', ')}, an access log of a day or more (combined format or JSON lines), or a JSON ` +
      'file with a list of rates over a day, as in [10, 80, 100, 40].'
  },
  'rate-out-of-reach': {
    what: (/** @type {{ rate: number, why: string }} */ d) =>
      `No offering serves ${d.rate} requests a second: ${d.why}.`,
    remedy: 'Allow more instances with --max, lower --rps or --headroom, or add larger offerings with --plans.'
  },
  'app-leaks': {
    /** @param {{ name: string, slope: number, seconds: number, memoryMiB: number }} d slope: MiB an hour */
    what: d =>
      `${d.name} leaks memory: at a steady load it grew by ${d.slope.toFixed(0)} MiB an hour, measured for ` +
      `${Math.round(d.seconds)} s, so the ${Math.round(d.memoryMiB)} MiB that it needs now will not be enough.`,
    remedy: 'Fix the leak (find it with node --heapsnapshot-signal), or restart instances regularly.'
  },
  'goal-below-floor': {
    /** @param {{ p99Ms: number, name: string, p50Ms: number, unloadedP99Ms: number }} d p50Ms: unloaded */
    what: d =>
      `No load meets a p99 of ${d.p99Ms} ms: unloaded, half of the responses of ${d.name} take ${ms(d.p50Ms)} ` +
      `or longer, and 1 % take ${ms(d.unloadedP99Ms)} or longer.`,
    remedy: (/** @type {{ unloadedP99Ms: number }} */ d) =>
      `Set a higher goal, as in --p99 ${Math.ceil(2 * d.unloadedP99Ms)}ms.`
  },
  'goal-out-of-reach': {
    /**
     * @param {{ name: string, p99Ms: number, why: string, leastP99Ms: number, isDeployed?: boolean }} d leastP99Ms:
     * the unloaded p99, of a deployed instance the shortest of a window; infinite: no response arrived
     */
    what: d => {
      const subject = d.isDeployed ? 'The shortest p99 of a window was' : 'Its unloaded p99 is'
      return `${d.name} does not meet a p99 of ${d.p99Ms} ms at any rate that was tried: ${d.why}.` +
        (Number.isFinite(d.leastP99Ms) ? ` ${subject} ${ms(d.leastP99Ms)}.` : '')
    },
    remedy: (/** @type {{ isDeployed?: boolean }} */ d) => d.isDeployed
      ? 'Set a higher goal, or look for the reason at the instance: it is as slow at the lowest rate.'
      : 'Set a goal well above the unloaded p99, or measure again when the machine is less busy.'
  },
  'generator-late': {
    /** @param {{ name: string, p99Ms: number, rate: number, lagMs: number | null }} d lagMs: p99 of the send lag */
    what: d =>
      `Whether ${d.name} meets a p99 of ${d.p99Ms} ms could not be measured, because the load generator on this ` +
      `machine was late: at ${Math.round(d.rate)} requests a second one in a hundred was sent ` +
      `${d.lagMs === null ? 'too late' : `${ms(d.lagMs)} or more after its time`}.`,
    remedy: 'Measure when this machine is less busy, or from a machine with a free core.'
  },
  'cannot-size': {
    what: (/** @type {{ name: string, why: string }} */ d) => `${d.name} cannot be sized: ${d.why}.`,
    remedy: (/** @type {{ name: string }} */ d) =>
      `Start it and send it requests by hand: npm run hopbench -- up ${shellWord(d.name)}`
  },
  'nothing-to-emulate': {
    what: (/** @type {{ rate: number, why: string }} */ d) =>
      `No offering can be recommended for ${d.rate} requests a second, so --emulate has nothing to run: ${d.why}.`,
    remedy: 'Name other offerings with --plan or --plans, or leave out --emulate to see the table.'
  },
  'no-limits': {
    what: (/** @type {{ why: string }} */ d) => `The limits of an offering cannot be set on this machine: ${d.why}.`,
    remedy: (/** @type {{ remedy?: string }} */ d) =>
      d.remedy ?? 'Leave out --emulate for a table from measurements without limits, or run it as root on Linux.'
  },
  'load-cap': {
    what: (/** @type {{ name: string, why: string }} */ d) =>
      `The load of ${d.name} ended before its first search was complete: ${d.why}.`,
    remedy: (/** @type {{ isInterrupted?: boolean }} */ d) => d.isInterrupted
      ? 'Give the same command again to measure anew.'
      : 'Permit more with --max-requests and --max-time, or lower --max-rps to just above the expected capacity.'
  },
  'plan-too-small': {
    /**
     * @param {{ name: string, plan: string, memoryMiB: number | null }} d memoryMiB: null: the offering has no limit,
     * and this machine ran out of memory
     */
    what: d =>
      `${d.name} does not fit into the memory of ${d.plan}${d.memoryMiB === null ? '' : ` (${d.memoryMiB} MiB)`}: ` +
      'the kernel killed a process because memory ran out.',
    remedy: 'Name an offering with more memory.'
  }
}
