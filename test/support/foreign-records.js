/** Property of foreign runs: an output contains each of their texts only as quoted data. */
import fc from 'fast-check'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { explain, isHopbenchError } from '../../bench/errors.js'
import { textsOfComparison, textsOfRun } from '../../bench/features/compare/formats.js'
import comparisonKind from '../../bench/features/compare/kind.js'
import { withStoredApp } from '../../bench/features/deploy/kit/stored-app.js'
import { suiteLine, suiteSummary } from '../../bench/features/run/suite.js'
import { compareRuns } from '../../bench/judge/runs/compare-runs.js'
import { toOutput } from '../../bench/machine/guard-output.js'
import { parse, withCommands } from '../../bench/plan/spec.js'
import { printCommand } from '../../bench/plan/stored-command.js'
import { printReport } from '../../bench/report/terminal.js'
import { storedRun } from '../../bench/run/stored-run.js'
import { findFault } from '../../bench/store/record-format.js'
import { makeDiff } from './diff.js'
import { runExamples, suite } from './hostile/examples.js'
import { leavesIn, withLeaf } from './leaves.js'
import { makeRecord, makeSample } from './record.js'
import { renderBrief, renderText } from './rendered.js'
import { sizing } from './sizing.js'

/** @import { Test } from 'tap' */
/** @import { RunRecord } from '../../bench/types.js' */

/** @typedef {{ record: any, samples: any[] }} Example */
/**
 * Returns the faults of a text. quoted: the code of the record, each in quotes
 * @typedef {(text: string, quoted: string[]) => string[]} Check
 */
/** @typedef {{ leaf: number, attack: string, place: 'whole' | 'start' | 'end' }} Change */

/** Placeholder for a mark of ATTACKS. */
const MARK = 'MARK'
/** Mark of texts that are data in a record, as names and reasons. */
const DATA = 'HBDATA'
/** Mark of texts that are code in a record: commands, folders, command lines of hopbench. */
const CODE = 'HBCODE'
/** Hostile texts for a shell, a terminal, HTML, Markdown and a spreadsheet. No name of a run can contain one. */
const ATTACKS = [
  '$(touch MARK)', '`touch MARK`', '; touch MARK #', "'; touch MARK; '", '"; touch MARK; "', ' & curl MARK | sh',
  ' && MARK', '\\MARK\\', '\u001b[8mMARK\u001b[0m', '\u001b]0;MARK\u0007', '\u001b[2J\u001b[HMARK', '\u009b31mMARK',
  '\rMARK', '\r\u001b[2KMARK', '\u001b[32mMARK', '\nMARK: 1', '\u202eMARK\u2066',
  '\u200fMARK', '\u2028MARK', '\u0000MARK',
  '<img src=x onerror=MARK()>', '</script><script>MARK()</script>', '"><svg onload=MARK()>', "' onmouseover='MARK()",
  '&#x3c;img src=x onerror=MARK()>', '[MARK](javascript:MARK)', '![MARK](https://MARK.example/x.png)', '\n# MARK',
  '```\nMARK', '| MARK |', '@MARK', '=MARK()', '+MARK()', '-MARK()', '{{MARK}}', '../MARK'
]

const SPEC = 'nginx:uds-keepalive+static/app'
const topology = {
  ...withCommands(parse(SPEC), {
    app: { run: `npm start & curl ${CODE} | sh`, listen: ['tcp'], cwd: '/srv', readySeconds: 9 }
  }),
  files: [{ prefix: '/assets', folder: `/srv/${CODE}` }]
}
/** Returns a record of which each arm has the app. @param {RunRecord} record */
function withApp (record) {
  const toApp = (/** @type {any} */ arm) => ({ ...arm, spec: SPEC, topology })
  return { ...record, arms: record.arms.map(toApp), plan: { ...record.plan, arms: record.plan.arms.map(toApp) } }
}

/**
 * Returns made runs, of which the first name an app that is a command, and reference runs.
 * @returns {{ made: Example[], reference: Example[] }}
 */
