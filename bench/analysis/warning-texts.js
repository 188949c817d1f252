/** What each warning says, and what to try (pure): bench/analysis/warnings.js knows when.
 * @import { ArmResult, Contrast, CrowdedArm, SlowerUsers, Warning } from '../types.js' */
import {
  budgetFor, count, duration, ended, estimate, isNumber, listing, micros, percent, plural, rate
} from '../plan/format.js'

/** @type {(run: string, blocks: number) => Warning} */
export const cutOff = (run, blocks) => ({
  code: 'cut-off',
  text: `The run was cut off after ${plural(blocks, 'block')}: this is what there is so far.`,
  remedy: `go on where it stopped: npm run hopbench -- run --resume ${run}`
})

/** @type {() => Warning} */
export const sizingCutOff = () => ({
  code: 'cut-off',
  text: 'It was cut off: this is what there is so far.',
  remedy: 'run it again; a sizing cannot be resumed.'
})

/** @type {() => Warning} */
export const quickRun = () => ({
  code: 'quick',
  text:
    'This was a quick look: few blocks, and intervals that are not adjusted for the number of contrasts. Of several ' +
    'contrasts one may well be wrong.',
  remedy: 'run it without --quick before deciding anything.'
})

/** @type {() => Warning} */
export const smokeRun = () => ({
  code: 'smoke',
  text:
    'This was a smoke test: one block of trials too short for their figures to count, and no confidence intervals. ' +
    'It shows that everything works, and not what is faster.',
  remedy: 'run it without --smoke to measure.'
})

/** @type {() => Warning} */
export const quickSizing = () => ({
  code: 'quick',
  text: 'This was a quick look: short windows, and three searches in place of six.',
  remedy: 'run it without --quick before buying anything.'
})

/** @type {(blocks: number, least: number) => Warning} */
export const fewBlocks = (blocks, least) => ({
  code: 'few-blocks',
  text:
    `Only ${plural(blocks, 'block')} could be measured, and ${count(least)} are the least for intervals that can be ` +
    'relied on.',
  remedy: 'give it more time with --budget, or compare fewer topologies at once.'
})

/** @type {(widest: { arm: string, baseline: string, halfWidth: number | null }, target: number, secondsNeeded: number
 *   | null) => Warning} */
export const precisionNotReached = ({ arm, baseline, halfWidth: reached }, target, secondsNeeded) => ({
  code: 'precision-not-reached',
  text:
    `The precision asked for (${percent(target)} either way) was not reached: the interval of ${arm} against ` +
    `${baseline} ` +
    (reached === null ? 'could not be told.' : `reaches ${percent(reached)} either way.`),
  remedy: isNumber(secondsNeeded)
    ? `about ${duration(budgetFor(secondsNeeded))} in all should do: --budget ${budgetFor(secondsNeeded)}s`
    : 'give it more time with --budget, or ask for less with --precision.'
})

/** @type {(arms: string[], engine: string) => Warning} */
export const generatorBound = (arms, engine) => ({
  code: 'generator-bound',
  text: `${engine} was the bottleneck of ${listing(arms)}: what was measured there is a lower bound of the rate.`,
  remedy: engine === 'wrk' || engine === 'locust'
    ? 'make the load from more cores, or ask for more work per request.'
    : 'use a faster generator: --engine wrk'
})

/** @type {(arms: string[], share: number) => Warning} */
export const networkBound = (arms, share) => ({
  code: 'network-bound',
  text:
    `The link between the two hosts was the bottleneck of ${listing(arms)}: answers took ${percent(share)} of it, ` +
    'and what was measured there is a lower bound of the rate.',
  remedy: 'a faster link, smaller or compressed answers, or no --net for what the programs themselves can do.'
})

/** @type {(arms: string[], connections: number) => Warning} */
export const bothWaited = (arms, connections) => ({
  code: 'both-waited',
  text:
    `Neither the load generator nor the served side of ${listing(arms)} was busy: each waited for the other, and ` +
    'what was measured says how long that takes, not what the topology can do.',
  remedy: `more connections: --connections ${2 * connections}; where the rate stays, look for answers that do not end.`
})

/** @type {(engine: string, switchedFor: { arm: string, share: number }) => Warning} */
export const engineSwitched = (engine, { arm, share }) => ({
  code: 'engine-switched',
  text:
    `${engine} made the load of all arms: in the pilot the default generator used ${percent(share)} of its core for ` +
    `${arm} and would have been the bottleneck.`,
  remedy: 'nothing, unless you want to compare with another run: then name the same --engine in both.'
})

/** @type {(engine: string, instead: { wanted: string, why: string }) => Warning} */
export const engineMissing = (engine, { wanted, why }) => ({
  code: 'engine-missing',
  text:
    `${engine} made the load, and the published figures are ${wanted}'s, which is not to be had here: ${ended(why)}`,
  remedy: `install ${wanted} where PATH finds it, and run it again.`
})

/** @type {(crowded: CrowdedArm) => Warning} */
export const tooManyToStop = ({ arm, processes }) => ({
  code: 'too-many-to-stop',
  text:
    `${arm} has ${count(processes)} processes, more than can be stopped within a turn of a twentieth of a second: ` +
    'only load generators were paused, in slices, which show more of the noise of the machine.',
  remedy: 'fewer processes, or more time with --budget.'
})

