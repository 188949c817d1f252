import { join } from 'node:path'
import { publishedExperiments } from '../claims/runs.js'
import { HopbenchError } from '../errors.js'
import { PROJECT } from '../plugins.js'
import { claimLines, claimsPage } from '../report/claims-page.js'
import { DEFAULT_RESULTS_DIR, listRuns } from '../store.js'
import { replaceFile } from '../store/atomic.js'
import { inWords } from '../store/failures.js'

/** The page that is kept with the project. */
const PAGE = join(PROJECT, 'docs', 'claims.md')
const REFERENCE = join(DEFAULT_RESULTS_DIR, 'reference')

/** @param {import('commander').Command} program */
export default program => program.command('claims')
  .description('what the stored runs say of every published claim, as a page')
  .option('--results <folder>', 'where the runs are kept (default: results/reference of the project)')
  .option('--write', 'into docs/claims.md, in place of printing it')
  .option('--json', 'print the claims as JSON')
  .addHelpText('after', `
Examples:
  hopbench claims --results results
  hopbench claims --write`)
  .action(async ({ results, write = false, json = false }) => {
    // A folder that somebody names has runs in it; the project's own may be empty still.
    if (results !== undefined && (await listRuns(results)).length === 0) throw new HopbenchError('no-runs')
    const experiments = await publishedExperiments(results ?? REFERENCE)
    if (write) await writePage(claimsPage(experiments))
    if (json) process.stdout.write(`${JSON.stringify(claimLines(experiments).map(asJson), null, 2)}\n`)
    else if (!write) process.stdout.write(claimsPage(experiments))
  })

/** @param {string} text */
async function writePage (text) {
  try {
    await replaceFile(PAGE, text)
  } catch (error) {
    throw new HopbenchError('page-not-writable', { file: PAGE, why: inWords(/** @type {NodeJS.ErrnoException} */ (error)) }, { cause: error })
  }
  process.stderr.write(`${PAGE} is written.\n`)
}

/** @param {import('../report/claims-page.js').ClaimLine} line */
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
