/** Tests that published answers are those of the stored runs, and that questions name arms of their experiments. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../support/tap.js'
import { findExperiment, PROJECT } from '../../bench/plugins.js'
import { QUESTIONS } from '../../bench/report/answers/questions.js'
import { answers, writeAnswers } from '../../bench/studies/answers.js'

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

t.test('docs/answers.md and the table in README.md match the output of the generator', async t => {
  const made = await answers([join(PROJECT, 'results', 'reference')])
  const project = t.testdir({ 'README.md': readFileSync(join(PROJECT, 'README.md'), 'utf8') })
  for (const file of await writeAnswers(made, project)) {
    const name = file.slice(project.length + 1)
    t.equal(readFileSync(file, 'utf8'), readFileSync(join(PROJECT, name), 'utf8'), `${name}: hopbench answers --write`)
  }
})
