/** The first page of a site of stored runs: answers with charts, servers, all runs, and a filter (pure). */
import { getServedNode, getServerRuntime } from '../../plan/runtimes.js'
import { IN_CLONE, withOwnCommand } from '../../shared/commands.js'
import { capitalize, NONE, plural } from '../../shared/format.js'
import { getProgramKey, readVersion } from '../../shared/releases.js'
import { htmlTemplate, readEmbedded, readBeside } from '../../report/templates.js'
import { css, SHAPES, toHash } from '../../report/page/page.js'
import { drawBlock } from '../../report/page/section.js'
import { countText, ratioText } from './servers.js'

/** @import { Kind, RunRecord } from '../../types.js' */
/** @import { Answer } from './answers-text.js' */
/** @import { ServerRow } from './servers.js' */

const template = htmlTemplate(new URL('site.hbs', import.meta.url))
const script = readEmbedded(new URL('browser/site-filter.js', import.meta.url))
const { version } = JSON.parse(readBeside('../../package.json'))

/** Style of all pages of a site, a file of it. */
export const siteCss = css + readEmbedded(new URL('site.css', import.meta.url))
export const STYLESHEET = 'site.css'

/** Marks the first page of a site, so that a later site may replace it. */
export const MARK = '<meta name="generator" content="hopbench site">'

/** Value of a filter that an item has none of. */
const OTHER = { id: 'other', question: 'other runs' }

/**
 * @typedef {object} Facets
 * @property {string[]} questions ids
 * @property {string[]} machines
 * @property {string[]} versions of the programs that served
 */

/** @typedef {Facets & { run: string, title: string, answer: string, when: string }} RunItem */

/**
 * Returns the address of a run's page, relative to the first page.
 * @param {string} run
 */
export const toAddress = run => `runs/${run}.html`

/** Folder of the pages and badges of servers. */
export const SERVERS = 'servers'

/**
 * Returns the address of a server's page or badge, relative to the first page.
 * @param {string} name
 * @param {'html' | 'json' | 'svg'} [ending]
 */
export const toServerAddress = (name, ending = 'html') => `${SERVERS}/${name}.${ending}`

/**
 * Describes a run in the list of all runs.
 * @param {RunRecord} record
 * @param {string} answer
 * @param {Answer[]} answers
 * @returns {RunItem}
 */
export function toRunItem (record, answer, answers) {
  const ids = answers.filter(({ question: { runs } }) => runs.includes(record.experiment))
    .map(({ question }) => question.id)
  return {
    run: record.run,
    title: record.experiment,
    answer,
    when: `${record.startedAt.slice(0, 16).replace('T', ' ')} UTC`,
    questions: ids.length > 0 ? ids : [OTHER.id],
    machines: [toMachine(record)],
    versions: listVersions(record)
  }
}

/** @param {RunRecord} record */
const toMachine = ({ environment: { cpu } }) => `${cpu.model}, ${plural(cpu.cores, 'core')}`

/**
 * @param {Answer[]} answers those with a run
 * @param {RunItem[]} runs the newest first
 * @param {ServerRow[]} servers
 * @param {(record: RunRecord) => Kind} kindOf
 * @returns {string} HTML
 */
export function sitePage (answers, runs, servers, kindOf) {
  const sections = answers.map(answer => toSection(answer, kindOf))
  const all = [...sections, ...runs]
  const hasOther = runs.some(({ questions }) => questions.includes(OTHER.id))
  return withOwnCommand(template({
    mark: MARK,
    version,
    stylesheet: STYLESHEET,
    script,
    scriptHash: toHash(script),
    shapes: SHAPES,
    counts: { answers: plural(answers.length, 'answer'), runs: plural(runs.length, 'run') },
    filters: [
      {
        name: 'questions',
        values: [...answers.map(({ question }) => question), ...hasOther ? [OTHER] : []]
          .map(({ id, question }) => ({ value: id, text: capitalize(question) }))
      },
      { name: 'machines', values: toOptions(all.flatMap(({ machines }) => machines)) },
      { name: 'versions', values: toOptions(all.flatMap(({ versions }) => versions)) }
    ].map(filter => ({ ...filter, label: capitalize(filter.name.slice(0, -1)) })),
    answers: sections.map(withData),
    servers: servers.map(row => ({
      ...row,
      address: toServerAddress(row.name),
      day: row.checked.checkedAt.slice(0, 10),
      title: row.version === NONE ? row.name : `${row.name} ${row.version}`,
      failed: `${countText(row.recommended)} failed` +
        (row.hasBoth ? ` as recommended, ${countText(row.shipped)} as shipped` : ''),
      ratio: row.measured && ratioText(row)
    })),
    runs: runs.map(run => withData({ ...run, address: toAddress(run.run) }))
  }))
}

/** @param {string[]} texts */
const toOptions = texts => [...new Set(texts)]
  .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
  .map(text => ({ value: text, text }))

/**
 * Adds the facets as JSON, which the script of the page reads.
 * @template {Facets} T
 * @param {T} item
 */
const withData = item => ({
  ...item,
  data: ['questions', 'machines', 'versions'].map(name =>
    ({ name, json: JSON.stringify(item[/** @type {keyof Facets} */ (name)]) }))
})

/**
 * @param {Answer} answer
 * @param {(record: RunRecord) => Kind} kindOf
 */
function toSection ({ question, sentences: [sentence, ...more], records, runs }, kindOf) {
  const main = kindOf(records[0]).mainChart(records[0])
  return {
    ...question,
    sentence,
    more,
    commands: question.check.map(words => `${IN_CLONE} ${words}`),
    // The text is beside the chart on a large screen.
    figure: main && { ...drawBlock(main, question.question), wide: null },
    records: runs.map(run => ({ address: toAddress(run), text: run })),
    questions: [question.id],
    machines: [...new Set(records.map(toMachine))],
    versions: [...new Set(records.flatMap(listVersions))]
  }
}

/**
 * Lists the versions of the proxies and the runtimes that served: "nginx 1.22.1", "Node 26.10.0".
 * @param {RunRecord} record
 */
function listVersions ({ arms, tools, environment }) {
  const node = getServedNode({ tools, environment })
  return [...new Set(arms.flatMap(({ topology: { proxy, server } }) => {
    const key = proxy && getProgramKey(proxy)
    const runtime = server && getServerRuntime(server)
    const version = tools[String(server?.options.runtime)] ?? runtime?.version
    return [
      ...key && tools[key] ? [`${key.split('+')[0]} ${readVersion(tools[key])}`] : [],
      ...server ? [runtime ? `${runtime.kind === 'node' ? 'Node' : runtime.title} ${version}` : `Node ${node}`] : []
    ]
  }))]
}
