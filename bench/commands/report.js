import { HopbenchError } from '../errors.js'
import { renderText } from '../report/text.js'
import { DEFAULT_RESULTS_DIR, latestRun } from '../store/store.js'
import { terminal } from '../studies/show-record.js'
import { storedRun } from '../studies/stored-run.js'
import { exportOptions, exportsIn, writeExports } from './shared/exports.js'
import { RUN_FORMATS, textsOfRun } from './shared/run-exports.js'

/** @import { Exported } from './shared/run-exports.js' */
/** @import { Command } from 'commander' */

/** @param {Command} program */
export default program => exportOptions(program.command('report')
  .description('a stored run, also an interrupted one: as text, as a page, or as data')
  .argument('[run]', 'its folder or name, or an experiment; the last run when left out')
  .option('-o, --results <folder>', 'where runs are kept (default: ./results)')
  .option('--open', 'write report.html into the run\'s folder and show it in the browser')
  .option('--json', 'print the record as JSON'), RUN_FORMATS)
  .addHelpText('after', `
Examples:
  hopbench report uds --open
  hopbench report --export-markdown summary.md --export-svg ratios.svg
  hopbench report uds --export-samples - | head`)
  .action(async (name, { results, open: show, json, ...options }) => {
    const exports = exportsIn({ ...options, json })
    const wanted = name ?? (await latestRun(results))?.dir
    if (wanted === undefined) throw new HopbenchError('no-runs', { dir: results ?? DEFAULT_RESULTS_DIR })
    const run = { ...await storedRun(wanted, results), resultsDir: results }
    if (show) await showPage(run)
    const printed = await writeExports(exports, textsOfRun(run))
    if (json) process.stdout.write(await textsOfRun(run).json())
    else if (!printed && !show) process.stdout.write(renderText(run.record, { ...terminal(), dir: run.dir }))
  })

/** Where there is no browser, the file is still there. @param {Exported} run */
async function showPage (run) {
  const { writeReport } = await import('../studies/report-file.js')
  const file = await writeReport(run)
  process.stderr.write(`${file}\n`)
  const { default: open } = await import('open')
  const viewer = await open(file).catch(() => null)
  viewer?.on('error', () => process.stderr.write('No browser could be started here: open the file in one.\n'))
}