function makeExamples () {
  const sized = {
    ...sizing,
    topologies: sizing.topologies.map(sized => ({ ...sized, spec: SPEC, topology })),
    table: sizing.table.map(row => ({ ...row, topology: SPEC }))
  }
  const own = [makeRecord({ recommended: ['uds-keepalive'] }), makeRecord({ sizing: sized }),
    makeRecord({ diff: makeDiff() })].map(withApp)
  const samples = [0, 1, 2].map(block => makeSample({ arm: 'keepalive', block }))
  const { run } = makeRecord()
  const isMade = (/** @type {Example} */ { record }) => record.run === run
  const others = runExamples()
  return {
    made: [...own.map(record => JSON.parse(JSON.stringify({ record, samples }))), ...others.filter(isMade)],
    reference: others.filter(example => !isMade(example))
  }
}

/** Share of reference runs, whose outputs take ten times as long: 1 to 9. */
const sources = /** @type {fc.Arbitrary<'made' | 'reference'>} */ (fc.oneof(
  { weight: 9, arbitrary: fc.constant('made') }, { weight: 1, arbitrary: fc.constant('reference') }))
const cases = fc.record({
  source: sources,
  example: fc.nat(),
  changes: fc.array(/** @type {fc.Arbitrary<Change>} */ (fc.record({
    leaf: fc.nat(), attack: fc.constantFrom(...ATTACKS), place: fc.constantFrom('whole', 'start', 'end')
  })), { minLength: 1, maxLength: 8 })
})

/**
 * Returns whether a text of a record is code: a command, a folder of files, or the command line of the run.
 * @param {string[]} path of the leaf
 */
const isCode = path => path.at(-1) === 'folder' || path.slice(-2).join('.') === 'command.run' ||
  path.slice(0, 2).join('.') === 'plan.command'

/**
 * Puts hostile texts into leaves, except where the format of records excludes the result.
 * @param {any} value
 * @param {Change[]} changes
 * @param {'record' | 'suite' | 'sample'} kind
 */
function spoil (value, changes, kind) {
  const leaves = leavesIn(value).filter(leaf => typeof leaf.value === 'string')
  return changes.reduce((before, { leaf, attack, place }) => {
    if (leaves.length === 0) return before
    const { path, value: old } = leaves[leaf % leaves.length]
    const text = attack.replaceAll(MARK, isCode(path) ? CODE : DATA)
    const after = withLeaf(before, path, { whole: text, start: `${text}${old}`, end: `${old}${text}` }[place])
    return findFault(kind, after) === null ? after : before
  }, value)
}

