/** Prints a study's record and writes its page. */
import { basename, dirname, relative } from 'node:path'
import { explain, shellWord } from '../errors.js'
import { kindOf } from './kinds.js'
import { toJson } from '../report/facts/facts.js'
import { renderBrief, renderText } from '../report/text.js'
import { callerCwd } from '../machine/caller-cwd.js'
import { inOwnWords } from '../machine/own-command.js'
import { DEFAULT_RESULTS_DIR, readRun } from '../store/store.js'
import { withAnswerWords } from './answer-words.js'

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
 * @param {{ json: boolean, dir: string, resultsDir?: string, lost: HopbenchError | null, details?: boolean }} options
 */
export async function report (record, { json, dir, resultsDir, lost, details }) {
  showRecord(await withAnswerWords(record), { json, dir, details })
  await showPage(dir, { json, resultsDir })
  if (lost) process.stderr.write(`${explain(lost).text}\n`)
}

/**
 * @param {RunRecord} record
 * @param {{ json?: boolean, dir: string, details?: boolean }} options dir: the run's folder; details: all sections
 */
export function showRecord (record, { json = false, dir, details = false }) {
  process.stdout.write(json
    ? toJson(record, kindOf(record))
    : inOwnWords(toText(withFolder(record, dir), { dir, details })))
}

/**
 * Replaces the name of a run by its folder in the command that resumes it, unless the run is among the results.
 *
 * @param {RunRecord} record
 * @param {string} dir absolute
 * @returns {RunRecord}
 */
const withFolder = (record, dir) => ({
  ...record,
  warnings: record.warnings.map(warning => warning.command
    ? {
        ...warning,
        command: warning.command.replace(`--resume ${shellWord(record.run)}`, () => `--resume ${toTarget(dir)}`)
      }
    : warning)
})

/**
 * @param {RunRecord} record
 * @param {{ dir: string, details: boolean }} options
 */
function toText (record, { dir, details }) {
  const options = { ...terminal(), dir, target: toTarget(dir) }
  return (details ? renderText : renderBrief)(record, kindOf(record), options)
}

/**
 * Returns a run for a command: its name if it is among the results, otherwise its folder.
 *
 * @param {string} dir absolute
 * @returns {string} a word of a shell
 */
const toTarget = dir => shellWord(dirname(dir) === DEFAULT_RESULTS_DIR ? basename(dir) : relative(callerCwd(), dir))

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
