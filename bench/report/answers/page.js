/** docs/answers.md and the table of it on README.md, and the same for a terminal (pure).
 * @import { Answer } from './answer.js' @import { Style } from '../text.js' */
import { tablesOf } from './answer.js'
import { fromRun } from './from-run.js'
import { parse } from '../../plan/word.js'
import { cell, markdownTable } from '../markdown.js'
import { wrap } from '../wrap.js'

/** Where the table stands in README.md. */
const [BEGIN, END] = ['<!-- answers: made by hopbench answers --write -->', '<!-- /answers -->']

/** What checks it on another machine. @param {Answer} answer @returns {string[]} commands */
const commandsOf = ({ question: { command, experiment, beside, by } }) => command
  ? [command]
  : [`npx hopbench run ${experiment}`, ...beside ? [`npx hopbench run ${beside.experiment}`] : [],
      ...by === 'recommendation' ? ['npx hopbench check'] : []]

/** @param {Answer[]} answers @param {{ charts: string[] }} made charts: ids of the questions with a drawing beside the
 * page @returns {string} Markdown */
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
  ...answers.flatMap((answer, i) => section(answer, {
    drawn: charts.includes(answer.question.id),
    shownAt: answers.slice(0, i).find(({ records }) => records[0]?.run === (answer.records[0]?.run ?? NaN))?.question
  })),
  ''
].join('\n')

/** @param {Answer} answer @param {{ drawn: boolean, shownAt?: Answer['question'] }} how shownAt: the question at which
 * the tables of its run stand already */
function section (answer, { drawn, shownAt }) {
  const { question: { id, question, dependsOn, configuration, by, pages }, sentence, more, records } = answer
  const tables = by === 'sizing' || shownAt ? [] : records.slice(0, 1).flatMap(tablesOf)
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
    `Check it here: ${commandsOf(answer).map(command => `\`${command}\``).join(', ')}`,
    '',
    `More: ${pages.map(page => `[${page}](${page})`).join(', ')}`,
    ...drawn ? ['', `![${question}](answers/${id}.svg)`] : [],
    ...tables.filter(({ table }) => table.rows.length > 0)
      .flatMap(({ caption, table }) => ['', `${caption}:`, '', ...markdownTable(table)]),
    ...shownAt ? ['', `Tables: under [${shownAt.question}](#${shownAt.id})`] : [],
    ...records.flatMap(record => ['', fromRun(record)])
  ]
}

/** Of what has been measured. @param {Answer[]} answers @returns {string} Markdown */
const answersTable = answers => markdownTable({
  head: [{ text: 'question' }, { text: 'answer on the reference machine' }],
  rows: []
}).concat(answers.filter(({ records }) => records.length > 0).map(({ question: { id, question }, sentence }) =>
  `| [${question}](docs/answers.md#${id}) | ${cell(sentence)} |`)).join('\n')

/** @param {string} readme @param {Answer[]} answers @returns {string} with the table in its place
 * @throws {TypeError} the place is missing */
export function withAnswers (readme, answers) {
  const [from, to] = [readme.indexOf(BEGIN), readme.indexOf(END)]
  if (from === -1 || to < from) throw new TypeError(`README.md has no place for the answers: ${BEGIN} … ${END}`)
  return `${readme.slice(0, from)}${BEGIN}\n${answersTable(answers)}\n${readme.slice(to)}`
}

/** For a terminal. @param {Answer[]} answers @param {Style} style @returns {string} */
export const answersText = (answers, style) => answers.map(answer => {
  const { question: { question }, sentence, more, records } = answer
  return [
    style.colors.bold(question),
    ...wrap(sentence, style.columns),
    ...more.flatMap(text => wrap(text, style.columns, { first: '- ' })),
    ...records.flatMap(record => wrap(fromRun(record), style.columns).map(line => style.colors.dim(line))),
    ...commandsOf(answer).map(command => `    ${command}`)
  ].join('\n')
}).join('\n\n') + '\n'
