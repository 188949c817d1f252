import { publishedExperiments, writeClaimsPage } from './best-runs.js'
import { HopbenchError } from '../../errors.js'
import { claimLines, claimsPage } from './claims-page.js'
import { REFERENCE_DIR, listRuns } from '../../store/store.js'

/** @import { ClaimLine } from './claims-page.js' */
/** @import { Command } from 'commander' */

/** @param {Command} program */
export default program => program.command('claims')
  .description('print which published claims the stored runs reproduce, as a page')
  .option('-o, --results <folder>', 'folder of runs (default: the reference runs of hopbench)')
  .option('--write', 'write docs/claims.md instead of printing the page')
  .option('--json', 'print JSON')
  .addHelpText('after', `
Examples:
  hopbench claims --results results
  hopbench claims --write`)
  .action(async ({ results, write = false, json = false }) => {
    // Rejects an empty folder only if it was typed.
    if (results !== undefined && (await listRuns(results)).length === 0) {
      throw new HopbenchError('no-runs', { dir: results })
    }
    const experiments = await publishedExperiments(results ?? REFERENCE_DIR)
    if (write) process.stderr.write(`Wrote ${await writeClaimsPage(claimsPage(experiments))}\n`)
    if (json) process.stdout.write(`${JSON.stringify(claimLines(experiments).map(toJson), null, 2)}\n`)
    else if (!write) process.stdout.write(claimsPage(experiments))
  })

/** @param {ClaimLine} line */
const toJson = ({ experiment, claim: { id, source, statement, published }, record, status, result, why }) => ({
  experiment,
  id,
  source,
  statement,
  published,
  measured: result?.measured ?? null,
  low: result?.low ?? null,
  high: result?.high ?? null,
  status,
  why,
  run: record?.run ?? null
})
