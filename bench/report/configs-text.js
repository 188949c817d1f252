/** A check of configurations as text for a terminal: a table, then what failed and what is not offered (pure). */
import { toStyle, wrap, wrapItems } from './wrap.js'

/** @import { ConfigCell, ConfigsRecord } from '../types.js' */

const MARKS = { holds: 'holds', fails: 'FAILS', 'not-offered': '–' }
const CELL_WIDTH = 9

/**
 * @param {ConfigsRecord} record
 * @param {{ columns: number, file?: string }} options file: where the record is stored
 */
export function configsText ({ proxies, behaviours, cells, seconds }, { columns, file }) {
  const style = toStyle(columns)
  const failed = cells.filter(({ outcome }) => outcome === 'fails')
  const width = Math.max(...behaviours.map(({ name }) => name.length)) + 2
  const row = (/** @type {string} */ name, /** @type {string[]} */ texts) =>
    `${name.padEnd(width)}${texts.map(text => text.padStart(CELL_WIDTH)).join('')}`.trimEnd()
  const find = (/** @type {string} */ behaviour, /** @type {string} */ proxy) =>
    cells.find(cell => cell.behaviour === behaviour && cell.proxy === proxy)
  const list = (/** @type {ConfigCell[]} */ chosen) =>
    wrapItems(chosen.map(({ behaviour, proxy, detail }) => `${proxy}, ${behaviour}: ${detail}`), style)
  const notOffered = cells.filter(({ outcome }) => outcome === 'not-offered')
  const lines = [
    ...wrap(failed.length === 0
      ? 'Every recommended configuration behaves as production needs it.'
      : `${failed.length} of ${cells.length - notOffered.length} behaviours fail.`, columns),
    '',
    row('', proxies.map(({ name }) => name)),
    row('version', proxies.map(({ version }) => version)),
    ...behaviours.map(({ name }) =>
      row(name, proxies.map(proxy => MARKS[find(name, proxy.name)?.outcome ?? 'not-offered']))),
    '',
    'What holds means:',
    ...wrapItems(behaviours.map(({ name, title }) => `${name}: ${title}`), style),
    ...failed.length > 0 ? ['', 'What failed:', ...list(failed)] : [],
    ...notOffered.length > 0 ? ['', 'What is not offered:', ...list(notOffered)] : [],
    '',
    `Tried with the real programs in ${Math.round(seconds)} s.`,
    ...file ? [`Stored in: ${file}`] : []
  ]
  return `${lines.join('\n')}\n`
}
