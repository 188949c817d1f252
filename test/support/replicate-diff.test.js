import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from './tap.js'
import { REFERENCE_DIR } from '../../bench/store/store.js'
import { countFound } from '../perf/replicate-diff.js'

const compared = { exit: 0, figures: { cpu: 'no-difference 1.000 0.990 1.010' } }
const slower = { exit: 3, figures: { cpu: 'costlier 1.100 1.080 1.120' } }
const failed = { exit: 1, figures: {} }

t.test('runs that compared nothing do not show that equal commits are not called different', async t => {
  t.match(countFound('equal', Array(20).fill(compared)), { found: 0, compared: 20, isMet: true })
  t.match(countFound('equal', Array(20).fill(failed)), { found: 0, compared: 0, isMet: false })
  t.match(countFound('equal', [...Array(19).fill(compared), failed]), { compared: 19, isMet: false })
  t.match(countFound('equal', [...Array(19).fill(compared), slower]), { found: 1, isMet: false })
  t.match(countFound('equal', Array(19).fill(compared)), { found: 0, isMet: false })
})

t.test('19 of 20 runs have to find a planted slowdown', async t => {
  t.match(countFound('cpu10', [...Array(19).fill(slower), compared]), { found: 19, isMet: true })
  t.match(countFound('cpu10', [...Array(18).fill(slower), compared, compared]), { found: 18, isMet: false })
})

t.test('the table of docs/ci.md counts the stored runs', async t => {
  const { diff } = JSON.parse(readFileSync(join(REFERENCE_DIR, 'replications.json'), 'utf8'))
  const text = readFileSync(new URL('../../docs/ci.md', import.meta.url), 'utf8')
  const rows = [...text.matchAll(/\| (\d+) \| (\d+) \| (\d+) to (\d+) s \|$/gm)]
    .map(([, ...cells]) => cells.map(Number))
  const conditions = ['equal', 'cpu10', 'cpu5', 'wait20']
  t.equal(rows.length, conditions.length)
  for (const [i, name] of conditions.entries()) {
    const seconds = diff[name].map((/** @type {{ seconds: number }} */ run) => run.seconds)
    const { found } = countFound(name, diff[name])
    t.strictSame(rows[i], [diff[name].length, found, Math.min(...seconds), Math.max(...seconds)], name)
  }
})

t.test('docs/ci.md has the stored runs with a measured warm-up', async t => {
  const { diff } = JSON.parse(readFileSync(join(REFERENCE_DIR, 'replications.json'), 'utf8'))
  const text = readFileSync(new URL('../../docs/ci.md', import.meta.url), 'utf8').replaceAll(/\s+/g, ' ')
  const toPhrase = (/** @type {string} */ name) => {
    const seconds = diff[name].map((/** @type {{ seconds: number }} */ run) => run.seconds)
    return { runs: diff[name].length, range: `${Math.min(...seconds)} to ${Math.max(...seconds)} s` }
  }
  const [equal, planted] = ['equal-warm', 'cpu10-warm'].map(toPhrase)
  const shares = diff['cpu10-warm'].map((/** @type {{ figures: { cpu: string } }} */ { figures }) =>
    (Number(figures.cpu.split(' ')[1]) - 1) * 100)
  const found = `${Math.min(...shares).toFixed(1)} to ${Math.max(...shares).toFixed(1)} %`
  t.equal(countFound('equal', diff['equal-warm']).found, 0)
  t.equal(countFound('cpu10', diff['cpu10-warm']).found, planted.runs)
  t.match(text, `${equal.runs} runs of equal commits found nothing in ${equal.range} each`)
  t.match(text, `${planted.runs} of 10 % more CPU time found ${found} in ${planted.range}`)
})
