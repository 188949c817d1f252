import { writeClaimsPage } from '../studies/claims/page-file.js'
import { publishedExperiments } from '../studies/claims/speaking-runs.js'
import { HopbenchError } from '../errors.js'
import { claimLines, claimsPage } from '../report/claims-page.js'
import { REFERENCE_DIR, listRuns } from '../store/store.js'

/** @import { ClaimLine } from '../report/claims-page.js' */
/** @import { Command } from 'commander' */

/** @param {Command} program */
export default program => program.command('claims')
  .description('what the stored runs say of every published claim, as a page')
  .option('-o, --results <folder>', 'where the runs are kept (default: those that came with hopbench)')
  .option('--write', 'write docs/claims.md instead of printing the page')
  .option('--json', 'print the claims as JSON')
  .addHelpText('after', `
Examples:
  hopbench claims --results results
  hopbench claims --write`)
  .action(async ({ results, write = false, json = false }) => {
    // A folder that was named has runs in it; the project's own may be empty still.
    if (results !== undefined && (await listRuns(results)).length === 0) {
      throw new HopbenchError('no-runs', {
        dir: results
      })
    }
    const experiments = await publishedExperiments(results ?? REFERENCE_DIR)
    if (write) process.stderr.write(`${await writeClaimsPage(claimsPage(experiments))} is written.\n`)
    if (json) process.stdout.write(`${JSON.stringify(claimLines(experiments).map(asJson), null, 2)}\n`)
    else if (!write) process.stdout.write(claimsPage(experiments))
  })

/** @param {ClaimLine} line */
const asJson = ({ experiment, claim: { id, source, statement, published }, record, status, result, why }) => ({
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
