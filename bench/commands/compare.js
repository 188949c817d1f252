import { COMPARISON_MARGIN } from '../plan/thresholds.js'
import { share } from './shared/option-values.js'
import { storedRun } from '../studies/stored-run.js'
import { refuseUnwritable, tellComparison } from './shared/print-comparison.js'

/** @import { Command } from 'commander' */

/** @param {Command} program @param {(code: number) => void} setExit */
export default (program, setExit) => program.command('compare')
  .description('two runs side by side; exit code 3 when an arm became slower by more than the margin')
  .argument('<before>', 'a run\'s folder or name, a folder of runs, or an experiment: then the last run')
  .argument('<after>', 'the run that is compared with it')
  .option('--margin <share>', 'what counts as slower: 5%', share('--margin'), COMPARISON_MARGIN)
  .option('--strict', 'exit code 3 also where the runs cannot tell')
  .option('--no-rates', 'let ratios within each run decide, and no rates: for machines that are another one each time')
  .option('--markdown <file>', 'write it as Markdown, for the summary of a build; - prints it in place of the text')
  .option('--results <folder>', 'where runs are kept')
  .option('--json', 'print the comparison as JSON')
  .addHelpText('after', `
Examples:
  hopbench compare 2026-01-02T03-04-05Z-uds uds
  hopbench compare results/reference/2026-01-02T03-04-05Z-uds uds --margin 10% --json
  hopbench compare baseline results --strict --markdown comparison.md`)
  .action(async (before, after, { results, ...options }) => {
    refuseUnwritable(options)
    const [first, second] = [await storedRun(before, results), await storedRun(after, results)]
    setExit(tellComparison(first, second, { ...options, stream: process.stdout }))
  })
