/** Tests that published answers are those of the stored runs, and that questions name arms of their experiments. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../support/tap.js'
import { findExperiment, PROJECT } from '../../bench/plan/plugins.js'
import { QUESTIONS } from '../../bench/report/answers/questions.js'
import { printChange, printShare } from '../../bench/report/share-text.js'
import { estimateText } from '../../bench/shared/format.js'
import { answers, writeAnswers } from '../../bench/studies/answers.js'

const made = await answers([join(PROJECT, 'results', 'reference')])

t.test('every question names an existing experiment and contrasts of it', async t => {
  const questions = QUESTIONS.flatMap(({ second, ...question }) =>
    second ? [question, { ...question, pairs: [], ...second }] : [question])
  for (const { id, experiment, pairs = [] } of questions) {
    if (experiment === 'size') continue
    const found = await findExperiment(experiment)
    if (!found) {
      t.fail(`${id}: there is no experiment ${experiment}`)
      continue
    }
    const { arms, contrasts } = found
    for (const name of pairs.flat()) t.ok(name in arms, `${id}: ${experiment} has ${name}`)
    for (const [arm, baseline] of pairs) {
      t.ok(contrasts === undefined || contrasts.some(([a, b]) => a === arm && b === baseline),
        `${id}: ${arm} against ${baseline} is a contrast`)
    }
  }
})

/** A ratio or share with its interval, as the last cell of a row prints it: "54 % of nginx (47 to 61 %)". */
const FIGURE = /^[^\d+−]*([+−]?[\d.]+(?: %)?)[^()]* (\([^()]+\))$/

t.test('docs/answers.md matches the output of the generator', async t => {
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
    const printed = records.flatMap(({ contrasts }) => contrasts)
      .flatMap(contrast => [estimateText(contrast), printShare(contrast), printChange(contrast)])
    const figure = FIGURE.exec(gain)?.slice(1).join(' ')
    t.ok(figure && printed.includes(figure), row)
  }
})
