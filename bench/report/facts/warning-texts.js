/** Texts of warnings, in full and in one line. bench/judge/warnings.js decides when each applies. */
import {
  budgetFor, count, duration, ended, estimate, isNumber, listing, micros, percent, plural, rate
} from '../../shared/format.js'
import { MAX_BUDGET_SECONDS } from '../../shared/thresholds.js'
import { distanceFromOne } from '../phrases.js'
import { countInvalid, printReason, stillChangedText } from './reason-texts.js'

/** @import { Reason, RefusedRequests, Warning, WarningParams } from '../../types.js' */

/**
 * text: sentences; remedy: the end of "Try: …", without the command, which facts.js appends; brief: the text in one
 * line, where it depends on the names of the arms or their number; left out: another part of the report shows the fact,
 * or it does not change how the figures are read
 * @typedef {{ text: string, remedy: string, brief?: string | ((names: string) => string) }} WarningText
 */

/** Arms that are named beside the number of the others. More of them hide the sentence. */
const MAX_NAMED = 4

/**
 * Lists arms, or the first of many and the number of the others.
 * @param {string[]} arms
 */
function nameArms (arms) {
  const rest = arms.length - MAX_NAMED
  return rest > 1 ? listing([...arms.slice(0, MAX_NAMED), `${count(rest)} more arms`]) : listing(arms)
}

/** Engines that wrk can replace at less CPU time. wrk cannot make the loads of s-time, h2load and the open loops. */
const REPLACED_BY_WRK = ['autocannon', 'ab']

/** Prints a reason as the end of a sentence. @param {Reason | null} reason */
const reasonText = reason => ended(reason === null ? 'no reason was recorded' : printReason(reason))

/**
 * Lists requests that an app refuses, with their share by weight.
 * @param {RefusedRequests} refused
 */
export const refusedText = ({ share, requests, more }) =>
  `${percent(share)} of the requests (${[...requests, ...more > 0 ? [plural(more, 'other')] : []].join(', ')})`

/**
 * Recommends a longer budget or a wider precision, by the estimated time.
 * @param {WarningParams['precision-not-reached']} params
 */
function precisionRemedy ({ secondsNeeded }) {
  if (secondsNeeded === null) return 'give it more time with --budget, or set a wider --precision.'
  const budget = budgetFor(secondsNeeded)
  return budget > MAX_BUDGET_SECONDS
    ? 'it is not attainable on this machine: set a wider --precision.'
    : `give it more time, estimated at ${duration(budget)} in all: --budget ${budget}s`
}

