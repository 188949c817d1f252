import { HopbenchError } from '../errors.js'
import { recordFromSamples } from '../pipeline.js'
import { renderText } from '../report/text.js'
import { latestRun, readRun } from '../store.js'

/** @param {import('commander').Command} program */
export default program => program.command('report')
  .description('the text of a stored run, also of one that was cut off')
  .argument('[run]', 'its folder or name, or an experiment; the last run when left out')
  .option('--results <folder>', 'where runs are kept')
  .option('--json', 'print the record as JSON')
  .action(async (name, { results, json }) => {
    const latest = name === undefined ? await latestRun(results) : await latestRun(results, name)
    if (name === undefined && !latest) throw new HopbenchError('no-runs')
    const stored = await readRun(latest?.dir ?? name, results)
    const record = stored.record?.complete ? stored.record : recordFromSamples(stored)
    process.stdout.write(json
      ? `${JSON.stringify(record, null, 2)}\n`
      : renderText(record, { columns: process.stdout.columns ?? 80, color: process.stdout.isTTY && !process.env.NO_COLOR, dir: stored.dir }))
  })
