/** Exports that other programs read, each checked against the schema of its reader. */
import { readFileSync } from 'node:fs'
import t from '../../support/tap.js'
import { parseHTML } from 'linkedom'
import { validateXML } from 'xmllint-wasm'
import { compareRuns } from '../../../bench/judge/runs/compare-runs.js'
import {
  COMPARISON_FORMATS, RUN_FORMATS, textsOfComparison, textsOfRun
} from '../../../bench/features/compare/formats.js'
import { exportsIn } from '../../../bench/features/compare/exports.js'
import { MARKER, textChart } from '../../../bench/features/compare/comment.js'
import { createAjv } from '../../../bench/shared/schema.js'
import { findFault } from '../../../bench/store/record-format.js'
import { runOf } from '../../support/compared-runs.js'
import { makeDiff } from '../../support/diff.js'
import { leavesIn, withLeaf } from '../../support/leaves.js'
import { makeArm, makeContrast, makeJudged, makeRecord } from '../../support/record.js'

/** @import { RunRecord } from '../../../bench/types.js' */

const readSchema = (/** @type {string} */ name) =>
  readFileSync(new URL(`../../support/schemas/${name}`, import.meta.url), 'utf8')
const ajv = createAjv({ strict: true, strictTypes: false, allErrors: true })
/** Validator of each format whose reader is described by a JSON schema. */
const validators = Object.fromEntries(['bencher', 'benchmark-action', 'badge'].map(name =>
  [name, ajv.compile(JSON.parse(readSchema(`${name}.json`)))]))
validators['benchmark-action-bigger'] = validators['benchmark-action']
const xsd = readSchema('junit.xsd')

/** @param {RunRecord} record */
const textsOf = record =>
  textsOfRun({ dir: '/x', run: record.run, record, plan: record.plan, samples: [], configs: {} })

/** As it is read from its file. @type {(record: RunRecord) => RunRecord} */
const toStored = record => JSON.parse(JSON.stringify(record))

/** Names with markup, control characters, halves of surrogate pairs, mentions and addresses. */
const HOSTILE = ['<b>&"\'', ']]><x/>', '\u0000\u001b[31m\u0007\u0085', '\ud800x\udc00', '\ufffe\uffff', 'a\nb\r\tc',
  '😀', '```\n# head', '@someone #1 https://evil.example www.evil.example', '| cell |', '__proto__', '{{x}}', '-->',
  'x'.repeat(3000)]

/** @type {(arm: string, why: string) => NonNullable<RunRecord['contrasts'][0]['why']>} */
const toRefused = (arm, why) =>
  ({ code: 'arm-invalid', params: { arm, reason: { code: 'gate-refused', params: { why } } } })

/** A run whose names are all hostile, with each verdict. */
const hostileRecord = () => {
  const verdicts = /** @type {const} */ (['slower', 'inconclusive', 'invalid', 'faster', 'no-difference'])
  return makeRecord({
    arms: HOSTILE.map(name => ({ ...makeArm(), name })),
    contrasts: HOSTILE.slice(1).map((arm, i) => makeContrast({
      arm,
      baseline: HOSTILE[0],
      verdict: verdicts[i % 5],
      why: verdicts[i % 5] === 'invalid' ? toRefused(arm, HOSTILE[i]) : null
    }))
  })
}

/** A comparison in which uds became slower by a tenth. */
const compareSlower = () => {
  const before = runOf({ tcp: 1000, uds: 1500, keepalive: 1200 })
  const after = runOf({ tcp: 1000, uds: 1350, keepalive: 1200 }, {}, { seed: 8 })
  return compareRuns(before, after, { margin: 0.05, rates: false })
}

/** @param {string} xml */
const findXmlFaults = async xml => (await validateXML({ xml, schema: xsd })).errors.map(({ message }) => message)

t.test('each format is one file, whose name is its option', t => {
  t.match(Object.keys(RUN_FORMATS), ['badge', 'bencher', 'benchmark-action', 'benchmark-action-bigger', 'comment',
    'csv', 'html', 'json', 'junit', 'markdown', 'samples', 'svg', 'users'])
  t.match(Object.keys(COMPARISON_FORMATS), ['badge', 'comment', 'csv', 'html', 'json', 'junit', 'markdown', 'svg'])
  t.end()
})

t.test('an option with several words names its format', t => {
  t.match(exportsIn({ exportBenchmarkActionBigger: '-', exportCsv: 'x.csv', margin: 0.05 }), [
    { format: 'benchmark-action-bigger', option: '--export-benchmark-action-bigger', file: '-' },
    { format: 'csv', option: '--export-csv', file: 'x.csv' }
  ])
  t.end()
})

