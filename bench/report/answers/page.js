/** docs/answers.md, the table of answers in README.md, and the answers for a terminal (pure). */
import { listing, plural } from '../../shared/format.js'
import { runtimeOf } from '../../plan/runtimes.js'
import { parse } from '../../plan/word.js'
import { cell, markdownTable } from '../markdown.js'
import { startsText } from '../sentences.js'
import { wrap, wrapItems } from '../wrap.js'
import { listTables } from './answer.js'

/** @import { RunRecord } from '../../types.js' */
/** @import { Style } from '../wrap.js' */
/** @import { Answer } from './answer.js' */

/** Markers around the table in README.md. */
const [BEGIN, END] = ['<!-- answers: made by hopbench answers --write -->', '<!-- /answers -->']

/**
 * Returns the page.
 * @param {Answer[]} answers
 * @param {{ charts: string[] }} files charts: ids of the questions with a chart beside the page
 * @returns {string} Markdown
 */
export const answersPage = (answers, { charts }) => [
  '# Answers',
  '',
  'Made by `hopbench answers --write` from the runs in `results/reference/`: change nothing here by hand.',
  'A ratio is relative throughput with its confidence interval; *level* is that of the interval, such that all of a',
  'run hold together at 95 %. Ratios are paired by block, so they can differ from the quotient of two rates. The runs',
  'were made on virtual machines of two CPU types, whose rates differ by a factor of two and more, and ratios by less:',
  'each interval is about the run named below it. `hopbench answers` prints the same from your own runs.',
  '',
  ...answers.map(({ question: { id, question } }) => `- [${question}](#${id})`),
  ...answers.flatMap((answer, i) => {
    const run = answer.records[0]?.run
    const earlier = answers.slice(0, i).find(({ records }) => run !== undefined && records[0]?.run === run)
    return section(answer, { hasChart: charts.includes(answer.question.id), earlier: earlier?.question })
  }),
  ''
].join('\n')

/**
 * @param {Answer} answer
 * @param {{ hasChart: boolean, earlier?: Answer['question'] }} page earlier: question with the tables of the same run
 */
function section (answer, { hasChart, earlier }) {
  const { question: { id, question, dependsOn, configuration, by, pages }, sentence, more, records } = answer
  const tables = by === 'sizing' || earlier ? [] : records.slice(0, 1).flatMap(listTables)
  return [
    '',
    `## <a id="${id}"></a>${question}`,
    '',
    `**${cell(sentence)}**`,
    ...more.length > 0 ? ['', ...more.map(text => `- ${cell(text)}`)] : [],
    '',
    `It depends on ${cell(dependsOn)}.`,
    '',
    parse(configuration).proxy
      ? `Configuration: \`npx hopbench config ${configuration}\``
      : `Topology: \`${configuration}\``,
    '',
    `Check it here: ${listCommands(answer).map(command => `\`${command}\``).join(', ')}`,
    '',
    `More: ${pages.map(page => `[${page}](${page})`).join(', ')}`,
    ...hasChart ? ['', `![${question}](answers/${id}.svg)`] : [],
    ...tables.filter(({ table }) => table.rows.length > 0)
      .flatMap(({ caption, table }) => ['', `${caption}:`, '', ...markdownTable(table)]),
    ...earlier ? ['', `Tables: under [${earlier.question}](#${earlier.id})`] : [],
    ...records.flatMap(record => ['', fromRun(record)])
  ]
}

/**
 * Returns the commands that measure the answer on another machine.
 * @param {Answer} answer
 * @returns {string[]}
 */
function listCommands ({ question: { command, experiment, beside, by } }) {
  if (command) return [command]
  return [
    `npx hopbench run ${experiment}`,
    ...beside ? [`npx hopbench run ${beside.experiment}`] : [],
    ...by === 'recommendation' ? ['npx hopbench check'] : []
  ]
}

/**
 * Replaces the table of answers in README.md.
 * @param {string} readme
 * @param {Answer[]} answers
 * @throws {TypeError} the markers are missing
 */
export function withAnswers (readme, answers) {
  const [from, to] = [readme.indexOf(BEGIN), readme.indexOf(END)]
  if (from === -1 || to < from) throw new TypeError(`README.md has no place for the answers: ${BEGIN} … ${END}`)
  const head = markdownTable({ head: [{ text: 'question' }, { text: 'answer on the reference machine' }], rows: [] })
  const rows = answers.filter(({ records }) => records.length > 0).map(({ question: { id, question }, sentence }) =>
    `| [${question}](docs/answers.md#${id}) | ${cell(sentence)} |`)
  return `${readme.slice(0, from)}${BEGIN}\n${[...head, ...rows].join('\n')}\n${readme.slice(to)}`
}

/**
 * Prints answers for a terminal.
 * @param {Answer[]} answers
 * @param {Style} style
 */
export const answersText = (answers, style) => answers.map(answer => {
  const { question: { question }, sentence, more, records } = answer
  return [
    style.colors.bold(question),
    ...wrap(sentence, style.columns),
    ...wrapItems(more, style),
    ...wrap(records.map(fromRun), style.columns).map(line => style.colors.dim(line)),
    ...listCommands(answer).map(command => `    ${command}`)
  ].join('\n')
}).join('\n\n') + '\n'

/**
 * Describes a run in one line: machine, load and versions.
 * @param {RunRecord} record
 */
export function fromRun (record) {
  const { run, environment: { cpu, cores }, plan, arms: [{ load }], sizing } = record
  const shared = plan.cores === 'shared' ? ' shared with the load' : ''
  const loadText = sizing ? 'an open loop' : `${load.engine} with ${plural(load.connections, 'connection')}`
  return `Run ${run}: ${startsText(record)}, ${cpu.model}, the served side on ${plural(cores.served.length, 'core')}` +
    `${shared}; ${listing([loadText, ...listProxies(record)])}; ${listing(listRuntimes(record))}.`
}

/**
 * @param {RunRecord} record
 * @returns {string[]} "nginx 1.22.1"
 */
function listProxies ({ arms, tools }) {
  const names = new Set(arms.flatMap(({ topology: { proxy } }) => proxy?.name ?? []))
  return [...names].flatMap(name => tools[name] ? [`${name} ${tools[name]}`] : [])
}

/**
 * @param {RunRecord} record
 * @returns {string[]} "Node 26.10.0"
 */
function listRuntimes ({ arms, tools, environment: { node } }) {
  const names = arms.flatMap(({ topology: { server } }) => {
    if (!server) return []
    const runtime = runtimeOf(server)
    if (!runtime) return [`Node ${node}`]
    const version = tools[String(server.options.runtime)] ?? runtime.version
    return [`${runtime.kind === 'node' ? 'Node' : runtime.title} ${version}`]
  })
  return names.length > 0 ? [...new Set(names)] : [`Node ${node}`]
}
