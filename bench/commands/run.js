import { acquireMachineLock } from '../machine/machine-lock.js'
import { endingOnInterrupt, isInside, runInside } from '../machine/enclosure.js'
import { HopbenchError } from '../errors.js'
import { prepare } from '../studies/programs.js'
import { planFrom } from '../studies/request.js'
import { hostsFrom } from '../studies/remote/ssh.js'
import { ProgressFeed } from '../report/progress-feed.js'
import { BUDGET_SECONDS, PRECISION } from '../plan/targets.js'
import { COMPARISON_MARGIN } from '../shared/thresholds.js'
import { count, one, seconds, seed, share } from './shared/option-values.js'
import { more, requestOptions } from './shared/request-options.js'
import { storedRun } from '../studies/stored-run.js'
import { exportOptions, exportsIn, writeExports } from './shared/exports.js'
import { comparisonOf, exitOf, printComparison, textsOfComparison } from './shared/print-comparison.js'
import { RUN_FORMATS, textsOfRun } from './shared/run-exports.js'

/** @import { Command } from 'commander' */
/** @import { RunFlags } from '../studies/types.js' */
/** @import { StoredRun } from '../studies/stored-run.js' */
/** @import { Exported } from './shared/run-exports.js' */
/** @import { Export } from './shared/exports.js' */

const budgetText = `${BUDGET_SECONDS}s; with --quick shorter, by the number of arms`

/**
 * @param {Command} program
 * @param {(code: number) => void} setExit
 */
export default (program, setExit) =>
  exportOptions(requestOptions(program.command('run').optionsGroup('Your app, and its requests:'))
    .option('--allow-host <host>', 'a host other than this one that may be loaded by its URL', more)
    .description('measure an experiment, or the topologies typed (the first is the baseline)')
    .argument('[experiment | topology | URL...]',
      'a name from "hopbench list", a file with an experiment, or chains of hops such as nginx:uds/express-json')
    .optionsGroup('How long:')
    .option('--quick', '6 blocks (12 of gang slices), intervals not adjusted: a first look')
    .option('--smoke', 'one block of slices of 0.1 s, no intervals: whether it works, not how fast it is')
    .option('-d, --budget <time>', `wall time of the run, as in 90s or 3m (default: ${budgetText})`,
      seconds('--budget'))
    .option('--detect <share>', 'measure until a difference of this size is detectable at 80 % power, as in 5%',
      share('--detect'))
    .option('--precision <share>',
      `stop when every interval's half-width is at most this (default: ${PRECISION * 100}%)`, share('--precision'))
    .optionsGroup('Load:')
    .option('-c, --connections <number>',
      'client connections of each arm (default: 100, or what the experiment says)', count('--connections', 1_000_000))
    .option('-e, --engine <name>',
      'load generator of all arms (default: autocannon, or wrk where it would be too slow)')
    .option('--root <folder>', 'files of your own: a mix of what is in it, for static servers')
    .option('--paths <file>', 'with --root: the paths to request, one on each line, or an access log')
    .option('--seed <number>', 'of the order of the slices', seed('--seed'))
    .optionsGroup('Comparison with an earlier run:')
    .option('--baseline <run>', 'an earlier run to compare with: exit code 3 when an arm became slower')
    .option('--margin <share>', `with --baseline: what counts as slower (default: ${COMPARISON_MARGIN * 100}%)`,
      share('--margin'))
    .option('--strict', 'with --baseline: exit code 3 also where the comparison is inconclusive')
    .option('--no-rates', 'with --baseline: ratios within each run decide, and no rates')
    .optionsGroup('An interrupted run:')
    .option('--resume <run>', 'resume an interrupted run')
    .option('--trust-run', 'with --resume: a server or a folder outside hopbench that the stored run names may be used')
    .optionsGroup('Where:')
    .option('-o, --results <folder>', 'where runs are kept (default: ./results)')
    .option('--net <link>',
      'client and server on two hosts of a private network, joined by a link of this kind; the only one is gigabit',
      one('--net', ['gigabit']))
    .option('--no-lab', "share the host's loopback instead of private networks")
    .option('--server <user@host>', 'hold the served side on another machine, over ssh')
    .option('--load-hosts <user@host,...>', 'make the load on other machines, over ssh')
    .option('--locust-workers <user@host,...>', 'spread Locust over other machines by its own means, over ssh')
    .option('--expect-workers <number>', 'wait for so many workers of Locust that you start; prints the command',
      count('--expect-workers', 1000))
    .option('--ssh <command>', 'the ssh to use, as in "ssh -p 2222" (default: ssh)')
    .option('--no-wait', 'fail at once where another hopbench is measuring on this machine')
    .optionsGroup('Output:')
    .option('--feed', 'progress on stderr as lines of JSON, for a program that follows it')
    .option('--json', 'print the record as JSON; progress goes to stderr'), RUN_FORMATS)
    .addHelpText('after', `
Examples:
  hopbench run uds --quick
  hopbench run uds --detect 5%
  hopbench run users --quick
  hopbench run nginx:tcp/express-json nginx:uds/express-json
  hopbench run ./my-app.js nginx:uds/./my-app.js --path /api -c 50 -d 3m
  hopbench run --app 'node dist/main.js' --listen '$PORT' app nginx:keepalive/app
  hopbench run http://127.0.0.1:3000/a http://127.0.0.1:3000/b
  hopbench run uds --baseline results/reference/2026-01-02T03-04-05Z-uds --margin 10%
  hopbench run uds --server me@web1 --load-hosts me@load1,me@load2`)
    .action(async (words, options, command) => setExit(await measureTyped(words, options, command.parent.args)))

