/** docs/answers.md, and the answers for a terminal (pure). */
import { IN_CLONE, withOwnCommand } from '../../shared/commands.js'
import { listing, plural } from '../../shared/format.js'
import { getServedNode, getServerRuntime } from '../../plan/runtimes.js'
import { parse } from '../../plan/spec.js'
import { CURRENT, getProgramKey, getRelease, readVersion } from '../../shared/releases.js'
import { beforeWarmUpSentence } from '../before-warm-up.js'
import { machinesSentence } from '../machines.js'
import { startsText } from '../noise-sentences.js'
import { markdownTemplate } from '../templates.js'
import { wrap, wrapItems } from '../wrap.js'
import { answerTables } from './tables.js'

/** @import { RunRecord } from '../../types.js' */
/** @import { Style } from '../wrap.js' */
/** @import { Answer } from './answer.js' */

const template = markdownTemplate('answers/page.hbs')

/**
 * Returns the page.
 * @param {Answer[]} answers
 * @param {{ charts: string[] }} files charts: ids of the questions with a chart beside the page
 * @returns {string} Markdown
 */
export const answersPage = (answers, { charts }) => withOwnCommand(template({
  beforeWarmUp: beforeWarmUpSentence(answers.flatMap(({ records }) => records), { method: 'method.md' }),
  machines: machinesSentence(answers.flatMap(({ records }) => records)),
  answers: answers.map((answer, i) => toSection(answer, {
    hasChart: charts.includes(answer.question.id),
    above: answers.slice(0, i)
  }))
}))

/**
 * @param {Answer} answer
 * @param {{ hasChart: boolean, above: Answer[] }} page above: the answers before this one
 */
function toSection (answer, { hasChart, above }) {
  const { question, sentence, more, records } = answer
  const first = records[0]?.run
  const earlier = first === undefined ? undefined : above.find(other => other.records[0]?.run === first)
  return {
    ...question,
    sentence,
    more,
    hasProxy: parse(question.configuration).proxy !== null,
    commands: listCommands(answer),
    hasChart,
    tables: answerTables(answer, above),
    earlier: earlier?.question,
    runs: records.map(describeRun)
  }
}

/**
 * Returns the commands that measure the answer on another machine.
 * @param {Answer} answer
 * @returns {string[]}
 */
export function listCommands ({ question: { command, experiment, second, by }, records }) {
  if (command) return [command]
  const toCommand = (/** @type {string} */ name) => {
    const record = records.find(record => record.experiment === name)
    return `${IN_CLONE} run ${name}${record && isOfCurrentRelease(record) ? ' --release current' : ''}`
  }
  return [
    toCommand(experiment),
    ...second ? [toCommand(second.experiment)] : [],
    ...by === 'recommendation' ? [`${IN_CLONE} check`] : []
  ]
}

/** @param {RunRecord} record */
const isOfCurrentRelease = ({ arms }) =>
  arms.some(({ topology: { proxy } }) => proxy !== null && getRelease(proxy) === CURRENT)

/**
 * Prints answers for a terminal.
 * @param {Answer[]} answers
 * @param {Style} style
 */
export function answersText (answers, style) {
  const records = answers.flatMap(({ records }) => records)
  const notes = [machinesSentence(records), beforeWarmUpSentence(records)].filter(note => note !== null)
  return [
    ...answers.map(answer => answerText(answer, style)),
    ...notes.map(note => wrap(note, style.columns).join('\n'))
  ].join('\n\n') + '\n'
}

/**
 * @param {Answer} answer
 * @param {Style} style
 */
function answerText (answer, style) {
  const { question: { question }, sentence, more, records } = answer
  return [
    style.colors.bold(question),
    ...wrap(sentence.split('\n'), style.columns),
    ...wrapItems(more, style),
    ...wrap(records.map(describeRun), style.columns).map(line => style.colors.dim(line)),
    ...listCommands(answer).map(command => `    ${command}`)
  ].join('\n')
}

/**
 * Describes a run in one line: machine, load and versions.
 * @param {RunRecord} record
 */
export function describeRun (record) {
  const { run, environment: { cpu, cores }, plan, arms: [{ load }], sizing } = record
  const shared = plan.cores === 'shared' ? ' shared with the load' : ''
  const programs = listing([loadText(load, Boolean(sizing)), ...listProxies(record)])
  const runtimes = listing(listRuntimes(record))
  return `Run ${run}: ${startsText(record)}, ${cpu.model}, the served side on ${plural(cores.served.length, 'core')}` +
    `${shared}; ${programs}${runtimes && `; ${runtimes}`}.`
}

/**
 * @param {RunRecord['arms'][number]['load']} load
 * @param {boolean} sized
 */
function loadText ({ engine, connections, scenario }, sized) {
  if (sized) return 'an open loop'
  return scenario ? `the scenario ${scenario.name}` : `${engine} with ${plural(connections, 'connection')}`
}

/**
 * Lists the versions of the programs that served.
 * @param {RunRecord} record
 */
export const listVersions = record => [...listProxies(record), ...listRuntimes(record)]

/**
 * @param {RunRecord} record
 * @returns {string[]} "nginx 1.22.1"
 */
function listProxies ({ arms, tools }) {
  const names = new Set(arms.flatMap(({ topology: { proxy } }) => proxy ? getProgramKey(proxy) : []))
  const versions = [...names].flatMap(name => tools[name] ? [`${name.split('+')[0]} ${readVersion(tools[name])}`] : [])
  return [...new Set(versions)]
}

/**
 * @param {RunRecord} record
 * @returns {string[]} "Node 26.10.0"; empty: no arm has a server
 */
function listRuntimes ({ arms, tools, environment }) {
  const node = getServedNode({ tools, environment })
  const names = arms.flatMap(({ topology: { server } }) => {
    if (!server) return []
    const runtime = getServerRuntime(server)
    if (!runtime) return [`Node ${node}`]
    const version = tools[String(server.options.runtime)] ?? runtime.version
    return [`${runtime.kind === 'node' ? 'Node' : runtime.title} ${version}`]
  })
  return [...new Set(names)]
}
