/** What users saw, and what the proxy wrote into its error log.
 * @import { RunRecord } from '../../types.js' @import { Section } from './view.js' */
import { connectionSentence, logSentences, noteSentences } from '../users-text.js'
import { draw } from './draw.js'
import { legendOf, linesChart, userLines } from './lines-chart.js'
import { pageTable } from '../table.js'
import { failuresTable, hasUsers, usersOverTime, usersTable } from '../tables/users.js'

/** Over time, a chart for each figure. @type {(record: RunRecord) => Section[]} */
export function users (record) {
  if (!hasUsers(record)) return []
  const charts = /** @type {const} */ ([
    ['users', 'Users over time', 'users', 'users'],
    ['users-rate', 'Requests over time', 'rps', 'req/s, failures counted'],
    ['users-p50', 'Half of the answers, over time', 'p50', 'p50, ms'],
    ['users-p95', '95 of 100 answers, over time', 'p95', 'p95, ms'],
    ['users-failures', 'Failures over time', 'failures', 'failures/s']
  ])
  return [
    {
      id: 'saw',
      title: 'What users saw',
      words: [...connectionSentence(record),
        ...noteSentences(record).map(note => `The load generator warned: ${note}`)],
      chart: null,
      legend: [],
      table: pageTable(usersTable(record))
    },
    ...charts.map(([id, title, figure, label]) => {
      const lines = userLines(record, point => point[figure])
      return {
        id,
        title,
        words: figure === 'p50' || figure === 'p95' ? ['Each point is about the ten seconds before it.'] : [],
        chart: draw(linesChart(lines, { x: 'seconds', y: label }), title),
        legend: legendOf(lines),
        table: pageTable(usersOverTime(record, figure))
      }
    }),
    {
      id: 'failures',
      title: 'Failures by kind',
      words: [],
      chart: null,
      legend: [],
      table: pageTable(failuresTable(record))
    }
  ]
}

/** @type {(record: RunRecord) => Section | null} */
export function errorLogs (record) {
  const words = logSentences(record)
  return words.length === 0
    ? null
    : { id: 'error-log', title: 'The error log of the proxy', words, chart: null, legend: [], table: null }
}
