/** Data of the page of a record for its template: sections in the order of the page. */
import { shellWord } from '../../errors.js'
import { claimFigures, claimWords, conditionSentences } from '../claims.js'
import { getServedNode } from '../../plan/runtimes.js'
import { withOwnCommand } from '../../shared/commands.js'
import { listing, plural } from '../../shared/format.js'
import { printCommand } from '../../plan/stored-command.js'
import { checkSection } from '../check-section.js'
import { inOneLine, printAdvice, printClaimWhy, printWarning } from '../facts/facts.js'
import { printBrief } from '../facts/warning-texts.js'
import { claimRows } from '../ratio-rows.js'
import { pageTable } from '../table.js'
import { environmentTable } from '../tables/environment.js'
import { draw } from '../charts/draw.js'
import { toChain } from '../charts/hop-diagram.js'
import { ratioChart } from '../charts/ratio-chart.js'
import { toPageSection, withCells } from './section.js'

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
  const [first, ...rest] = [...kind.sections(record, { samples }), ...checkSection(record, check)]
  // The recommendation is on one screen with the answer and its chart.
  const sections = [first, {
    id: 'recommendation',
    title: 'Recommendation',
    blocks: record.recommendation.map(advice => inOneLine(printAdvice(advice)))
  }, ...rest]
  return {
    title: record.experiment,
    question: record.question,
    answer: kind.answer(record).text,
    how: kind.end(record),
    facts: factsSentence(record),
    command: printCommand(record.plan.command),
    sections: sections.map(toPageSection).filter(({ parts }) => parts.length > 0),
    chains: record.arms.filter(({ name, ladder }) => name !== record.plan.twin?.arm && !ladder?.step)
      .map(arm => toChain(arm, record)),
    claims: record.claims.map(claim => claimView(claim, record)),
    claimConditions: conditionSentences(record),
    claimsChart: ratioRows.length > 0 ? draw(ratioChart(ratioRows, null), 'Published and measured ratios') : null,
    warnings: record.warnings.map(warning => {
      const { text, remedy } = printWarning(warning)
      return {
        text, remedy: withOwnCommand(inOneLine(remedy)), brief: printBrief(warning, BRIEF_LETTERS)
      }
    }),
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

/**
 * Returns the apps by command, by their name in topologies.
 * @param {RunRecord} record
 */
const findApps = ({ arms }) => new Map(arms.flatMap(({ topology: { server } }) =>
  server?.command ? [([server.name, server.command])] : []))

/**
 * Names what was served: apps with their commands, or hopbench's own servers.
 * @param {RunRecord} record
 */
function appText (record) {
  const apps = [...findApps(record)].map(([name, { run }]) => `${name}: ${run}`)
  if (apps.length > 0) return `App ${listing(apps)}`
  const servers = new Set(record.arms.flatMap(({ topology: { server } }) => server?.name ?? []))
  return servers.size === 0 ? 'No app' : `${servers.size > 1 ? 'Servers' : 'Server'} ${listing([...servers])}`
}

/** @param {RunRecord} record */
function factsSentence (record) {
  const { startedAt, environment } = record
  const { cpu } = environment
  const day = startedAt.slice(0, 16).replace('T', ' ')
  return `${day} UTC. ${cpu.model}, ${plural(cpu.cores, 'core')}, Node ${getServedNode(record)}. ${appText(record)}.`
}
