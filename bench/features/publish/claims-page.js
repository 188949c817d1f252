/** docs/claims.md: every published claim and the result of the stored runs (pure). */
import { claimWords, conditionsOf, differences, measuredText } from '../../report/claims.js'
import { capitalize, plural } from '../../shared/format.js'
import { groupBy } from '../../shared/group-by.js'
import { untested } from '../../shared/sources.js'
import { beforeWarmUpSentence } from './before-warm-up-text.js'
import { printClaimWhy } from '../../report/facts/facts.js'
import { machinesSentence } from './machines.js'
import { markdownTemplate } from '../../report/templates.js'

/** @import { Claim, ClaimResult, Experiment, RunRecord, Source } from '../../types.js' */

const template = markdownTemplate(new URL('claims-page.hbs', import.meta.url))

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
  const whyNot = isSame ? 'its run ended before it was judged' : 'the claim has changed since its run'
  return { ...line, status: 'not-run', why: record && whyNot }
}

/**
 * Returns what a claim is judged by. Its statement and a quotation may differ between versions.
 * @param {Claim} claim
 */
const identity = ({ published, test }) => JSON.stringify([
  typeof published === 'number' ? published : null, Object.entries(test).sort(([a], [b]) => a < b ? -1 : 1)
])

/**
 * Returns the page: claims by publication, then by experiment.
 * @param {{ name: string, experiment: Experiment, record: RunRecord | null }[]} experiments record: best stored run;
 * null: not run
 * @returns {string} Markdown
 */
export function claimsPage (experiments) {
  const lines = claimLines(experiments)
  const names = new Set(lines.map(({ experiment }) => experiment))
  const withClaims = experiments.flatMap(({ name, record }) => names.has(name) && record ? [record] : [])
  const publications = new Set([...lines.map(({ claim }) => claim.source), ...untested.keys()])
  return template({
    claims: plural(lines.length, 'claim'),
    experiments: plural(names.size, 'experiment'),
    summary: summary(lines),
    machines: machinesSentence(withClaims),
    beforeWarmUp: beforeWarmUpSentence(withClaims, { method: 'method.md' }),
    publications: [...publications].sort((a, b) => a.year - b.year).map(source =>
      toSection(source, lines.filter(({ claim }) => claim.source.title === source.title)))
  })
}

/** Order of the results in the table. Others follow. */
const RESULTS = ['confirmed', 'reproduced here', 'refuted', 'not reproduced here', 'not testable here']

/**
 * Counts the claims by result.
 * @param {ClaimLine[]} lines
 */
function summary (lines) {
  const byResult = groupBy(lines, statusWords)
  const results = [...new Set([...RESULTS, ...[...byResult.keys()].sort()])]
  return results.flatMap(result => {
    const { length } = byResult.get(result) ?? []
    return length > 0 ? [{ result, count: length }] : []
  })
}

/** @param {ClaimLine} line */
const statusWords = ({ status, claim, record }) =>
  status === 'not-run' || !record ? 'not run yet' : claimWords({ ...claim, status }, record)

/**
 * Returns a publication with its machine, the different conditions here, and its claims by experiment.
 * @param {Source} source
 * @param {ClaimLine[]} lines its claims
 */
function toSection (source, lines) {
  const different = lines.filter(({ status }) => status !== 'not-testable').flatMap(({ claim, record }) =>
    record && source.conditions ? differences(conditionsOf(claim), record) : [])
  return {
    title: linkDiscussion(toPlain(source.title)),
    author: toPlain(source.author),
    year: source.year,
    conditions: source.conditions && toPlain(source.machine),
    different: toPlain([...new Set(different)].join(', ')),
    experiments: [...groupBy(lines, ({ experiment }) => experiment)].map(([name, lines]) => ({
      run: runText(name, lines[0].record),
      rows: lines.map(toRow)
    })),
    untested: untested.get(source)?.map(toPlain)
  }
}

/**
 * Links a GitHub discussion.
 * @param {string} title "… (owner/name #1)"
 */
const linkDiscussion = title => title.replace(/\(([\w.-]+\/[\w.-]+) #(\d+)\)/,
  (named, repository, number) => `([${named.slice(1, -1)}](https://github.com/${repository}/issues/${number}))`)

/**
 * @param {string} experiment
 * @param {RunRecord | null} record
 */
const runText = (experiment, record) => record
  ? `Run ${record.run}${record.plan.quick ? ' (quick)' : ''}${record.complete ? '' : ' (interrupted)'}`
  : `${experiment}, not run yet`

/** @param {ClaimLine} line */
function toRow (line) {
  const { claim: { statement, published, test, needsCores }, record, result, status, why } = line
  const measured = result && record && measuredText(result, record)
  const isExplained = status === 'not-run' || (status === 'not-testable' && needsCores === undefined)
  return {
    statement: toPlain(statement).replace(/\.$/, ''),
    // The statement of a ratio contains it, and words repeat the statement.
    published: ['order', 'flat'].includes(test.kind) && /^\d/.test(String(published)) && toPlain(String(published)),
    factor: test.kind === 'ratio' && test.tolerance,
    measured: measured &&
      toPlain(test.kind === 'figure' ? `${toFigure(test.figure)}: ${measured}, range of plays` : measured),
    isUnadjusted: test.kind === 'ratio' && record &&
      !record.plan.contrasts.some(pair => pair.includes(test.arm) && pair.includes(test.baseline)),
    result: capitalize(statusWords(line)),
    why: isExplained && toPlain(why ?? '')
  }
}

/**
 * Names a figure of the app behind a proxy, because "alone" could mean without the proxy.
 *
 * @param {string} name
 */
const toFigure = name => name.replace(', app alone', ' per CPU second of the app')

/** Returns text in one line without the start of a tag. @param {string} text */
const toPlain = text => text.replace(/\s+/g, ' ').replaceAll('<', '&lt;').trim()
