/** Runs with simulated users. */
import { failuresTable, usersOverTime, usersTable } from '../tables/users.js'
import { userLines } from '../tables/over-time.js'
import { connectionSentence } from '../users-text.js'
import { costSection, latencySection, linesSection, logSections, run, seriesSections } from './run.js'

/** @import { Kind, RunRecord, Section } from '../../types.js' */

/** @type {Kind} */
export default {
  ...run,
  kind: 'users',
  sections,
  mainChart: record => ({
    chart: 'lines',
    lines: userLines(record, ({ failures }) => failures),
    axes: { x: 'seconds', y: 'failures/s' },
    label: 'Failures a second, second by second'
  })
}

/**
 * Figures over time, a section each. The label belongs to the vertical axis.
 * @type {{ figure: Parameters<typeof usersOverTime>[1], id: string, title: string, label: string }[]}
 */
const OVER_TIME = [
  { figure: 'users', id: 'users', title: 'Users over time', label: 'users' },
  { figure: 'rps', id: 'users-rate', title: 'Requests a second over time', label: 'req/s, failures counted' },
  { figure: 'p50', id: 'users-p50', title: 'Median response time in ms over time', label: 'p50, ms' },
  { figure: 'p95', id: 'users-p95', title: '95th percentile of response time in ms over time', label: 'p95, ms' },
  { figure: 'failures', id: 'users-failures', title: 'Failures a second over time', label: 'failures/s' }
]

/**
 * @param {RunRecord} record
 * @returns {Section[]}
 */
function sections (record) {
  return [
    {
      id: 'saw',
      title: 'Response times and failures of users',
      blocks: [
        usersTable(record),
        'users: the most at once; offered: req/s if every response were immediate; p50, p95: ms, of all; ' +
        'failures: over all trials; load, proxy: CPU time as a share of one core.',
        ...connectionSentence(record)
      ],
      brief: true
    },
    ...OVER_TIME.map(({ figure, id, title, label }) => {
      const section = linesSection({ id, title }, userLines(record, point => point[figure]), label,
        usersOverTime(record, figure))
      return figure === 'p50' || figure === 'p95'
        ? { ...section, blocks: [...section.blocks, 'Each point covers the ten seconds before it.'] }
        : section
    }),
    { id: 'failures', title: 'Failures by kind', blocks: [failuresTable(record)] },
    ...seriesSections(record, 'Requests a second, counted on the served side'),
    costSection(record),
    latencySection(record,
      'From the request of a user to the last byte of the response: in whole ms, above 100 ms to two digits.'),
    ...logSections(record)
  ]
}
