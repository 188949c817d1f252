/** Errors that prevent `hopbench size` from giving an answer. */
import { didYouMean, ms } from './words.js'

/** @import { ErrorEntry, Nearest } from './words.js' */

/** @satisfies {Record<string, ErrorEntry>} */
export const sizing = {
  'unknown-plan': {
    exit: 2,
    what: (/** @type {{ name: string } & Nearest} */ d) => `There is no offering "${d.name}".${didYouMean(d)}`,
    remedy: () => 'hopbench size --list prints the offerings; --plans adds a file of your own.'
  },
  'bad-plans': {
    exit: 2,
    what: (/** @type {{ file: string, why: string }} */ d) => `The offerings in ${d.file} cannot be used: ${d.why}.`,
    remedy: () =>
      'It is a JSON file with a list "plans", as those in bench/studies/sizing/offerings/; offerings.schema.json ' +
      'beside them describes each field.'
  },
  'assumed-too-much': {
    exit: 2,
    what: (/** @type {{ name: string, vcpu: number, cores: number }} */ d) =>
      `${d.vcpu} cores cannot be assumed for ${d.name}: this machine has ${d.cores}, and what more of them ` +
      'would do cannot be measured here.',
    remedy: (/** @type {{ cores: number }} */ d) => `Assume ${d.cores} or less, or run it on a machine with more cores.`
  },
  'bad-profile': {
    exit: 2,
    what: (/** @type {{ name: string, why: string, known: string[] }} */ d) =>
      `The load profile "${d.name}" cannot be used: ${d.why}.`,
    remedy: (/** @type {{ known: string[] }} */ d) =>
      `Name one of ${d.known.join(', ')}, or a JSON file with a list of rates over a day, as in [10, 80, 100, 40].`
  },
  'rate-out-of-reach': {
    exit: 1,
    what: (/** @type {{ rate: number, why: string }} */ d) =>
      `No offering serves ${d.rate} requests a second: ${d.why}.`,
    remedy: () => 'Allow more instances with --max, lower --rps or --headroom, or add larger offerings with --plans.'
  },
  'app-leaks': {
    exit: 1,
    /** @param {{ name: string, slope: number, seconds: number, memoryMiB: number }} d slope: MiB an hour */
    what: d =>
      `${d.name} leaks memory: ${d.slope.toFixed(0)} MiB more an hour at a steady load, seen for ` +
      `${Math.round(d.seconds)} s. The ${Math.round(d.memoryMiB)} MiB that fit now will soon not be enough.`,
    remedy: () => 'Fix the leak (node --heapsnapshot-signal shows what grows), or restart instances in time.'
  },
  'goal-below-floor': {
    exit: 1,
    /** @param {{ p99Ms: number, name: string, p50Ms: number, floorMs: number }} d floorMs: the unloaded p99 */
    what: d =>
      `No load meets a p99 of ${d.p99Ms} ms: unloaded, half of the answers of ${d.name} take ${ms(d.p50Ms)} or ` +
      `longer, and one in a hundred ${ms(d.floorMs)}.`,
    remedy: (/** @type {{ floorMs: number }} */ d) =>
      `Set a goal above that, as in --p99 ${Math.ceil(2 * d.floorMs)}ms.`
  },
  'goal-out-of-reach': {
    exit: 1,
    /** @param {{ name: string, p99Ms: number, why: string, floorMs: number }} d floorMs: the unloaded p99 */
    what: d =>
      `${d.name} does not hold a p99 of ${d.p99Ms} ms at any rate that was tried: ${d.why}. Unloaded its p99 is ` +
      `${ms(d.floorMs)}.`,
    remedy: () => 'Set a goal well above the unloaded latency, or try again when the machine is less busy.'
  },
  'cannot-size': {
    exit: 1,
    what: (/** @type {{ name: string, why: string }} */ d) => `${d.name} cannot be sized: ${d.why}.`,
    remedy: (/** @type {{ name: string }} */ d) => `Send it requests by hand: npm run hopbench -- up ${d.name}`
  },
  'nothing-to-verify': {
    exit: 1,
    what: (/** @type {{ rate: number, why: string }} */ d) =>
      `No offering can be recommended for ${d.rate} requests a second, so there is none to verify: ${d.why}.`,
    remedy: () => 'Name others with --plan or --plans, or leave out --verify to see the table.'
  },
  'no-limits': {
    exit: 1,
    what: (/** @type {{ why: string }} */ d) => `The limits of an offering cannot be set on this machine: ${d.why}.`,
    remedy: (/** @type {{ remedy?: string }} */ d) =>
      d.remedy ??
        'Leave out --verify for a table from measurements without limits, or run it as root on Linux.'
  },
  'plan-too-small': {
    exit: 1,
    /**
     * @param {{ name: string, plan: string, memoryMiB: number | null }} d memoryMiB: null: the offering has no limit,
     * and this machine ran out of memory
     */
    what: d =>
      `${d.name} does not fit into the memory of ${d.plan}${d.memoryMiB === null ? '' : ` (${d.memoryMiB} MiB)`}: ` +
      'out of memory, killed by the kernel.',
    remedy: () => 'Name an offering with more memory.'
  }
}
