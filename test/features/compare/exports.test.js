import { parse } from 'csv-parse/sync'
import t from '../../support/tap.js'
import { toCsv } from '../../../bench/report/page/csv-text.js'
import { samplesCsv, tableCsv } from '../../../bench/report/page/csv.js'
import { makeArm, makeRecord, makeSample } from '../../support/record.js'
import { markdown } from '../../support/rendered.js'

t.test('exports each trial as a line with unrounded figures', async t => {
  const wrong = makeSample({ arm: 'a, "b"\nc', invalid: { code: 'wrong-body', params: {} } })
  t.match(parse(samplesCsv([makeSample(), wrong]), { columns: true }), [
    { arm: 'keepalive', perSecond: String(6172 / 0.4999), non2xx: '0', invalid: '' },
    { arm: wrong.arm, invalid: 'wrong-body' }
  ])
})

t.test('exports each arm as a line, even without figures', async t => {
  const arms = [makeArm(), makeArm({ name: 'tcp', rps: null, cpuMicrosPerRequest: null, memoryMiB: null })]
  const [keepalive, tcp, ...others] = parse(tableCsv(makeRecord({ arms })), { columns: true })
  const topology = 'nginx:keepalive/express-json'
  t.match(keepalive, { arm: 'keepalive', topology, perSecond: '12345.6', serverMicros: '61.2' })
  t.match(tcp, { arm: 'tcp', perSecond: '' })
  t.strictSame(others, [])
})

t.test('escapes names that spreadsheets interpret as formulas', async t => {
  t.match(tableCsv(makeRecord({ arms: [makeArm({ name: '=cmd()' })] })), /\n'=cmd/)
})

t.test('reads back every field as it was, except formulas', async t => {
  const values = ['a,b', '"', 'a\nb', 'c\rd', '', ' e ', 'ä', '-1', '@x', '\t', '\uff1dx', true, -1.5, null, undefined]
  const text = toCsv(values.map(value => ({ of: { value } })), [{ key: 'of.value', header: 'a "v"' }])
  const [heading, ...rows] = parse(text, { skip_empty_lines: false, relax_column_count: true })
  t.strictSame(heading, ['a "v"'])
  t.strictSame(rows.map(([field]) => field), ['a,b', '"', 'a\nb', 'c\rd', '', ' e ', 'ä', "'-1", "'@x", "'\t",
    "'\uff1dx", 'true', '-1.5', '', ''])
  t.equal(toCsv([{}], ['missing.part', 'b']), 'missing.part,b\n,\n')
})

t.test('exports both tables as Markdown and escapes external text', async t => {
  const text = markdown(makeRecord({ question: 'Is <b> | *it*?' }))
  t.match(text, '\n\nIs &lt;b\\> \\| \\*it\\*?\n')
  t.match(text, /\| arm \| topology \| req\/s \| interval \|/)
  t.match(text, /\| uds-keepalive \| keepalive \| 1\.12 \| 1\.09 to 1\.15 \|/)
  const widths = text.split('\n').filter(line => line.startsWith('|')).map(line =>
    line.replace(/\\\|/g, '').split('|').length
  )
  t.strictSame(new Set(widths).size, 2, 'each of the two tables has an equal number of cells in every row')
})

t.test('prints the sentences of a section as one Markdown list', async t => {
  const [, section] = markdown(makeRecord()).split('### Relative throughput against keepalive\n\n')
  const [table, list, next] = section.split('\n\n')
  t.ok(table.startsWith('| arm '))
  t.strictSame(list.split('\n').filter(line => !line.startsWith('- ')), [])
  t.ok(list.split('\n').length > 1)
  t.equal(next, '### Throughput')
})
