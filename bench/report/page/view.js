/** Data of the page of a record for its template: sections in the order of the page. */
import { shellWord } from '../../errors.js'
import { claimWords } from '../conditions.js'
import { withOwnCommand } from '../../shared/commands.js'
import { printCommand } from '../../plan/stored-command.js'
import { claimFigures, conditionSentences } from '../claim-sentences.js'
import { inOneLine, printAdvice, printClaimWhy, printWarning } from '../facts/facts.js'
import { printBrief } from '../facts/warning-texts.js'
import { claimRows } from '../ratio-rows.js'
import { pageTable } from '../table.js'
import { environmentTable } from '../tables/environment.js'
import { draw } from './draw.js'
import { factsSentence } from './first-facts.js'
import { toChain } from './hop-diagram.js'
import { toMatrix } from './matrix.js'
import { ratioChart } from './ratio-chart.js'
import { toPageSection, withCells } from './section.js'
import { studySections } from './study-sections.js'

/** @import { CheckRecord, ClaimResult, Kind, RunRecord, Sample } from '../../types.js' */

/** Length of a warning in one line. */
const BRIEF_LETTERS = 110

/**
 * @param {object} stored
 * @param {RunRecord} stored.record
 * @param {Kind} stored.kind
 * @param {Sample[]} stored.samples
 * @param {{ name: string, file: string, text: string }[]} stored.configs the recommended first, then the fastest
 * @param {CheckRecord | null} stored.check
 */
export function toView ({ record, kind, samples, configs, check }) {
  const ratioRows = claimRows(record)
  const sections = [...studySections(record), ...kind.sections(record, { samples })]
    .filter(({ blocks }) => blocks.length > 0).map(toPageSection)
  return {
    title: record.experiment,
    question: record.question,
    answer: kind.answer(record).text,
    how: kind.end(record),
    facts: factsSentence(record),
    command: printCommand(record.plan.command),
    sections,
    // The recommendation follows the first section, so that it is on one screen with the answer and its chart.
    lead: sections.slice(0, 1),
    rest: sections.slice(1),
    chains: record.arms.filter(({ name, ladder }) => name !== record.plan.twin?.arm && !ladder?.step)
      .map(arm => toChain(arm, record)),
    claims: record.claims.map(claim => claimView(claim, record)),
    claimConditions: conditionSentences(record),
    claimsChart: ratioRows.length > 0 ? draw(ratioChart(ratioRows, null), 'Published and measured ratios') : null,
    matrix: toMatrix(record, check),
    warnings: record.warnings.map(warning => {
      const { text, remedy } = printWarning(warning)
      return {
        text, remedy: withOwnCommand(inOneLine(remedy)), brief: printBrief(warning, BRIEF_LETTERS)
      }
    }),
    recommendation: record.recommendation.map(advice => withOwnCommand(inOneLine(printAdvice(advice)))),
    next: kind.next(record, shellWord(record.run)).map(({ sentence, command }) =>
      ({ sentence, command: withOwnCommand(command.join(' ')) })),
    environment: withCells(pageTable(environmentTable(record))),
    configs
  }
}

const SIGNS = { confirmed: '✓', refuted: '✕', inconclusive: '?', 'not-testable': '–' }

/**
 * @param {ClaimResult} claim
 * @param {RunRecord} record
 */
const claimView = (claim, record) => ({
  id: claim.id,
  status: claim.status,
  words: `${SIGNS[claim.status]} ${claimWords(claim, record)}`,
  statement: claim.statement,
  figures: claimFigures(claim, record),
  why: printClaimWhy(claim),
  source: `${claim.source.title}, ${claim.source.author} ${claim.source.year}, ${claim.source.machine}`
})