for (const [name, validate] of Object.entries(validators)) {
  t.test(`${name} follows the schema of its reader, for any text`, async t => {
    for (const record of [makeRecord(), hostileRecord()]) {
      const value = JSON.parse(String(await textsOf(record)[name]()))
      t.ok(validate(value), JSON.stringify(validate.errors))
    }
    t.end()
  })
}

t.test('Bencher metrics have the interval of a rate and a ratio, and the value alone of CPU time', async t => {
  const metrics = JSON.parse(String(await textsOf(makeRecord()).bencher()))
  t.strictSame(metrics.tcp.throughput, { value: 6423.1, lower_value: 6423.1 * 0.985, upper_value: 6423.1 * 1.012 })
  t.match(metrics.tcp['cpu-time'], { value: 21.47 + 96.4, lower_value: undefined })
  t.strictSame(metrics['uds ÷ keepalive']['relative-throughput'],
    { value: 0.8, lower_value: 0.7871, upper_value: 0.8132 })
  t.notOk('keepalive again' in metrics, 'the A/A arm is no benchmark')
  const open = makeRecord({ contrasts: [makeContrast({ arm: 'uds', low: 0, high: JSON.parse('null') })] })
  t.strictSame(JSON.parse(String(await textsOf(open).bencher()))['uds ÷ keepalive']['relative-throughput'],
    { value: 1.1234 }, 'an open interval has no ends')
})

/**
 * Reads an entry and its range by the rules of github-action-benchmark (src/extract.ts, src/extractRangeInfo.ts). The
 * range is a sign, and a number that begins with a digit and has a further character.
 *
 * @param {Record<string, any>} entry
 */
function readEntry ({ name, value, range }) {
  const sign = ['±', '+-'].find(mark => range?.includes(mark))
  const text = sign === undefined ? '' : range.slice(range.indexOf(sign) + sign.length).trimStart()
  return { name, value, range: /^\d./.test(text) && Number.isFinite(Number(text)) ? Number(text) : null }
}

t.test('the parser of github-action-benchmark reads each range', async t => {
  const wide = makeContrast({ arm: 'uds', ratio: 4, low: 2, high: 7 })
  for (const record of [makeRecord(), makeRecord({ contrasts: [wide] })]) {
    /** @type {ReturnType<typeof readEntry>[]} */
    const entries = JSON.parse(String(await textsOf(record)['benchmark-action-bigger']())).map(readEntry)
    t.ok(entries.length > record.contrasts.length)
    for (const { name, value, range } of entries) t.ok(range !== null && range < value, `${name}: ${value} ± ${range}`)
  }
  t.equal(readEntry({ name: 'a', value: 4, range: '± 3' }).range, null, 'a number of one digit is not read')
})

t.test('the percentiles of a diff are exported for both states', async t => {
  const { figures, ...diff } = makeDiff()
  const p99 = /** @type {const} */ ({ ...figures[0], figure: 'p99', before: 12.5, after: 15 })
  const texts = textsOf(makeRecord({ kind: 'diff', diff: { ...diff, figures: [...figures, p99] } }))
  const metrics = JSON.parse(String(await texts.bencher()))
  t.match([metrics.base['latency-p99'], metrics.head['latency-p99']], [{ value: 12.5 }, { value: 15 }])
  t.match(JSON.parse(String(await texts['benchmark-action']())).slice(-2),
    [{ name: 'base: latency-p99', unit: 'ms', value: 12.5 }, { name: 'head: latency-p99', unit: 'ms', value: 15 }])
})

t.test('each file for github-action-benchmark has one direction', async t => {
  const texts = textsOf(makeRecord())
  const names = async (/** @type {string} */ format) =>
    JSON.parse(String(await texts[format]())).map((/** @type {{ name: string }} */ { name }) => name.split(': ')[1])
  t.strictSame(new Set(await names('benchmark-action')), new Set(['cpu-time', 'memory']))
  t.strictSame(new Set(await names('benchmark-action-bigger')), new Set(['throughput', 'relative-throughput']))
})

t.test('JUnit XML is well-formed and valid, for any text', async t => {
  const all = [textsOf(makeRecord()), textsOf(hostileRecord()), textsOf(makeRecord({ contrasts: [] })),
    textsOfComparison(compareSlower())]
  for (const texts of all) t.strictSame(await findXmlFaults(String(await texts.junit())), [])
  const xml = String(await textsOf(makeRecord({ kind: 'diff', diff: makeDiff() })).junit())
  for (const [right, wrong] of [['</testcase>', ''], ['tests="2"', 'tests="-1"'], ['type="costlier"', ''],
    ['CPU', '&nope;'], ['<testcase', '<case']]) {
    t.ok(xml.includes(right))
    t.not((await findXmlFaults(xml.replaceAll(right, wrong))).length, 0, `${right} → ${wrong}`)
  }
})

