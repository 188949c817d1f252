/** Compares drawings in the project's small document with those in linkedom, which implements DOM. */
import * as Plot from '@observablehq/plot'
import { parseHTML } from 'linkedom'
import t from '../../support/tap.js'
import { kindOf } from '../../../bench/run/kinds.js'
import { toChart } from '../../../bench/report/charts/charts.js'
import { draw } from '../../../bench/report/charts/draw.js'
import { SvgDocument } from '../../../bench/report/charts/svg-document.js'
import { makeSample } from '../../support/record.js'
import { readReferenceRuns } from '../../support/reference-runs.js'

/** @import { Chart } from '../../../bench/report/charts/draw.js' */

/** Characters that are escaped, or that separate lines. */
const LABEL = 'a <b> & "c" \u00a0\u2028\' d'

const newDocument = () => parseHTML('<!doctype html><html><body></body></html>').document
/** Draws in a document of linkedom. */
const { draw: drawInFull } = /** @type {{ draw: typeof draw }} */ (
  await t.mockImport('../../../bench/report/charts/draw.js', {
    '../../../bench/report/charts/svg-document.js': { SvgDocument: class { constructor () { return newDocument() } } }
  }))

/** Parses a drawing and prints it with sorted attributes. @param {string} svg */
function normalize (svg) {
  const document = newDocument()
  document.body.innerHTML = svg
  return document.body.innerHTML.replace(/(?<=<[a-z]\w*)(?: [\w:-]+="[^"]*")+/gi, (/** @type {string} */ attributes) =>
    (attributes.match(/ [\w:-]+="[^"]*"/g) ?? []).sort().join(''))
}

/**
 * @param {import('tap').Test} t
 * @param {Chart} chart
 * @param {string} name
 */
function compare (t, chart, name) {
  const [own, other] = [draw(chart, LABEL), drawInFull(chart, LABEL)]
  t.ok(normalize(own.narrow) === normalize(other.narrow), `${name}, narrow`)
  t.ok(normalize(own.wide) === normalize(other.wide), `${name}, wide`)
  return 1
}

t.test('charts of all reference runs are drawn as in a full document', async t => {
  let drawn = 0
  for await (const { run, record } of readReferenceRuns()) {
    const samples = record.arms.map(({ name, rps }) => makeSample({ arm: name, rps: rps?.median ?? 0 }))
    const blocks = kindOf(record).sections(record, { samples }).flatMap(({ blocks }) => blocks)
    const charts = blocks.flatMap(block => typeof block === 'object' && 'chart' in block ? [toChart(block).chart] : [])
    for (const [i, chart] of charts.entries()) drawn += compare(t, chart, `${run}, chart ${i}`)
  }
  t.ok(drawn > 100, `${drawn} charts`)
})

t.test('names with special characters are escaped as in a full document', async t => {
  const rows = [{ name: LABEL, value: 1 }, { name: 'two\nlines', value: 2 }]
  compare(t, () => ({
    marks: [
      Plot.barX(rows, { x: 'value', y: 'name', title: 'name' }),
      Plot.text(rows, { x: 'value', y: 'name', text: 'name' }),
      Plot.tip(rows, { x: 'value', y: 'name' })
    ]
  }), 'special characters')
})

t.test('elements move, and text replaces children', async t => {
  const document = new SvgDocument()
  const [outer, inner] = ['g', 'path'].map(name => document.createElementNS('http://www.w3.org/2000/svg', name))
  const other = outer.appendChild(document.createElement('text'))
  outer.insertBefore(inner, other)
  t.equal(outer.outerHTML, '<g><path/><text></text></g>')
  other.append(inner, 'a', document.createTextNode(' < b'))
  t.equal(outer.outerHTML, '<g><text><path/>a &lt; b</text></g>')
  t.equal(other.textContent, 'a < b')
  inner.setAttribute('d', '"')
  inner.style.setProperty('fill', 'red')
  t.ok(inner.hasAttribute('style'))
  inner.removeAttribute('d')
  t.equal(inner.outerHTML, '<path style="fill:red;"/>')
  outer.textContent = 'gone'
  t.equal(outer.outerHTML, '<g>gone</g>')
  t.equal(outer.firstChild?.parentNode, outer)
})
