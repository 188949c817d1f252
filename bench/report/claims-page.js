/** docs/claims.md: every published claim and the result of the stored runs (pure). */
import { claimWords, differences } from './conditions.js'
import { getServedNode } from '../plan/runtimes.js'
import { isNumber, NONE, plural } from '../shared/format.js'
import { beforeWarmUpSentence } from './before-warm-up.js'
import { printClaimWhy } from './facts/facts.js'
import { machinesSentence } from './machines.js'
import { measuredText } from './claim-sentences.js'
import { startsText } from './noise-sentences.js'
import { markdownTemplate } from './templates.js'

/** @import { Claim, ClaimResult, Experiment, RunRecord } from '../types.js' */

const template = markdownTemplate('claims-page.hbs')

/**
 * @typedef {object} ClaimLine a claim and its result
 * @property {string} experiment
 * @property {Claim} claim
 * @property {RunRecord | null} record
 * @property {ClaimResult['status'] | 'not-run'} status
 * @property {ClaimResult | null} result
 * @property {string | null} why
 */

/**
 * Returns every claim of every experiment.
 * @param {{ name: string, experiment: Experiment, record: RunRecord | null }[]} experiments record: best stored run;
 * null: not run
 * @returns {ClaimLine[]} in the order of the experiments
 */
export const claimLines = experiments => experiments.flatMap(({ name, experiment: { claims = [] }, record }) =>
  claims.map(claim => toLine(name, claim, record)))

/**
 * @param {string} experiment
 * @param {Claim} claim
 * @param {RunRecord | null} record
 * @returns {ClaimLine}
 */
function toLine (experiment, claim, record) {
  const result = record?.claims.find(({ id }) => id === claim.id)
  const planned = record?.plan.claims.find(({ id }) => id === claim.id)
  const isSame = planned !== undefined && identity(planned) === identity(claim)
  if (record && result && isSame) {
    return { experiment, claim, record, result, status: result.status, why: printClaimWhy(result) }
  }
  const line = { experiment, claim, record: null, result: null }
  if (claim.notTestable) return { ...line, status: 'not-testable', why: claim.notTestable }
  const whyNot = isSame ? 'its run ended before it was judged' : 'the claim has changed since its run'
  return { ...line, status: 'not-run', why: record && whyNot }
}

/**
 * Returns the figures and the arms that a claim is about. Its statement may differ between versions.
 * @param {Claim} claim
 */
const identity = ({ published, test, notTestable }) =>
  JSON.stringify([published, Object.entries(test).sort(([a], [b]) => a < b ? -1 : 1), notTestable])

/**
 * Returns the page: claims by publication, then by question.
 * @param {{ name: string, experiment: Experiment, record: RunRecord | null }[]} experiments record: best stored run;
 * null: not run
 * @returns {string} Markdown
 */
export function claimsPage (experiments) {
  const lines = claimLines(experiments)
  const withClaims = experiments.filter(({ experiment }) => experiment.claims?.length)
  const records = withClaims.flatMap(({ record }) => record ?? [])
  return template({
    claims: plural(lines.length, 'claim'),
    experiments: plural(withClaims.length, 'experiment'),
    summary: summary(lines),
    machines: machinesSentence(experiments.flatMap(({ record }) => record ?? [])),
    beforeWarmUp: beforeWarmUpSentence(records, { method: 'method.md' }),
    publications: listPublications(lines),
    sections: withClaims.map(({ name, experiment, record }) =>
      toSection(experiment.question, record, lines.filter(line => line.experiment === name)))
  })
}

/**
 * Counts the claims by status: "3 confirmed, 1 not run yet".
 * @param {ClaimLine[]} lines
 */
function summary (lines) {
  const words = lines.map(statusWords)
  return [...new Set(words)].sort().map(word => `${words.filter(other => other === word).length} ${word}`).join(', ')
}

/** @param {ClaimLine} line */
function statusWords ({ status, claim, record }) {
  if (status === 'not-run') return 'not run yet'
  return record ? claimWords({ ...claim, status }, record) : 'not testable here'
}

/**
 * Lists the publications with the verdicts on their claims, their machine, and the different conditions here.
 * @param {ClaimLine[]} lines
 */
function listPublications (lines) {
  const sources = new Map(lines.map(({ claim: { source } }) => [source.title, source]))
  return [...sources.values()].sort((a, b) => a.year - b.year).map(source => {
    const ofSource = lines.filter(({ claim }) => claim.source.title === source.title)
    const record = ofSource.find(({ record }) => record)?.record
    return {
      title: linkDiscussion(cell(source.title)),
      author: cell(source.author),
      year: source.year,
      summary: summary(ofSource),
      machine: cell(source.machine),
      different: cell(record ? differences(source.conditions, record).join(', ') : '') || NONE
    }
  })
}

/**
 * Links a GitHub discussion.
 * @param {string} title "… (owner/name #1)"
 */
const linkDiscussion = title => title.replace(/\(([\w.-]+\/[\w.-]+) #(\d+)\)/,
  (named, repository, number) => `([${named.slice(1, -1)}](https://github.com/${repository}/issues/${number}))`)

/**
 * @param {string} question of the experiment
 * @param {RunRecord | null} record
 * @param {ClaimLine[]} lines its claims
 */
function toSection (question, record, lines) {
  const untestable = lines.filter(({ status }) => status === 'not-testable')
  return {
    question: cell(question),
    experiment: lines[0].experiment,
    run: record ? runText(record) : 'not run yet',
    testable: lines.filter(line => !untestable.includes(line)).map(toRow),
    untestableClaims: plural(untestable.length, 'claim'),
    untestable: untestable.map(toRow)
  }
}

/** @param {RunRecord} record */
function runText (record) {
  const { run, plan, complete, environment: { cpu, kernel }, tools: { node, ...tools }, arms } = record
  const versions = Object.entries(tools).map(([name, version]) => `${name} ${version}`)
  const programs = [`Node ${getServedNode(record)}`, ...versions]
  const engines = new Set(arms.map(({ load }) => load.engine))
  return cell(`run ${run}${plan.quick ? ' (quick)' : ''}${complete ? '' : ' (cut off)'}, ` +
    `${startsText(record)}, ${cpu.model}, ${plural(cpu.cores, 'core')}, ${kernel}, ${programs.join(', ')}, ` +
    `load: ${[...engines].join(', ')}`)
}

/** @param {ClaimLine} line */
function toRow (line) {
  const { claim: { statement, published, source }, record, result, why } = line
  const figure = isNumber(published) ? printRatio(published) : cell(String(published))
  return {
    statement: cell(statement),
    published: `${figure} (${cell(source.author)} ${source.year})`,
    measured: cell((result && record && measuredText(result, record)) ?? NONE),
    result: statusWords(line),
    why: cell(why ?? '')
  }
}

/** Prints a published ratio. Two decimals of a tiny ratio would be zeros. */
const printRatio = (/** @type {number} */ ratio) => ratio < 0.1 ? ratio.toPrecision(2) : ratio.toFixed(2)

/** Escapes characters that end a cell of a table or start a tag. */
const cell = (/** @type {string} */ text) =>
  text.replace(/\s+/g, ' ').replaceAll('|', '\\|').replaceAll('<', '&lt;').trim()