t.test('an undecided figure is skipped, an invalid one is an error, a slower one fails with a limit', async t => {
  const record = makeRecord({
    contrasts: [makeContrast({ arm: 'tcp', verdict: 'slower' }), makeContrast({ arm: 'uds' }),
      makeContrast({ verdict: 'inconclusive', why: { code: 'interval-too-wide', params: {} } }),
      makeContrast({ arm: 'x', verdict: 'invalid', why: toRefused('x', 'it did not respond') })]
  })
  const xml = String(await textsOf(record).junit())
  t.match(xml, /<testsuites name="hopbench" tests="4" failures="0" errors="1" skipped="1" /)
  t.match(xml, /<skipped message="[^"]*The interval includes both no difference and a relevant one\."\/>/)
  t.match(xml, /<error message="[^"]*X: it did not respond\." type="invalid">/)
  t.match(xml, /name="uds ÷ keepalive, throughput" time="0"><\/testcase>/)
  t.match(await textsOf(record).badge(), /"1 of 4 slower"/)
  const [, throughput] = makeDiff().figures
  const rates = [{ ...throughput, verdict: /** @type {const} */ ('slower'), arm: 'tcp', baseline: 'keepalive' }]
  const run = { dir: '/x', run: record.run, record, plan: record.plan, samples: [], configs: {}, rates }
  const limited = String(await textsOfRun(run).junit())
  t.match(limited, /tests="1" failures="1" errors="0" skipped="0"/)
  t.match(limited, /name="tcp ÷ keepalive, throughput" time="0"><failure message="[^"]+" type="slower">/)
})

t.test('the verdicts of a diff are those of the figures that decide it', async t => {
  const texts = textsOf(makeRecord({ kind: 'diff', diff: makeDiff() }))
  const xml = String(await texts.junit())
  t.strictSame(await findXmlFaults(xml), [])
  t.match(xml, /tests="2" failures="1" errors="0" skipped="1"/)
  t.match(xml, /name="CPU time per request" time="0"><failure message="[^"]+" type="costlier">/)
  t.match(xml, /<skipped message="throughput is inconclusive: .* Slowdowns of 4 % and more are detectable\."\/>/)
  t.match(await texts.badge(), /"1 of 2 slower"/)
  const comment = String(await texts.comment())
  t.match(comment, /\n\*\*SLOWER by more than 5 %: CPU time per request/)
  t.match(comment, /\| CPU time per request \| 1\.21 \(1\.15 to 1\.28\) \| costlier \|/)
  t.match(comment, /head: your working tree; base: main \(abcdef\u20600\)/, 'a hash is no link')
  t.notMatch(comment, 'memory', 'memory does not decide')
})

