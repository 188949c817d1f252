/** Prints a study's record and writes its page. */
import { explain } from '../errors.js'
import { printRecord } from '../report/facts/facts.js'
import { renderText } from '../report/text.js'
import { readRun } from '../store/store.js'

/** @import { HopbenchError } from '../errors.js' */
/** @import { RunRecord } from '../types.js' */

/**
 * Width and colours of a terminal.
 *
 * @param {NodeJS.WriteStream} [stream]
 */
export const terminal = (stream = process.stdout) =>
  ({ columns: stream.columns ?? 80, color: stream.isTTY && !process.env.NO_COLOR })

/**
 * Reports a run: its record, its page, and the machine that was lost during the run.
 *
 * @param {RunRecord} record
 * @param {{ json: boolean, dir: string, resultsDir?: string, lost: HopbenchError | null }} options
 */
export async function report (record, { json, dir, resultsDir, lost }) {
  showRecord(record, { json, dir })
  await showPage(dir, { json, resultsDir })
  if (lost) process.stderr.write(`${explain(lost).text}\n`)
}

/**
 * @param {RunRecord} record
 * @param {{ json: boolean, dir: string }} options dir: the run's folder
 */
export const showRecord = (record, { json, dir }) =>
  process.stdout.write(json
    ? `${JSON.stringify(printRecord(record), null, 2)}\n`
    : renderText(record, { ...terminal(), dir }))

/**
 * Writes the page of a stored run and prints its path. An error is only printed, because the results are stored.
 *
 * @param {string} dir the run's folder
 * @param {{ json: boolean, resultsDir?: string }} options
 */
export async function showPage (dir, { json, resultsDir }) {
  try {
    // Imported after the measurement, because it takes memory and time.
    const { writeReport } = await import('./report-file.js')
    const { record, samples } = await readRun(dir)
    if (!record) return
    const page = await writeReport({ record, samples, dir, resultsDir })
    if (!json) process.stdout.write(`Charts: ${page}\n`)
  } catch (error) {
    process.stderr.write(`The report page was not written: ${explain(error).text}\n`)
  }
}
