import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import t from '../../support/tap.js'
import { writeSite } from '../../../bench/features/publish/site.js'
import { REFERENCE_DIR } from '../../../bench/store/store.js'

/** @import { Test } from 'tap' */

/** Reads all files below a folder. @param {string} dir */
const readAll = dir => new Map(readdirSync(dir, { recursive: true, encoding: 'utf8' }).sort()
  .filter(name => statSync(join(dir, name)).isFile())
  .map(name => [name, readFileSync(join(dir, name), 'utf8')]))

/**
 * Copies the reference runs of two experiments.
 * @param {Test} t
 */
function makeResults (t) {
  const dir = t.testdir({ results: {} })
  const runs = readdirSync(REFERENCE_DIR, { recursive: true, encoding: 'utf8' })
    .filter(name => /Z-(pool|uds)$/.test(name))
  for (const run of runs) cpSync(join(REFERENCE_DIR, run), join(dir, 'results', basename(run)), { recursive: true })
  return { dir, results: join(dir, 'results'), count: runs.length }
}

t.test('makes the same bytes from the same runs in another time zone, and replaces an earlier site', async t => {
  const { dir, results, count } = makeResults(t)
  const [first, second] = [join(dir, 'first'), join(dir, 'second')]
  await writeSite(results, first)
  const { TZ } = process.env
  t.teardown(() => { if (TZ === undefined) delete process.env.TZ; else process.env.TZ = TZ })
  process.env.TZ = 'Pacific/Auckland'
  mkdirSync(join(second, 'runs'), { recursive: true })
  writeFileSync(join(second, 'index.html'), readFileSync(join(first, 'index.html')))
  writeFileSync(join(second, 'runs', '2020-01-01T00-00-00Z-gone.html'), 'of a run that was removed')
  writeFileSync(join(second, 'runs', 'notes.txt'), 'mine')
  await writeSite(results, second)
  const expected = readAll(first)
  t.equal(expected.size, count + 2)
  expected.set('runs/notes.txt', 'mine')
  t.strictSame(Object.fromEntries(readAll(second)), Object.fromEntries(expected))
})

t.test('leaves out a run without a trial, and answers only measured questions', async t => {
  const { dir, results, count } = makeResults(t)
  const name = '2026-01-01T00-00-00Z-mine'
  mkdirSync(join(results, name))
  writeFileSync(join(results, name, 'plan.json'), readFileSync(join(results, readdirSync(results)[1], 'plan.json')))
  const { answers, runs, skipped } = await writeSite(results, join(dir, 'site'))
  t.strictSame({ answers, runs, skipped }, { answers: 3, runs: count, skipped: [name] })
  t.notOk(existsSync(join(dir, 'site', 'runs', `${name}.html`)))
})

t.test('refuses a folder with other files, a file, and a folder without runs', async t => {
  const dir = t.testdir({ mine: { 'index.html': '<h1>My page</h1>' }, file: '', empty: {}, none: {} })
  await t.rejects(writeSite(REFERENCE_DIR, join(dir, 'mine')), { code: 'site-not-writable' })
  t.equal(readFileSync(join(dir, 'mine', 'index.html'), 'utf8'), '<h1>My page</h1>')
  await t.rejects(writeSite(REFERENCE_DIR, join(dir, 'file')), { code: 'site-not-writable' })
  await t.rejects(writeSite(join(dir, 'none'), join(dir, 'empty')), { code: 'no-runs' })
})