t.test('a comment mentions and links nothing that a label holds, also as entities', async t => {
  const { base, ...diff } = makeDiff()
  const label = '&commat;octocat &num;1 https&colon;//a.example gh-12 GH-3 0123456789abcdef0123 @me #4 http://b.example'
  const record = makeRecord({ kind: 'diff', diff: { ...diff, base: { ...base, label } } })
  const comment = String(await textsOf(record).comment())
  t.match(comment, '&amp;commat;octocat &amp;num;1 https&amp;colon;//a.example')
  t.notMatch(comment, /&(?!amp;|lt;)/, 'a label has no entities')
  t.notMatch(comment, /[@#](?=[a-z0-9])|gh-\d|http:\/\/|[0-9a-f]{7}/i)
})

t.test('a forged diff is refused, or becomes a comment without markup', async t => {
  const forged = ['<img src=x>', '@someone', '', 0, -1, 1e308, null, true, {}, [], { code: 'x' }, { code: 'toString' }]
  const record = makeRecord({ kind: 'diff', diff: makeDiff(), claims: [], warnings: [] })
  t.equal(findFault('record', toStored(record)), null)
  let read = 0
  for (const { path } of leavesIn(record.diff)) {
    for (const value of forged) {
      const changed = toStored({ ...record, diff: withLeaf(record.diff, path, value) })
      if (findFault('record', changed) !== null) continue
      read++
      const texts = textsOf(changed)
      const comment = String(await texts.comment())
      t.notMatch(comment.replace(/```text[^]*```/, ''), /<img|@some/, `${path}`)
      t.notMatch(await texts.junit(), '<img', `${path}`)
      JSON.parse(String(await texts.badge()))
    }
  }
  t.ok(read > 50, `${read} forged values are read`)
})

t.test('a comparison has a verdict for each of its figures', async t => {
  const texts = textsOfComparison(compareSlower())
  t.match(await texts.junit(), /name="uds ÷ tcp, CPU time for each request"/)
  t.match(await texts.badge(), /"1 of 4 slower"/)
  t.match(await texts.markdown(), /^\*\*SLOWER by more than 5 %: uds ÷ tcp −\d.* %\)\.\*\*/)
})

t.test('the badge has the worst outcome, without names', async t => {
  const message = async (/** @type {RunRecord['contrasts']} */ contrasts) =>
    JSON.parse(String(await textsOf(makeRecord({ contrasts })).badge())).message
  t.equal(await message([]), 'no verdict')
  t.equal(await message([makeContrast()]), 'not slower')
  t.equal(await message([makeContrast(), makeContrast({ verdict: 'inconclusive' })]), '1 of 2 undecided')
  t.equal(await message([makeContrast({ verdict: 'invalid' }), makeContrast({ verdict: 'inconclusive' })]),
    '1 of 2 not measured')
  t.equal(await message([makeContrast({ verdict: 'slower' }), makeContrast({ verdict: 'invalid' })]), '1 of 2 slower')
  const arms = ['uds', 'keepalive'].map(name => makeArm({ name, bound: 'load' }))
  const contrasts = [makeJudged(arms, { ratio: 0.8, low: 0.7, high: 0.9 })]
  t.match(await textsOf(makeRecord({ arms, contrasts })).badge(),
    /1 of 1 undecided/, 'a pair limited by its load generator shows nothing')
})

t.test('a comment starts with its marker, and has the answer, a table and a chart', async t => {
  const text = String(await textsOf(makeRecord()).comment())
  t.equal(text.split('\n')[0], MARKER)
  t.match(text, /\n\*\*.+\*\*\n/)
  t.match(text, /\| uds ÷ keepalive, throughput \| 0\.80 \(0\.79 to 0\.81\) \| slower \|/)
  t.match(text, /```text\n +0\.51 +1 +1\.96\n.*uds-keepalive ÷ keepalive, throughput +│ ├●┤/s)
  t.match(text, /\[all results\]\(HOPBENCH_ARTIFACT_URL\)/)
})

t.test('no text of a record becomes markup, a mention, a reference or a link of a comment', async t => {
  const text = String(await textsOf(hostileRecord()).comment())
  t.ok(text.length < 65_536, 'GitHub accepts its length')
  const [, chart] = text.split('```text')
  t.equal(chart.split('```').length, 2, 'the block of the chart ends once')
  const outside = text.replace(/```text[^]*```/, '')
  t.notMatch(outside, /@\w|#\d|https?:\/\/|www\.e/)
  t.equal(outside.split('<!--').length, 2, 'the marker is the only comment')
  t.strictSame([...outside.matchAll(/(?<!\\)\]\(([^)]*)\)/g)].map(([, link]) => link), ['HOPBENCH_ARTIFACT_URL'])
  const { document } = parseHTML(`<main>${outside}</main>`)
  t.strictSame([...document.querySelectorAll('main *')].map(({ tagName }) => tagName), ['SUB'])
  // eslint-disable-next-line no-control-regex
  t.notMatch(text, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/)
})

t.test('the chart as text fits into 80 columns, and its scale has 1 in the middle', t => {
  const rows = [
    { name: 'a name that is longer than its column of forty letters', ratio: 0.91, low: 0.84, high: 0.98 },
    { name: 'same', ratio: 1, low: 0.99, high: 1.01 },
    { name: 'open', ratio: 1.1, low: 0, high: null },
    { name: 'nothing', ratio: null, low: null, high: null }
  ]
  const [scale, ...lines] = textChart(rows)
  t.equal(lines.length, 3)
  for (const line of [scale, ...lines]) t.ok(line.length <= 80, line)
  t.match(scale, /0\.84 +1 +1\.19$/)
  const column = scale.indexOf('1', scale.indexOf('0.84') + 4)
  t.ok(lines[0].indexOf('●') < column)
  t.equal(lines[0][column], '│')
  t.equal(lines[1].indexOf('●'), column)
  t.match(lines[2], /open +─+[│─]+●─+$/)
  t.strictSame(textChart([rows[3]]), [])
  t.end()
})
