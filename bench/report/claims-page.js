/** docs/claims.md: every published claim, and what the stored runs say of it (pure).
 * @import { Claim, ClaimResult, Experiment, RunRecord } from '../types.js' */
import { claimWords, differences } from '../analysis/conditions.js'
import { estimateText, isNumber, NONE, plural } from '../shared/format.js'
import { startsOf } from './sentences.js'

/** @typedef {object} PublishedExperiment
 * @property {string} name
 * @property {Experiment} experiment
 * @property {RunRecord | null} record the run that speaks for it; null: there is none */
/** @typedef {object} ClaimLine one claim and what is known of it
 * @property {string} experiment
 * @property {Claim} claim
 * @property {RunRecord | null} record
 * @property {ClaimResult['status'] | 'not-run'} status
 * @property {ClaimResult | null} result
 * @property {string | null} why */

const NOT_RUN = {
  never: null,
  changed: 'the claim has changed since its run',
  without: 'its run ended before it was judged'
}

/** Every claim of every experiment, in the order given: none is left out. @param {PublishedExperiment[]} experiments
 * @returns {ClaimLine[]} */
export const claimLines = experiments => experiments.flatMap(({ name, experiment: { claims = [] }, record }) =>
  claims.map(claim => lineOf(name, claim, record)))

/** @param {string} experiment @param {Claim} claim @param {RunRecord | null} record @returns {ClaimLine} */
function lineOf (experiment, claim, record) {
  const line = { experiment, claim, record: null, result: null }
  const notRun = (/** @type {string | null} */ why) => claim.notTestable
    // No run is needed to know that none can decide it.
    ? { ...line, status: /** @type {const} */ ('not-testable'), why: claim.notTestable }
    : { ...line, status: /** @type {const} */ ('not-run'), why }
  if (!record) return notRun(NOT_RUN.never)
  const planned = record.plan.claims.find(({ id }) => id === claim.id)
  if (!planned || !sameClaim(planned, claim)) return notRun(NOT_RUN.changed)
  const result = record.claims.find(({ id }) => id === claim.id)
  if (!result) return notRun(NOT_RUN.without)
  return { ...line, record, result, status: result.status, why: result.why }
}

/** Is it still about the same arms and figures? Its words may have changed. @type {(a: Claim, b: Claim) => boolean} */
const sameClaim = (a, b) =>
  JSON.stringify([a.published, inOrder(a.test), a.notTestable]) ===
    JSON.stringify([b.published, inOrder(b.test), b.notTestable])

/** @param {object} test */
const inOrder = test => Object.entries(test).sort(([a], [b]) => a < b ? -1 : 1)

/** The page: by question, the verdicts first. @param {PublishedExperiment[]} experiments @returns {string} Markdown */
export function claimsPage (experiments) {
  const lines = claimLines(experiments)
  const withClaims = experiments.filter(({ experiment }) => experiment.claims?.length)
  return [
    '# Published claims, and what the stored runs say',
    '',
    'Made by `hopbench claims --write` from the experiments and the runs in `results/reference/`: change',
    'nothing here by hand. [statistics.md](statistics.md) says how a claim is judged, [experiments.md](experiments.md)',
    'how each experiment differs from what was published. *Confirmed* and *refuted* need the published conditions',
    '(cores, processes, link, generation of the software); elsewhere a figure is *reproduced here*, or it is not.',
    'Ratios are paired by block, so they can differ from the quotient of two rates, which are medians of each arm.',
    '',
    `${plural(lines.length, 'claim')} in ${plural(withClaims.length, 'experiment')}: ${summary(lines)}.`,
    ...publications(lines),
    ...withClaims.flatMap(({ name, experiment, record }) =>
      section(experiment, { record, lines: lines.filter(line => line.experiment === name) })),
    ''
  ].join('\n')
}

/** @param {ClaimLine[]} lines */
function summary (lines) {
  const words = lines.map(wordsOf)
  return [...new Set(words)].sort().map(word => `${words.filter(other => other === word).length} ${word}`).join(', ')
}

