import { resolve } from 'node:path'
import { acquireMachineLock } from '../machine/machine-lock.js'
import { endingOnInterrupt, isEnclosed, runInside } from '../machine/enclosure.js'
import { badOption } from '../errors.js'
import { startSupervisor } from '../machine/process.js'
import { localEngines } from '../load/find-engine.js'
import { CONFIDENCE, HEADROOM, NEW_CONNECTIONS, SPARE } from '../shared/thresholds.js'
import { callerCwd } from '../machine/caller-cwd.js'
import { refuseHttp3, refuseNewConnections, refuseTakenPorts } from '../request/plan-checks.js'
import { prepareHops } from '../run/programs.js'
import { readMix, toMixedArms } from '../request/own-mix.js'
import { armsFrom } from '../request/request.js'
import { utc } from '../run/session.js'
import { assumeCores, isOld, readOfferings, selectOfferings } from '../studies/sizing/offerings.js'
import { PROFILES, readProfile } from '../studies/sizing/profile.js'
import { refuseWithoutUrl, toQuestion, urlRequestFrom } from '../studies/sizing/url-request.js'
import { offeringsText } from '../report/offerings-text.js'
import {
  JSON_RECORD, NO_LAB, NO_WAIT, OWN_NODE, RELEASE, RESULTS, SEED, WARM_UP, collect, mixOptions,
  requestOptions
} from './shared/common-options.js'
import { confirm } from './shared/confirm.js'
import {
  anyShare, count, countFromZero, responseTime, seconds, share, shareFromZero
} from './shared/option-values.js'

/** @import { Command } from 'commander' */
/** @import { ChosenOfferings } from '../types.js' */

const CONNECTIONS = 400 // Upper limit. An open loop opens only as many connections as it needs.
/** Largest --confidence. A sizing has too few windows for a larger share (bench/studies/sizing/confidence.js). */
const MOST_CONFIDENCE = 0.99

/**
 * Adds the options for a deployed instance.
 *
 * @param {Command} command
 */
const urlOptions = command => command
  .optionsGroup('One instance that you have deployed:')
  .option('--url <URL>', 'measure the instance at this URL; requires --max-rps')
  .option('--allow-host <host>', 'host of a URL that may be loaded; can be repeated', collect)
  .option('--max-rps <number>', 'limit of the requests per second',
    count('--max-rps', 1_000_000))
  .option('--max-requests <number>', 'limit of the requests (default: --max-rps × --max-time)',
    count('--max-requests'))
  .option('--max-time <time>', 'limit of the time (default: 10m)', seconds('--max-time'))
  .option('--yes', 'load the URL without confirmation')
  .option('--from <run>', 'stored sizing to compare with, for the offering of --plan')

/**
 * @param {Command} program
 * @param {(code: number) => void} setExit
 */
