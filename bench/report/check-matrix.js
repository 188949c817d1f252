/** A check as text for a terminal: a table of all servers, then a sentence for each failure (pure). */
import {
  FILES, checkFailures, checkForms, isRecommended, isUnsafe, toForms, toServerName
} from '../judge/check-failures.js'
import { listing } from '../shared/format.js'
import { toStyle, wrap, wrapItems } from './wrap.js'

/** @import { CheckFailure, CheckProbe, CheckRecord, CheckResult, CheckedChain, CheckedServer } from '../types.js' */
/** @import { Style } from './wrap.js' */

const CELL_WIDTH = 5
const NAME_WIDTH = 22
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const NO_BREAK_SPACE = '\u00a0'
const MARKS = { pass: 'ok', fail: 'FAIL', 'differs-by-design': '~', untested: '?' }
/** Mark of the column and of the name of a server as recommended. */
const RECOMMENDED = '*'
const LEGEND = `${RECOMMENDED}: with recommended settings (+production of a server, the default of a proxy). ` +
  'ok: correct. ~: differs by design, which the RFC allows or the server documents. DIES: such a ' +
  'request ends the process, or it no longer responds. ?: untested here. Each finding holds ' +
  'for the server bare and behind every proxy, unless it names some of them.'

/**
 * @param {CheckRecord} record
 * @param {{ columns: number, file?: string }} options file: where the record is stored
 */
export function checkText (record, { columns, file }) {
  const style = toStyle(columns)
  const perTable = Math.max(1, Math.floor((columns - NAME_WIDTH) / CELL_WIDTH))
  const shown = record.servers.flatMap(server => toColumns(server, record.servers))
  const letters = toLetters(shown)
  const tables = Array.from({ length: Math.ceil(shown.length / perTable) }, (_, i) => i * perTable)
  const lines = [
    ...wrap(checkAnswer(record), columns),
    '',
    ...tables.flatMap(from => {
      const to = from + perTable
      return [...tableLines(record, shown.slice(from, to), letters.slice(from, to), columns), '']
    }),
    ...record.servers.flatMap(server => [...failureLines(record, server, style), '']),
    ...wrap(LEGEND, columns),
    ...file ? [`Stored in: ${file}`] : []
  ]
  return `${lines.join('\n')}\n`
}

/** Servers that the answer names. The table has all of them. */
const MOST_NAMED = 6

/** @typedef {{ name: string } & ReturnType<typeof checkForms>} CheckedForms */

/**
 * Returns which servers fail a probe of safety as recommended, which do only as shipped, and which fail none at all.
 * @param {CheckRecord} record
 */
function checkAnswer (record) {
  const names = [...new Set(record.servers.map(({ name }) => toServerName(name)))]
  const checked = names.map(name => ({ name, ...checkForms(record, name) })).filter(({ recommended }) => recommended)
  if (checked.length === 0) return 'No server could be checked.'
  if (checked.length === 1) return describeOnly(checked[0], record.probes.length)
  const list = (/** @type {CheckedForms[]} */ servers) => listing(servers.length > MOST_NAMED
    ? [...servers.slice(0, MOST_NAMED).map(({ name }) => name), `${servers.length - MOST_NAMED} more`]
    : servers.map(({ name }) => name))
  const unsafe = checked.filter(({ recommended }) => isUnsafe(recommended))
  const onlyShipped = checked.filter(({ shipped, recommended }) => isUnsafe(shipped) && !isUnsafe(recommended))
  const faultless = checked.filter(({ recommended }) => recommended?.length === 0)
  return [
    unsafe.length === 0
      ? `None of ${checked.length} servers fails a probe of safety.`
      : `${unsafe.length} of ${checked.length} servers fail a probe of safety: ${list(unsafe)}.`,
    ...onlyShipped.length > 0
      ? [`As shipped, and not with recommended settings, ${list(onlyShipped)} ${onlyShipped.length === 1
          ? 'fails'
          : 'fail'} one, too.`]
      : [],
    ...faultless.length > 0 ? [`No failure at all: ${list(faultless)}.`] : []
  ].join(' ')
}

/**
 * @param {CheckedForms} server
 * @param {number} probes
 */
function describeOnly ({ name, shipped, recommended, hasBoth }, probes) {
  const describe = (/** @type {CheckFailure[] | null} */ failures) => {
    const unsafe = (failures ?? []).filter(({ safety }) => safety).length
    return `fails ${failures?.length} of ${probes} probes, ${unsafe === 0 ? 'none' : unsafe} of safety`
  }
  const isFaultless = recommended?.length === 0
  if (!hasBoth) return isFaultless ? `${name} passes every probe.` : `${name} ${describe(recommended)}.`
  return `${name} as shipped ${describe(shipped)}; with its recommended settings it ${isFaultless
    ? 'passes every probe'
    : describe(recommended)}.`
}

/**
 * Returns a column for a server, or two for each proxy that serves the files itself: as shipped and as recommended.
 * @param {CheckedServer} server
 * @param {CheckedServer[]} servers of the record
 * @returns {CheckedServer[]}
 */
function toColumns (server, servers) {
  const { shipped } = toForms(FILES)
  const shippedFiles = servers.filter(({ name }) => name === shipped)
  if (server.name === shipped && servers.some(({ name }) => name === FILES)) return []
  if (server.name !== FILES) return [server]
  return server.chains.flatMap(chain => [
    ...shippedFiles.flatMap(files => files.chains.filter(({ proxy }) => proxy === chain.proxy)
      .map(shippedChain => ({ ...files, chains: [shippedChain] }))),
    { ...server, chains: [chain] }
  ])
}

