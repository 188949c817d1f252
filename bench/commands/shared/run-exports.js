/** Formats of an exported run, for `run` and `report`. */
import { HopbenchError } from '../../errors.js'
import { toJson } from '../../report/json.js'

/** @import { RunRecord, Sample } from '../../types.js' */
/** @import { StoredRun } from '../../studies/stored-run.js' */

/** Imported on demand, because charts take time to load, and a text needs none. */
const importPage = () => import('../../studies/report-file.js')
const importCsv = () => import('../../report/page/csv.js')

export const RUN_FORMATS = {
  json: 'the record',
  csv: 'one line per arm',
  markdown: 'the tables, for a pull request',
  svg: 'the main chart',
  html: 'the report as one self-contained page',
  samples: 'one line per trial, as CSV',
  users: 'responses and errors of users in each second, as CSV'
}

/**
 * @param {StoredRun & { resultsDir?: string }} run
 * @returns {Record<keyof typeof RUN_FORMATS, () => string | Promise<string>>} each throws {HopbenchError} no-users or
 * nothing-to-draw where there is nothing of that kind
 */
export const textsOfRun = run => ({
  json: () => toJson(run.record),
  csv: async () => (await importCsv()).tableCsv(run.record),
  markdown: async () => (await import('../../report/markdown.js')).markdown(run.record),
  svg: () => getSvg(run),
  html: async () => (await importPage()).pageOf(run),
  samples: async () => (await importCsv()).samplesCsv(run.samples),
  users: () => getUsersCsv(run)
})

/** @param {{ record: RunRecord, samples: Sample[] }} run */
async function getUsersCsv ({ record, samples }) {
  const csv = (await importCsv()).usersCsv(samples)
  if (csv === null) throw new HopbenchError('no-users', { run: record.run })
  return csv
}

/** @param {{ record: RunRecord }} run */
async function getSvg ({ record }) {
  const { renderSvg } = await import('../../report/page/page.js')
  const svg = renderSvg(record)
  if (svg === null) throw new HopbenchError('nothing-to-draw', { run: record.run })
  return svg
}
