/** Sections that a comparison of two states, a sizing, a deployed instance, a selftest and users add to the page. */
import { count, micros } from '../../shared/format.js'
import { deployedSentences, deployedTable } from '../deployed-text.js'
import { diffLimits, diffSides, diffTable } from '../diff-text.js'
import { replicationSentences, suiteSentences } from '../selftest-text.js'
import { headlineSentences } from '../sizing-answer.js'
import { capacitySentences, priceSentences } from '../sizing-text.js'
import { verificationSentences } from '../verification-text.js'
import { accuracyTable, plantedTable, resolutionTable } from '../tables/selftest.js'
import {
  capacityTable, curveTable, furtherPricesTable, offeringFactsTable, pricesTable, trialsTable
} from '../tables/sizing.js'
import { delaysTable, figuresTable, outcomesTable, outcomeSentences } from '../tables/behaviour.js'
import { failuresTable, hasUsers, usersOverTime, usersTable } from '../tables/users.js'
import { connectionSentence, noteSentences } from '../users-text.js'
import { positionsChart } from './behaviour-chart.js'
import { toLegend, linesChart, userLines } from './lines-chart.js'
import { section } from './section.js'

/** @import { RunRecord } from '../../types.js' */

/** @param {RunRecord} record */
export const diffSections = ({ diff }) => diff
  ? [section('diff', 'Head against base', { words: [...diffSides(diff), ...diffLimits(diff)], table: diffTable(diff) })]
  : []

/** @param {RunRecord} record */
export const sizingSections = ({ sizing }) => sizing
  ? [
      section('capacity', `Capacity with a p99 of ${micros(sizing.goal.p99Ms)} ms or less`, {
        words: capacitySentences(sizing),
        table: capacityTable(sizing)
      }),
      section('plans', `Offerings for ${count(sizing.goal.rate)} requests a second`, {
        words: [...headlineSentences(sizing), ...priceSentences(sizing), ...verificationSentences(sizing)],
        table: pricesTable(sizing)
      }),
      section('further-prices', 'Further figures of the offerings', { table: furtherPricesTable(sizing) }),
      section('offering-facts', 'Sources and conditions of the offerings', {
        words: ['hopbench size --list prints the address and the day of each price. Formula: docs/sizing.md.'],
        table: offeringFactsTable(sizing)
      }),
      section('capacity-steps', 'Response time at shares of the capacity', {
        words: ['A step that was slower than one with more load was repeated; the median of its trials is shown.'],
        table: curveTable(sizing)
      }),
      section('trials', 'How the capacity was found', {
        words: ['Every trial of the search, in the order in which they were made. lag: delay of the generator.'],
        table: trialsTable(sizing)
      })
    ]
  : []

/** @param {RunRecord} record */
export const deployedSections = ({ deployed }) => deployed
  ? [
      section('capacity-steps', 'Response time by load, network included', {
        words: deployedSentences(deployed),
        table: deployedTable(deployed)
      }),
      section('trials', 'How the capacity was found', {
        words: ['Every window of the search, in the order in which they were sent. lag: delay of the generator.'],
        table: trialsTable({ topologies: [{ spec: deployed.url, trials: deployed.trials }] })
      })
    ]
  : []

/** @param {RunRecord} record */
export const selftestSections = ({ selftest }) => selftest
  ? [
      section('resolution', 'The smallest difference that this machine resolves', {
        words: replicationSentences(selftest),
        table: resolutionTable(selftest)
      }),
      section('planted', 'Planted differences', {
        words: [
          'The same server with more CPU time for each request. Ratio and interval are of all runs together; ' +
          'held: independent runs whose 95 % interval holds the expected ratio; found: those that called it different.'
        ],
        table: plantedTable(selftest)
      }),
      section('suite', 'The suite itself', { words: suiteSentences(selftest), table: accuracyTable(selftest) })
    ]
  : []

/** @param {RunRecord} record */
export const behaviourSections = record => record.plan.result === 'behaviour'
  ? [
      section('outcomes', 'Outcomes of the requests', {
        words: outcomeSentences(record),
        ...positionsChart(record),
        table: outcomesTable(record)
      }),
      section('delays', 'Delays over all plays', { table: delaysTable(record) }),
      section('figures', 'Further figures of the plays', { table: figuresTable(record) })
    ].filter(({ table }) => table && table.rows.length > 0)
  : []

/**
 * Charts of users, a section each. The label belongs to the vertical axis.
 * @type {{ figure: Parameters<typeof usersOverTime>[1], id: string, title: string, label: string }[]}
 */
const USER_CHARTS = [
  { figure: 'users', id: 'users', title: 'Users over time', label: 'users' },
  { figure: 'rps', id: 'users-rate', title: 'Requests over time', label: 'req/s, failures counted' },
  { figure: 'p50', id: 'users-p50', title: 'Median response time over time', label: 'p50, ms' },
  { figure: 'p95', id: 'users-p95', title: '95th percentile of response time over time', label: 'p95, ms' },
  { figure: 'failures', id: 'users-failures', title: 'Failures over time', label: 'failures/s' }
]

/** @param {RunRecord} record */
export const userSections = record => hasUsers(record)
  ? [
      section('saw', 'Response times and failures of users', {
        words: [...connectionSentence(record),
          ...noteSentences(record).map(note => `Warning of the load generator: ${note}`)],
        table: usersTable(record)
      }),
      ...USER_CHARTS.map(({ figure, id, title, label }) => {
        const lines = userLines(record, point => point[figure])
        return section(id, title, {
          words: figure === 'p50' || figure === 'p95' ? ['Each point covers the ten seconds before it.'] : [],
          chart: linesChart(lines, { x: 'seconds', y: label }),
          legend: toLegend(lines),
          table: usersOverTime(record, figure)
        })
      }),
      section('failures', 'Failures by kind', { table: failuresTable(record) })
    ]
  : []
