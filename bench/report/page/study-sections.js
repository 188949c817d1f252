/** Sections of kinds that have no file of their own yet. */
import { count, micros } from '../../shared/format.js'
import { deployedSentences, deployedTable } from '../deployed-text.js'
import { diffLimits, diffSides, diffTable } from '../diff-text.js'
import { headlineSentences } from '../sizing-answer.js'
import { capacitySentences, priceSentences } from '../sizing-text.js'
import { verificationSentences } from '../verification-text.js'
import {
  capacityTable, curveTable, furtherPricesTable, offeringFactsTable, pricesTable, trialsTable
} from '../tables/sizing.js'
import { fleetSections } from './fleet-sections.js'

/** @import { ChartBlock, RunRecord, Section, Table } from '../../types.js' */

/** @param {RunRecord} record */
const diffSections = ({ diff }) => diff
  ? [section('diff', 'Head against base', { words: [...diffSides(diff), ...diffLimits(diff)], table: diffTable(diff) })]
  : []

/** @param {RunRecord} record */
const sizingSections = ({ sizing }) => sizing
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
const deployedSections = ({ deployed }) => deployed
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
export const studySections = record =>
  [...diffSections(record), ...sizingSections(record), ...fleetSections(record), ...deployedSections(record)]

/**
 * @param {string} id
 * @param {string} title
 * @param {{ words?: string[], chart?: ChartBlock, table?: Table<any> }} content
 * @returns {Section}
 */
export function section (id, title, { words = [], chart, table }) {
  return { id, title, blocks: [...chart ? [chart] : [], ...table ? [table] : [], ...words] }
}