/** Texts by code. @type {{ [Code in keyof WarningParams]: (params: WarningParams[Code]) => WarningText }} */
export const warningTexts = {
  'cut-off': ({ blocks, isFinal }) => blocks === null
    ? {
        text: 'The sizing was interrupted: its results are partial.',
        remedy: 'run it again; a sizing cannot be resumed.'
      }
    : {
        text: `The run was interrupted after ${plural(blocks, 'block')}: its results are partial.`,
        remedy: isFinal ? 'run it again; such a run cannot be resumed.' : 'resume it'
      },

  'requests-refused': refused => ({
    brief: `${percent(refused.share)} of the requests were left out, because the app refuses them`,
    text: `Left out of all arms, because the app refuses them: ${refusedText(refused)}.`,
    remedy: 'leave such paths out of the file, or send a session with --header if they need a login.'
  }),

  quick: ({ sizing }) => ({
    brief: 'a quick look: of several verdicts one may well be wrong',
    text: sizing
      ? 'This was a quick look: short windows, and three searches instead of six.'
      : 'This was a quick look: few blocks, and intervals that are not adjusted for the number of contrasts. Of ' +
        'several contrasts one may well be wrong.',
    remedy: `run it without --quick before ${sizing ? 'buying' : 'deciding'} anything.`
  }),

  smoke: () => ({
    text: 'This was a smoke test: one block of trials too short to measure anything, and no confidence intervals. It ' +
      'shows that everything works, not which arm is faster.',
    remedy: 'run it without --smoke to measure.'
  }),

  'not-steady': params => ({
    brief: names => `${names} had not reached the steady state: contrasts are inconclusive`,
    text: `The warm-up of ${nameArms(params.arms)} ended before the steady state: ${stillChangedText(params)}. ` +
      `Contrasts with ${params.arms.length === 1 ? 'this arm' : 'these arms'} are inconclusive.`,
    remedy: params.quick
      ? 'run it without --quick, to wait for the steady state.'
      : `give the warm-up more time: --warm-up ${2 * Math.ceil(params.seconds)}s`
  }),

  'few-blocks': ({ blocks, needed }) => ({
    brief: `only ${plural(blocks, 'block')}; reliable intervals need ${count(needed)}`,
    text: `Only ${plural(blocks, 'block')} could be measured, and reliable intervals need at least ${count(needed)}.`,
    remedy: 'give it more time with --budget, or compare fewer topologies at once.'
  }),

  'one-start': () => ({
    brief: 'one start of the programs: another start can differ by more than the intervals',
    text: 'The time was enough for one start of the programs. Rates differ from start to start, usually by 1 to 3 %, ' +
      'which the intervals do not contain.',
    remedy: 'give it more time with --budget, or compare fewer topologies at once.'
  }),

  'precision-not-reached': params => ({
    brief: `the precision of ±${percent(params.target)} was not reached` +
      (params.halfWidth === null ? '' : `: the widest interval is ±${percent(params.halfWidth)}`),
    text: `The requested precision (±${percent(params.target)}) was not reached: the confidence interval of ` +
      `${params.arm} against ${params.baseline} ` +
      (params.halfWidth === null ? 'could not be estimated.' : `is ±${percent(params.halfWidth)}.`),
    remedy: precisionRemedy(params)
  }),

  'noise-floor': floor => {
    const { ratio, interval } = estimate(floor)
    return {
      brief: `an arm differed from its own twin: differences below ${percent(distanceFromOne(floor))} are open`,
      text: `Noise floor (A/A): an arm against its own twin measured ${ratio} (${interval}), which excludes 1. ` +
        'Smaller differences are inconclusive with any interval.',
      remedy: 'run it again for longer, on a machine that runs nothing else.'
    }
  },

  autocorrelation: ({ contrasts }) => {
    const pairs = contrasts.map(({ arm, baseline, lag1 }) => `${arm} against ${baseline} (lag-1 ${lag1.toFixed(2)})`)
    return {
      text: `Blocks are autocorrelated in ${listing(pairs)}: their intervals were widened for that.`,
      remedy: 'look for changes on the machine during the run (other programs, temperature), or give it more time.'
    }
  },

  'generator-bound': ({ arms, engine }) => ({
    brief: names => `${engine} was the limit in ${names}: the rate is a lower bound`,
    text: `${engine} was the bottleneck in ${nameArms(arms)}: the measured rate is a lower bound.`,
    remedy: REPLACED_BY_WRK.includes(engine)
      ? 'use a faster generator: --engine wrk'
      : 'generate the load on more cores, or choose requests that cost the server more.'
  }),

  'network-bound': ({ arms, share }) => ({
    brief: names => `the link was the limit in ${names}: the rate is a lower bound`,
    text: `The link between the two hosts was the bottleneck in ${nameArms(arms)}: responses used ${percent(share)} ` +
      'of it, and the measured rate is a lower bound.',
    remedy: 'use a faster link, smaller or compressed responses, or leave out --net to measure the programs themselves.'
  }),

  'both-waited': ({ arms, connections }) => ({
    brief: names => `nothing was busy in ${names}: the rate shows latency, not capacity`,
    text: `Neither the load generator nor the served side of ${nameArms(arms)} was saturated: each waited for the ` +
      'other, and the rate shows that latency, not the capacity of the topology.',
    remedy: `use more connections: --connections ${2 * connections}; if the rate stays the same, look for responses ` +
      'that never end.'
  }),

  batches: ({ arms, connections, seconds, windowSeconds, fewer }) => ({
    brief: names =>
      `${count(connections)} connections are many for ${names}: slices differ; try --connections ${fewer}`,
    text: `With ${count(connections)} connections each gets a response of ${nameArms(arms)} every ` +
      `${seconds.toFixed(1)} s, and a slice takes ${windowSeconds} s. An app that works on all requests at once ` +
      'completes many of them together, so slices differ by more than the speed of the app does.',
    remedy: `load it with fewer connections: --connections ${fewer}`
  }),

  'engine-switched': ({ engine, arm, share }) => ({
    text: `${engine} generated the load of all arms: in the pilot the default generator used ${percent(share)} of ` +
      `its core for ${arm} and would have been the bottleneck.`,
    remedy: 'name the same --engine in both runs to compare this one with another; otherwise no action is needed.'
  }),

  'engine-missing': ({ engine, wanted, why }) => ({
    brief: `${engine} made the load; the published figures are from ${wanted}`,
    text: `${engine} generated the load; the published figures are from ${wanted}, which is not available here: ` +
      ended(why),
    remedy: `install ${wanted} where PATH finds it, and run it again.`
  }),

  'files-differ': ({ arm, compared, total, headers }) => ({
    brief: headers.length > 0
      ? `files of ${arm} differ from those of the app in ${listing(headers.map(({ name }) => name))}`
      : `not all files of ${arm} were compared`,
    text: `The proxy of ${arm} serves files of the app itself. ` +
      (compared < total ? `${count(compared)} of ${plural(total, 'file')} were compared with the app. ` : '') +
      headers.map(({ name, files, path, app, proxy }) =>
        `${name} differs in ${plural(files, 'file')} (${path}: ${app ?? 'missing'} at the app, ` +
        `${proxy ?? 'missing'} at the proxy). `).join(''),
    remedy: 'check that browsers and caches may keep the files for as long as the proxy says.'
  }),

  'too-many-to-stop': ({ arm, processes }) => ({
    brief: `an arm has ${count(processes)} processes, too many to pause: more noise than usual`,
    text: `${arm} has ${count(processes)} processes, more than can be paused within a turn of a twentieth of a ` +
      "second: only load generators were paused, in slices, which show more of the machine's noise.",
    remedy: 'use fewer processes, or more time with --budget.'
  }),

  'slower-users': ({ engine, capacity, share, arms }) => ({
    brief: 'users made fewer requests a second than planned; their number is as planned',
    text: 'Each user made fewer requests a second than planned: ' +
      `${listing(arms.map(({ arm, used, wanted }) => `in ${arm} ${micros(used)} instead of ${micros(wanted)}`))}. ` +
      `${engine} makes at most ${rate(capacity)} requests a second here, and ${percent(share)} of that is used. ` +
      'The number of users, which the limits are about, is as planned.',
    remedy: 'run it on a machine with more cores.'
  }),

  'invalid-trials': ({ arm, invalid, trials, last }) => ({
    brief: countInvalid({ invalid, trials, arm }),
    text: `${countInvalid({ invalid, trials, arm })} and ${invalid === 1 ? 'was' : 'were'} discarded; ` +
      `the last because ${reasonText(last)}`,
    remedy: 'see its logs in the results folder.'
  }),

  'disturbed-trials': ({ trials, last }) => ({
    text: `${plural(trials, 'trial')} ${trials === 1 ? 'was' : 'were'} disturbed and discarded; the last ` +
      `because ${reasonText(last)}`,
    remedy: 'run it again if the intervals are too wide; otherwise no action is needed: later blocks replaced them.'
  }),

  'app-closes-connections': ({ arms, words }) => ({
    brief: names => `the app of ${names} closes its connections, so none is kept`,
    text: `The app closes each connection after its response, so the proxy of ${nameArms(arms)} cannot keep ` +
      'connections to it.',
    remedy: `measure ${listing(words)}, or let the app keep its connections: in Node and Express remove a ` +
      '"Connection: close" header and set server.keepAliveTimeout above the timeout of the proxy; in Python use a ' +
      'server of HTTP/1.1 (protocol_version = "HTTP/1.1" with http.server; gunicorn -k gthread --keep-alive 75 with ' +
      'WSGI).'
  }),

  'app-hangs': ({ arms, connections }) => ({
    brief: names => `connections to ${names} waited while nothing was busy`,
    text: `Connections to ${nameArms(arms)} waited for a response while nothing was busy. With ${connections} ` +
      'connections an app with one thread and a short listen queue does that: the queue of http.server in Python has ' +
      '5 places.',
    remedy: 'use fewer connections (--connections 4) or a server for production; the output of the app is in the ' +
      'folder of the run.'
  }),

  'app-writes-output': ({ arms }) => ({
    brief: names => `the app of ${names} writes output for each request (see --quiet-app)`,
    text: `The app of ${nameArms(arms)} writes to its output for each request, and the writing is part of its rate.`,
    remedy: 'compare with --quiet-app, which discards the output, or turn its request log off.'
  }),

  'runtime-past-its-end': ({ arms, lines }) => ({
    brief: names =>
      `${names} ran under Node ${listing(lines.map(({ line }) => line))}, past its end; newer lines are faster`,
    text: `${nameArms(arms)} ran under Node ` +
      `${listing(lines.map(({ line, lastDay }) => `${line} (no releases since ${lastDay})`))}: no more security ` +
      'updates. On a supported line Express takes a fraction of the CPU time, so a proxy costs relatively more.',
    remedy: 'measure under the line that you run. The current LTS line is fetched for built-in servers, except with ' +
      '--own-node or without a network; an app of your own runs under the Node that starts it (docs/runtimes.md).'
  }),

  'confined-by-node': ({ arms }) => ({
    brief: names => `Node's permission model checked paths and slowed ${names}`,
    text: `Namespaces are refused here, so Node's permission model checked every path that ${nameArms(arms)} opened, ` +
      'for its known vulnerabilities. The check takes CPU time (docs/method.md).',
    remedy: 'run it on Linux where user namespaces are allowed, for a rate that can be compared.'
  }),

  'not-confined': ({ arms }) => ({
    brief: names => `${names} has known vulnerabilities and was not confined`,
    text: `${nameArms(arms)} has known vulnerabilities, and nothing on this machine could keep it from the files of ` +
      'this account while it ran.',
    remedy: 'leave it out, or run it on Linux where user namespaces are allowed. SECURITY.md lists what it could reach.'
  }),

  'counted-by-client': ({ arms }) => ({
    brief: names => `only the client counted ${names}: no proof, no CPU time`,
    text: `${nameArms(arms)} ${arms.length === 1 ? 'was' : 'were'} up already: only the client counted. Nothing ` +
      'proves how many connections were opened behind it, its CPU time and memory are unknown, and it ran beside the ' +
      'load while others were measured.',
    remedy: 'let hopbench start it, with --app and its command.'
  }),

  'unproven-transport': ({ arms }) => ({
    brief: names => `that ${names} kept its connections is not proven`,
    text: `The connections behind the proxy of ${nameArms(arms)} could not be counted: whether they are kept open, ` +
      'as the name of the transport states, is not proven.',
    remedy: 'leave out --no-lab: in a network of its own the kernel counts them.'
  }),

  'no-cpu-time': () => ({
    brief: 'this system reports no CPU time, so the limiting side is unknown',
    text: 'This system does not report the CPU time of processes (there is no /proc): CPU time per request is ' +
      'missing, and whether the load generator was the bottleneck is unknown.',
    remedy: 'run it on Linux, with /proc mounted.'
  }),

  'shared-loopback': ({ why }) => ({
    brief: 'all arms shared one network: one can slow the next',
    text: `All topologies shared the host's loopback${why ? `, because ${why}` : ''}: the connections that one ` +
      'leaves behind can slow the next.',
    remedy: 'run it on Linux where user namespaces are allowed; to see what is missing'
  }),

  'congestion-control': ({ control }) => ({
    brief: `TCP used ${control} in place of cubic: large responses may cost more`,
    text: `TCP used the congestion control ${control} in place of cubic, the default of Linux: large responses may ` +
      'cost more CPU time than on most machines, and sendfile may save less.',
    remedy: 'as root'
  }),

  'shared-cores': ({ cores }) => ({
    brief: 'load and servers shared the same cores: rates are lower than on separate ones',
    text: `Load generator and servers shared ${cores === 1 ? 'the only core' : 'the same cores'}: the generator took ` +
      'CPU time from the served side.',
    remedy: cores === 1
      ? 'run it on two cores or more.'
      : 'run it on Linux with taskset (util-linux), which gives each side cores of its own.'
  }),

  'shared-cores-on-purpose': () => ({
    brief: 'load and servers shared all cores: compare the CPU time, too',
    text: 'Load generator and servers shared all cores, because this experiment is about more processes: the ' +
      'generator took CPU time from the served side, the same from every arm.',
    remedy: 'look at the column "load" of the CPU table for how much that was.'
  }),

  'fewer-cores-than-workers': ({ arms, cores }) => ({
    brief: names => `more processes than the ${plural(cores, 'core')} in ${names}: compare the CPU time`,
    text: `${nameArms(arms)} had more processes than the ${plural(cores, 'core')} of this machine: read the CPU time ` +
      'per request. The rates do not show what as many processes would serve with a core each.',
    remedy: 'run it on a machine with more cores than processes.'
  }),

  'busy-machine': ({ busyShare, loadAverage, cores, process }) => {
    const load = isNumber(busyShare)
      ? `${percent(busyShare)} of the time`
      : `a load average of ${loadAverage.toFixed(1)}`
    const briefLoad = isNumber(busyShare)
      ? `used ${percent(busyShare)} of ${plural(cores, 'core')} at the start`
      : `were busy at the start, load average ${loadAverage.toFixed(1)}`
    return {
      brief: `other programs ${briefLoad}${process ? `, most of all ${process.name}` : ''}`,
      text: `Other programs were busy when the run began: ${load} on ${plural(cores, 'core')}` +
        `${process ? `, most of all ${process.name} (${percent(process.share)})` : ''}.`,
      remedy: `end ${process ? process.name : 'the other programs'}, wait a minute and run it again.`
    }
  },

  'steal-time': ({ share, isOfRun }) => ({
    brief: `other guests of this host took ${percent(share)} of the CPU time`,
    text: `Other guests of this host took ${percent(share)} of the CPU time ${
      isOfRun ? 'during the run' : 'when the run began'}.`,
    remedy: 'run it at another time, or on a machine that is not shared.'
  }),

  'governor-powersave': () => ({
    brief: 'the CPU saves power: its speed may change during a run',
    text: 'The CPU saves power (governor "powersave"): its speed may change in the middle of a run.',
    remedy: 'as root'
  }),

  'open-files': ({ limit, needed }) => ({
    brief: `only ${count(limit)} open files are allowed, and this load can need ${count(needed)}`,
    text: `A process may have ${count(limit)} files open here, and this load can need ${count(needed)}: connections ` +
      'may be refused.',
    remedy: 'raise the limit in this shell first'
  })
}

