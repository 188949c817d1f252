import { renderHistory } from '../report/history-text.js'
import { readHistory } from '../studies/history.js'
import { terminal } from '../studies/show-record.js'
import { RESULTS } from './shared/common-options.js'
import { exportOptions, exportsIn, printsExport, writeExports } from './shared/exports.js'
import { HISTORY_FORMATS, textsOfHistory } from './shared/formats.js'

/** @import { Command } from 'commander' */

/** @param {Command} program */
export default program => exportOptions(program.command('history')
  .description('print the figures of an experiment over its stored runs, by commit, and where they changed')
  .argument('[experiment]', 'name of an experiment in the results (default: that of the last run)')
  .option(...RESULTS)
  .option('--json', 'print JSON'), HISTORY_FORMATS)
  .addHelpText('after', `
Examples:
  hopbench history uds
  hopbench history uds --results results/reference
  hopbench history --export-html history.html`)
  .action(async (experiment, { results, json = false, ...options }) => {
    const exports = exportsIn({ ...options, json })
    const history = await readHistory(experiment, results)
    const texts = textsOfHistory(history)
    if (json) process.stdout.write(await texts.json())
    else if (!printsExport(exports)) process.stdout.write(renderHistory(history, terminal()))
    await writeExports(exports, texts)
  })
