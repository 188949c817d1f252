/** All outputs of a sizing and of a deployed instance print the blocks of their kind, so that a new field is one change
 * in the file of the kind. */
import { parseHTML } from 'linkedom'
import t from '../../support/tap.js'
import { benchmarkAction } from '../../../bench/features/compare/formats.js'
import { pageTable } from '../../../bench/report/table.js'
import sizingKind, { listSections } from '../../../bench/features/size/kind.js'
import { makeRecord } from '../../support/record.js'
import { markdown, renderText } from '../../support/rendered.js'
import { renderPage } from '../../support/rendered-page.js'
import { sizing as example } from '../../support/sizing.js'

/** @import { Section } from '../../../bench/types.js' */

const sizing = JSON.parse(JSON.stringify(example).replaceAll('<b>One</b>', 'One'))
const record = { ...makeRecord({ sizing, arms: [], contrasts: [], claims: [] }), sizing }
const flat = (/** @type {string | null | undefined} */ text) => `${text}`.replaceAll(/\s+/g, ' ')

/** Sentences and cells of sections. @param {Section[]} sections */
const textsOf = sections => sections.flatMap(({ blocks }) => blocks).flatMap(block => {
  if (typeof block === 'string') return [block]
  return 'columns' in block ? pageTable(block).rows.flat() : []
})

t.test('the page prints every sentence and every cell of a sizing', async t => {
  const { document } = parseHTML(renderPage({ record, samples: [], configs: [], check: null }))
  const page = flat(document.querySelector('main')?.textContent)
  // The page shortens commands.
  const texts = textsOf(listSections(sizing)).filter(text => !text.includes('npm run'))
  t.ok(texts.length > 50)
  t.strictSame(texts.filter(text => !page.includes(flat(text))), [])
})

t.test('the terminal and Markdown print the sections of a sizing that the short report has', async t => {
  const brief = listSections(sizing).filter(section => section.brief)
  t.strictSame(brief.map(({ id }) => id), ['classes', 'capacity', 'plans', 'emulated', 'fleet'])
  const sentences = brief.flatMap(({ blocks }) => blocks.filter(block => typeof block === 'string'))
  const terminal = flat(renderText(record, { columns: 1000 }))
  const plain = flat(markdown(record).replaceAll('\\', '').replaceAll('&lt;', '<').replaceAll('&amp;', '&'))
  for (const text of sentences) {
    t.ok(terminal.includes(flat(text)), `terminal: ${text}`)
    t.ok(plain.includes(flat(text)), `Markdown: ${text}`)
  }
  for (const cell of ['2,900 to 3,100', 'Acme One', '2,800']) {
    t.ok(terminal.includes(cell), `terminal: ${cell}`)
    t.ok(plain.includes(cell), `Markdown: ${cell}`)
  }
})

t.test('exports have the capacity of a sizing with its interval', async t => {
  t.strictSame(JSON.parse(benchmarkAction(sizingKind.metrics(record), 'bigger')), [{
    name: 'nginx:uds/express-json: capacity',
    unit: 'req/s',
    value: 3000,
    range: '± 100',
    extra: 'interval: 2900 to 3100'
  }])
})

t.test('the answer of an interrupted sizing begins with the interruption', async t => {
  const { text } = sizingKind.answer({ ...record, complete: false })
  t.match(text, /^The sizing was interrupted\. Buy 2 × Acme One /)
})
