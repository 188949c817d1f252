/** Writes the page of a stored run: report.html in its folder. */
import { join } from 'node:path'
import { configsOf } from './rendered-configs.js'
import { renderPage } from '../report/page/page.js'
import { replaceFile } from '../machine/atomic-write.js'
import { lastCheck } from '../store/check-results.js'
import { storing } from '../machine/file-failures.js'

/** @import { HopbenchError } from '../errors.js' */
/** @import { RunRecord, Sample } from '../types.js' */

const REPORT = 'report.html'

/**
 * @param {{ record: RunRecord, samples: Sample[], dir: string, resultsDir?: string }} stored
 * @param {Parameters<typeof renderPage>[1]} [site] of which the page is a part
 * @returns {Promise<string>} HTML
 */
export async function pageOf ({ record, samples, dir, resultsDir }, site) {
  const [configs, check] = [await configsOf(record, dir), await lastCheck(resultsDir)]
  return renderPage({ record, samples, configs, check }, site)
}

/**
 * @param {Parameters<typeof pageOf>[0]} stored
 * @returns {Promise<string>} path of the file
 * @throws {HopbenchError} results-not-writable, disk-full
 */
export async function writeReport (stored) {
  const html = await pageOf(stored)
  await storing(stored.dir, () => replaceFile(join(stored.dir, REPORT), html), { file: REPORT })
  return join(stored.dir, REPORT)
}
