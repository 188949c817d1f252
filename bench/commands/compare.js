import { COMPARISON_MARGIN } from '../shared/thresholds.js'
import { share } from './shared/option-values.js'
import { storedRun } from '../studies/stored-run.js'
import { exportOptions, exportsIn, writeExports } from './shared/exports.js'
import {
  COMPARISON_FORMATS, comparisonOf, exitOf, printComparison, textsOfComparison
} from './shared/print-comparison.js'

/** @import { Command } from 'commander' */

/**
 * @param {Command} program
 * @param {(code: number) => void} setExit
 */
export default (program, setExit) => exportOptions(program.command('compare')
  .description('two runs side by side; exit code 3 when an arm became slower by more than the margin')
  .argument('<before>', 'a run\'s folder or name, a folder of runs, or an experiment: then the last run')
  .argument('<after>', 'the run that is compared with it')
  .option('--margin <share>', `what counts as slower (default: ${COMPARISON_MARGIN * 100}%)`, share('--margin'))
  .option('--strict', 'exit code 3 also where the comparison is inconclusive')
  .option('--no-rates', 'let ratios within each run decide, and no rates: for runs on different machines')
  .option('-o, --results <folder>', 'where runs are kept (default: ./results)')
  .option('--json', 'print the comparison as JSON'), COMPARISON_FORMATS)
  .addHelpText('after', `
Examples:
  hopbench compare 2026-01-02T03-04-05Z-uds uds
  hopbench compare results/reference/2026-01-02T03-04-05Z-uds uds --margin 10% --json
  hopbench compare baseline results --strict --export-markdown comparison.md`)
  .action(async (before, after, { results, json = false, ...options }) => {
    const exports = exportsIn({ ...options, json })
    const comparison = comparisonOf(await storedRun(before, results), await storedRun(after, results), options)
    const printed = await writeExports(exports, textsOfComparison(comparison))
    if (json) process.stdout.write(await textsOfComparison(comparison).json())
    else if (!printed) printComparison(comparison, { ...options, stream: process.stdout })
    setExit(exitOf(comparison, options))
  })
