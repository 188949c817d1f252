import { compareRuns, SLOWER_EXIT } from '../../judge/runs/compare-runs.js'
import { printReport } from '../../report/terminal.js'
import { COMPARISON_MARGIN } from '../../shared/thresholds.js'
import { RESULTS } from '../../request/common-options.js'
import { share } from '../../request/option-values.js'
import comparisonKind from './kind.js'
import { terminal } from '../../run/show-record.js'
import { storedRun } from '../../run/stored-run.js'
import { exportOptions, exportsIn, printsExport, writeExports } from './exports.js'
import { COMPARISON_FORMATS, textsOfComparison } from './formats.js'

/** @import { Command } from 'commander' */

/**
 * @param {Command} program
 * @param {(code: number) => void} setExit
 */
export default (program, setExit) => exportOptions(program.command('compare')
  .description('compare two runs; exit code 3 if an arm became slower by more than the margin')
  .argument('<before>', "a run's folder or name; or an experiment or a folder of runs, for its last run")
  .argument('<after>', 'run to compare with it')
  .option('--margin <share>', `tolerated slowdown (default: ${COMPARISON_MARGIN * 100}%)`, share('--margin'))
  .option('--strict', 'exit code 3 also if the comparison is inconclusive')
  .option('--no-rates', 'compare ratios within each run, not rates: for runs on different machines')
  .option(...RESULTS)
  .option('--json', 'print JSON'), COMPARISON_FORMATS)
  .addHelpText('after', `
Examples:
  hopbench compare 2026-01-02T03-04-05Z-uds uds
  hopbench compare results/reference/2026-01-02T03-04-05Z-uds uds --margin 10% --json
  hopbench compare baseline results --strict --export-markdown comparison.md`)
  .action(async (before, after, { results, json = false, ...options }) => {
    const exports = exportsIn({ ...options, json })
    const comparison = compareRuns(await storedRun(before, results), await storedRun(after, results), options)
    const fails = comparison.slower || (options.strict && comparison.open)
    if (json) process.stdout.write(await textsOfComparison(comparison).json())
    else if (!printsExport(exports)) {
      process.stdout.write(printReport(comparison, comparisonKind, terminal()))
      if (fails && !comparison.slower) process.stdout.write('Inconclusive: exit code 3, because of --strict.\n')
    }
    await writeExports(exports, textsOfComparison(comparison))
    setExit(fails ? SLOWER_EXIT : 0)
  })