/**
 * Returns the letter of each column. The recommended form of a server has the letter of the column before it.
 * @param {CheckedServer[]} servers
 */
function toLetters (servers) {
  let letters = 0
  const toOwner = (/** @type {CheckedServer | undefined} */ server) =>
    server && [toServerName(server.name), ...server.name.startsWith(FILES) ? [server.chains[0]?.proxy] : []].join()
  return servers.map((server, i) => {
    const isSecond = isRecommended(server.name) && toOwner(server) === toOwner(servers[i - 1])
    if (!isSecond) letters++
    return `${LETTERS[letters - 1] ?? letters - 1}${isSecond ? RECOMMENDED : ''}`
  })
}

/**
 * @param {CheckRecord} record
 * @param {CheckedServer[]} servers
 * @param {string[]} letters of the servers
 * @param {number} columns
 */
function tableLines ({ probes }, servers, letters, columns) {
  const titles = servers.map(({ name, version, chains: [chain] }, i) =>
    [letters[i], chain?.spec ?? name, version].filter(Boolean).join(NO_BREAK_SPACE))
  const topics = [...new Set(probes.map(({ topic }) => topic))]
  return [
    ...wrap(titles.join(', '), columns),
    '',
    row('', letters),
    ...topics.flatMap(topic => [
      topic,
      ...probes.filter(probe => probe.topic === topic).map(probe =>
        row(`  ${probe.name}`, servers.map(({ chains: [chain] }) => toMark(findResult(chain, probe)))))
    ])
  ]
}

/** @param {CheckResult | undefined} result */
function toMark (result) {
  if (!result) return ''
  return result.died ? 'DIES' : MARKS[result.outcome]
}

/**
 * @param {string} name
 * @param {string[]} cells
 */
const row = (name, cells) =>
  `${name.padEnd(NAME_WIDTH)}${cells.map(cell => cell.padStart(CELL_WIDTH)).join('')}`.trimEnd()

/**
 * @param {CheckedChain | undefined} chain
 * @param {CheckProbe} probe
 */
const findResult = (chain, probe) => chain?.results.find(result => result.probe === probe.name)

/**
 * @param {CheckRecord} record
 * @param {CheckedServer} server
 * @param {Style} style
 */
function failureLines (record, server, style) {
  const failures = checkFailures(record, server.name)
  const notStarted = server.chains.filter(({ error }) => error !== null)
    .map(({ spec, error }) => `${spec} could not be started: ${error}`)
  if (!failures) return [server.name, ...wrapItems(notStarted, style)]
  const unsafe = failures.filter(({ safety }) => safety).length
  const counted = failures.length === 0
    ? 'no failure'
    : `${failures.length} of ${record.probes.length} probes failed${unsafe ? `, ${unsafe} of them of safety` : ''}`
  return [
    `${server.name}: ${counted}`,
    ...wrapItems([...settingsSentence(server), ...groupFailures(failures, server), ...replacedFileSentence(server),
      ...notStarted], style)
  ]
}

/**
 * Lists the settings of a recommended form, or reports why a server with failures has none.
 * @param {CheckedServer} server
 */
function settingsSentence ({ name, about }) {
  const production = about?.production
  if (!production) return []
  if ('none' in production) return [`no recommended settings: ${production.none}`]
  return isRecommended(name) ? [`recommended settings: ${Object.keys(production.settings).join('; ')}`] : []
}

/**
 * Joins failures with the same observation to one sentence, because a server often fails several probes in one way.
 * @param {CheckFailure[]} failures
 * @param {CheckedServer} server
 */
function groupFailures (failures, server) {
  /** @type {Map<string, { safety: boolean, observation: string, names: string[] }>} */
  const groups = new Map()
  for (const failure of failures) {
    const { safety, died, saw } = failure
    const seen = died ? saw.replace(/^.*; (?=the server )/, '') : saw
    const observation = `${seen}${failingChains(failure, server)}`
    const group = groups.get(`${safety} ${observation}`) ?? { safety, observation, names: [] }
    group.names.push(probeName(failure))
    groups.set(`${safety} ${observation}`, group)
  }
  return [...groups.values()].map(({ safety, observation, names }) =>
    `${safety ? 'SAFETY ' : ''}${names.join(', ')}: ${observation}`)
}

/**
 * Returns the name of a probe as one word, so that it is not wrapped.
 * @param {CheckProbe} probe
 */
const probeName = ({ name, rfc }) => `${name}${rfc ? ` (${rfc})` : ''}`.replaceAll(' ', NO_BREAK_SPACE)

/**
 * Lists the chains in which a probe fails, unless it fails in all of them.
 * @param {CheckFailure} failure
 * @param {CheckedServer} server
 */
function failingChains ({ chains }, server) {
  const tested = server.chains.filter(({ results }) => results.length > 0)
  if (chains.length === tested.length) return ''
  const names = chains.map(spec => spec === server.name ? 'bare' : spec.slice(0, spec.indexOf('/')))
  return ` (${names.join(', ')}${chains.length === 1 ? ' only' : ''})`
}

/**
 * Reports how long a replaced file is served, which a deployment has to take into account.
 * @param {CheckedServer} server
 */
function replacedFileSentence ({ chains: [chain] }) {
  const result = chain?.results.find(({ probe }) => probe === 'replaced')
  return result && result.outcome !== 'fail' && result.ms !== undefined ? [`a replaced file: ${result.saw}`] : []
}