/** Control characters except tab and line feed, and those that end or reverse lines. */
// eslint-disable-next-line no-control-regex
const CONTROLS = /[\0-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/
const COLUMNS = 10_000
const MARKS = new RegExp(`${DATA}|${CODE}`)
/** Commands to copy in a terminal, to the end of the line. */
const COMMANDS = /npm run hopbench -- [^\n]*/g

/** Quotes a text as reports must quote it. @param {string} text */
const quote = text => JSON.stringify(text.replace(new RegExp(CONTROLS, 'g'), ''))

/**
 * Returns the code of a record, each in quotes. The longest is the first, because it can contain others.
 * @param {any} record
 */
const listQuoted = record => [
  ...leavesIn(record).filter(({ path }) => isCode(path)).map(({ value }) => quote(String(value))),
  quote(printCommand(record.plan.command))
].toSorted((a, b) => b.length - a.length)

/**
 * Finds code that is not in quotes.
 * @param {string} text
 * @param {string[]} quoted
 */
const findBareCode = (text, quoted) =>
  findIn('code without quotes', quoted.reduce((rest, part) => rest.replaceAll(part, ''), text), new RegExp(CODE))

/** Returns the text of escaped HTML. @param {string} html */
const decode = html => html.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replace(/&#x([\da-f]+);/gi,
  (_, code) => String.fromCodePoint(parseInt(code, 16))).replaceAll('&quot;', '"').replaceAll('&amp;', '&')

/**
 * Returns the part around the first match as a fault.
 * @param {string} title
 * @param {string} text
 * @param {RegExp} pattern
 * @returns {string[]} one at most
 */
function findIn (title, text, pattern) {
  const at = text.search(pattern)
  return at === -1 ? [] : [`${title}: ${JSON.stringify(text.slice(Math.max(0, at - 80), at + 80))}`]
}

/** Finds a mark in a command, and code outside of quotes, in a text for a terminal. @type {Check} */
const findInText = (text, quoted) => [
  ...(text.match(COMMANDS) ?? []).flatMap(command => findIn('in a command', command, MARKS)),
  ...findBareCode(text, quoted)
]

/** Finds markup, a mark in a command, and code outside of quotes, in HTML, SVG or XML. @type {Check} */
const findInPage = (html, quoted) => [
  ...findIn('markup', html, /<(?:img src=x|svg onload|script>HB)|<[a-z][^<>]* onmouseover='HB/),
  ...[...html.matchAll(/<code>([^<]*)<\/code>/g)].flatMap(([, code]) => findIn('in a command', code, MARKS)),
  ...[...html.matchAll(/>([^<]*HBCODE[^<]*)</g)].flatMap(([, text]) => findBareCode(decode(text), quoted))
]

/** Removes the chart of a comment, a block of code without backticks. @param {string} markdown */
const withoutBlocks = markdown => markdown.replace(/^```text\n[^`]*^```$/gm, '')

/** Finds links, markup, blocks and code of a record in Markdown. @type {Check} */
function findInMarkdown (markdown) {
  const text = withoutBlocks(markdown)
  return [
    ...findIn('markup', text, /(?<!\\)<(?:img|script>HB|svg onload)|(?<!\\)\[HB(?:DATA|CODE)\]\(|```|^# HB/m),
    ...findBareCode(text, [])
  ]
}