/** @type {(engine: string, slower: SlowerUsers) => Warning} */
export const slowerUsers = (engine, { capacity, share, arms }) => ({
  code: 'slower-users',
  text:
    'Each user asked less often than it should: ' +
    `${listing(arms.map(({ arm, used, wanted }) => `with ${arm} ${micros(used)} times a second in place of ` +
      `${micros(wanted)}`))}. ` +
    `${engine} makes ${rate(capacity)} requests a second here when nobody waits, and was given ${percent(share)} of ` +
    'that to make. There are as many users as there should be, and they are what the limits are about.',
  remedy: 'run it on a machine with more cores.'
})

/** @type {(noiseFloor: { ratio: number, low: number, high: number }) => Warning} */
export const noisyFloor = noiseFloor => {
  const { ratio, interval } = estimate(noiseFloor)
  return {
    code: 'noise-floor',
    text:
      `The same arm, run twice, came out ${ratio} times as fast as itself (${interval}). Smaller differences than ` +
      'that are inconclusive, whatever their intervals say.',
    remedy: 'run it again, longer, on a machine that does nothing else.'
  }
}

/** @type {(contrasts: Pick<Contrast, 'arm' | 'baseline' | 'lag1'>[]) => Warning} */
export const autocorrelated = contrasts => ({
  code: 'autocorrelation',
  text:
    'Neighbouring blocks resemble each other in ' +
    `${listing(contrasts.map(({ arm, baseline, lag1 }) => `${arm} against ${baseline} (lag-1 autocorrelation ` +
      `${isNumber(lag1) ? lag1.toFixed(2) : 'unknown'})`))}: ` +
    'their intervals were widened for that.',
  remedy: 'look for what comes and goes on the machine (other programs, the temperature), or give it more time.'
})

/** @type {(arm: Pick<ArmResult, 'name' | 'invalidTrials' | 'trials'>) => Warning} */
export const invalidTrials = ({ name, invalidTrials, trials }) => ({
  code: 'invalid-trials',
  text:
    `${count(invalidTrials.length)} of ${plural(trials, 'trial')} of ${name} do not count; the last because ` +
    `${ended(invalidTrials.at(-1)?.reason.text ?? 'no reason was recorded')}`,
  remedy: 'see its logs in the folder of the results.'
})

/** @type {(lines: { line: string, lastDay: string }[], arms: string[]) => Warning} */
export const runtimePastItsEnd = (lines, arms) => ({
  code: 'runtime-past-its-end',
  text:
    `${listing(arms)} ran under Node ` +
    `${listing(lines.map(({ line, lastDay }) => `${line} (no releases since ${lastDay})`))}: no more security ` +
    'updates, and Express takes a fraction of the CPU time on a supported line, where what a proxy costs weighs more.',
  remedy: 'measure under the line that you run: +runtime=node-24 on the server; docs/runtimes.md tells what it changes.'
})

/** @type {(arms: string[]) => Warning} */
export const confinedByNode = arms => ({
  code: 'confined-by-node',
  text:
    `Namespaces are refused here, so Node itself checked every path that ${listing(arms)} opened: it has known ` +
    'vulnerabilities. That takes time of its own (docs/method.md).',
  remedy: 'run it on Linux where user namespaces are allowed, for a rate that can be compared.'
})

/** @type {(arms: string[]) => Warning} */
export const notConfined = arms => ({
  code: 'not-confined',
  text:
    `${listing(arms)} has known vulnerabilities, and nothing here could keep it from the files of this account ` +
    'while it ran.',
  remedy: 'leave it out, or run it on Linux where user namespaces are allowed. SECURITY.md tells what it could reach.'
})

/** @type {(arms: string[]) => Warning} */
export const countedByClient = arms => ({
  code: 'counted-by-client',
  text:
    `${listing(arms)} ${arms.length === 1 ? 'was' : 'were'} up already: only the client counted. Nothing proves how ` +
    'many connections were opened behind it, its CPU time and memory are not known, and it ran beside the load while ' +
    'others were measured.',
  remedy: 'let hopbench start it, with --app and the command that does.'
})

/** @type {(arms: string[]) => Warning} */
export const unprovenTransport = arms => ({
  code: 'unproven-transport',
  text:
    `Nobody could count the connections behind the proxy of ${listing(arms)}: whether they are kept, as the name of ` +
    'the transport says, is not proven.',
  remedy: 'leave out --no-lab: in a network of its own the kernel counts them.'
})

/** @type {(trials: ArmResult['invalidTrials']) => Warning} */
export const disturbedTrials = trials => ({
  code: 'disturbed-trials',
  text:
    `${plural(trials.length, 'trial')} ${trials.length === 1 ? 'says' : 'say'} nothing and ` +
    `${trials.length === 1 ? 'was' : 'were'} thrown away; the last because ` +
    `${ended(trials.at(-1)?.reason.text ?? 'no reason was recorded')}`,
  remedy: 'nothing, where the intervals are narrow enough: later blocks make up for them.'
})

/** @type {() => Warning} */
export const noCpuTime = () => ({
  code: 'no-cpu-time',
  text:
    'This system does not tell how much CPU time processes take (there is no /proc): there is no CPU time per ' +
    'request, and nobody saw whether the load generator was the bottleneck.',
  remedy: 'run it on Linux, with /proc mounted.'
})

/** @type {(why: string | null) => Warning} */
export const sharedLoopback = why => ({
  code: 'shared-loopback',
  text:
    `All topologies shared the host's loopback${why ? `, because ${why}` : ''}: the connections that one leaves ` +
    'behind can slow the next.',
  remedy: 'run it on Linux where user namespaces are allowed; what is missing shows: npm run hopbench -- doctor'
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
    `${listing(arms)} had more processes than the ${plural(cores, 'core')} of this machine: what a request costs in ` +
    'CPU time is what to read there. The rates do not tell what so many processes can do where each has a core.',
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
