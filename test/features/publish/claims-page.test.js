import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../../support/tap.js'
import { publishedExperiments } from '../../../bench/features/publish/best-runs.js'
import { loadExperiments, PROJECT } from '../../../bench/plan/plugins.js'
import { claimLines, claimsPage } from '../../../bench/features/publish/claims-page.js'
import { untested } from '../../../bench/shared/sources.js'
import { openRun } from '../../../bench/store/store.js'
import { makeClaim, makePlan, makeRecord, makeSample } from '../../support/record.js'

/** @import { Claim, Experiment } from '../../../bench/types.js' */

const [published] = makePlan().claims

/** @type {(claims: Claim[], overrides?: Partial<Experiment>) => Experiment} */
const experimentWith = (claims, overrides = {}) => ({
  title: 't',
  question: 'q',
  source: null,
  arms: { keepalive: 'http-json', 'uds-keepalive': 'http-json' },
  protocol: 'slices',
  unit: 'requests',
  claims,
  ...overrides
})
/**
 * @param {string} page
 * @param {RegExp | string} part
 */
const rowsWith = (page, part) => page.split('\n').filter(line => line.startsWith('- ') && line.search(part) !== -1)

t.test('lists a claim without a run as not run yet', async t => {
  const page = claimsPage([{ name: 'uds', experiment: experimentWith([published]), record: null }])
  t.match(rowsWith(page, /Unix domain socket/)[0], /\. \*Not run yet\*$/)
  t.match(page, 'uds, not run yet:')
})

t.test('ignores the run of a claim that has changed since', async t => {
  /** @param {Partial<Claim>} change */
  const status = change =>
    claimLines([{ name: 'uds', experiment: experimentWith([{ ...published, ...change }]), record: makeRecord() }])[0]
  t.match(status({ published: 1.5 }), { status: 'not-run', why: 'the claim has changed since its run' },
    'another figure')
  t.match(status({ test: { kind: 'ratio', arm: 'uds-keepalive', baseline: 'tcp' } }), { status: 'not-run' },
    'other arms')
  t.match(status({ id: 'a-new-one' }), { status: 'not-run' }, 'a new claim')
  t.match(status({ statement: 'Said in other words.' }), { status: 'confirmed' }, 'another statement is the same claim')
  const quoting = (/** @type {string} */ words) => ({ ...published, published: words })
  const record = makeRecord({ plan: makePlan({ claims: [quoting('slower')] }) })
  const [quoted] = claimLines([{ name: 'uds', experiment: experimentWith([quoting('a bit slower')]), record }])
  t.equal(quoted.status, 'confirmed', 'another quotation is the same claim')
  t.match(status({ test: { baseline: 'keepalive', arm: 'uds-keepalive', kind: 'ratio' } }), { status: 'confirmed' },
    'another order of the fields is the same claim')
})

t.test('keeps foreign text in one line without tags', async t => {
  /** @type {Claim} */
  const claim = { ...published, published: '1 |\n<script>', test: { kind: 'flat', arms: ['a', 'b'] } }
  const record = makeRecord({
    plan: makePlan({ claims: [claim] }),
    claims: [makeClaim({ measured: 'x\n<y>', low: null, high: null })]
  })
  const [row] = rowsWith(claimsPage([{ name: 'uds', experiment: experimentWith([claim]), record }]), /Unix domain/)
  t.match(row, / \(1 \| &lt;script>\)\. .*: x &lt;y>$/)
})

t.test('uses the last complete run, and an interrupted or quick one only if no complete run ' +
  'exists', async t => {
  const dir = t.testdir()
  /** @type {(day: number, options: { quick?: boolean, complete?: boolean, samples?: boolean }) => Promise<string>} */
  const store = async (day, { quick = false, complete = true, samples = true }) => {
    const plan = makePlan({ experiment: 'uds', quick })
    const run = await openRun({ resultsDir: dir, experiment: 'uds', startedAt: `2024-05-0${day}T00:00:00.000Z`, plan })
    if (samples) await run.append(plan.arms.map(({ name }) => makeSample({ arm: name })))
    const ends = complete ? { ended: /** @type {const} */ ('budget') } : { ended: null, endedAt: null }
    await run.writeRecord(makeRecord({ run: run.run, plan, complete, ...ends }))
    await run.close()
    return run.run
  }
  const spokenFor = async () => (await publishedExperiments(dir)).find(({ name }) => name === 'uds')?.record?.run
  t.equal(await spokenFor(), undefined, 'none')
  await store(1, { complete: false, samples: false })
  t.equal(await spokenFor(), undefined, 'a run that was interrupted before its first block')
  const cutOff = await store(2, { complete: false })
  t.equal(await spokenFor(), cutOff)
  const quick = await store(3, { quick: true })
  t.equal(await spokenFor(), quick)
  const whole = await store(4, {})
  await store(5, { quick: true })
  await store(6, { complete: false })
  t.equal(await spokenFor(), whole)
  const last = await store(7, {})
  t.equal(await spokenFor(), last)
})

t.test('docs/claims.md matches the output of the generator and contains every claim', async t => {
  const experiments = await publishedExperiments(join(PROJECT, 'results', 'reference'))
  const page = claimsPage(experiments)
  t.equal(readFileSync(join(PROJECT, 'docs', 'claims.md'), 'utf8'), page,
    'bring it up to date with: npm run hopbench -- claims --write')
  t.strictSame(experiments.map(({ name }) => name), (await loadExperiments()).map(({ name }) => name))
  const claims = experiments.flatMap(({ experiment }) => experiment.claims ?? [])
  t.equal(claimLines(experiments).length, claims.length)
  const sentences = [...untested.values()].flat()
  const rows = page.slice(page.indexOf('\n## ')).split('\n').filter(line => line.startsWith('- '))
  t.equal(rows.length, claims.length + sentences.length, 'a line for each claim')
  for (const sentence of sentences) t.match(sentence, /\.$/)
})