/**
 * @param {string[]} words
 * @param {Record<string, any>} typed
 * @param {string[]} argv of hopbench
 * @returns {Promise<number>} exit code
 */
async function measureTyped (words, typed, argv) {
  const { ssh } = typed
  const options = /** @type {RunFlags & Record<string, any>} */ ({
    ...typed,
    server: typed.server && hostsFrom(typed.server, { option: '--server', ssh })[0],
    load: typed.loadHosts && hostsFrom(typed.loadHosts, { option: '--load-hosts', ssh }),
    locustWorkers: typed.locustWorkers && hostsFrom(typed.locustWorkers, { option: '--locust-workers', ssh })
  })
  const { json = false, feed = false } = options
  let request = await planFrom(words, options)
  // What is missing is reported before minutes are spent.
  const exports = exportsIn(options)
  const baseline = options.baseline && await storedRun(options.baseline, options.results)
  if (!baseline) refuseWithoutBaseline(options)
  if (!isInside()) {
    const say = (/** @type {string} */ text) => new ProgressFeed(process.stderr).stage(text)
    const waited = await acquireMachineLock(argv, { ...options, ...feed && { say } })
    // The holder that was waited for may have finished the run to resume.
    if (waited) request = await planFrom(words, options)
    await prepare(request)
    const code = await runInside(argv)
    if (code !== null) return code
  }
  // What measures and reports is of no use to the outer process, which only waits.
  const { runPlan } = await import('../studies/run-plan.js')
  const { dir, succeeded } = await runPlan(request, { json, feed, interrupted: endingOnInterrupt('slice') })
  if (!succeeded) return 1
  const run = { ...await storedRun(dir), resultsDir: options.results }
  return baseline ? againstBaseline(baseline, run, { ...options, exports }) : done(run, exports)
}

/**
 * @param {Exported} run
 * @param {Export[]} exports
 */
async function done (run, exports) {
  await writeExports(exports, textsOfRun(run))
  return 0
}

/**
 * @param {StoredRun} baseline an earlier run
 * @param {Exported} run
 * @param {Record<string, any> & { exports: Export[] }} options as typed
 * @returns {Promise<number>} exit code
 */
async function againstBaseline (baseline, run, { exports, ...options }) {
  const stream = options.json ? process.stderr : process.stdout
  const comparison = comparisonOf(baseline, run, options)
  const texts = textsOfRun(run)
  // A summary begins with what decides whether the build fails.
  const markdown = async () => `${await textsOfComparison(comparison).markdown()}\n${await texts.markdown()}`
  if (!await writeExports(exports, { ...texts, markdown })) {
    stream.write('\n')
    printComparison(comparison, { ...options, stream })
  }
  return exitOf(comparison, options)
}

/** Warns of what would have no effect. @param {Record<string, any>} options as typed */
function refuseWithoutBaseline ({ margin, strict, rates }) {
  const [option, value] = Object.entries({
    '--margin': margin,
    '--strict': strict,
    '--no-rates': rates === false || undefined
  }).find(([, value]) => value !== undefined) ?? []
  if (option !== undefined) {
    throw new HopbenchError('bad-option', { option, value, why: 'it requires --baseline, the run to compare with' })
  }
}
