/** Runs that add connections up to the first errors. */
import { unitOf } from '../../shared/units.js'
import { ladderLines, ladderTable } from '../tables/over-time.js'
import throughput, { rateSection } from './throughput.js'
import { costSection, logSections, originSection, ratioSection } from './run.js'

/** @import { Kind, RunRecord, Section, SectionExtras } from '../../types.js' */

/** @type {Kind} */
export default { ...throughput, kind: 'first-errors', sections }

/**
 * @param {RunRecord} record
 * @param {SectionExtras} [extras]
 * @returns {Section[]}
 */
function sections (record, extras) {
  return [
    ratioSection(record),
    ladderSection(record),
    { ...rateSection(record, extras), brief: record.arms.length === 0 },
    originSection(record),
    costSection(record),
    ...logSections(record)
  ]
}

/**
 * @param {RunRecord} record
 * @returns {Section}
 */
function ladderSection (record) {
  const lines = ladderLines(record)
  const table = ladderTable(record)
  const { label, perSecond } = unitOf(record.unit)
  return {
    id: 'ladder',
    title: `${perSecond} by connections, up to the first errors`,
    blocks: [
      ...lines.some(({ points }) => points.length > 0)
        ? [/** @type {const} */ ({
            chart: 'lines',
            lines,
            axes: { x: 'connections', y: label, isStepped: true },
            note: 'A line ends with a cross at its first errors.'
          })]
        : [],
      table
    ],
    brief: [table]
  }
}
