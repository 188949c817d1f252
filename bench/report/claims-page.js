/** docs/claims.md: every published claim, and what the stored runs say of it (pure).
 * @import { Claim, ClaimResult, Experiment, RunRecord } from '../types.js' */
import { estimate, isNumber, NONE, plural } from '../plan/format.js'

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

/** What a reader sees for a status. @type {Record<ClaimLine['status'], string>} */
const STATUS = {
  confirmed: '**confirmed**',
  refuted: '**refuted**',
  inconclusive: 'inconclusive',
  'not-testable': 'not testable',
  'not-run': 'not run yet'
}
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

/** The page. @param {PublishedExperiment[]} experiments @returns {string} Markdown */
export function claimsPage (experiments) {
  const lines = claimLines(experiments)
  const sources = [...new Map(lines.map(({ claim }) => [claim.source.title, claim.source])).values()]
    .sort((a, b) => a.year - b.year || (a.title < b.title ? -1 : 1))
  return [
    '# Published claims, and what the stored runs say',
    '',
    'Made by `hopbench claims --write` from the experiments and the runs in `results/reference/`: change',
    'nothing here by hand. How a claim is judged is told in [statistics.md](statistics.md), how each',
    'experiment differs from what was published in [experiments.md](experiments.md).',
    '',
    `${plural(lines.length, 'claim')} in ` +
    `${plural(experiments.filter(({ experiment }) => experiment.claims?.length).length, 'experiment')}: ` +
    `${summary(lines)}.`,
    ...sources.flatMap(source => section(source, lines.filter(({ claim }) => claim.source.title === source.title))),
    ...runs(experiments, lines),
    ''
  ].join('\n')
}

/** @param {ClaimLine[]} lines */
const summary = lines => Object.entries(STATUS)
  .map(([status, words]) => [words.replaceAll('*', ''), lines.filter(line => line.status === status).length])
  .filter(([, amount]) => amount !== 0)
  .map(([words, amount]) => `${amount} ${words}`).join(', ')

/** @param {Claim['source']} source @param {ClaimLine[]} lines */
const section = ({ title, author, year, machine }, lines) => [
  '',
  `## ${cell(title)} (${cell(author)}, ${year})`,
  '',
  `Measured on: ${cell(machine)}.`,
  '',
  '| experiment | claim | published | measured | status | run |',
  '| --- | --- | --- | --- | --- | --- |',
  ...lines.map(row)
]

/** @param {ClaimLine} line */
function row ({ experiment, claim, record, status, result, why }) {
  const cells = [
    `\`${experiment}\``,
    cell(claim.statement),
    isNumber(claim.published) ? twoDecimals(claim.published) : cell(String(claim.published)),
    result ? measured(result) : NONE,
    STATUS[status] + (why ? `: ${cell(why)}` : ''),
    record ? dayOf(record) : NONE
  ]
  return `| ${cells.join(' | ')} |`
}

/** @param {ClaimResult} result */
function measured ({ measured, low, high }) {
  if (!isNumber(measured)) return measured === null ? NONE : cell(measured)
  const text = estimate({ ratio: measured, low, high })
  return text.interval === NONE ? text.ratio : `${text.ratio} (${text.interval})`
}

/** Of a tiny ratio two decimals would leave nothing. @param {number} value */
const twoDecimals = value => value < 0.1 ? value.toPrecision(2) : value.toFixed(2)

/** The runs that the lines rest on, with the machine each was made on. @param {PublishedExperiment[]} experiments
 * @param {ClaimLine[]} lines */
function runs (experiments, lines) {
  const used = new Set(lines.map(({ record }) => record))
  const told = experiments.flatMap(({ name, record }) => record && used.has(record) ? [{ name, record }] : [])
  if (told.length === 0) return ['', '## Runs', '', 'There is no stored run yet.']
  return [
    '',
    '## Runs',
    '',
    '| experiment | run | machine | programs | load |',
    '| --- | --- | --- | --- | --- |',
    ...told.map(({ name, record }) =>
      `| \`${name}\` | ${record.run}${record.plan.quick ? ' (quick)' : ''}${record.complete ? '' : ' (cut off)'} | ` +
      `${machine(record)} | ${programs(record)} | ${engines(record)} |`
    )
  ]
}

/** @param {RunRecord} record */
const machine = ({ environment: { cpu, kernel } }) => cell(`${cpu.model}, ${plural(cpu.cores, 'core')}, ${kernel}`)
/** @param {RunRecord} record */
const programs = ({ environment: { node }, tools }) =>
  cell([`Node ${node}`, ...Object.entries(tools).map(([name, version]) => `${name} ${version}`)].join(', '))
/** @param {RunRecord} record */
const engines = ({ arms }) => cell([...new Set(arms.map(({ load }) => load.engine))].join(', '))
/** @param {RunRecord} record */
const dayOf = ({ startedAt }) => startedAt.slice(0, 10)

/** Text within a cell: what would end the cell or start a tag is none of it. @param {string} text */
const cell = text => text.replace(/\s+/g, ' ').replaceAll('|', '\\|').replaceAll('<', '&lt;').trim()
