import { compareRuns } from '../analysis/compare-runs.js'
import { acquireMachineLock } from '../machine/machine-lock.js'
import { endingOnInterrupt, isEnclosed, runInside } from '../machine/enclosure.js'
import { hostsFrom } from '../load/hosts/ssh.js'
import { refuseTakenPorts } from '../studies/plan-checks.js'
import { prepare } from '../studies/programs.js'
import { planFrom } from '../studies/request.js'
import { ProgressFeed } from '../report/progress-feed.js'
import { BUDGET_SECONDS, PRECISION } from '../plan/targets.js'
import {
  compareThroughput, comparisonOptions, exitIfSlower, planEnd, refuseWithoutBaseline, refuseWithoutContrast
} from './shared/comparison-options.js'
import {
  DETAILS, JSON_RECORD, NO_LAB, NO_WAIT, OWN_NODE, RELEASE, RESULTS, SEED, WARM_UP, collect, requestOptions
} from './shared/common-options.js'
import { count, oneOf, seconds, share } from './shared/option-values.js'
import { report } from '../studies/show-record.js'
import { storedRun } from '../studies/stored-run.js'
import { exportOptions, exportsIn, printsExport, writeExports } from './shared/exports.js'
import { RUN_FORMATS, textsOfBaseline, textsOfRun } from './shared/formats.js'
import { exitOf, printComparison } from './shared/print-comparison.js'

/** @import { Command } from 'commander' */
/** @import { RunFlags } from '../studies/types.js' */
/** @import { StoredRun } from '../studies/stored-run.js' */

const budgetText = `${BUDGET_SECONDS}s; less with --quick, depending on the number of arms`

/**
 * Adds the options that name machines and folders.
 *
 * @param {Command} command
 */
const machineOptions = command => command
  .optionsGroup('Machines and folders:')
  .option(...RESULTS)
  .option('--net <link>',
    'run client and server on two hosts of a private network, joined by this link: gigabit',
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
  exportOptions(comparisonOptions(machineOptions(requestOptions(program.command('run')
    .optionsGroup('Your app, and its requests:'))
    .option('--allow-host <host>', 'host of a URL that may be loaded besides this machine; can be repeated', collect)
    .description('measure an experiment, or compare topologies with the first one')
    .argument('[experiment | topology | URL...]',
      'name from "hopbench list", file with an experiment, or chains of hops such as nginx:uds/express-json')
    .optionsGroup('Duration:')
    .option('--quick', 'a first look: 6 blocks (12 with the protocol gang), unadjusted intervals')
    .option('--smoke', 'check that everything works: one block of slices of 0.1 s, no intervals')
    .option('-d, --budget <time>', `limit of the wall time, as in 90s or 3m (default: ${budgetText})`,
      seconds('--budget'))
    .option('--detect <share>', 'measure until a difference of this size, as in 5%, is detectable at 80 % power',
      share('--detect'))
    .option(...WARM_UP)
    .option('--precision <share>',
      `stop when the half-width of every interval is at most this (default: ${PRECISION * 100}%)`, share('--precision'))
    .optionsGroup('Load:')
    .option('-c, --connections <number>',
      'client connections of each arm (default: 100, or those of the experiment)', count('--connections', 1_000_000))
    .option('--rate <number>',
      'also measure response times of all arms in an open loop at this rate, in requests per second',
      count('--rate', 100_000))
    .option('-e, --engine <name>',
      'load generator of all arms (default: autocannon, or wrk if autocannon would be too slow)')
    .option('--root <folder>', 'folder of files to serve and request, for static servers')
    .option('--paths <file>', 'with --root or your app: paths to request, one per line, or an access log')
    .option('--har <file>', 'with your app: the GET requests of a page, as browsers save them')
    .option('--har-methods <list>', 'with --har: methods to repeat besides GET, as in POST,PUT')
    .option(...SEED)
    .optionsGroup('An interrupted run:')
    .option('--resume <run>', 'resume an interrupted run')
    .option('--trust-run', 'with --resume: allow programs and folders outside hopbench that the stored run names')))
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
  hopbench run uds --baseline results/reference/2026-01-02T03-04-05Z-uds --margin 10%
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
  const options = { ...typed, load: typed.loadHosts && hostsFrom(typed.loadHosts, typed.ssh) }
  const { json = false, feed = false, details = false, failIfSlower } = options
  const baseline = options.baseline && await storedRun(options.baseline, options.results)
  if (!baseline) refuseWithoutBaseline(options)
  const { margin, isResolved } = planEnd(baseline, options)
  options.margin = margin
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
  const { runPlan } = await import('../studies/run-plan.js')
  const isPrinted = !printsExport(exports)
  const { dir, succeeded } = await runPlan(request.plan, request.options, {
    json,
    feed,
    details,
    interrupted: endingOnInterrupt('slice'),
    isResolved,
    show: toShow(baseline, { ...options, isPrinted })
  })
  const run = { ...await storedRun(dir), resultsDir: options.results }
  if (succeeded) return conclude(run, { baseline, options, exports })
  if (!isPrinted) process.stderr.write(`The run failed: hopbench report ${run.run} shows why.\n`)
  await writeExports(exports, textsOfRun(run))
  return 1
}

/**
 * Writes the exports of a run, and prints what its exit code depends on.
 *
 * @param {StoredRun & { resultsDir?: string }} run
 * @param {object} typed
 * @param {StoredRun} [typed.baseline] an earlier run
 * @param {RunFlags & Record<string, any>} typed.options
 * @param {ReturnType<typeof exportsIn>} typed.exports
 * @returns {Promise<number>} exit code
 */
async function conclude (run, { baseline, options, exports }) {
  const { failIfSlower, json, strict } = options
  const stream = json || printsExport(exports) ? process.stderr : process.stdout
  let exit = 0
  let rates
  if (failIfSlower !== undefined) {
    rates = compareThroughput(run, failIfSlower)
    exit = exitIfSlower(rates, failIfSlower, stream)
  }
  const comparison = baseline && compareRuns(baseline, run, options)
  await writeExports(exports, comparison ? textsOfBaseline(run, comparison) : textsOfRun({ ...run, rates }))
  return comparison ? exitOf(comparison, { strict }) || exit : exit
}

/**
 * Returns the function that prints a stored run. The comparison with a baseline is printed before the report, because
 * it decides the exit code.
 *
 * @param {StoredRun | undefined} baseline an earlier run
 * @param {{ margin?: number, rates?: boolean, strict?: boolean, isPrinted: boolean }} options isPrinted: false: an
 *   export is printed in place of the report
 * @returns {typeof report}
 */
const toShow = (baseline, options) => async (record, shown) => {
  if (!options.isPrinted) return
  if (baseline && record.complete && record.ended !== 'failed') {
    const stream = shown.json ? process.stderr : process.stdout
    const comparison = compareRuns(baseline, await storedRun(shown.dir), options)
    printComparison(comparison, { strict: options.strict, stream })
    stream.write('\n')
  }
  await report(record, shown)
}
