/** The kinds of checks: of static servers, of the caches of proxies, and of configurations (pure). */
import { cacheOutcomes } from './caches/outcomes.js'
import { FILES, checkFailures, checkForms, isRecommended, isUnsafe, toServerName } from '../../judge/check-failures.js'
import { column } from '../../report/table.js'
import { compact } from '../../report/wrap.js'
import { groupBy } from '../../shared/group-by.js'
import { limited, listing, plural } from '../../shared/format.js'

/** @import { CacheOutcome } from './caches/outcomes.js' */
/** @import { CachesRecord, CheckFailure, CheckProbe, CheckRecord, CheckResult, CheckedServer } from '../../types.js' */
/** @import { ConfigCell, ConfigsRecord, Report, Section, Table } from '../../types.js' */

/** Columns of a table, which fit into a terminal of 80 columns beside the names. */
const MAX_COLUMNS = 9
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const NO_BREAK_SPACE = '\u00a0'

/** Joins words by no-break spaces. @param {(string | null | undefined)[]} words */
const join = words => words.filter(Boolean).join(' ').replaceAll(' ', NO_BREAK_SPACE)

/**
 * Returns tables with a column for each subject, side by side as far as they fit.
 * @template Row, Subject
 * @param {Row[]} rows
 * @param {Subject[]} subjects
 * @param {{ heading?: string, name: (row: Row) => string, head: (subject: Subject) => string,
 *   cell: (row: Row, subject: Subject) => string }} parts
 * @returns {Table<Row>[]}
 */
function toMatrix (rows, subjects, { heading = '', name, head, cell }) {
  const columns = subjects.map(subject => column(head(subject), (/** @type {Row} */ row) => cell(row, subject)))
  return Array.from({ length: Math.ceil(columns.length / MAX_COLUMNS) }, (_, i) => ({
    rows,
    columns: [column(heading, name, { left: true }), ...columns.slice(i * MAX_COLUMNS, (i + 1) * MAX_COLUMNS)]
  }))
}

const MARKS = { pass: 'ok', fail: 'FAIL', 'differs-by-design': '~', untested: '?' }
/** Mark of the column and of the name of a server as recommended. */
const RECOMMENDED = '*'
const LEGEND = `${RECOMMENDED}: with recommended settings (+production of a server, the default of a proxy). ` +
  'ok: correct. ~: differs by design, which the RFC allows or the server documents. DIES: such a ' +
  'request ends the process, or it no longer responds. ?: untested here. Each finding holds ' +
  'for the server bare and behind every proxy, unless it names some of them.'

/** Servers that the answer names. The table has all of them. */
const MAX_NAMED = 6

/** @type {Report<CheckRecord>} */
export const serversKind = {
  answer: record => ({ text: toServersAnswer(record), contrasts: [] }),

  sections (record) {
    const { probes, servers } = record
    const shown = toColumns(servers)
    /** @type {(CheckProbe | { topic: string, name: null })[]} */
    const rows = [...groupBy(probes, ({ topic }) => topic)].flatMap(([topic, ofTopic]) =>
      [{ topic, name: null }, ...ofTopic])
    const tables = toMatrix(rows, shown, {
      name: ({ topic, name }) => name === null ? topic : `  ${name}`,
      head: ({ letter }) => letter,
      cell: ({ name }, { chains: [chain] }) => toMark(chain?.results.find(({ probe }) => probe === name))
    })
    const names = shown.map(({ letter, name, version, chains: [chain] }) =>
      join([letter, chain?.spec ?? name, version]))
    return [
      { id: 'probes', title: 'Probes', blocks: [`${names.join(', ')}.`, ...tables] },
      ...servers.map(server => toServerSection(record, server)),
      { id: 'marks', title: 'Marks', blocks: [LEGEND] }
    ]
  }
}

/**
 * Returns which servers fail a probe of safety as recommended, which do only as shipped, and which fail none at all.
 * @param {CheckRecord} record
 */
