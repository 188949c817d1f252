import { badOption } from '../../errors.js'
import { endingOnInterrupt } from '../../machine/network/enclosure.js'
import { rejectTakenPorts } from '../../request/plan-checks.js'
import { prepare } from '../../run/programs.js'
import { BUDGET_SECONDS } from '../../plan/targets.js'
import { withSides } from './enclosed-sides.js'
import { checkOptions, planDiff } from './plan.js'
import { readWords } from './targets.js'
import { storedRun } from '../../run/stored-run.js'
import { COMPARISON_MARGIN } from '../../shared/thresholds.js'
import {
  DETAILS, JSON_RECORD, NO_LAB, NO_WAIT, RESULTS, SEED, WARM_UP, collect, contentOptions, mixOptions
} from '../../request/common-options.js'
import { RUN_FORMATS, exportOptions, exportsIn, printsExport, textsOfRun, writeExports } from '../compare/index.js'
import { count, oneOf, seconds, share } from '../../request/option-values.js'
import { SLOWER_EXIT } from '../../judge/runs/compare-runs.js'

/** @import { Command } from 'commander' */
/** @import { Sides } from './sides.js' */
/** @import { RunDiff } from '../../types.js' */

/** Exit code of a comparison that was not measured. */
const FAILED_EXIT = 1

/**
 * @param {Command} program
 * @param {(code: number) => void} setExit
 */
export default (program, setExit) => exportOptions(contentOptions(mixOptions(program.command('diff')
  .description('measure two states of your app side by side; exit code 3 if head is slower than base')
  .argument('[base | base...head]', 'git ref, two with "..." for their merge base, or a folder')
  .argument('[head]', 'git ref or folder; HEAD: the working tree with uncommitted changes (default)')
  .optionsGroup('Your app:')
  .option('--app <command>', 'command that starts both states (default: the script "start" of package.json)')
  .option('--cwd <folder>', 'folder of the app in its repository, as in packages/api')
  .option('--install <command>',
    'command that installs the packages of a checkout (default: by its lock file, without running scripts)')
  .option('--build <command>', 'command that builds each state, as in "npm run build"')
  .option('--listen <addresses>', "'$PORT', '$SOCKET', '$PORT,$SOCKET' or a port (default: '$PORT')")
  .option('--ready-within <time>', 'time limit for its first response (default: 60s)', seconds('--ready-within'))
  .option('--quiet-app', 'discard its output')
  .optionsGroup('Its requests:')
  .option('--path <path>', 'path to request, as in /api/items; can be repeated (default: /)', collect))
  .option('--allow-different', 'continue if head responds differently from base'))
  .optionsGroup('The comparison:')
  .option('--margin <share>', `tolerated slowdown (default: ${COMPARISON_MARGIN * 100}%)`, share('--margin'))
  .option('--fail-on <verdict>', 'exit code 3 if slower, inconclusive (or slower), or never (default: slower)',
    oneOf('--fail-on', ['slower', 'inconclusive', 'never']))
  .option('--latency', 'also compare the p99 of response times at half of the lower throughput, in up to 4 min more ' +
    'for each path')
  .option('--rate <number>', 'with --latency: requests per second of each state', count('--rate', 100_000))
  .optionsGroup('Duration and load:')
  .option('--quick', 'one start within a minute, which stays undecided')
  .option('--smoke', 'one block of slices of 0.1 s, without intervals')
  .option('-d, --budget <time>', `limit of the wall time of the throughput (default: ${BUDGET_SECONDS}s)`,
    seconds('--budget'))
  .option(...WARM_UP)
  .option('-c, --connections <number>', 'client connections (default: 100)', count('--connections', 1_000_000))
  .option('-e, --engine <name>', 'load generator (default: autocannon, or wrk if autocannon would be too slow)')
  .option(...SEED)
  .optionsGroup('Machine and output:')
  .option(...RESULTS)
  .option(...NO_LAB)
  .option(...NO_WAIT)
  .option(...DETAILS)
  .option('--feed', 'print progress on stderr, each line "hopbench-feed " and JSON')
  .option(...JSON_RECORD), RUN_FORMATS)
  .addHelpText('after', `
Examples:
  hopbench diff main
  hopbench diff main --quick
  hopbench diff main...HEAD --path /api/items --path /login --fail-on inconclusive
  hopbench diff v1.2.0 v1.3.0 --app 'node dist/main.js' --build 'npm run build'
  hopbench diff main --cwd packages/api --latency
  hopbench diff ../before .`)
  .action(async (base, head, options, command) => {
    const words = [base, head].filter(spec => spec !== undefined)
    setExit(await measureTyped(words, options, command.parent.args))
  })

