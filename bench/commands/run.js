import { shellWord } from '../errors.js'
import { acquireMachineLock } from '../machine/machine-lock.js'
import { ownCommand } from '../machine/own-command.js'
import { endingOnInterrupt, isEnclosed, runInside } from '../machine/enclosure.js'
import { hostsFrom } from '../load/hosts/ssh.js'
import { refuseTakenPorts } from '../request/plan-checks.js'
import { prepare } from '../run/programs.js'
import { planFrom } from '../request/request.js'
import { ProgressFeed } from '../report/progress-feed.js'
import { BUDGET_SECONDS, PRECISION } from '../plan/targets.js'
import { compareThroughput, exitIfSlower, refuseWithoutContrast, untilDecided } from './shared/fail-if-slower.js'
import {
  DETAILS, JSON_RECORD, NO_LAB, NO_WAIT, OWN_NODE, RELEASE, RESULTS, SEED, WARM_UP, collect, requestOptions
} from './shared/common-options.js'
import { count, oneOf, seconds, share } from './shared/option-values.js'
import { storedRun } from '../run/stored-run.js'
import { exportOptions, exportsIn, printsExport, writeExports } from './shared/exports.js'
import { RUN_FORMATS, textsOfRun } from './shared/formats.js'

/** @import { Command } from 'commander' */
/** @import { RunFlags } from '../request/types.js' */
/** @import { StoredRun } from '../run/stored-run.js' */

const budgetText = `${BUDGET_SECONDS}s, more with many arms; less with --quick`

/**
 * Adds the options that name machines and folders.
 *
 * @param {Command} command
 */
const machineOptions = command => command
  .optionsGroup('Machines and folders:')
  .option(...RESULTS)
  .option('--net <link>',
    'link between client and server in a private network: gigabit',
    oneOf('--net', ['gigabit']))
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
  exportOptions(machineOptions(requestOptions(program.command('run')
    .optionsGroup('Your app, and its requests:'))
    .option('--allow-host <host>', 'host of a URL that may be loaded; can be repeated', collect)
    .description('measure an experiment, or compare topologies with the first one')
    .argument('[experiment | topology | URL...]',
      'name or file of an experiment, or topologies such as nginx:uds/express-json')
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
    .option('-e, --engine <name>',
      'load generator (default: autocannon, or wrk if autocannon would be too slow)')
    .option('--root <folder>', 'folder of files to serve and request, for static servers')
    .option('--paths <file>', 'paths to request, one per line, or an access log')
    .option('--har <file>', 'the GET requests of a page, as browsers save them')
    .option('--har-methods <list>', 'methods of --har besides GET, as in POST,PUT')
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
    .option('--feed', 'print progress on stderr as lines of JSON')
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
  /** @type {RunFlags & Record<string, any>} */
  const options = { ...typed, argv, load: typed.loadHosts && hostsFrom(typed.loadHosts, typed.ssh) }
  const { json = false, feed = false, details = false, failIfSlower } = options
  options.margin = failIfSlower
  let request = await planFrom(words, options)
  // Checks the other options before minutes are spent on the measurement.
  const exports = exportsIn(options)
  refuseWithoutContrast(failIfSlower, request.plan)
  if (!isEnclosed()) {
    if (!options.lab) refuseTakenPorts(request.plan.arms)
    if (request.note) process.stderr.write(`${request.note}\n`)
    const say = (/** @type {string} */ text) => new ProgressFeed(process.stderr).stage(text)
    const waited = await acquireMachineLock(argv, { ...options, ...feed && { say } })
    // The other hopbench may meanwhile have completed the run to resume.
    if (waited) request = await planFrom(words, options)
    await prepare(request)
    const code = await runInside(argv)
    if (code !== null) return code
  }
  // Imported here, because the outer process, which only waits, does not need it.
  const { runPlan } = await import('../run/run-plan.js')
  const isPrinted = !printsExport(exports)
  const { dir, succeeded } = await runPlan(request.plan, request.options, {
    json,
    feed,
    details,
    interrupted: endingOnInterrupt('slice'),
    isResolved: untilDecided(failIfSlower),
    ...!isPrinted && { show: async () => {} }
  })
  const run = { ...await storedRun(dir), resultsDir: options.results }
  if (succeeded) return conclude(run, { options, exports })
  if (!isPrinted) process.stderr.write(`The run failed. See why with: ${ownCommand()} report ${shellWord(run.run)}\n`)
  await writeExports(exports, textsOfRun(run))
  return 1
}

/**
 * Writes the exports of a run, and prints what its exit code depends on.
 *
 * @param {StoredRun & { resultsDir?: string }} run
 * @param {object} typed
 * @param {RunFlags & Record<string, any>} typed.options
 * @param {ReturnType<typeof exportsIn>} typed.exports
 * @returns {Promise<number>} exit code
 */
async function conclude (run, { options: { failIfSlower, json }, exports }) {
  let exit = 0
  let rates
  if (failIfSlower !== undefined) {
    rates = compareThroughput(run, failIfSlower)
    exit = exitIfSlower(rates, failIfSlower, json || printsExport(exports) ? process.stderr : process.stdout)
  }
  await writeExports(exports, textsOfRun({ ...run, rates }))
  return exit
}
