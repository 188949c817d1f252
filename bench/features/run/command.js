import { badOption, shellWord } from '../../errors.js'
import { ownCommand } from '../../machine/own-command.js'
import { runInside } from '../../machine/network/enclosure.js'
import { hostsFrom } from '../../load/hosts/ssh.js'
import { measureRun } from '../../run/run-request.js'
import { BUDGET_SECONDS, PRECISION } from '../../plan/targets.js'
import { compareThroughput, exitIfSlower, rejectWithoutContrast, untilDecided } from './fail-if-slower.js'
import {
  DETAILS, JSON_RECORD, NO_LAB, NO_WAIT, OWN_NODE, RELEASE, RESULTS, SEED, WARM_UP, collect, mixOptions, requestOptions
} from '../../request/common-options.js'
import { count, oneOf, seconds, share } from '../../request/option-values.js'
import { storedRun } from '../../run/stored-run.js'
import { isConfigWord } from '../../request/config-word.js'
import { RUN_FORMATS, exportOptions, exportsIn, printsExport, textsOfRun, writeExports } from '../compare/index.js'

/** @import { Command } from 'commander' */
/** @import { RunFlags } from '../../request/types.js' */

const budgetText = `that of the experiment, else ${BUDGET_SECONDS}s, more with many arms; less with --quick`

/**
 * Adds the options that name machines and folders.
 *
 * @param {Command} command
 */
const machineOptions = command => command
  .optionsGroup('Machines and folders:')
  .option(...RESULTS)
  .option('--net <link>', 'link between client and server in a private network: gigabit', oneOf('--net', ['gigabit']))
  .option(...NO_LAB)
  .option(...OWN_NODE)
  .option(...RELEASE)
  .option('--load-hosts <user@host,...>',
    'run the load generator on another machine, over ssh; several machines for users, whose generator is Locust')
  .option('--ssh <command>', 'ssh with options, as in "ssh -p 2222" (default: ssh)')
  .option(...NO_WAIT)

/**
 * @param {Command} program
 * @param {(code: number) => void} setExit
 */
export default (program, setExit) =>
  exportOptions(machineOptions(mixOptions(requestOptions(program.command('run')
    .optionsGroup('Your app, and its requests:'))
    .option('--host <name>', 'server block of a configuration of your own, by its name')
    .option('--allow-host <host>', 'host of a URL that may be loaded; can be repeated', collect)
    .description('measure an experiment, or compare topologies with the first one')
    .argument('[experiment | topology | URL | nginx.conf...]',
      'name or file of an experiment, topologies such as nginx:uds/express-json, or a configuration of your own')
    .optionsGroup('Duration:')
    .option('--quick', '6 blocks (12 with the protocol gang) and unadjusted intervals')
    .option('--smoke', 'one block of slices of 0.1 s, without intervals')
    .option('-d, --budget <time>', `limit of the wall time, as in 90s or 3m (default: ${budgetText})`,
      seconds('--budget'))
    .option('--detect <share>', 'measure until a difference of this size, as in 5%, is detectable at 80 % power',
      share('--detect'))
    .option(...WARM_UP)
    .option('--precision <share>',
      `stop when the half-width of every interval is at most this (default: ${PRECISION * 100}%)`, share('--precision'))
    .optionsGroup('Load:')
    .option('-c, --connections <number>',
      'client connections (default: 100, or those of the experiment)', count('--connections', 1_000_000))
    .option('--rate <number>',
      'also measure response times in an open loop at this rate, in requests per second',
      count('--rate', 100_000))
    .option('-e, --engine <name>', 'load generator (default: autocannon, or wrk if autocannon would be too slow)')
    .option('--root <folder>', 'folder of files to serve and request, for static servers'))
    .option(...SEED)
    .optionsGroup('An interrupted run:')
    .option('--resume <run>', 'resume an interrupted run')
    .option('--trust-run', 'with --resume: start programs and serve folders that the run names'))
    .optionsGroup('A comparison that fails:')
    .option('--fail-if-slower <share>',
      'exit with 3 if a contrast of this run is slower by more than this share; the run goes on until this is ' +
      'decided, unless --precision or --detect ends it', share('--fail-if-slower'))
    .optionsGroup('Output:')
    .option(...DETAILS)
    .option('--feed', 'print progress on stderr, each line "hopbench-feed " and JSON')
    .option(...JSON_RECORD), RUN_FORMATS)
    .addHelpText('after', `
Examples:
  hopbench run uds --quick
  hopbench run uds --detect 5%
  hopbench run users --quick
  hopbench run nginx:tcp/express-json nginx:uds/express-json
  hopbench run ./my-app.js nginx:uds/./my-app.js --path /api -c 50 -d 3m
  hopbench run --app 'node dist/main.js' --listen '$PORT' app nginx:keepalive/app
  hopbench run --app old='node old.js' --app new='node new.js' old new --fail-if-slower 5%
  hopbench run latency --app 'npm start'
  hopbench run ./nginx.conf --app 'npm start'
  hopbench run --app 'node dist/main.js' --rate 800
  hopbench run http://127.0.0.1:3000/a http://127.0.0.1:3000/b
  hopbench run uds --load-hosts me@load1`)
    .action(async (words, options, command) => setExit(await measureTyped(words, options, command.parent.args)))

/**
 * @param {string[]} words
 * @param {{ lab: boolean } & Record<string, any>} typed
 * @param {string[]} argv of hopbench
 * @returns {Promise<number>} exit code
 */
async function measureTyped (words, typed, argv) {
  const { json = false, feed = false, details = false, failIfSlower } = typed
  const load = typed.loadHosts && hostsFrom(typed.loadHosts, typed.ssh)
  /** @type {RunFlags & Record<string, any>} */
  const options = { ...typed, argv, load, margin: failIfSlower }
  // Checks the other options before minutes are spent on the measurement.
  const exports = exportsIn(options)
  const isConfig = isConfigWord(words[0] ?? '') && options.resume === undefined
  if (options.host !== undefined && !isConfig) {
    throw badOption('--host', options.host, 'it requires a configuration of your own', 'Leave it out.')
  }
  // Imported here, because few runs need it.
  const measureWords = isConfig ? (await import('../own-config/index.js')).measureConfig : measureRun
  const measured = await measureWords({ words, options }, {
    enclose: input => runInside(argv, { input }),
    feed: feed ? process.stderr : null,
    isResolved: untilDecided(failIfSlower),
    check: plan => rejectWithoutContrast(failIfSlower, plan)
  })
  if ('exit' in measured) return measured.exit
  const { dir, record, lost, succeeded } = measured
  const resultsDir = options.results
  const isPrinted = !printsExport(exports)
  // Imported here, because it takes memory and time.
  const { report, showPage } = await import('../../run/show-record.js')
  if (isPrinted) await report(record, { json, dir, resultsDir, lost, details })
  else {
    await showPage(dir, { json: true, resultsDir })
    if (!succeeded) {
      process.stderr.write(`The run failed. See why with: ${ownCommand()} report ${shellWord(record.run)}\n`)
    }
  }
  const run = { ...await storedRun(dir), resultsDir }
  const rates = succeeded && failIfSlower !== undefined ? compareThroughput(run, failIfSlower) : undefined
  const out = json || !isPrinted ? process.stderr : process.stdout
  const exit = rates ? exitIfSlower(rates, failIfSlower, out) : Number(!succeeded)
  await writeExports(exports, textsOfRun({ ...run, rates }))
  return exit
}
