/** A check as text for a terminal: a table of all servers, then each failure in words (pure). */
import { wrap } from './wrap.js'
import { checkFailures } from '../analysis/check-failures.js'

/** @import { CheckFailure, CheckProbe, CheckRecord, CheckResult, CheckedChain, CheckedServer } from '../types.js' */

const CELL = 5
const NAME = 22
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** @param {CheckResult | undefined} result */
const mark = result => {
  if (!result) return ''
  if (result.died) return 'DIES'
  return { pass: 'ok', fail: 'FAIL', 'differs-by-design': '~', untested: '?' }[result.outcome]
}

/** @param {CheckRecord} record @param {{ columns: number, file?: string }} style `file`: where it is kept
 * @returns {string} */
export function checkText (record, { columns, file }) {
  const perTable = Math.max(1, Math.floor((columns - NAME) / CELL))
  const lines = []
  const shown = record.servers.flatMap(asColumns)
  for (let i = 0; i < shown.length; i += perTable) {
    lines.push(...table(record, shown.slice(i, i + perTable), i, columns), '')
  }
  for (const server of record.servers) lines.push(...paragraph(record, server, columns), '')
  lines.push(
    ...wrap(
      'ok: as it should be. ~: differs by design, which the RFC allows or the server documents. DIES: such a ' +
      'request ends the process, or it no longer answers. ?: untested here. Each finding holds ' +
      'for the server bare and behind every proxy, unless it says where.',
      columns
    )
  )
  if (file) lines.push(`Kept in: ${file}`)
  return `${lines.join('\n')}\n`
}

/** A server as it is bare; each proxy that serves the files itself. @param {CheckedServer} server
 * @returns {CheckedServer[]} */
const asColumns = server =>
  server.name === 'files' ? server.chains.map(chain => ({ ...server, chains: [chain] })) : [server]

/** @param {CheckRecord} record @param {CheckedServer[]} servers @param {number} from the number of the first one
 * @param {number} columns */
function table ({ probes }, servers, from, columns) {
  const letters = servers.map((_, i) => LETTERS[from + i] ?? String(from + i))
  const lines = [
    ...wrap(servers.map(({ name, version, chains }, i) =>
      `${letters[i]} ${title(name, version, chains[0]?.word)}`.replaceAll(' ', '\u00a0')
    ).join(', '), columns),
    '',
    row('', letters)
  ]
  for (const topic of new Set(probes.map(({ topic }) => topic))) {
    lines.push(topic)
    for (const probe of probes.filter(probe => probe.topic === topic)) {
      lines.push(row(`  ${probe.name}`, servers.map(({ chains }) => mark(resultOf(chains[0], probe)))))
    }
  }
  return lines
}

/** @param {string} name @param {string | null} version @param {string} [word] of the chain shown */
const title = (name, version, word) => [word ?? name, version].filter(Boolean).join(' ')

/** @param {string} name @param {string[]} cells */
const row = (name, cells) => `${name.padEnd(NAME)}${cells.map(cell => cell.padStart(CELL)).join('')}`.trimEnd()

/** @param {CheckedChain | undefined} chain @param {CheckProbe} probe */
const resultOf = (chain, probe) => chain?.results.find(result => result.probe === probe.name)

/** @param {CheckRecord} record @param {CheckedServer} server @param {number} columns */
function paragraph (record, server, columns) {
  const failures = checkFailures(record, server.name)
  const item = (/** @type {string} */ text) => wrap(text, columns, { first: '- ', rest: '  ' })
  const errors = server.chains.filter(({ error }) => error !== null).flatMap(({ word, error }) =>
    item(`${word} could not be started: ${error}`)
  )
  if (!failures) return [server.name, ...errors]
  const counted = failures.length === 0 ? 'no failure' : `${failures.length} of ${record.probes.length} probes failed`
  const unsafe = failures.filter(({ safety }) => safety).length
  return [
    `${server.name}: ${counted}${unsafe ? `, ${unsafe} of them of safety` : ''}`,
    ...grouped(failures, server).flatMap(item),
    ...staleness(server).flatMap(item),
    ...errors
  ]
}

/** Failures that end in the same words are one item: a server often dies of many things in one way.
 * @param {CheckFailure[]} failures @param {CheckedServer} server */
function grouped (failures, server) {
  /** @type {Map<string, string[]>} */
  const groups = new Map()
  for (const failure of failures) {
    const end =
      `${failure.died ? failure.saw.replace(/^.*; (?=the server )/, '') : failure.saw}${whereOf(failure, server)}`
    const key = `${failure.safety ? 'SAFETY ' : ''}\0${end}`
    groups.set(key, [...groups.get(key) ?? [], nameOf(failure)])
  }
  return [...groups].map(([key, names]) => {
    const [safety, end] = key.split('\0')
    return `${safety}${names.join(', ')}: ${end}`
  })
}

/** In one piece, whatever the width. @param {CheckProbe} probe */
const nameOf = ({ name, rfc }) => `${name}${rfc ? ` (${rfc})` : ''}`.replaceAll(' ', '\u00a0')

/** Where it fails, unless that is everywhere. @param {CheckFailure} failure @param {CheckedServer} server */
function whereOf ({ chains }, server) {
  const ran = server.chains.filter(({ results }) => results.length > 0)
  if (chains.length === ran.length) return ''
  const where = chains.map(word => word === server.name ? 'bare' : word.slice(0, word.indexOf('/')))
  return ` (${where.join(', ')}${chains.length === 1 ? ' only' : ''})`
}

/** What a deployment must know. @param {CheckedServer} server */
function staleness ({ chains }) {
  const replaced = chains[0]?.results.find(({ probe }) => probe === 'replaced')
  return replaced && replaced.outcome !== 'fail' && replaced.ms !== undefined
    ? [`a replaced file: ${replaced.saw}`]
    : []
}
