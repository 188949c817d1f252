/** Compares the reader of CSV with csv-parse. */
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import t from '../../../support/tap.js'
import { readCsv } from '../../../../bench/load/generators/locust/csv-report.js'
import { toCsv } from '../../../../bench/report/page/csv-text.js'

t.test('reads what csv-parse reads', async t => {
  const texts = ['', 'a', 'a,b\n1,2', 'a,b\n1,', 'a,b\r\n"1,""x""",\r\n', '\n\na\n\nb\n\n', 'a,b\n,\n',
    '"a\nb",c\n"","d"\n', 'a\n""\n']
  for (const text of texts) {
    t.strictSame(readCsv(text), parse(text, { skip_empty_lines: true }), JSON.stringify(text))
  }
  const field = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', ' ', 'é') })
  fc.assert(fc.property(fc.array(fc.record({ a: field, b: field }), { minLength: 1, maxLength: 5 }), rows => {
    const text = toCsv(rows, ['a', 'b'])
    return JSON.stringify(readCsv(text)) === JSON.stringify(parse(text))
  }), { seed: 7, numRuns: 500 })
})

t.test('rejects wrong quotes and rows with another number of fields', async t => {
  for (const text of ['a,b\n"1,2\n', 'a\n"1"x\n', 'a\nx"\n', 'a,b\n1\n', 'a\n1,2\n']) {
    t.throws(() => parse(text, { skip_empty_lines: true }), { code: /^(?:CSV_|INVALID_OPENING_QUOTE$)/ }, text)
    t.throws(() => readCsv(text), { name: 'TypeError', message: /^line \d of the CSV has / }, text)
  }
})
