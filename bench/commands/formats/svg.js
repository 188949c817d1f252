import { HopbenchError } from '../../errors.js'
import { kindOf } from '../../run/kinds.js'
import comparisonKind, { toTitle } from '../../studies/comparison/kind.js'

/** @import { Kind } from '../../types.js' */
/** @import { Format } from '../shared/formats.js' */

/**
 * @template Subject
 * @param {Subject} record
 * @param {Pick<Kind<Subject>, 'mainChart'>} kind
 * @param {string} run
 * @throws {HopbenchError} nothing-to-draw
 */
async function draw (record, kind, run) {
  const { renderSvg } = await import('../../report/page/page.js')
  const svg = renderSvg(record, kind)
  if (svg === null) throw new HopbenchError('nothing-to-draw', { run })
  return svg
}

/** @type {Format} */
export default {
  about: { run: 'the main chart', comparison: 'the chart of changes' },
  run: ({ record }) => draw(record, kindOf(record), record.run),
  comparison: comparison => draw(comparison, comparisonKind, toTitle(comparison))
}
