/** Runs that add connections up to the first errors. */
import { count, isNumber, listing, NONE } from '../../shared/format.js'
import { unitOf } from '../../shared/units.js'
import { hasOutcome, nothingValid, runAnswer } from '../answer.js'
import { column } from '../table.js'
import { errorKinds, groupSteps, hasErrors, whyInvalid } from '../tables/arms.js'
import { compact } from '../wrap.js'
import throughput, { rateSection } from './throughput.js'
import { costSection, logSections, originSection, ratioSection } from './run.js'

/** @import { ArmResult, ChartBlock, ChartLine, Column, Kind, RunRecord, Section } from '../../types.js' */
/** @import { SectionExtras, Table } from '../../types.js' */

/** @type {Kind} */
export default { ...throughput, kind: 'first-errors', answer: runAnswer(firstErrorsAnswer), sections }

/**
 * @param {RunRecord} record
 * @param {SectionExtras} [extras]
 * @returns {Section[]}
 */
function sections (record, extras) {
  return [
    ladderSection(record),
    ratioSection(record),
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
  /** @type {ChartBlock} */
  const chart = {
    chart: 'lines',
    lines,
    axes: { x: 'connections', y: label, isStepped: true },
    note: 'A line ends with a cross at its first errors.'
  }
  return {
    id: 'ladder',
    title: `${perSecond} by connections, up to the first errors`,
    blocks: [...lines.some(({ points }) => points.length > 0) ? [chart] : [], table],
    brief: [table]
  }
}

/**
 * Returns the number of connections at which the first errors of each arm occurred.
 * @param {RunRecord} record
 */
function firstErrorsAnswer (record) {
  const groups = groupLadder(record)
    .map(({ name, steps }) => ({ name, steps: steps.filter(hasOutcome) }))
    .filter(({ steps }) => steps.length > 0)
  const most = Math.max(...groups.flatMap(({ steps }) => steps.map(({ load }) => load.connections)))
  const held = groups.filter(({ steps }) => !steps.some(hasErrors)).map(({ name }) => name)
  const failed = groups.flatMap(({ name, steps }) => {
    const first = steps.find(hasErrors)
    return first ? [`with ${name} at ${count(first.load.connections)}`] : []
  })
  const clauses = compact([
    held.length > 0 && `${listing(held)} held ${count(most)} connections without an error`,
    failed.length > 0 && `${held.length > 0 ? 'the' : 'The'} first errors came ${listing(failed)}`
  ])
  return clauses.length === 0 ? nothingValid(record) : `${clauses.join('; ')}.`
}

/**
 * Groups the steps of a ladder, without those of the twin.
 * @param {RunRecord} record
 */
const groupLadder = record => groupSteps(record).filter(({ name }) => name !== record.plan.twin?.arm)

/**
 * Returns the table of rates by connections, up to the first errors.
 * @param {RunRecord} record
 * @returns {Table<string>} rows: names of arms
 */
function ladderTable (record) {
  const groups = new Map(groupLadder(record).map(({ name, steps }) => [name, steps]))
  const allConnections = [...new Set([...groups.values()].flat().map(({ load }) => load.connections))]
    .sort((a, b) => a - b)
  /**
   * Returns a cell that prints the errors of a step, its rate if it has no errors, or else why it has no rate.
   * @type {(connections: number, printErrors: (step: ArmResult) => string | null,
   *   printWhy: (step: ArmResult) => string) => Column<string>['cell']}
   */
  const cellAt = (connections, printErrors, printWhy) => name => {
    const step = groups.get(name)?.find(({ load }) => load.connections === connections)
    if (!step || step.trials === 0) return NONE
    const median = step.rps?.median
    return printErrors(step) ?? (isNumber(median) ? unitOf(record.unit).print(median) : printWhy(step))
  }
  return {
    rows: [...groups.keys()],
    columns: [
      column('arm', name => name, { left: true }),
      ...allConnections.flatMap(connections => [
        column({ text: `c${count(connections)}` },
          cellAt(connections, arm => hasErrors(arm) ? 'errors' : null, () => NONE)),
        column({ page: count(connections) },
          cellAt(connections, ({ errors }) => errorKinds(errors), arm => whyInvalid(arm) ?? NONE))
      ])
    ]
  }
}

/**
 * Returns rate by connections for each arm of a ladder.
 * @param {RunRecord} record
 * @returns {ChartLine[]}
 */
function ladderLines (record) {
  const { scale } = unitOf(record.unit)
  const toPoint = (/** @type {ArmResult} */ { load, rps }) => ({ x: load.connections, y: (rps?.median ?? 0) * scale })
  return groupLadder(record).map(({ name, steps }) => {
    const measured = steps.filter(({ trials }) => trials > 0)
    const failed = measured.find(hasErrors)
    return {
      name,
      points: measured.filter(arm => !hasErrors(arm) && isNumber(arm.rps?.median)).map(toPoint),
      end: failed ? toPoint(failed) : null
    }
  })
}
