import { parse } from 'csv-parse/sync'
import { cpSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import t from '../support/tap.js'
import { computeHistory } from '../../bench/judge/history.js'
import { historyCsv, historyJson, renderHistory } from '../../bench/report/history-text.js'
import { historyAnswer, runLabel, sparkline } from '../../bench/report/history-words.js'
import { PROJECT } from '../../bench/plugins.js'
import { historyPage } from '../../bench/report/page/history-page.js'
import { readHistory } from '../../bench/studies/history.js'
import { makeHistory } from '../support/histories.js'
import { makeArm, makeEnvironment, makeRecord } from '../support/record.js'

t.test('finds the run at which an arm became slower, in its ratio, its rate and its CPU time', t => {
  const history = computeHistory(makeHistory(16, { 9: 0.9 }))
  const steps = Object.fromEntries(history.figures.map(({ kind, name, steps }) => [`${kind} ${name}`, steps]))
  for (const figure of ['ratio uds ÷ keepalive', 'rate uds', 'cpu uds']) {
    t.match(steps[figure], [{ run: 9, direction: 'worse' }], figure)
  }
  t.ok(Math.abs(steps['rate uds'][0].ratio - 0.9) < 0.02)
  t.strictSame([...steps['rate keepalive'], ...steps['cpu keepalive']], [])
  t.match(historyAnswer(history),
    /^Since a243546 \(2026-10-10\) uds ÷ keepalive is 10\.\d % lower, uds needs .* more CPU time for each request/)
  t.end()
})

t.test('a step up and down again is two changes, the latest first', t => {
  const history = computeHistory(makeHistory(24, { 8: 1.2, 16: 1 / 1.2 }))
  t.match(history.figures.find(({ kind }) => kind === 'ratio')?.steps,
    [{ run: 8, direction: 'better' }, { run: 16, direction: 'worse' }])
  t.match(historyAnswer(history),
    /^Since \w{7} \(2026-10-17\) .* lower.* \d further changes over 24 runs since 2026-10-01\.$/)
  t.end()
})

t.test('finds no change in noise, in 38 of 40 histories', t => {
  const changed = Array.from({ length: 40 }, (_, seed) => computeHistory(makeHistory(12, {}, { seed })))
    .filter(({ figures }) => figures.some(({ steps }) => steps.length > 0)).length
  t.ok(changed <= 2, `${changed} of 40`)
  t.match(historyAnswer(computeHistory(makeHistory(12))), /^No figure of uds has changed over 12 runs since 2026-10-01/)
  t.match(historyAnswer(computeHistory(makeHistory(1))), /^uds has 1 run; a change is found in 6 runs or more/)
  t.end()
})

t.test('rates and CPU times are those of the last machine, and ratios those of all', t => {
  const environment = makeEnvironment({ cpu: { model: 'Other', cores: 8, governor: null, virtual: true } })
  const history = computeHistory(makeHistory(10, {}, { overrides: i => i < 4 ? { environment } : {} }))
  t.equal(history.elsewhere, 4)
  const counts = Object.fromEntries(history.figures.map(({ kind, points }) => [kind, points.length]))
  t.strictSame(counts, { ratio: 10, cpu: 6, rate: 6 })
  t.match(renderHistory(history), /4 runs of another machine than the last run's/)
  t.end()
})

t.test('arms with another topology than in the last run, invalid arms and the A/A arm are left out', t => {
  const records = makeHistory(8)
  const other = makeArm({ name: 'uds', spec: 'nginx:tcp/express-json' })
  const [first, second, ...rest] = records
  const invalid = /** @type {const} */ ({ code: 'clients-hang', text: 'it did not respond' })
  const history = computeHistory([
    { ...first, arms: [first.arms[0], other] },
    { ...second, arms: [second.arms[0], { ...second.arms[1], invalid }] },
    ...rest.map(record => ({ ...record, arms: [...record.arms, makeArm({ name: 'keepalive again' })] }))
  ])
  t.strictSame(history.figures.filter(({ name }) => name.includes('uds')).map(({ points }) => points.length), [6, 6, 6])
  t.notOk(history.figures.some(({ name }) => name === 'keepalive again'))
  t.end()
})

t.test('the commit of a diff is that of its head', t => {
  const [first, ...rest] = makeHistory(2)
  const side = { label: 'x', ref: 'x', commit: 'b'.repeat(40), changes: 0 }
  const head = { ...side, commit: 'c'.repeat(40), changes: 2 }
  const diff = { margin: 0.05, starts: 1, figures: [], slower: false, open: true, sees: null, base: side, head }
  t.strictSame(computeHistory([{ ...first, diff }, ...rest]).runs[0].commit, { hash: head.commit, changed: true })
  t.end()
})

t.test('apps in different folders of a repository have no common figures', t => {
  const [first, ...rest] = makeHistory(3)
  const side = { label: 'x', ref: 'x', commit: 'b'.repeat(40), changes: 0 }
  const toDiff = (/** @type {string} */ folder) => ({
    margin: 0.05, starts: 1, figures: [], slower: false, open: true, sees: null, base: side, head: { ...side, folder }
  })
  const records = [{ ...first, diff: toDiff('packages/web') }, ...rest.map(run => ({ ...run, diff: toDiff('api') }))]
  const { figures } = computeHistory(records)
  t.ok(figures.length > 0 && figures.every(({ points }) => points.every(({ run }) => run > 0)))
  t.end()
})

t.test('a run is named by its commit, else by its start', t => {
  const run = { run: 'x', startedAt: '2026-11-20T10:11:12Z' }
  const hash = 'abcdef0123456789abcdef0123456789abcdef01'
  t.equal(runLabel({ ...run, commit: { hash, changed: false } }), 'abcdef0')
  t.equal(runLabel({ ...run, commit: { hash, changed: true } }), 'abcdef0+')
  t.equal(runLabel({ ...run, commit: null }), '11-20 10:11')
  t.end()
})

t.test('text, CSV, JSON and page have the same values', t => {
  const history = computeHistory(makeHistory(16, { 9: 0.9 }))
  const text = renderHistory(history)
  for (const line of text.split('\n')) t.ok(line.length <= 80, line)
  t.match(text, /uds ÷ keepalive, throughput +0\.7\d +[▁-█]{16} +−\d+(\.\d)? % at a243546/)
  const rows = parse(historyCsv(history), { columns: true })
  t.equal(rows.length, 5 * 16)
  t.match(rows[9], { kind: 'ratio', name: 'uds ÷ keepalive', commit: /^a243546/, step: /^0\.[89]/ })
  t.match(JSON.parse(historyJson(history)), { answer: { text: /^Since a243546/ }, experiment: 'uds' })
  const html = historyPage(history)
  t.equal(html.split('class="chart"').length - 1, 5 * 2, 'each chart for two widths')
  t.match(html, /▼ a243546/)
  t.end()
})

t.test('names of a record are no markup of the page', t => {
  const records = Array.from({ length: 2 }, () => makeRecord({
    arms: [{ ...makeArm(), name: '<script>alert(1)</script>' }], contrasts: []
  }))
  const html = historyPage(computeHistory(records))
  t.notMatch(html, '<script>')
  t.match(html, '&lt;script&gt;')
  t.end()
})

t.test('a sparkline rises with its values, and hardly for noise', t => {
  t.equal(sparkline([1, 2, 3, 4]), '▁▅▇█')
  t.match(sparkline([1, 1.01, 1]), /^[▃-▆]{3}$/)
  t.equal(sparkline(Array.from({ length: 160 }, (_, i) => i + 1)).length, 16)
  t.equal(sparkline([5]).length, 1)
  t.end()
})

t.test('reads the stored runs of an experiment', async t => {
  const reference = join(PROJECT, 'results/reference')
  const all = await readHistory('uds', reference)
  t.match(all, { unreadable: 0, figures: { length: 0 } }, 'one of them measured other arms')
  t.equal(all.runs.length, 3)
  const alike = t.testdir({ '2026-11-26T16-52-04Z-uds': {}, '2026-11-26T17-23-02Z-uds': {} })
  for (const run of readdirSync(alike)) cpSync(join(reference, run), join(alike, run), { recursive: true })
  const history = await readHistory('uds', alike)
  t.equal(history.runs.length, 2)
  t.equal(history.unreadable, 0)
  t.equal(history.figures.filter(({ kind }) => kind === 'ratio').length, 8)
  await t.rejects(readHistory('udss', reference), { code: 'unknown-run', message: /Did you mean "uds"/ })
  await t.rejects(readHistory(undefined, t.testdir({})), { code: 'no-runs' })
  const damaged = t.testdir({ '2026-01-02T03-04-05Z-uds': { 'run.json': '{' } })
  await t.rejects(readHistory(undefined, damaged), { code: 'unknown-run' }, 'without a run that can be read')
})