/** @typedef {{ lab: boolean } & import('./sides.js').SideOptions & Record<string, any>} Typed */

/**
 * @param {string[]} words
 * @param {Typed} typed
 * @param {string[]} argv of hopbench
 * @returns {Promise<number>} exit code
 */
async function measureTyped (words, typed, argv) {
  /** @type {Typed} */
  const options = { ...typed, argv }
  readWords(words)
  if (options.rate !== undefined && !options.latency) {
    throw badOption('--rate', options.rate, 'it requires --latency', 'Add --latency.')
  }
  const exports = exportsIn(options)
  return withSides(words, options, {
    argv,
    check: () => checkOptions(options),
    async prepare (sides) {
      const request = await planDiff(sides, toFlags(options))
      if (!options.lab) rejectTakenPorts(request.plan.arms)
      if (request.note) process.stderr.write(`${request.note}\n`)
      await prepare(request)
    },
    measure: (sides, onReady) => measure(sides, options, exports, onReady)
  })
}

/**
 * Returns the options of the run. The open loop, for which --rate is, is measured after it.
 *
 * @param {Typed} options
 * @returns {Parameters<typeof planDiff>[1]}
 */
const toFlags = options => ({ margin: COMPARISON_MARGIN, ...options, rate: undefined })

/**
 * @param {Sides} sides
 * @param {Typed} options
 * @param {ReturnType<typeof exportsIn>} exports
 * @param {() => void} onReady called when signals end the measurement
 * @returns {Promise<number>} exit code
 */
async function measure (sides, options, exports, onReady) {
  const { json = false, feed = false, details = false, failOn = 'slower', latency, rate } = options
  const { plan, options: runOptions } = await planDiff(sides, toFlags(options))
  // Imported here, because the outer process, which only waits, does not need it.
  const { measureDiff } = await import('./measure.js')
  const interrupted = endingOnInterrupt('slice')
  onReady()
  const isPrinted = !printsExport(exports)
  const { dir, succeeded, record } = await measureDiff(plan, runOptions, {
    sides,
    latency: latency ? { rate } : null,
    json,
    feed: feed ? process.stderr : null,
    details,
    isPrinted,
    interrupted
  })
  const exit = toDiffExit(record.diff, { succeeded, failOn })
  if (exit === 1) {
    const { diffFailure } = await import('./kind.js')
    // The printed text has the reason of a failure, but not that the response times were cut off.
    if (!isPrinted || json || record.ended === 'interrupted') process.stderr.write(`${diffFailure(record)}\n`)
  }
  await writeExports(exports, textsOfRun({ ...await storedRun(dir), resultsDir: options.results }))
  return exit
}

/**
 * Returns the exit code of a comparison. Percentiles that were to be measured and were not make it fail, as a rate
 * without a valid trial does.
 *
 * @param {Pick<RunDiff, 'figures' | 'slower' | 'open'> | undefined} diff undefined: there is no comparison
 * @param {{ succeeded: boolean, failOn: 'slower' | 'inconclusive' | 'never' }} run succeeded: the run did
 */
export function toDiffExit (diff, { succeeded, failOn }) {
  if (!succeeded || !diff) return FAILED_EXIT
  if (diff.figures.some(({ figure, verdict }) => figure === 'p99' && verdict === 'invalid')) return FAILED_EXIT
  return failOn !== 'never' && (diff.slower || (failOn === 'inconclusive' && diff.open)) ? SLOWER_EXIT : 0
}
