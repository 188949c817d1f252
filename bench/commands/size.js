import { resolve } from 'node:path'
import { acquireMachineLock } from '../machine/machine-lock.js'
import { endingOnInterrupt, isInside, runInside } from '../machine/enclosure.js'
import { HopbenchError } from '../errors.js'
import { localEngines } from '../load/find-engine.js'
import { callerCwd } from '../machine/caller-cwd.js'
import { prepareHops } from '../studies/programs.js'
import { armFrom } from '../studies/request.js'
import { commandFrom } from '../studies/own-request.js'
import { utc } from '../studies/session.js'
import { defaultTopologies } from '../studies/typed-experiment.js'
import { assumeCores, findOffering, isOld, readOfferings } from '../studies/sizing/offerings.js'
import { FEWEST_INSTANCES, HEADROOM } from '../studies/sizing/price.js'
import { PROFILES, readProfile } from '../studies/sizing/profile.js'
import { plansText } from '../report/sizing-text.js'
import { count, seconds, seed, share } from './shared/option-values.js'
import { requestOptions } from './shared/request-options.js'

/** @import { Command } from 'commander' */

const CONNECTIONS = 400 // As many connections as an open loop may need at once; it opens as many as it does need.

/**
 * @param {Command} program
 * @param {(code: number) => void} setExit
 */
export default (program, setExit) =>
  requestOptions(program.command('size')
    .description('how many instances of which plan serve a rate at a latency goal, with the measurement behind it')
    .argument('[topology...]', 'chains of hops such as nginx:uds/express-json')
    .option('--rps <number>', 'requests per second in all, at the peak (required)', count('--rps', 100_000_000))
    .option('--p99 <time>', 'the goal: 99 of 100 answers within this time, as in 50ms (required)', seconds('--p99'))
    .option('--headroom <share>', `of the capacity, kept free (default: ${HEADROOM * 100}%)`, share('--headroom'))
    .option('--confidence <share>', 'of 3 s windows that meet the goal at the capacity (default: 50%)',
      share('--confidence'))
    .option('--profile <name>', `a day's load: ${PROFILES.join(', ')}, or a JSON file (default: constant)`)
    .option('--min <number>', `instances at any time (default: ${FEWEST_INSTANCES})`, count('--min', 10_000))
    .option('--max <number>', 'instances at most (default: as many as it takes)', count('--max', 10_000))
    .option('--plan <name...>', 'these plans only, as in "Heroku Standard-1X"')
    .option('--assume-vcpu <plan=cores...>', 'the CPU that a plan gives, if you know it: "Heroku Standard-1X=0.5"')
    .option('--plans <file>', 'plans of your own, beside those that the project knows')
    .option('--list', 'print the plans and their sources')
    .option('--verify', "run one instance of the cheapest under its plan's limits, at its share of the rate; " +
      'where it does not meet the goal, of the next')
    .option('--soak <time>', 'watch memory under load for this long, as in 10m, and report leaks', seconds('--soak'))
    .option('--quick', 'three searches in place of six: a first look')
    .option('-c, --connections <number>', `client connections at most (default: ${CONNECTIONS})`,
      count('--connections', 1_000_000))
    .option('--seed <number>', 'of the schedule of the requests', seed('--seed'))
    .option('-o, --results <folder>', 'where runs are kept (default: ./results)')
    .option('--no-lab', "share the host's loopback instead of a private network")
    .option('--no-wait', 'fail at once where another hopbench is measuring on this machine')
    .option('--json', 'print the record as JSON; progress goes to stderr')
    .optionsGroup('Your app, and its requests:'))
    .addHelpText('after', `
Examples:
  hopbench size nginx:uds/express-json --rps 2000 --p99 50ms
  hopbench size express-json nginx:uds+cache=5s/express-json --rps 5000 --p99 20ms --verify
  hopbench size ./my-app.js --path /api --rps 300 --p99 100ms --plans our-plans.json --soak 10m
  hopbench size --app 'npm start' --rps 300 --p99 100ms
  hopbench size express-json --rps 2000 --p99 50ms --profile office --max 20

docs/sizing.md says how it is measured, and what it cannot show.`)
    .action(async (words, options, command) => {
      const plans = plansFrom(options)
      if (!options.list) return setExit(await size(words, { ...options, plans }, command.parent.args))
      process.stdout.write(options.json
        ? `${JSON.stringify(plans, null, 2)}\n`
        : plansText(plans, { columns: process.stdout.columns ?? 80, isOld: plan => isOld(plan, utc()) }))
    })