/**
 * Returns the texts of a warning.
 * @param {Warning} warning
 * @returns {WarningText}
 */
export const findWarningText = ({ code, params }) => warningTexts[code](/** @type {never} */ (params))

/**
 * Returns a warning in one line.
 * @param {Warning} warning
 * @param {number} room most letters
 * @returns {string | null} null: it does not change how the figures are read
 */
export function printBrief (warning, room) {
  const { brief } = findWarningText(warning)
  if (brief === undefined) return null
  if (typeof brief === 'string') return shorten(brief, room)
  const arms = findArms(warning)
  const named = brief(listing(arms))
  return named.length <= room ? named : shorten(brief(plural(arms.length, 'arm')), room)
}

/**
 * Returns the names of the arms of a warning.
 * @param {Warning} warning
 * @returns {string[]}
 */
const findArms = ({ params }) => 'arms' in params ? params.arms.map(arm => typeof arm === 'string' ? arm : arm.arm) : []

/**
 * Shortens a text to its first clause, and this to whole words.
 * @param {string} text
 * @param {number} room
 */
function shorten (text, room) {
  if (text.length <= room) return text
  const [sentence] = text.split(/(?<=\w)[.:;] /)
  if (sentence.length <= room) return sentence.replace(/\.$/, '')
  const cut = sentence.slice(0, room - 1)
  return `${cut.slice(0, Math.max(cut.lastIndexOf(' '), room / 2))}…`
}