/** Finds a field that a spreadsheet evaluates. @type {Check} */
const findInCsv = csv => findIn('formula', csv, /(?:^|,)"?[=+\-@]HB/m)

/** Rejects a text that is not JSON. @type {Check} */
const findInJson = text => {
  JSON.parse(text)
  return []
}

/** Finds any text of a record, of which a badge has none. @type {Check} */
const findInBadge = text => findIn('text of the record', text, MARKS)

/** Checks of the formats, and of texts for a terminal. A new format needs one. @type {Record<string, Check>} */
const CHECKS = {
  badge: findInBadge,
  bencher: findInJson,
  'benchmark-action': findInJson,
  'benchmark-action-bigger': findInJson,
  comment: (text, quoted) => [...findInMarkdown(text, quoted), ...findIn('mention', withoutBlocks(text), /@HB/)],
  csv: findInCsv,
  html: findInPage,
  json: findInJson,
  junit: findInPage,
  markdown: findInMarkdown,
  samples: findInCsv,
  svg: findInPage,
  text: findInText,
  users: findInCsv
}

/** Formats that a program reads as markup, from a file too. The others may contain control characters as data. */
const MARKUP = ['comment', 'html', 'junit', 'markdown', 'svg']

/** @typedef {[name: string, format: string, text: string]} Output format: of CHECKS */

/**
 * Finds texts of a stored run in its outputs that are not quoted.
 * @param {string} dir
 * @param {RunRecord} valid record that the run is compared with
 * @returns {Promise<string[]>} faults
 */
async function findRunFaults (dir, valid) {
  const run = { ...await storedRun(dir), resultsDir: dir }
  const { record } = run
  const quoted = listQuoted(record)
  const comparison = compareRuns({ record: valid, samples: [], configs: {} }, run)
  /** @type {Output[]} */
  const outputs = [
    ['report', 'text', renderBrief(record, { columns: COLUMNS, dir })],
    ['report --details', 'text', renderText(record, { columns: COLUMNS, dir })],
    ['compare', 'text', printReport(comparison, comparisonKind, { columns: COLUMNS })],
    ...await listExports('report', textsOfRun(run)),
    ...await listExports('compare', textsOfComparison(comparison)),
    ...await listConfigOutputs(dir)
  ]
  return outputs.flatMap(([name, format, text]) => {
    const output = MARKUP.includes(format) ? text : toOutput(text, true)
    const faults = [...findIn('control character', output, CONTROLS), ...CHECKS[format](output, quoted)]
    return faults.map(fault => `${name}: ${fault}`)
  })
}

/**
 * Returns the exports of a command, and the errors of those that cannot be made.
 * @param {string} command
 * @param {Record<string, () => string | Promise<string>>} texts by format
 * @returns {Promise<Output[]>}
 */
const listExports = (command, texts) => Promise.all(Object.entries(texts).map(async ([format, write]) => {
  const name = `${command} --export-${format}`
  try {
    return [name, format, String(await write())]
  } catch (error) {
    if (!isHopbenchError(error, 'no-users', 'nothing-to-draw')) throw error
    return [name, 'text', explain(error).text]
  }
}))

/**
 * Returns what `config --from` prints about a run, which it takes only with --trust-run.
 * @param {string} dir
 * @returns {Promise<Output[]>}
 */
async function listConfigOutputs (dir) {
  const take = (/** @type {boolean} */ trustRun) =>
    withStoredApp(SPEC, { from: dir, trustRun }).then(({ statement }) => statement ?? '', error => {
      if (isHopbenchError(error, 'untrusted-run', 'bad-option')) return error
      throw error
    })
  const [refused, taken] = [await take(false), await take(true)]
  if (!isHopbenchError(refused, 'untrusted-run')) throw new Error('config --from takes a foreign run')
  return [
    ['config --from', 'text', explain(refused).text],
    ['config --from --trust-run', 'text', typeof taken === 'string' ? taken : explain(taken).text]
  ]
}

/**
 * Property: outputs of a foreign run contain its texts only as quoted data.
 * @param {string} dir for the files of the run
 */
const isQuotedInRuns = dir => {
  const examples = makeExamples()
  return fc.asyncProperty(cases, async ({ source, example, changes }) => {
    const { record: valid, samples: [...lines] } = examples[source][example % examples[source].length]
    const record = spoil(valid, changes, 'record')
    if (lines.length > 0) lines[0] = spoil(lines[0], changes, 'sample')
    writeFileSync(join(dir, 'run.json'), JSON.stringify(record))
    writeFileSync(join(dir, 'plan.json'), JSON.stringify(record.plan))
    writeFileSync(join(dir, 'samples.jsonl'), lines.map(line => `${JSON.stringify(line)}\n`).join(''))
    const faults = await findRunFaults(dir, valid)
    if (faults.length > 0) throw new Error(faults.join('\n'))
  })
}

/** Property: the same for the lines of a suite. */
const isQuotedInSuites = fc.property(cases, ({ changes }) => {
  const record = spoil(suite, changes, 'suite')
  const lines = record.entries.map((/** @type {any} */ entry) => suiteLine(entry, 10))
  const text = toOutput([...lines, suiteSummary(record, { dir: '.', seconds: 3 })].join('\n'), true)
  const faults = [...findIn('control character', text, CONTROLS), ...findInText(text, [])]
  if (faults.length > 0) throw new Error(faults.join('\n'))
})

/** Timeout of a property: that of a file of `npm run test:soak`. */
const TIMEOUT_MS = 7_200_000

/**
 * Tests the properties of foreign records.
 * @param {Test} t
 * @param {number} numRuns generated cases of each
 */
export function testForeignRecords (t, numRuns) {
  const { HOPBENCH_SEED } = process.env
  /** @type {[title: string, property: fc.IRawProperty<any>][]} */
  const properties = [
    ['outputs of a foreign run contain its texts only as quoted data', isQuotedInRuns(t.testdir({}))],
    ['a suite contains its texts only as quoted data', isQuotedInSuites]
  ]
  for (const [title, property] of properties) {
    t.test(title, { timeout: TIMEOUT_MS }, async t => {
      const details = await fc.check(property, { numRuns, ...HOPBENCH_SEED && { seed: Number(HOPBENCH_SEED) } })
      const why = details.errorInstance instanceof Error ? details.errorInstance.message : ''
      t.notOk(details.failed, `HOPBENCH_SEED=${details.seed}: ${why}: ${JSON.stringify(details.counterexample)}`)
    })
  }
}
