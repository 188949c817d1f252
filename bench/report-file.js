/** The report of a stored run as a file: report.html in its folder. */
import { join } from 'node:path'
import { configsOf } from './page/configs.js'
import { renderPage } from './page/page.js'
import { replaceFile } from './store/atomic.js'
import { lastCheck } from './store/check.js'
import { storing } from './store/failures.js'

/** @typedef {import('./types.d.ts').RunRecord} RunRecord */
/** @typedef {import('./types.d.ts').Sample} Sample */

export const REPORT = 'report.html'

/**
 * @param {{ record: RunRecord, samples: Sample[], dir: string, resultsDir?: string }} stored
 * @returns {Promise<string>} HTML
 */
export async function pageOf ({ record, samples, dir, resultsDir }) {
  return renderPage({ record, samples, configs: await configsOf(record, dir), check: await lastCheck(resultsDir) })
}

/**
 * @param {Parameters<typeof pageOf>[0]} stored
 * @returns {Promise<string>} the file
 * @throws {import('./errors.js').HopbenchError} results-not-writable, disk-full
 */
export async function writeReport (stored) {
  const html = await pageOf(stored)
  await storing(stored.dir, () => replaceFile(join(stored.dir, REPORT), html), { file: REPORT })
  return join(stored.dir, REPORT)
}
