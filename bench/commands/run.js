import { acquireMachineLock } from '../machine/machine-lock.js'
import { endingOnInterrupt, isInside, runInside } from '../machine/enclosure.js'
import { HopbenchError } from '../errors.js'
import { prepare } from '../studies/programs.js'
import { planFrom } from '../studies/request.js'
import { hostsFrom } from '../studies/remote/ssh.js'
import { createFeed } from '../report/progress-feed.js'
import { count, one, seconds, seed, share } from './shared/option-values.js'
import { requestOptions } from './shared/request-options.js'
import { storedRun } from '../studies/stored-run.js'
import { refuseUnwritable, tellComparison } from './shared/print-comparison.js'

/** @import { Command } from 'commander' @import { RunOptions } from '../studies/types.js' */
/** @import { StoredRun } from '../studies/stored-run.js' */
/** @import { ComparisonOptions } from './shared/print-comparison.js' */

/** @param {Command} program @param {(code: number) => void} setExit */
export default (program, setExit) =>
  requestOptions(program.command('run'))
    .description('measure an experiment, or the topologies typed (the first is the baseline)')
    .argument('[experiment | topology | URL...]',
      'a name from "hopbench list", a file with an experiment, or chains of hops such as nginx:uds/express-json')
    .option('--quick', '6 blocks, intervals not adjusted: a first look')
    .option('--smoke', 'one block of slices of 0.1 s, no intervals: whether it works, not how fast it is')
    .option('--budget <time>', 'wall time of the run: 90s, 3m', seconds('--budget'))
    .option('--detect <share>', 'measure until a difference of this size is told apart 4 times in 5: 5%',
      share('--detect'))
    .option('--precision <share>', "stop when every interval's half-width is at most this: 2%", share('--precision'))
    .option('--connections <number>', 'client connections of each arm', count('--connections', 1_000_000))
    .option('--engine <name>', 'load generator of all arms (default: autocannon, or wrk where it would be too slow)')
    .option('--root <folder>', 'files of your own: a mix of what is in it, for servers of files')
    .option('--paths <file>', 'with --root: what is asked for, a path on each line or an access log')
    .option('--seed <number>', 'of the order of the slices', seed('--seed'))
    .option('--baseline <run>', 'an earlier run to compare with: exit code 3 when an arm became slower')
    .option('--margin <share>', 'with --baseline: what counts as slower (default: 5%)', share('--margin'))
    .option('--strict', 'with --baseline: exit code 3 also where the runs cannot tell')
    .option('--no-rates', 'with --baseline: ratios within each run decide, and no rates')
    .option('--markdown <file>',
      'with --baseline: write the comparison as Markdown; - prints it in place of the text')
    .option('--resume <run>', 'go on with a run that was cut off')
    .option('--trust-run', 'with --resume: a server or a folder outside hopbench that the stored run names may be used')
    .option('--results <folder>', 'where runs are kept')
    .option('--net <link>', 'client and server on two hosts of a private network, joined by such a link: gigabit',
      one('--net', ['gigabit']))
    .option('--no-lab', "share the host's loopback instead of private networks")
    .option('--server <user@host>', 'hold the served side on another machine, over ssh')
    .option('--load <user@host,...>', 'make the load on other machines, over ssh')
    .option('--locust-workers <user@host,...>', 'spread Locust over other machines by its own means, over ssh')
    .option('--expect-workers <number>', 'wait for so many workers of Locust that you start; prints the command',
      count('--expect-workers', 1000))
    .option('--ssh <command>', 'the ssh to use, as in "ssh -p 2222"', 'ssh')
    .option('--no-wait', 'fail at once where another hopbench is measuring on this machine')
    .option('--feed', 'progress on stderr as lines of JSON, for a program that follows it')
    .option('--json', 'print the record as JSON; progress goes to stderr')
    .addHelpText('after', `
Examples:
  hopbench run uds --quick
  hopbench run uds --detect 5%
  hopbench run users --quick
  hopbench run nginx:tcp/express-json nginx:uds/express-json
  hopbench run ./my-app.js nginx:uds/./my-app.js --path /api --budget 3m
  hopbench run --app 'node dist/main.js' --listen '$PORT' app nginx:keepalive/app
  hopbench run http://127.0.0.1:3000/a http://127.0.0.1:3000/b
  hopbench run uds --baseline results/reference/2026-01-02T03-04-05Z-uds --margin 10%
  hopbench run uds --server me@web1 --load me@load1,me@load2`)
    .action(async (words, options, command) => setExit(await measureTyped(words, options, command.parent.args)))

/** @param {string[]} words @param {Record<string, any>} typed @param {string[]} argv of hopbench
 * @returns {Promise<number>} exit code */
async function measureTyped (words, typed, argv) {
  const { ssh } = typed
  const options = /** @type {RunOptions & Record<string, any>} */ ({
    ...typed,
    server: typed.server && hostsFrom(typed.server, { option: '--server', ssh })[0],
    load: typed.load && hostsFrom(typed.load, { option: '--load', ssh }),
    locustWorkers: typed.locustWorkers && hostsFrom(typed.locustWorkers, { option: '--locust-workers', ssh })
  })
  const { json = false, feed = false } = options
  let request = await planFrom(words, options)
  // One that is not there is told before minutes are spent.
  const baseline = options.baseline &&
    { ...comparisonOptions(options), run: await storedRun(options.baseline, options.results) }
  if (!baseline) refuseWithoutBaseline(options)
  if (!isInside()) {
    const waited = await acquireMachineLock(argv, { ...options, ...feed && { say: createFeed(process.stderr).stage } })
    // Whoever was waited for may have ended the run that is to go on.
    if (waited) request = await planFrom(words, options)
    await prepare(request)
    const code = await runInside(argv)
    if (code !== null) return code
  }
  // What measures and reports is of no use to the outer process, which only waits.
  const { runPlan } = await import('../studies/run-plan.js')
  const { dir, succeeded } = await runPlan(request, { json, feed, interrupted: endingOnInterrupt('slice') })
  if (!succeeded) return 1
  return baseline ? againstBaseline(baseline, await storedRun(dir), json) : 0
}

/** @param {ComparisonOptions & { run: StoredRun }} baseline an earlier run, and what counts as slower
 * @param {StoredRun} stored @param {boolean} json the record is on stdout @returns {number} exit code */
function againstBaseline ({ run, ...options }, stored, json) {
  const stream = json ? process.stderr : process.stdout
  stream.write('\n')
  return tellComparison(run, stored, { ...options, stream })
}

/** @param {Record<string, any>} options as typed */
function comparisonOptions ({ margin, strict, rates, markdown }) {
  refuseUnwritable({ markdown })
  return { margin, strict, rates, markdown }
}

/** What would be without effect is told. @param {Record<string, any>} options as typed */
function refuseWithoutBaseline ({ margin, strict, rates, markdown }) {
  const [option, value] = Object.entries({
    '--margin': margin,
    '--strict': strict,
    '--no-rates': rates === false || undefined,
    '--markdown': markdown
  }).find(([, value]) => value !== undefined) ?? []
  if (option !== undefined) {
    throw new HopbenchError('bad-option', { option, value, why: 'it goes with --baseline, the run to compare with' })
  }
}