export default (program, setExit) =>
  urlOptions(mixOptions(requestOptions(program.command('size')
    .description('measure how many instances of which offering serve a rate within a latency goal')
    .argument('[topology...]', 'topologies such as nginx:uds/express-json')
    .option('--rps <number>', 'total requests per second at the peak (required)', count('--rps', 100_000_000))
    .option('--p99 <time>', 'goal for the p99 of the latency, as in 50ms (required)', responseTime('--p99'))
    .option('--headroom <share>', `share of the capacity that is kept free (default: ${HEADROOM * 100}%)`,
      shareFromZero('--headroom'))
    .option('--confidence <share>',
      `share of 3 s windows that meet the goal at the capacity (default: ${CONFIDENCE * 100}%)`, share('--confidence'))
    .option('--profile <name>', `load over a day: ${PROFILES.join(', ')}, an access log, or a JSON file with rates ` +
      '(default: constant)')
    .option('--spare <number>', `instances that may be lost while the goal still holds (default: ${SPARE})`,
      countFromZero('--spare', 10_000))
    .option('--min <number>', 'fewest instances (default: one more than --spare)', count('--min', 10_000))
    .option('--max <number>', 'most instances (default: no limit)', count('--max', 10_000))
    .option('--plan <name...>', 'only these offerings, as in "Heroku Standard-1X"')
    .option('--provider <name...>', 'only offerings of these providers, as in heroku')
    .option('--new-connections <share>', 'share of requests on a new TLS connection, for virtual machines, which end ' +
      `TLS themselves (default: ${NEW_CONNECTIONS * 100}%)`, anyShare('--new-connections'))
    .option('--memory-extra <MiB>', 'memory added to each process (default: 128 for examples, 0 for your app)',
      countFromZero('--memory-extra', 1_000_000))
    .option('--assume-vcpu <offering=cores...>', 'CPU cores of an offering: "Heroku Standard-1X=0.5"')
    .option('--plans <file>', 'file with further offerings')
    .option('--list', 'print the offerings and their sources')
    .option('--verify', 'run one instance with the limits of each of up to six offerings, at its rate when the spare ' +
      'instances are lost')
    .option('--soak <time>', 'look for memory leaks for this long, as in 10m', seconds('--soak'))
    .option('--quick', 'three searches instead of six')
    .option(...WARM_UP)
    .option('-c, --connections <number>', `most client connections (default: ${CONNECTIONS})`,
      count('--connections', 1_000_000))
    .option(...SEED)
    .option(...RESULTS)
    .option(...NO_LAB)
    .option(...OWN_NODE)
    .option(...RELEASE)
    .option(...NO_WAIT)
    .option(...JSON_RECORD)
    .optionsGroup('Your app, and its requests:'))))
    .addHelpText('after', `
Examples:
  hopbench size nginx:uds/express-json --rps 2000 --p99 50ms
  hopbench size express-json nginx:uds+cache=5s/express-json --rps 5000 --p99 20ms --verify
  hopbench size ./my-app.js --path /api --rps 300 --p99 100ms --plans our-plans.json --soak 10m
  hopbench size --app 'npm start' --rps 300 --p99 100ms
  hopbench size express-json --rps 2000 --p99 50ms --profile office --max 20
  hopbench size --url https://my.example/api --allow-host my.example --max-rps 400 --rps 2000 --p99 80ms

docs/sizing.md explains the measurement and its limits.`)
    .action(async (words, options, command) => {
      if (options.url !== undefined) return setExit(await sizeUrl(words, options, command.parent.args))
      refuseWithoutUrl(options)
      const offerings = offeringsFrom(options)
      if (!options.list) return setExit(await size(words, { ...options, offerings }, command.parent.args))
      process.stdout.write(options.json ? `${JSON.stringify(offerings, null, 2)}\n` : listOfferings(offerings))
    })

/** Prints offerings and their sources as a table. @param {Parameters<typeof offeringsText>[0]} offerings */
const listOfferings = offerings => offeringsText(offerings, {
  columns: process.stdout.columns ?? 80, isOld: offering => isOld(offering, utc())
})

/**
 * Measures a deployed instance. Everything takes place in this process, because another one would resolve the name
 * again, and only the confirmed address may be loaded. Each load generator ends by itself after seconds.
 *
 * @param {string[]} words
 * @param {Record<string, any>} options as typed
 * @param {string[]} argv of hopbench
 * @returns {Promise<number>} exit code
 */
async function sizeUrl (words, options, argv) {
  refuseWithoutGoal(options)
  const request = await urlRequestFrom(words, { connections: CONNECTIONS, ...options }, wishFrom(options))
  if (!options.yes) await confirm(toQuestion(request), { command: 'hopbench size --url', option: '--yes' })
  await acquireMachineLock(argv, options)
  startSupervisor()
  const { runUrlSize } = await import('../studies/sizing/url-study.js')
  return runUrlSize({ ...request, argv }, endingOnInterrupt('window'))
}

/** @param {Record<string, any>} options as typed */
function offeringsFrom ({ plan, plans, provider, assumeVcpu = [] }) {
  const offerings = readOfferings(plans && resolve(callerCwd(), plans))
  return selectOfferings(assumeCores(offerings, assumeVcpu), { plan, provider })
}

