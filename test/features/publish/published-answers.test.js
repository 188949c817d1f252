/** Tests that published answers are those of the stored runs, and that questions name existing experiments. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../../support/tap.js'
import { findExperiment, PROJECT } from '../../../bench/plan/plugins.js'
import { contrast as word, shareParts } from '../../../bench/report/phrases.js'
import { choiceText } from '../../../bench/features/publish/choice.js'
import { QUESTIONS } from '../../../bench/features/publish/questions.js'
import { estimateText } from '../../../bench/shared/format.js'
import { answers, writeAnswers } from '../../../bench/features/publish/answers.js'

const MAX_WORDS = 5000 // Words of docs/answers.md.

const made = await answers([join(PROJECT, 'results', 'reference')])
const page = readFileSync(join(PROJECT, 'docs', 'answers.md'), 'utf8')

t.test('every question names existing experiments, and each command that measures it names one', async t => {
  for (const { id, runs, check } of QUESTIONS) {
    for (const name of runs) t.ok(name === 'size' || await findExperiment(name), `${id}: ${name}`)
    for (const name of check.flatMap(words => /^run (\S+)/.exec(words)?.[1] ?? [])) {
      t.ok(runs.includes(name), `${id}: ${name}`)
    }
  }
})

t.test('every question is answered', async t => {
  t.strictSame(made.filter(({ records }) => records.length === 0).map(({ question }) => question.id), [])
  t.strictSame([...page.matchAll(/<a id="([\w-]+)">/g)].map(([, id]) => id), QUESTIONS.map(({ id }) => id))
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

t.test('each figure of the table in README.md is a contrast of the stored runs to which its row links', async t => {
  const rows = readFileSync(join(PROJECT, 'README.md'), 'utf8').split('\n').filter(line => line.startsWith('| ['))
  t.ok(rows.length > 10)
  for (const row of rows) {
    const [, id, gain = ''] = /\(docs\/answers\.md#([\w-]+)\).*\| (.*) \|$/.exec(row) ?? []
    const { records } = made.find(({ question }) => question.id === id) ?? { records: [] }
    const printed = records.flatMap(({ contrasts }) => contrasts).flatMap(contrast => {
      const { share, range } = shareParts(contrast)
      return [estimateText(contrast), `${share} (${range})`, word(contrast, { action: '' }, 'change').trim()]
    })
    const figure = FIGURE.exec(gain)?.slice(1).join(' ')
    t.ok(figure && printed.includes(figure), row)
  }
})

t.test('the row of servers in README.md has the choice that follows from the stored run and check', async t => {
  const record = made.find(({ question }) => question.id === 'static-server')?.records[0]
  const row = readFileSync(join(PROJECT, 'README.md'), 'utf8').split('\n')
    .find(line => line.includes('](docs/answers.md#static-server)')) ?? ''
  const choice = row.split(' | ')[1]
  t.equal(choice.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1'), choiceText(record?.recommendation ?? []))
  const table = readFileSync(join(PROJECT, 'docs', 'static.md'), 'utf8')
  const rejected = [...choice.matchAll(/\[([^\]]+)\]\(docs\/static\.md#([^)]+)\)/g)]
  t.strictSame(rejected.map(([, name]) => name),
    record?.recommendation.flatMap(({ code, params }) => code === 'unsafe' ? [params.server] : []),
    'a link to the row of each server that is not recommended')
  for (const [, name, anchor] of rejected) {
    t.match(table, new RegExp(`\\n\\| <a id="${anchor}"></a>${name} \\|.*\\d+/\\d+ \\(\\d+\\) \\|`),
      'the row counts its failures of safety')
  }
})