function toServersAnswer (record) {
  const names = [...new Set(record.servers.map(({ name }) => toServerName(name)))]
  const checked = names.map(name => ({ name, ...checkForms(record, name) })).filter(({ recommended }) => recommended)
  if (checked.length === 0) return 'No server could be checked.'
  if (checked.length === 1) return describeOnly(checked[0], record.probes.length)
  const list = (/** @type {typeof checked} */ servers) => listing(limited(servers.map(({ name }) => name), MAX_NAMED))
  const unsafe = checked.filter(({ recommended }) => isUnsafe(recommended))
  const onlyShipped = checked.filter(({ shipped, recommended }) => isUnsafe(shipped) && !isUnsafe(recommended))
  const faultless = checked.filter(({ recommended }) => recommended?.length === 0)
  return compact([
    unsafe.length === 0
      ? `None of ${checked.length} servers fails a probe of safety.`
      : `${unsafe.length} of ${checked.length} servers fail a probe of safety: ${list(unsafe)}.`,
    onlyShipped.length > 0 && `As shipped, and not with recommended settings, ${list(onlyShipped)} ` +
      `${onlyShipped.length === 1 ? 'fails' : 'fail'} one, too.`,
    faultless.length > 0 && `No failure at all: ${list(faultless)}.`
  ]).join(' ')
}

/**
 * @param {{ name: string } & ReturnType<typeof checkForms>} server
 * @param {number} probes
 */
function describeOnly ({ name, shipped, recommended, hasBoth }, probes) {
  const describe = (/** @type {CheckFailure[] | null} */ failures) => failures?.length === 0
    ? 'passes every probe'
    : `fails ${failures?.length} of ${probes} probes, ` +
      `${failures?.filter(({ safety }) => safety).length || 'none'} of safety`
  return hasBoth
    ? `${name} as shipped ${describe(shipped)}; with its recommended settings it ${describe(recommended)}.`
    : `${name} ${describe(recommended)}.`
}

/**
 * Returns a column for each form of a server, the shipped one first, and for each proxy that serves the files itself.
 * Both forms of a server have the same letter.
 * @param {CheckedServer[]} servers
 */
function toColumns (servers) {
  const split = servers.flatMap(server => toServerName(server.name) === FILES
    ? server.chains.map(chain => ({ ...server, chains: [chain], owner: `${FILES} ${chain.proxy}` }))
    : [{ ...server, owner: toServerName(server.name) }])
  return [...groupBy(split, ({ owner }) => owner).values()].flatMap((forms, i) => forms
    .toSorted((a, b) => Number(isRecommended(a.name)) - Number(isRecommended(b.name)))
    .map(server => ({
      ...server,
      letter: `${LETTERS[i] ?? i}${forms.length > 1 && isRecommended(server.name) ? RECOMMENDED : ''}`
    })))
}

/** @param {CheckResult | undefined} result */
function toMark (result) {
  if (!result) return ''
  return result.died ? 'DIES' : MARKS[result.outcome]
}

/**
 * @param {CheckRecord} record
 * @param {CheckedServer} server
 * @returns {Section}
 */
function toServerSection (record, server) {
  const { name, chains } = server
  const failures = checkFailures(record, name)
  const unsafe = failures?.filter(({ safety }) => safety).length
  const counted = failures?.length === 0
    ? 'no failure'
    : `${failures?.length} of ${record.probes.length} probes failed${unsafe ? `, ${unsafe} of them of safety` : ''}`
  return {
    id: name,
    title: failures ? `${name}: ${counted}` : name,
    blocks: [
      ...failures
        ? [...settingsSentence(server), ...groupFailures(failures, server), ...replacedFileSentence(server)]
        : [],
      ...chains.filter(({ error }) => error !== null).map(({ spec, error }) => `${spec} could not be started: ${error}`)
    ]
  }
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
  const groups = groupBy(failures, failure => {
    const { safety, died, saw } = failure
    const seen = died ? saw.replace(/^.*; (?=the server )/, '') : saw
    return JSON.stringify([safety ? 'SAFETY ' : '', `${seen}${failingChains(failure, server)}`])
  })
  return [...groups].map(([key, group]) => {
    const [safety, observation] = JSON.parse(key)
    return `${safety}${group.map(({ name, rfc }) => join([name, rfc && `(${rfc})`])).join(', ')}: ${observation}`
  })
}

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

/** Rows of the table of caches, by the outcomes that they count. @type {[string, CacheOutcome | null][]} */
const OUTCOMES = [
  ['all of them: passed', null],
  ['required by the tests: met', 'pass'],
  ['  … failed', 'fail'],
  ['optional improvements: present', 'better'],
  ['  … absent', 'not-better'],
  ['behaviours, both correct: yes', 'yes'],
  ['  … no', 'no'],
  ['not tested', 'unasked']
]