/**
 * Returns the options that chose the offerings, for the stored goal.
 *
 * @param {Record<string, any>} options as typed
 * @returns {ChosenOfferings | undefined} undefined: none was typed
 */
function chosenFrom ({ plan, plans, provider }) {
  if (!plan && !plans && !provider) return undefined
  return { ...plan && { plans: plan }, ...provider && { providers: provider }, ...plans && { hasFile: true } }
}

/**
 * @param {string[]} words
 * @param {Record<string, any>} options
 * @param {string[]} argv of hopbench
 * @returns {Promise<number>} exit code
 */
async function size (words, options, argv) {
  const seed = options.seed ?? Math.floor(Math.random() * 2 ** 32)
  const arms = await checkedArms(words, options, seed)
  const wish = wishFrom(options)
  if (!isEnclosed()) {
    if (!options.lab) refuseTakenPorts(arms)
    await acquireMachineLock(argv, options)
    await prepareHops(arms)
    await localEngines.findFaster()
    const code = await runInside(argv)
    if (code !== null) return code
  }
  const { runSize } = await import('../studies/sizing/sizing-study.js')
  return runSize({
    argv,
    arms,
    rate: options.rps,
    p99Ms: options.p99 * 1000,
    ...wish,
    offerings: options.offerings,
    chosen: chosenFrom(options),
    verify: options.verify ?? false,
    quick: options.quick ?? false,
    warmUpSeconds: options.warmUp,
    lab: options.lab,
    json: options.json ?? false,
    seed,
    results: options.results
  }, endingOnInterrupt('window'))
}

/** @param {Record<string, any>} options */
function wishFrom (options) {
  const { headroom = HEADROOM, confidence = CONFIDENCE, profile, spare = SPARE, max = null, soak = null } = options
  const { min = 1 + spare, memoryExtra = null, newConnections = NEW_CONNECTIONS } = options
  refuseFewInstances({ spare, min, max })
  refuseConfidence(confidence)
  const file = profile === undefined || PROFILES.includes(profile) ? profile : resolve(callerCwd(), profile)
  return {
    headroom,
    confidence,
    spare,
    memoryExtra,
    newConnections,
    min,
    max,
    soakSeconds: soak,
    profile: { ...readProfile(file), name: profile ?? 'constant' }
  }
}

/**
 * Rejects a limit of instances that every offering exceeds.
 *
 * @param {{ spare: number, min: number, max: number | null }} limits
 */
function refuseFewInstances ({ spare, min, max }) {
  if (max === null) return
  if (max <= spare) {
    throw badOption('--max', String(max), `with --spare ${spare} there are at least ${spare + 1} instances`,
      `Add --spare ${max - 1}, or raise --max.`)
  }
  if (max < min) throw badOption('--max', String(max), `it is less than --min, ${min}`)
}

/** @param {number} confidence */
function refuseConfidence (confidence) {
  if (confidence >= 0.5 && confidence <= MOST_CONFIDENCE) return
  const why = confidence < 0.5
    ? 'at the capacity at least half of the windows must meet the goal'
    : 'a sizing has too few windows for a share above 99%'
  throw badOption('--confidence', String(confidence), why)
}

/**
 * @param {string[]} words
 * @param {Record<string, any>} options
 * @param {number} seed of the sequence of requests
 */
async function checkedArms (words, { connections = CONNECTIONS, ...options }, seed) {
  refuseWithoutGoal(options)
  const arms = await armsFrom(words, { ...options, connections })
  refuseHttp3(arms)
  if (arms.length === 0) {
    throw badOption('hopbench size', undefined, 'it takes topologies, as in nginx:uds/express-json, or --url')
  }
  refuseNewConnections(arms, options)
  const mix = readMix(options)
  return mix ? toMixedArms(arms, seed, mix) : arms
}

/** @param {Record<string, any>} options */
function refuseWithoutGoal ({ rps, p99 }) {
  for (const [name, value] of [['--rps', rps], ['--p99', p99]]) {
    if (value !== undefined) continue
    throw badOption('hopbench size', undefined, `it requires ${name}, as in --rps 2000 --p99 50ms`)
  }
}
