import { acquireMachineLock } from '../../machine/machine-lock.js'
import { endingOnInterrupt, runInside } from '../../machine/network/enclosure.js'
import { startSupervisor } from '../../machine/process.js'
import { CONFIDENCE, HEADROOM, NEW_CONNECTIONS, SPARE } from '../../shared/thresholds.js'
import { utc } from '../../run/session.js'
import { listText } from './prices/offering-words.js'
import { isOld } from './prices/offerings.js'
import { PROFILES } from './capacity/profile.js'
import { CONNECTIONS, measureSize, offeringsFrom, rejectWithoutGoal, wishFrom } from './request.js'
import { rejectUnfit } from './record.js'
import { rejectWithoutUrl, toQuestion, urlRequestFrom } from './url/request.js'
import {
  JSON_RECORD, NO_LAB, NO_WAIT, OWN_NODE, RELEASE, RESULTS, SEED, WARM_UP, collect, mixOptions,
  requestOptions
} from '../../request/common-options.js'
import { confirm } from '../../request/confirm.js'
import {
  anyShare, count, countFromZero, responseTime, seconds, share, shareFromZero
} from '../../request/option-values.js'

/** @import { Command } from 'commander' */
/** @import { SizeFlags } from './request.js' */

/**
 * Adds the options for a deployed instance.
 *
 * @param {Command} command
 */
const urlOptions = command => command
  .optionsGroup('One instance that you have deployed:')
  .option('--url <URL>', 'measure the instance at this URL; requires --max-rps')
  .option('--allow-host <host>', 'host of a URL that may be loaded; can be repeated', collect)
  .option('--max-rps <number>', 'limit of the requests per second', count('--max-rps', 1_000_000))
  .option('--max-requests <number>', 'limit of the requests (default: --max-rps × --max-time)', count('--max-requests'))
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
    .option('--new-connections <share>', 'share of requests on a new TLS connection, for instances that end TLS ' +
      `themselves (default: ${NEW_CONNECTIONS * 100}%)`, anyShare('--new-connections'))
    .option('--memory-extra <MiB>', 'memory added to each process (default: 128 for examples, 0 for your app)',
      countFromZero('--memory-extra', 1_000_000))
    .option('--assume-vcpu <offering=cores...>', 'CPU cores of an offering: "Heroku Standard-1X=0.5"')
    .option('--plans <file>', 'file with further offerings')
    .option('--list', 'print the offerings and their sources')
    .option('--emulate', 'run one instance with the limits of each of up to six offerings for a minute, at its rate ' +
      'when the spare instances are lost')
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
  hopbench size express-json nginx:uds+cache=5s/express-json --rps 5000 --p99 20ms --emulate
  hopbench size ./my-app.js --path /api --rps 300 --p99 100ms --plans our-plans.json --soak 10m
  hopbench size --app 'npm start' --rps 300 --p99 100ms
  hopbench size express-json --rps 2000 --p99 50ms --profile office --max 20
  hopbench size --url https://my.example/api --allow-host my.example --max-rps 400 --rps 2000 --p99 80ms

docs/sizing.md explains the measurement and its limits.`)
    .action(async (words, options, command) => {
      if (options.url !== undefined) return setExit(await sizeUrl(words, options, command.parent.args))
      rejectWithoutUrl(options)
      if (!options.list) return setExit(await size(words, options, command.parent.args))
      const offerings = offeringsFrom(options)
      process.stdout.write(options.json ? `${JSON.stringify(offerings, null, 2)}\n` : listOfferings(offerings))
    })

/** Prints offerings and their sources as a table. @param {Parameters<typeof listText>[0]} offerings */
const listOfferings = offerings => listText(offerings, {
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
  rejectWithoutGoal(options)
  const request = await urlRequestFrom(words, { connections: CONNECTIONS, ...options }, wishFrom(options))
  if (!options.yes) await confirm(toQuestion(request), { command: 'hopbench size --url', option: '--yes' })
  await acquireMachineLock(argv, options)
  startSupervisor()
  const { runUrlSize } = await import('./url/study.js')
  return runUrlSize({ ...request, argv }, endingOnInterrupt('window'))
}

/**
 * @param {string[]} words
 * @param {SizeFlags} options
 * @param {string[]} argv of hopbench
 * @returns {Promise<number>} exit code
 */
async function size (words, options, argv) {
  const sized = await measureSize({ words, options: { ...options, argv } }, { enclose: () => runInside(argv) })
  if ('exit' in sized) return sized.exit
  const { dir, record } = sized
  // Imported here, because it takes memory and time.
  const { showPage, showRecord } = await import('../../run/show-record.js')
  showRecord(record, { json: options.json, dir })
  await showPage(dir, { json: options.json ?? false, resultsDir: options.results })
  if (record.complete) rejectUnfit(record.sizing)
  return record.complete && (record.sizing.emulated?.at(-1)?.holds ?? true) ? 0 : 1
}
