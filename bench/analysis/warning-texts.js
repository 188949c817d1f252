/** What each warning says, and what to try (pure): bench/analysis/warnings.js knows when.
 * @import { ArmResult, Contrast, CrowdedArm, SlowerUsers, Warning } from '../types.js' */
import {
  budgetFor, count, duration, ended, estimate, isNumber, listing, micros, percent, plural, rate
} from '../shared/format.js'
import { LONGEST_BUDGET_SECONDS } from '../shared/thresholds.js'

/** @type {(run: string, blocks: number) => Warning} */
export const cutOff = (run, blocks) => ({
  code: 'cut-off',
  text: `The run was interrupted after ${plural(blocks, 'block')}: its results are partial.`,
  remedy: `resume it: npm run hopbench -- run --resume ${run}`
})

/** @type {() => Warning} */
export const sizingCutOff = () => ({
  code: 'cut-off',
  text: 'The sizing was interrupted: its results are partial.',
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
    'This was a smoke test: one block of trials too short to measure anything, and no confidence intervals. It ' +
    'shows that everything works, not what is faster.',
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
    `Only ${plural(blocks, 'block')} could be measured, and reliable intervals need at least ${count(least)}.`,
  remedy: 'give it more time with --budget, or compare fewer topologies at once.'
})

/** @type {(widest: { arm: string, baseline: string, halfWidth: number | null }, target: number, secondsNeeded: number
 *   | null) => Warning} */
export const precisionNotReached = ({ arm, baseline, halfWidth: reached }, target, secondsNeeded) => ({
  code: 'precision-not-reached',
  text:
    `The requested precision (±${percent(target)}) was not reached: the confidence interval of ${arm} against ` +
    `${baseline} ` + (reached === null ? 'could not be estimated.' : `is ±${percent(reached)}.`),
  remedy: isNumber(secondsNeeded)
    ? budgetFor(secondsNeeded) > LONGEST_BUDGET_SECONDS
      ? 'it is not attainable on this machine: set a wider --precision.'
      : `give it more time, estimated at ${duration(budgetFor(secondsNeeded))} in all: --budget ` +
        `${budgetFor(secondsNeeded)}s`
    : 'give it more time with --budget, or set a wider --precision.'
})

/** Engines whose usual load wrk can make with less CPU time; s-time, h2load and the open loops do what it cannot. */
const REPLACED_BY_WRK = ['autocannon', 'ab']

/** @type {(arms: string[], engine: string) => Warning} */
export const generatorBound = (arms, engine) => ({
  code: 'generator-bound',
  text: `${engine} was the bottleneck in ${listing(arms)}: the measured rate is a lower bound.`,
  remedy: REPLACED_BY_WRK.includes(engine)
    ? 'use a faster generator: --engine wrk'
    : 'make the load from more cores, or choose requests that cost the server more.'
})

/** @type {(arms: string[], share: number) => Warning} */
export const networkBound = (arms, share) => ({
  code: 'network-bound',
  text:
    `The link between the two hosts was the bottleneck in ${listing(arms)}: answers used ${percent(share)} of it, ` +
    'and the measured rate is a lower bound.',
  remedy: 'use a faster link, smaller or compressed answers, or leave out --net to measure the programs themselves.'
})

/** @type {(arms: string[], connections: number) => Warning} */
export const bothWaited = (arms, connections) => ({
  code: 'both-waited',
  text:
    `Neither the load generator nor the served side of ${listing(arms)} was saturated: each waited for the ` +
    'other, and the rate shows that latency, not the capacity of the topology.',
  remedy:
    `use more connections: --connections ${2 * connections}; if the rate stays the same, look for answers that ` +
    'never end.'
})

/** @type {(engine: string, switchedFor: { arm: string, share: number }) => Warning} */
export const engineSwitched = (engine, { arm, share }) => ({
  code: 'engine-switched',
  text:
    `${engine} made the load of all arms: in the pilot the default generator used ${percent(share)} of its core for ` +
    `${arm} and would have been the bottleneck.`,
  remedy: 'name the same --engine in both runs to compare this one with another; otherwise no action is needed.'
})

/** @type {(engine: string, instead: { wanted: string, why: string }) => Warning} */
export const engineMissing = (engine, { wanted, why }) => ({
  code: 'engine-missing',
  text:
    `${engine} made the load; the published figures are from ${wanted}, which is not available here: ${ended(why)}`,
  remedy: `install ${wanted} where PATH finds it, and run it again.`
})

/** @type {(crowded: CrowdedArm) => Warning} */
export const tooManyToStop = ({ arm, processes }) => ({
  code: 'too-many-to-stop',
  text:
    `${arm} has ${count(processes)} processes, more than can be paused within a turn of a twentieth of a second: ` +
    "only load generators were paused, in slices, which show more of the machine's noise.",
  remedy: 'use fewer processes, or more time with --budget.'
})