/** Where a discussion is read. @param {string} title "… (owner/name #1)" */
const linked = title => title.replace(/\(([\w.-]+\/[\w.-]+) #(\d+)\)/,
  (named, repository, number) => `([${named.slice(1, -1)}](https://github.com/${repository}/issues/${number}))`)

/** @param {ClaimLine} line */
const wordsOf = ({ status, claim, record }) => status === 'not-run'
  ? 'not run yet'
  : record ? claimWords({ ...claim, status }, record) : 'not testable here'

/** @param {Experiment} experiment @param {{ record: RunRecord | null, lines: ClaimLine[] }} judged */
function section ({ question }, { record, lines }) {
  const testable = lines.filter(({ status }) => status !== 'not-testable')
  const untestable = lines.filter(({ status }) => status === 'not-testable')
  return [
    '',
    `## ${cell(question)}`,
    '',
    `\`npm run bench -- ${lines[0].experiment}\`${record ? `; ${runWords(record)}` : '; not run yet'}`,
    ...testable.length > 0
      ? ['', '| claim | published | measured | |', '| --- | --- | --- | --- |', ...testable.map(row)]
      : [],
    ...untestable.length > 0
      ? ['', `<details><summary>${plural(untestable.length, 'claim')} not testable here</summary>`, '',
          ...untestable.map(({ claim, why }) => `- ${cell(claim.statement)} Not testable: ${cell(why ?? '')}.`), '',
          '</details>']
      : []
  ]
}

/** @param {RunRecord} record */
function runWords (record) {
  const { run, plan, complete, environment: { cpu, kernel } } = record
  return cell(`run ${run}${plan.quick ? ' (quick)' : ''}${complete ? '' : ' (cut off)'}, ` +
    `${startsOf(record)}, ${cpu.model}, ${plural(cpu.cores, 'core')}, ${kernel}, ${programs(record)}, ` +
    `load: ${engines(record)}`)
}

/** @param {ClaimLine} line */
function row (line) {
  const { claim, result, why } = line
  const { published, source } = claim
  const cells = [
    cell(claim.statement),
    `${isNumber(published) ? twoDecimals(published) : cell(String(published))} (${cell(source.author)} ${source.year})`,
    result ? measured(result) : NONE,
    `**${wordsOf(line)}**${why ? `: ${cell(why)}` : ''}`
  ]
  return `| ${cells.join(' | ')} |`
}

/** @param {ClaimResult} result */
function measured ({ measured, low, high }) {
  if (!isNumber(measured)) return measured === null ? NONE : cell(measured)
  return estimateText({ ratio: measured, low, high })
}

/** Of a tiny ratio two decimals would leave nothing. @param {number} value */
const twoDecimals = value => value < 0.1 ? value.toPrecision(2) : value.toFixed(2)

/** Where the figures were published, what became of them, the machine there, and what is different here.
 * @param {ClaimLine[]} lines */
function publications (lines) {
  const bySource = new Map(lines.map(line => [line.claim.source.title, line]))
  const rows = [...bySource.values()].sort((a, b) => a.claim.source.year - b.claim.source.year)
    .map(({ claim: { source } }) => {
      const measured = lines.find(({ claim, record }) => record && claim.source.title === source.title)?.record
      const differ = measured ? differences(source.conditions, measured) : []
      return `| ${linked(cell(source.title))} (${cell(source.author)}, ${source.year}) | ` +
        `${summary(lines.filter(({ claim }) => claim.source.title === source.title))} | ${cell(source.machine)} | ` +
        `${cell(differ.join(', ')) || NONE} |`
    })
  return ['', '## Publications', '', '| publication | its claims | measured on | different here |',
    '| --- | --- | --- | --- |', ...rows]
}

/** @param {RunRecord} record */
const programs = ({ environment: { node }, tools }) =>
  [`Node ${node}`, ...Object.entries(tools).map(([name, version]) => `${name} ${version}`)].join(', ')
/** @param {RunRecord} record */
const engines = ({ arms }) => [...new Set(arms.map(({ load }) => load.engine))].join(', ')

/** Text within a cell: what would end the cell or start a tag is none of it. @param {string} text */
const cell = text => text.replace(/\s+/g, ' ').replaceAll('|', '\\|').replaceAll('<', '&lt;').trim()