/** @param {Record<string, any>} options as typed */
function plansFrom ({ plan, plans, assumeVcpu = [] }) {
  const all = assumeCores(readOfferings(plans && resolve(callerCwd(), plans)), assumeVcpu)
  return plan ? plan.map((/** @type {string} */ name) => findOffering(all, name)) : all
}

/**
 * @param {string[]} words
 * @param {Record<string, any>} options
 * @param {string[]} argv of hopbench
 * @returns {Promise<number>} exit code
 */
async function size (words, options, argv) {
  const arms = await armsFrom(words, options)
  const wish = wishFrom(options)
  if (!isInside()) {
    await acquireMachineLock(argv, options)
    await prepareHops(arms)
    await localEngines.findFaster()
    const code = await runInside(argv)
    if (code !== null) return code
  }
  const { runSize } = await import('../studies/sizing/sizing-study.js')
  return runSize({
    arms,
    rate: options.rps,
    p99Ms: options.p99 * 1000,
    ...wish,
    offerings: options.plans,
    verify: options.verify ?? false,
    quick: options.quick ?? false,
    lab: options.lab,
    json: options.json ?? false,
    seed: options.seed ?? Math.floor(Math.random() * 2 ** 32),
    results: options.results
  }, endingOnInterrupt('window'))
}

/** @param {Record<string, any>} options */
function wishFrom (options) {
  const { headroom = HEADROOM, confidence = 0.5, profile, min = FEWEST_INSTANCES, max = null, soak = null } = options
  if (max !== null && max < min) {
    throw new HopbenchError('bad-option', { option: '--max', value: String(max), why: `it is less than --min, ${min}` })
  }
  if (confidence < 0.5) {
    const why = 'at the capacity at least half of the windows must meet the goal'
    throw new HopbenchError('bad-option', { option: '--confidence', value: String(confidence), why })
  }
  const file = profile === undefined || PROFILES.includes(profile) ? profile : resolve(callerCwd(), profile)
  return {
    headroom, confidence, min, max, soakSeconds: soak, profile: { ...readProfile(file), name: profile ?? 'constant' }
  }
}

/**
 * @param {string[]} words
 * @param {Record<string, any>} options
 */
async function armsFrom (words, { rps, p99, connections = CONNECTIONS, ...options }) {
  const option = 'hopbench size'
  const command = commandFrom(options)
  const wanted = words.length === 0 && command ? defaultTopologies(command) : words
  if (wanted.length === 0) {
    throw new HopbenchError('bad-option', { option, why: 'it takes topologies, as in nginx:uds/express-json' })
  }
  for (const [name, value] of [['--rps', rps], ['--p99', p99]]) {
    if (value !== undefined) continue
    throw new HopbenchError('bad-option', { option, why: `${name} is needed, as in --rps 2000 --p99 50ms` })
  }
  const arms = await Promise.all(wanted.map(word => armFrom(word, { ...options, connections })))
  const twice = arms.find(({ word }, i) => arms.findIndex(other => other.word === word) !== i)
  if (!twice) return arms
  throw new HopbenchError('bad-option', {
    option: 'A further topology',
    value: twice.word,
    why: 'it is typed twice',
    remedy: 'Name it once.'
  })
}
