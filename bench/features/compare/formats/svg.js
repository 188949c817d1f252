import { HopbenchError } from '../../../errors.js'
import { kindOf } from '../../../run/kinds.js'
import comparisonKind from '../kind.js'

/** @import { Kind } from '../../../types.js' */
/** @import { Format } from '../formats.js' */

/**
 * @template Subject
 * @param {Subject} record
 * @param {Pick<Kind<Subject>, 'mainChart'>} kind
 * @param {{ run: string, before?: string }} runs
 * @throws {HopbenchError} nothing-to-draw
 */
async function draw (record, kind, runs) {
  const { renderSvg } = await import('../../../report/page/page.js')
  const svg = renderSvg(record, kind)
  if (svg === null) throw new HopbenchError('nothing-to-draw', runs)
  return svg
}

/** @type {Format} */
export default {
  about: { run: 'the main chart', comparison: 'the chart of changes' },
  run: ({ record }) => draw(record, kindOf(record), { run: record.run }),
  comparison: comparison =>
    draw(comparison, comparisonKind, { run: comparison.runs.after, before: comparison.runs.before })
}
