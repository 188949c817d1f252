/** The history of an experiment for a terminal, as CSV and as JSON (pure). */
import { toCsv } from './page/csv-text.js'
import { historyAnswer, historyNotes, historyTable } from './history-words.js'
import { textTable } from './table.js'
import { heading, joinSections, toStyle, wrap } from './wrap.js'

/** @import { History } from '../judge/history.js' */

/**
 * @param {History & { unreadable?: number }} history
 * @param {{ columns?: number, color?: boolean }} [options]
 * @returns {string} ends with a line break
 */
export function renderHistory (history, { columns, color } = {}) {
  const style = toStyle(columns, color)
  return joinSections([
    heading(historyAnswer(history), style),
    history.figures.length > 0 ? textTable(historyTable(history), style) : [],
    wrap(historyNotes(history), style.columns)
  ])
}

/**
 * Prints a line for each value.
 *
 * @param {History} history
 */
export const historyCsv = ({ runs, figures }) => toCsv(
  figures.flatMap(({ kind, name, points, levels, steps }) => points.map(({ run, value, low, high }, i) => ({
    run: runs[run].run,
    startedAt: runs[run].startedAt,
    commit: runs[run].commit?.hash,
    changed: runs[run].commit?.changed,
    kind,
    name,
    value,
    low,
    high,
    level: levels[i],
    step: steps.find(step => step.run === run)?.ratio
  }))),
  ['run', 'startedAt', 'commit', 'changed', 'kind', 'name', 'value', 'low', 'high', 'level', 'step'])

/**
 * Prints the history for programs, its answer first.
 *
 * @param {History} history
 */
export const historyJson = history =>
  `${JSON.stringify({ answer: { text: historyAnswer(history) }, ...history }, null, 2)}\n`
