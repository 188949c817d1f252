/** Columns of tables of changes: of two runs, and of two states of an app (pure). */
import { NONE, percent } from '../shared/format.js'
import { printVerdict } from './comparison-words.js'
import { changeRange, shareParts } from './phrases.js'
import { column } from './table.js'

/** @import { Change, Column } from '../types.js' */

/** Prints a ratio as a change, without its interval. @param {Change} change */
function toShare (change) {
  if (change.ratio === null) return NONE
  const { share } = shareParts(change, ratio => ratio - 1)
  return /^\d/.test(share) ? `+${share}` : share
}

/** Change, interval, verdict and power. A change that is counted has no interval. @type {Column<Change>[]} */
export const changeColumns = [
  column('change', toShare),
  column('interval', change => (change.low === change.high ? null : changeRange(change)) ?? NONE),
  column('verdict', printVerdict, { left: true }),
  column({ page: 'detectable' }, ({ sees }) => percent(sees))
]
