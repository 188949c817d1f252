import { compareRuns, MARGIN, SLOWER_EXIT } from '../compare.js'
import { renderComparison } from '../report/compare.js'
import { share } from '../request/values.js'
import { storedRun } from '../stored-run.js'

/**
 * @param {import('commander').Command} program
 * @param {(code: number) => void} setExit
 */
export default (program, setExit) => program.command('compare')
  .description('two runs side by side; exit code 3 when an arm became slower by more than the margin')
  .argument('<before>', 'a run\'s folder or name, or an experiment: then its last run')
  .argument('<after>', 'the run that is compared with it')
  .option('--margin <share>', 'what counts as slower: 5%', share('--margin'), MARGIN)
  .option('--results <folder>', 'where runs are kept')
  .option('--json', 'print the comparison as JSON')
  .addHelpText('after', `
Examples:
  hopbench compare 2026-01-02T03-04-05Z-uds uds
  hopbench compare results/reference/2026-01-02T03-04-05Z-uds uds --margin 10% --json`)
  .action(async (before, after, { margin, results, json = false }) => {
    const comparison = compareRuns(await storedRun(before, results), await storedRun(after, results), { margin })
    process.stdout.write(json
      ? `${JSON.stringify(comparison, null, 2)}\n`
      : renderComparison(comparison, { columns: process.stdout.columns ?? 80, color: process.stdout.isTTY && !process.env.NO_COLOR }))
    if (comparison.slower) setExit(SLOWER_EXIT)
  })
