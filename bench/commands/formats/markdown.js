/** @import { Format } from '../shared/formats.js' */

const importRun = () => import('../../report/markdown.js')
const importComparison = () => import('../../report/comparison-markdown.js')

/** @type {Format} */
export default {
  about: { run: 'the tables, for a pull request', comparison: 'the table, for the summary of a build' },
  run: async ({ record }) => (await importRun()).markdown(record),
  comparison: async comparison => (await importComparison()).comparisonMarkdown(comparison),
  // The comparison comes first, because it decides whether a build fails.
  baseline: async ({ record }, comparison) =>
    `${(await importComparison()).comparisonMarkdown(comparison)}\n${(await importRun()).markdown(record)}`
}