/** @param {CachesRecord} record */
const toCaches = ({ caches }) => caches.map(({ results, ...cache }, i) => {
  const outcomes = cacheOutcomes(results)
  const failures = results.filter(({ id }) => outcomes.get(id) === 'fail')
  return { ...cache, letter: LETTERS[i], results, outcomes: [...outcomes.values()], failures }
})

/** @type {Report<CachesRecord>} */
export const cachesKind = {
  answer: record => ({
    text: `Failed requirements of the tests: ${
      listing(toCaches(record).map(({ spec, failures }) => `${spec} ${failures.length}`))}.`,
    contrasts: []
  }),

  sections (record) {
    const caches = toCaches(record)
    return [
      {
        id: 'outcomes',
        title: `Tests of ${record.tests}`,
        blocks: [
          ...toMatrix(OUTCOMES, caches, {
            name: ([name]) => name,
            head: ({ letter }) => letter,
            cell: ([, wanted], { results, outcomes }) => String(wanted === null
              ? results.filter(({ passed }) => passed).length
              : outcomes.filter(outcome => outcome === wanted).length)
          }),
          `${caches.map(({ letter, spec, version }) => `${letter} ${spec} (${version})`).join(', ')}.`,
          'https://cache-tests.fyi/ explains each test; docs/check.md lists the failures that are intended, and why.'
        ]
      },
      ...caches.map(({ spec, failures }) => ({
        id: spec,
        title: `${spec}: ${plural(failures.length, 'failure')}`,
        blocks: [...groupBy(failures, ({ topic }) => topic)].map(([topic, ofTopic]) =>
          `${topic} (${ofTopic.length}): ${ofTopic.map(({ id }) => id).join(', ')}`)
      }))
    ]
  }
}

const CONFIG_MARKS = { holds: 'holds', fails: 'FAILS', 'not-offered': '–' }

/** @type {Report<ConfigsRecord>} */
export const configsKind = {
  answer ({ cells }) {
    const tried = cells.filter(({ outcome }) => outcome !== 'not-offered').length
    const failed = cells.filter(({ outcome }) => outcome === 'fails').length
    return {
      text: failed === 0
        ? 'Every recommended configuration behaves as production needs it.'
        : `${failed} of ${tried} behaviours fail.`,
      contrasts: []
    }
  },

  sections ({ subjects, behaviours, cells, seconds }) {
    const toTables = (/** @type {'proxy' | 'kit'} */ kind, /** @type {[string, string]} */ [heading, version]) =>
      toMatrix([null, ...behaviours], subjects.filter(subject => subject.kind === kind), {
        heading,
        name: behaviour => behaviour?.name ?? version,
        head: ({ name }) => name,
        cell: (behaviour, subject) => behaviour === null
          ? subject.version
          : CONFIG_MARKS[cells.find(cell => cell.behaviour === behaviour.name && cell.subject === subject.name)
            ?.outcome ?? 'not-offered']
      })
    return [
      {
        id: 'behaviours',
        title: `Tried with the real programs in ${Math.round(seconds)} s`,
        blocks: [...toTables('proxy', ['', 'version']), ...toTables('kit', ['kit for', 'nginx'])]
      },
      { id: 'meaning', title: 'What holds means', blocks: behaviours.map(({ name, title }) => `${name}: ${title}`) },
      { id: 'failed', title: 'What failed', blocks: listCells(cells, 'fails') },
      { id: 'not-offered', title: 'What is not offered', blocks: listCells(cells, 'not-offered') }
    ]
  }
}

/**
 * Returns a line for each subject and detail, with the behaviours to which it applies.
 * @param {ConfigCell[]} cells
 * @param {ConfigCell['outcome']} wanted
 */
function listCells (cells, wanted) {
  const found = cells.filter(({ outcome }) => outcome === wanted)
  return [...groupBy(found, ({ subject, detail }) => `${subject}: ${detail}`).values()].map(group =>
    `${group[0].subject}, ${group.map(({ behaviour }) => behaviour).join(', ')}: ${group[0].detail}`)
}
