import { badOption } from '../../errors.js'
import { count } from '../../shared/format.js'
import { DEFAULT_RESULTS_DIR, REFERENCE_DIR, listRuns } from '../../store/store.js'

/** @import { Command } from 'commander' */

/** @param {Command} program */
export default program => program.command('site')
  .description('write a static site of stored runs: answers, charts, and a page for each run')
  .option('--out <folder>', 'new or empty folder, or an earlier site, which is replaced (required)')
  .option('-o, --results <folder>',
    'folder of runs (default: ./results if it has runs, else the reference runs of hopbench)')
  .addHelpText('after', `
Examples:
  hopbench site --out site
  hopbench site --results results/reference --out site

The pages open from disk or from any static host, and load nothing from
elsewhere. The same runs make the same bytes. The pages show commands, addresses
and configurations of the runs. docs/report.md has a workflow that publishes them.`)
  .action(async ({ results, out }) => {
    if (out === undefined) throw badOption('--out', undefined, 'the site needs a folder', 'Name one, as in --out site.')
    const { writeSite } = await import('./site.js')
    const { dir, answers, runs, bytes, skipped } = await writeSite(results ?? await findDefault(), out)
    for (const run of skipped) process.stderr.write(`Left out, because it cannot be read or has no trial: ${run}\n`)
    process.stdout.write(`${dir}/index.html: ${count(answers)} answers, ${count(runs)} runs, ` +
      `${count(bytes / 1000)} kB.\n`)
  })

/** Returns the folder of results of the current project, or of hopbench. */
const findDefault = async () => (await listRuns()).length > 0 ? DEFAULT_RESULTS_DIR : REFERENCE_DIR
