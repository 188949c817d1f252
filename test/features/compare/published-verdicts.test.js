/** Tests that every format of a published run prints the verdicts of its record. */
import t from '../../support/tap.js'
import { textsOfRun } from '../../../bench/features/compare/formats.js'
import { readReferenceRuns } from '../../support/reference-runs.js'
import { renderText } from '../../support/rendered.js'

/** @import { Test } from 'tap' */
/** @import { Contrast } from '../../../bench/types.js' */
/** @import { ReferenceRun } from '../../support/reference-runs.js' */

/** Contrasts that a comment for a pull request lists. */
const MAX_IN_COMMENT = 30

/** @param {Contrast} contrast */
const toWords = ({ verdict }) => verdict.replace('-', ' ')

/**
 * Returns the cells of a column of the first Markdown table that has it.
 * @param {string} text
 * @param {string} heading
 */
function readMarkdownColumn (text, heading) {
  const lines = text.split('\n')
  const head = lines.findIndex(line => line.startsWith('|') && line.includes(`| ${heading} |`))
  if (head === -1) return []
  const column = lines[head].split('|').findIndex(cell => cell.trim() === heading)
  const rows = lines.slice(head + 2)
  return rows.slice(0, rows.findIndex(line => !line.startsWith('|'))).map(line => line.split('|')[column].trim())
}

/**
 * Returns the last words of the rows of a table on a terminal.
 * @param {string} text
 * @param {string} title first words of the line above the table
 */
function readTextVerdicts (text, title) {
  const [, section = ''] = text.split(new RegExp(`^${title}.*$`, 'm'))
  // Sentences follow the table.
  const lines = section.split(/\n\n|\n(?=- |Each )/)[0].split('\n').slice(2)
  return lines.map(line => line.match(/(no difference|\S+)$/)?.[1])
}

/**
 * Returns the cells of the verdicts in the table of contrasts of a page.
 * @param {string} html
 */
function readPageVerdicts (html) {
  const table = html.match(/<th scope="col">verdict<\/th>[^]*?<\/table>/)?.[0] ?? ''
  return [...table.matchAll(/<td>(faster|slower|no difference|inconclusive|invalid)<\/td>/g)].map(([, words]) => words)
}

/**
 * Returns the verdicts in the titles of a chart's points, by pair.
 * @param {string} svg
 */
const readChartVerdicts = svg => new Map([...svg.matchAll(/<title>([^<]+ against [^<]+): ([a-z ]+)<\/title>/g)]
  .map(([, pair, words]) => [pair, words]))

/** Results of test cases by verdict, in a run without a limit. @type {Record<Contrast['verdict'], string>} */
const CASES = { faster: '', slower: '', 'no-difference': '', inconclusive: 'skipped', invalid: 'error' }

/** @param {string} xml */
const readCases = xml => [...xml.matchAll(/<testcase [^>]*>(?:<(\w+))?/g)].map(([, result = '']) =>
  result === 'testcase' ? '' : result)

/**
 * Compares the verdicts of each format with those of the record.
 * @param {Test} t
 * @param {Omit<ReferenceRun, 'set'>} published
 */
async function compareFormats (t, { run, record, plan, samples }) {
  const { contrasts } = record
  const texts = textsOfRun({ dir: run, run, record, plan, samples, configs: {} })
  const print = async (/** @type {string} */ format) => String(await texts[format]())
  const words = contrasts.map(toWords)
  t.strictSame(JSON.parse(await print('json')).contrasts.map(toWords), words, `${run}: JSON`)
  t.strictSame(readTextVerdicts(renderText(record, { columns: 200 }), 'Relative throughput'), words, `${run}: text`)
  t.strictSame(readMarkdownColumn(await print('markdown'), 'verdict'), words, `${run}: Markdown`)
  t.strictSame(readMarkdownColumn(await print('comment'), 'verdict'), words.slice(0, MAX_IN_COMMENT),
    `${run}: comment`)
  t.strictSame(readCases(await print('junit')), contrasts.map(({ verdict }) => CASES[verdict]), `${run}: JUnit`)
  const html = await print('html')
  t.strictSame(readPageVerdicts(html), words, `${run}: page`)
  const byPair = new Map(contrasts.map(contrast =>
    [`${contrast.arm} against ${contrast.baseline}`, toWords(contrast)]))
  for (const [pair, found] of readChartVerdicts(html)) t.equal(found, byPair.get(pair), `${run}: chart, ${pair}`)
}

t.test('each format prints verdicts that do not follow from the figures, so it judges nothing itself', async t => {
  const verdicts = /** @type {const} */ (['slower', 'invalid', 'faster', 'no-difference', 'inconclusive'])
  for await (const { record, ...published } of readReferenceRuns()) {
    const contrasts = record.contrasts.map((contrast, i) =>
      ({ ...contrast, verdict: verdicts[(verdicts.indexOf(contrast.verdict) + 1 + i % 4) % 5] }))
    if (contrasts.length > 0) await compareFormats(t, { ...published, record: { ...record, contrasts } })
  }
})
