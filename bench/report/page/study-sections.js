/** What a sizing and a selftest add to the page.
 * @import { RunRecord } from '../../types.js' @import { Section } from './view.js' */
import { count, micros } from '../../shared/format.js'
import { replicationWords, words as selftestWords } from '../selftest-text.js'
import { planWords, sentences, verificationSentences } from '../sizing-text.js'
import { pageTable } from '../table.js'
import { accuracyTable, plantedTable, resolutionTable } from '../tables/selftest.js'
import { capacityTable, curveTable, plansTable, trialsTable } from '../tables/sizing.js'

/** @type {(record: RunRecord) => Section[]} */
export function sizing ({ sizing: found }) {
  if (!found) return []
  const plain = { chart: null, legend: [] }
  return [
    {
      id: 'capacity',
      title: `Capacity with a p99 of ${micros(found.goal.p99Ms)} ms or less`,
      words: sentences(found),
      ...plain,
      table: pageTable(capacityTable(found))
    },
    {
      id: 'plans',
      title: `Plans for ${count(found.goal.rate)} requests a second`,
      words: [...planWords(found), ...verificationSentences(found)],
      ...plain,
      table: pageTable(plansTable(found))
    },
    {
      id: 'load',
      title: 'Response time by offered rate',
      words: ['A step that was slower than one with more load was measured again; the median of its trials is shown.'],
      ...plain,
      table: pageTable(curveTable(found))
    },
    {
      id: 'trials',
      title: 'How the capacity was found',
      words: [
        'Every trial of the search, in the order in which they were made. lag: how late the generator itself was.'
      ],
      ...plain,
      table: pageTable(trialsTable(found))
    }
  ]
}

/** @type {(record: RunRecord) => Section[]} */
export function selftest ({ selftest: found }) {
  if (!found) return []
  const plain = { chart: null, legend: [] }
  return [
    {
      id: 'resolution',
      title: 'The smallest difference that this machine resolves',
      words: replicationWords(found),
      ...plain,
      table: pageTable(resolutionTable(found))
    },
    {
      id: 'planted',
      title: 'Planted differences',
      words: [
        'The same server with more CPU time for each request. Ratio and interval are of all runs together; ' +
        'held: independent runs whose 95 % interval holds the expected ratio; found: those that called it different.'
      ],
      ...plain,
      table: pageTable(plantedTable(found))
    },
    {
      id: 'suite',
      title: 'The suite itself',
      words: selftestWords(found),
      ...plain,
      table: pageTable(accuracyTable(found))
    }
  ]
}
