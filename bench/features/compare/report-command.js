import { HopbenchError } from '../../errors.js'
import { DEFAULT_RESULTS_DIR, latestRun } from '../../store/store.js'
import { showRecord } from '../../run/show-record.js'
import { storedRun } from '../../run/stored-run.js'
import { DETAILS, RESULTS } from '../../request/common-options.js'
import { exportOptions, exportsIn, printsExport, writeExports } from './exports.js'
import { RUN_FORMATS, textsOfRun } from './formats.js'

/** @import { Command } from 'commander' */

/** @param {Command} program */
export default program => exportOptions(program.command('report')
  .description('print or export a stored run, complete or interrupted')
  .argument('[run]', 'folder or name of a run, or an experiment (default: the last run)')
  .option(...RESULTS)
  .option('--open', "write report.html into the run's folder and open it in the browser")
  .option(...DETAILS)
  .option('--json', 'print JSON'), RUN_FORMATS)
  .addHelpText('after', `
Examples:
  hopbench report uds --open
  hopbench report uds --details
  hopbench report --export-markdown summary.md --export-svg ratios.svg
  hopbench report uds --export-samples - | head`)
  .action(async (name, { results, open: show, json, details, ...options }) => {
    const exports = exportsIn({ ...options, json })
    const wanted = name ?? (await latestRun(results))?.dir
    if (wanted === undefined) throw new HopbenchError('no-runs', { dir: results ?? DEFAULT_RESULTS_DIR })
    const run = { ...await storedRun(wanted, results), resultsDir: results }
    if (show) await openPage(run)
    if (json) process.stdout.write(await textsOfRun(run).json())
    else if (!printsExport(exports) && !show) showRecord(run.record, { dir: run.dir, details })
    await writeExports(exports, textsOfRun(run))
  })

/**
 * Writes the page and opens it in the browser, if there is one.
 *
 * @param {Parameters<typeof textsOfRun>[0]} run
 */
async function openPage (run) {
  const { writeReport } = await import('../../run/report-file.js')
  const file = await writeReport(run)
  process.stderr.write(`${file}\n`)
  const { default: open } = await import('open')
  const viewer = await open(file).catch(() => null)
  viewer?.on('error', () => process.stderr.write('No browser could be started. Open the file in a browser.\n'))
}
