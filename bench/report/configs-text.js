/** A check of configurations as text for a terminal: a table, then what failed and what is not offered (pure). */
import { toStyle, wrap, wrapItems } from './wrap.js'

/** @import { ConfigCell, ConfigsRecord } from '../types.js' */

const MARKS = { holds: 'holds', fails: 'FAILS', 'not-offered': '–' }
const CELL_WIDTH = 9
const KINDS = /** @type {const} */ (['proxy', 'kit'])

/**
 * @param {ConfigsRecord} record
 * @param {{ columns: number, file?: string }} options file: where the record is stored
 */
export function configsText (record, { columns, file }) {
  const { behaviours, cells, seconds } = record
  const style = toStyle(columns)
  const failed = cells.filter(({ outcome }) => outcome === 'fails')
  const notOffered = cells.filter(({ outcome }) => outcome === 'not-offered')
  const lines = [
    ...wrap(failed.length === 0
      ? 'Every recommended configuration behaves as production needs it.'
      : `${failed.length} of ${cells.length - notOffered.length} behaviours fail.`, columns),
    '',
    ...configsTable(record),
    '',
    'What holds means:',
    ...wrapItems(behaviours.map(({ name, title }) => `${name}: ${title}`), style),
    ...failed.length > 0 ? ['', 'What failed:', ...wrapItems(listCells(failed), style)] : [],
    ...notOffered.length > 0 ? ['', 'What is not offered:', ...wrapItems(listCells(notOffered), style)] : [],
    '',
    `Tried with the real programs in ${Math.round(seconds)} s.`,
    ...file ? [`Stored in: ${file}`] : []
  ]
  return `${lines.join('\n')}\n`
}

/**
 * Returns the lines of a table of proxies, and of a table of kits below it.
 * @param {Pick<ConfigsRecord, 'subjects' | 'behaviours' | 'cells'>} record
 */
function configsTable ({ subjects, behaviours, cells }) {
  const width = Math.max(...behaviours.map(({ name }) => name.length)) + 2
  const toRow = (/** @type {string} */ name, /** @type {string[]} */ texts) =>
    `${name.padEnd(width)}${texts.map(text => text.padStart(CELL_WIDTH)).join('')}`.trimEnd()
  const toMark = (/** @type {string} */ behaviour, /** @type {string} */ subject) =>
    MARKS[cells.find(cell => cell.behaviour === behaviour && cell.subject === subject)?.outcome ?? 'not-offered']
  const tables = KINDS.map(kind => subjects.filter(subject => subject.kind === kind)).filter(({ length }) => length > 0)
  return tables.flatMap((columns, i) => [
    ...i > 0 ? [''] : [],
    toRow(columns[0].kind === 'kit' ? 'kit for' : '', columns.map(({ name }) => name)),
    toRow(columns[0].kind === 'kit' ? 'nginx' : 'version', columns.map(({ version }) => version)),
    ...behaviours.map(({ name }) => toRow(name, columns.map(subject => toMark(name, subject.name))))
  ])
}

/**
 * Returns a line for each subject and detail, with the behaviours to which it applies.
 * @param {ConfigCell[]} cells
 */
function listCells (cells) {
  const toKey = (/** @type {ConfigCell} */ { subject, detail }) => `${subject}: ${detail}`
  return [...new Set(cells.map(toKey))].map(key => {
    const group = cells.filter(cell => toKey(cell) === key)
    return `${group[0].subject}, ${group.map(({ behaviour }) => behaviour).join(', ')}: ${group[0].detail}`
  })
}