/** @type {(engine: string, slower: SlowerUsers) => Warning} */
export const slowerUsers = (engine, { capacity, share, arms }) => ({
  code: 'slower-users',
  text:
    'Each user made fewer requests a second than planned: ' +
    `${listing(arms.map(({ arm, used, wanted }) => `in ${arm} ${micros(used)} instead of ${micros(wanted)}`))}. ` +
    `${engine} makes at most ${rate(capacity)} requests a second here, and ${percent(share)} of that is used. ` +
    'The number of users, which the limits are about, is as planned.',
  remedy: 'run it on a machine with more cores.'
})

/** @type {(noiseFloor: { ratio: number, low: number, high: number }) => Warning} */
export const noisyFloor = noiseFloor => {
  const { ratio, interval } = estimate(noiseFloor)
  return {
    code: 'noise-floor',
    text:
      `Noise floor (A/A): an arm against its own twin measured ${ratio} (${interval}), which excludes 1. Smaller ` +
      'differences are inconclusive, whatever their intervals say.',
    remedy: 'run it again for longer, on a machine that runs nothing else.'
  }
}

/** @type {(contrasts: Pick<Contrast, 'arm' | 'baseline' | 'lag1'>[]) => Warning} */
export const autocorrelated = contrasts => ({
  code: 'autocorrelation',
  text:
    'Blocks are autocorrelated in ' +
    `${listing(contrasts.map(({ arm, baseline, lag1 }) =>
      `${arm} against ${baseline} (lag-1 ${isNumber(lag1) ? lag1.toFixed(2) : 'unknown'})`))}: ` +
    'their intervals were widened for that.',
  remedy: 'look for changes on the machine during the run (other programs, temperature), or give it more time.'
})

/** @type {(arm: Pick<ArmResult, 'name' | 'invalidTrials' | 'trials'>) => Warning} */
export const invalidTrials = ({ name, invalidTrials, trials }) => ({
  code: 'invalid-trials',
  text:
    `${count(invalidTrials.length)} of ${plural(trials, 'trial')} of ${name} are invalid and were discarded; ` +
    `the last because ${ended(invalidTrials.at(-1)?.reason.text ?? 'no reason was recorded')}`,
  remedy: 'see its logs in the results folder.'
})

/** @type {(lines: { line: string, lastDay: string }[], arms: string[]) => Warning} */
export const runtimePastItsEnd = (lines, arms) => ({
  code: 'runtime-past-its-end',
  text:
    `${listing(arms)} ran under Node ` +
    `${listing(lines.map(({ line, lastDay }) => `${line} (no releases since ${lastDay})`))}: no more security ` +
    'updates. On a supported line Express takes a fraction of the CPU time, so the cost of a proxy weighs more there.',
  remedy: 'measure under the line that you run: +runtime=node-24 on the server; docs/runtimes.md says what it changes.'
})

/** @type {(arms: string[]) => Warning} */
export const confinedByNode = arms => ({
  code: 'confined-by-node',
  text:
    `Namespaces are refused here, so Node's permission model checked every path that ${listing(arms)} opened, for ` +
    'its known vulnerabilities. The check takes CPU time (docs/method.md).',
  remedy: 'run it on Linux where user namespaces are allowed, for a rate that can be compared.'
})

/** @type {(arms: string[]) => Warning} */
export const notConfined = arms => ({
  code: 'not-confined',
  text:
    `${listing(arms)} has known vulnerabilities, and nothing here could keep it from the files of this account ` +
    'while it ran.',
  remedy: 'leave it out, or run it on Linux where user namespaces are allowed. SECURITY.md says what it could reach.'
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
    `The connections behind the proxy of ${listing(arms)} could not be counted: whether they are kept open, as the ` +
    'name of the transport says, is not proven.',
  remedy: 'leave out --no-lab: in a network of its own the kernel counts them.'
})

/** @type {(trials: ArmResult['invalidTrials']) => Warning} */
export const disturbedTrials = trials => ({
  code: 'disturbed-trials',
  text:
    `${plural(trials.length, 'trial')} ${trials.length === 1 ? 'was' : 'were'} disturbed and discarded; the last ` +
    `because ${ended(trials.at(-1)?.reason.text ?? 'no reason was recorded')}`,
  remedy: 'run it again if the intervals are too wide; otherwise no action is needed: later blocks replaced them.'
})

/** @type {() => Warning} */
export const noCpuTime = () => ({
  code: 'no-cpu-time',
  text:
    'This system does not report the CPU time of processes (there is no /proc): CPU time per request is missing, and ' +
    'whether the load generator was the bottleneck is unknown.',
  remedy: 'run it on Linux, with /proc mounted.'
})
