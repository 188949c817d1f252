/** A study's end: its record on the terminal, and its page beside the record. */
import { explain } from '../errors.js'
import { renderText } from '../report/text.js'

/** @import { RunRecord, Sample } from '../types.js' */

/** The terminal's width and colours. @param {NodeJS.WriteStream} [stream] */
export const terminal = (stream = process.stdout) =>
  ({ columns: stream.columns ?? 80, color: stream.isTTY && !process.env.NO_COLOR })

/** @param {RunRecord} record @param {{ json: boolean, dir: string }} how dir: of the run */
export const showRecord = (record, { json, dir }) =>
  process.stdout.write(json ? `${JSON.stringify(record, null, 2)}\n` : renderText(record, { ...terminal(), dir }))

/** Writes the page and says where it is. What was measured is stored: a page that cannot be drawn or written loses none
 * of it.
 * @param {{ record: RunRecord, samples: Sample[] | (() => Promise<Sample[]>), dir: string, resultsDir?: string }} run
 * @param {{ json: boolean }} how */
export async function showPage ({ samples, ...run }, { json }) {
  try {
    // Loaded when nothing is measured any more.
    const { writeReport } = await import('./report-file.js')
    const page = await writeReport({ ...run, samples: Array.isArray(samples) ? samples : await samples() })
    if (page && !json) process.stdout.write(`Charts: ${page}\n`)
  } catch (error) {
    process.stderr.write(`The report page was not written: ${explain(error).text}\n`)
  }
}
