/** Tests that published answers are those of the stored runs, and that questions name existing experiments. */
import { cpSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import t from '../../support/tap.js'
import { findExperiment, PROJECT } from '../../../bench/plan/plugins.js'
import { printChange, shareParts } from '../../../bench/report/phrases.js'
import { choiceText } from '../../../bench/features/publish/choice.js'
import { QUESTIONS } from '../../../bench/features/publish/questions.js'
import { estimateText } from '../../../bench/shared/format.js'
import { answers, writeAnswers } from '../../../bench/features/publish/answers.js'
import { answersPage, answersText } from '../../../bench/features/publish/answers-text.js'
import { toStyle } from '../../../bench/report/wrap.js'
import { REFERENCE_DIR } from '../../../bench/store/store.js'

/** Questions that a command of its own answers. */
const COMMANDS = ['size', 'rollout']
const MAX_WORDS = 5000 // Words of docs/answers.md.
const MAX_LINES = 40 // Lines of an answer on the page, as a screen has.
const MAX_ROW_WORDS = 20 // Words of a row in README.md, which is read in one breath.

const made = await answers([join(PROJECT, 'results', 'reference')])
const page = readFileSync(join(PROJECT, 'docs', 'answers.md'), 'utf8')

t.test('every question names existing experiments, and each command that measures it names one', async t => {
  for (const { id, runs, check } of QUESTIONS) {
    for (const name of runs) t.ok(COMMANDS.includes(name) || await findExperiment(name), `${id}: ${name}`)
    for (const name of check.flatMap(words => /^run (\S+)/.exec(words)?.[1] ?? [])) {
      t.ok(runs.includes(name), `${id}: ${name}`)
    }
  }
})

t.test('every question is answered', async t => {
  t.strictSame(made.filter(({ records }) => records.length === 0).map(({ question }) => question.id), [])
  t.strictSame([...page.matchAll(/<a id="([\w-]+)">/g)].map(([, id]) => id), [...QUESTIONS.map(({ id }) => id), 'next'])
  t.ok(page.split(/\s+/).length <= MAX_WORDS)
})

t.test('the words of every answer are those of the experiment', async t => {
  for (const record of made.flatMap(({ records }) => records)) {
    t.strictSame(record.plan.answer, (await findExperiment(record.experiment))?.answer, record.run)
  }
})

/** A ratio or share with its interval, as the last cell of a row prints it: "54 % of nginx (47 to 61 %)". */
const FIGURE = /^[^\d+−]*([+−]?[\d.]+(?: %)?)[^()]* (\([^()]+\))$/

t.test('docs/answers.md and the table of docs/static.md match the output of the generator', async t => {
  const project = t.testdir({})
  for (const file of await writeAnswers(made, project)) {
    const name = file.slice(project.length + 1)
    t.equal(readFileSync(file, 'utf8'), readFileSync(join(PROJECT, name), 'utf8'), `${name}: hopbench answers --write`)
  }
})

/** Rows of the table in README.md: answer, gain, question with its link. */
const rows = readFileSync(join(PROJECT, 'README.md'), 'utf8').split('\n')
  .filter(line => /^\|.*\]\(docs\/answers\.md#/.test(line))

t.test('each row of the table in README.md has at most 20 words, a gain and one link', async t => {
  for (const row of rows) {
    const text = row.replace(/\]\([^)]*\)/g, ']')
    t.ok(text.split(/\s+/).filter(word => /[\p{L}\d]/u.test(word)).length <= MAX_ROW_WORDS, row)
    t.match(row, /^\| [^|[]+ \| [^|[]*\([^|[]+\) \| \[[^\]]+\]\([^)]+\) \|$/)
  }
})

t.test('no answer of docs/answers.md has more lines than a screen', async t => {
  for (const answer of page.split(/^(?=## )/m).slice(1)) {
    t.ok(answer.split('\n').length <= MAX_LINES, answer.split('\n')[0])
  }
})

t.test('each figure of the table in README.md is one of the stored runs to which its row links', async t => {
  t.ok(rows.length > 10)
  for (const row of rows) {
    const [, gain = '', id] = /\| ([^|]*) \| \[.*\(docs\/answers\.md#([\w-]+)\) \|$/.exec(row) ?? []
    const { records, sentences } = made.find(({ question }) => question.id === id) ?? { records: [], sentences: [] }
    const isOfRollout = id === 'rollout' && sentences[0].includes(`loses ${gain}`)
    const printed = records.flatMap(({ contrasts }) => contrasts).flatMap(contrast => {
      const { share, range } = shareParts(contrast)
      return [estimateText(contrast), `${share} (${range})`, printChange(contrast)]
    })
    const figure = FIGURE.exec(gain)?.slice(1).join(' ')
    t.ok(isOfRollout || (figure && printed.includes(figure)), row)
  }
})

t.test('README.md has a row for each headline', async t => {
  const linked = rows.map(row => /\(docs\/answers\.md#([\w-]+)\)/.exec(row)?.[1] ?? row)
  t.strictSame([...new Set(linked)].sort(), QUESTIONS.flatMap(({ id, headline }) => headline ? [id] : []).sort())
})

t.test('answers a question from the runs of one kind of machine, which the answer names', async t => {
  const dir = t.testdir({})
  const [complete, newer] = ['a-2-cores-x', 'b-2-cores-x']
  const [[cache], [caches], [, first, last]] = ['cache', 'caches', 'uds'].map(name =>
    readdirSync(REFERENCE_DIR, { recursive: true }).map(String).filter(run => run.endsWith(`Z-${name}`)).sort())
  const later = basename(cache).replace(/^\d{4}/, '2099')
  for (const [set, run, name = basename(run)] of [[complete, cache], [complete, caches], [newer, cache, later],
    [complete, first], [newer, last]]) {
    cpSync(join(REFERENCE_DIR, run), join(dir, set, name), { recursive: true })
  }
  const made = await answers([dir])
  const [answer, equal] = ['cache', 'nginx-cost'].map(id => made.find(({ question }) => question.id === id))
  t.match([answer?.set, answer?.records.length], [complete, 2], 'the set with both experiments')
  t.match([equal?.set, equal?.records.map(({ run }) => run)], [newer, [basename(last)]], 'the last run')
  t.match(answersPage(made), ` (\`${complete}\`)`)
  t.match(answersText(made, toStyle(200)), `machine ${complete}`)
})

t.test('the row of servers in README.md has the choice that follows from the stored run and check', async t => {
  const record = made.find(({ question }) => question.id === 'static-server')?.records[0]
  const row = rows.find(line => line.includes('](docs/answers.md#static-server)')) ?? ''
  t.equal(row.split(' | ')[0].slice(2), choiceText(record?.recommendation ?? []))
})
