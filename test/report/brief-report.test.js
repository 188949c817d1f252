/** Tests of the short report: it begins with the answer of the run and fits a screen. */
import t from '../support/tap.js'
import { printWarning } from '../../bench/report/facts/facts.js'
import { listRuns, REFERENCE_DIR } from '../../bench/store/store.js'
import { storedRun } from '../../bench/run/stored-run.js'
import { makeArm, makeContrast, makeJudged, makePlan, makeRecord } from '../support/record.js'
import { findAnswer, markdown, renderBrief, renderText, toAnswer, toJson } from '../support/rendered.js'

/** @import { RunRecord } from '../../bench/types.js' */

const COLUMNS = 80
/** Lines after the answer of a run of five arms: a screen of 24 lines. */
const MAX_LINES = 24

const runs = await listRuns(REFERENCE_DIR)
const records = await Promise.all(runs.map(async ({ dir }) => (await storedRun(dir, REFERENCE_DIR)).record))

/** Lines before the first empty one, as one text. @param {string} text */
const firstParagraph = text => text.split('\n\n')[0].replaceAll('\n', ' ')
/** @param {string} text */
const flat = text => text.replace(/\s+/g, ' ')

for (const record of records) {
  t.test(`${record.run}: every output begins with the answer`, async t => {
    const answer = toAnswer(record)
    const brief = renderBrief(record, { columns: COLUMNS })
    const details = renderText(record, { columns: COLUMNS })
    t.equal(firstParagraph(brief), answer)
    t.equal(firstParagraph(details), answer)
    t.ok(brief.split('\n\n')[0].split('\n').length <= 3, 'in three lines')
    t.equal(JSON.parse(toJson(record)).answer.text, answer)
    t.match(toJson(record), /^\{\s+"answer"/)
    t.equal(markdown(record).split('\n')[0].replace(/\\(.)/g, '$1'), `**${answer}**`)
    t.notMatch(answer, /undefined|NaN|Infinity|–|\bnull\b/)
    t.match(answer, /\.$/)
    // A command is not broken, because it is copied.
    const wide = brief.split('\n').filter(line => [...line].length > COLUMNS && !line.startsWith('    '))
    t.strictSame(wide, [])
    for (const warning of record.warnings) t.ok(flat(details).includes(flat(printWarning(warning).text)))
    for (const { statement } of record.claims) t.ok(flat(details).includes(statement.replace(/\.$/, '')))
    t.match(brief, '--details')
  })
}

t.test('a run of five arms with one warning fits a screen after its answer', async t => {
  const warnings = /** @type {RunRecord[]} */ (records).flatMap(record => record.warnings).slice(0, 1)
  const shown = records.filter(({ experiment }) => experiment === 'uds').map(record => ({ ...record, warnings }))
  t.equal(warnings.length, 1)
  t.not(shown.length, 0)
  for (const record of shown) {
    const brief = renderBrief(record, { columns: COLUMNS, dir: 'results/x' })
    const [answer, ...rest] = brief.trimEnd().split('\n\n')
    t.ok(answer.split('\n').length <= 3)
    t.ok(rest.join('\n\n').split('\n').length + 1 <= MAX_LINES, brief)
    t.match(toAnswer(record),
      /^nginx over a pooled Unix socket serves \d+ % less than the app alone \(\d+ to \d+ %\); /)
  }
})

t.test('a short report has no claims, no starts and no conditions', async t => {
  const record = /** @type {RunRecord} */ (records.find(({ experiment, claims }) =>
    experiment === 'uds' && claims.length > 0))
  const brief = renderBrief(record, { columns: COLUMNS })
  t.notMatch(flat(brief), record.claims[0].statement)
  t.notMatch(brief, /Decided:|starts of all processes|Seed|second core/)
})

/** @param {Partial<RunRecord>} overrides */
const answerTo = overrides => toAnswer(makeRecord(overrides))
const words = {
  pairs: /** @type {[string, string, string][]} */ ([['uds', 'keepalive', 'a socket']]), names: { keepalive: 'TCP' }
}
/**
 * @param {Parameters<typeof makeContrast>[0]} contrast
 * @param {Partial<RunRecord>} [overrides]
 */
const answerOf = (contrast, overrides) => answerTo({
  plan: makePlan({ answer: words }),
  contrasts: [makeContrast({ arm: 'uds', baseline: 'keepalive', ...contrast })],
  ...overrides
})

t.test('a loss and a gain are shares of the baseline, a large gain is a factor', async t => {
  t.equal(answerOf({ ratio: 0.81, low: 0.74, high: 0.88, verdict: 'slower' }),
    'A socket serves 19 % less than TCP (12 to 26 %).')
  t.equal(answerOf({ ratio: 1.5, low: 1.42, high: 1.58, verdict: 'faster' }),
    'A socket serves 50 % more than TCP (42 to 58 %).')
  t.equal(answerOf({ ratio: 2.98, low: 2.8, high: 3.1, verdict: 'faster' }),
    'A socket serves 2.98 times as much as TCP (2.80 to 3.10).')
})

t.test('a verdict that is open, equal, bound or invalid is named as such', async t => {
  t.equal(answerOf({ ratio: 0.98, low: 0.93, high: 1.04, verdict: 'inconclusive' }),
    'Whether a socket serves more or less than TCP is open (−7 to +4 %).')
  t.equal(answerOf({ ratio: 1.0, low: 0.98, high: 1.01, verdict: 'no-difference' }),
    'A socket serves as much as TCP (at most 2 % apart).')
  t.equal(answerOf({ ratio: 0.4, low: 0.38, high: 0.43, oneSided: 'at-most', verdict: 'slower' }),
    'A socket serves at least 57 % less than TCP.')
  t.equal(answerOf({ ratio: 1.4, low: 1.32, high: 1.5, oneSided: 'at-least', verdict: 'faster' }),
    'A socket serves at least 32 % more than TCP.')
  t.equal(answerOf({ ratio: 3, low: 2.8, high: 3.2, oneSided: 'at-least', verdict: 'faster' }),
    'A socket serves at least 2.80 times as much as TCP.')
  const bound = ['uds', 'keepalive'].map(name => makeArm({ name, bound: 'load' }))
  const { verdict, why } = makeJudged(bound)
  t.equal(answerOf({ verdict, why }, { arms: bound }),
    'The ratio of a socket to TCP is unknown, because the load generator or the link was the limit in both arms.')
  const arms = [makeArm({ name: 'keepalive' })]
  t.match(answerOf({ verdict: 'invalid' }, { arms }), /^There is no valid comparison\. keepalive: 12,350 req\/s/)
})

t.test('names the reason if no arm was measured', async t => {
  const arms = [makeArm({ name: 'uds', rps: null, invalid: { code: 'process-died', params: { message: 'it ended' } } })]
  t.equal(answerTo({ arms, contrasts: [] }), 'There is no valid measurement, because it ended.')
})

t.test('a run of one arm has its rate and its limit', async t => {
  const run = { plan: makePlan({ twin: null }), contrasts: [] }
  t.match(answerTo({ ...run, arms: [makeArm()] }), /^keepalive: 12,350 req\/s \(.*\), limited by the serv/)
  t.match(answerTo({ ...run, arms: [makeArm({ bound: 'load' })] }), /: at least .* load generator/)
})

t.test('a smoke test measures no difference, and names the arms that failed', async t => {
  const plan = makePlan({ smoke: true, quick: true })
  t.match(answerTo({ plan }), /^Everything works: all 4 arms .* measures no difference\.$/)
  const invalid = /** @type {const} */ ({ code: 'nothing-served', params: {} })
  t.equal(answerTo({ plan, arms: [makeArm(), makeArm({ name: 'tcp', rps: null, invalid })] }),
    '1 of 2 arms failed: tcp (no request was served).')
})

t.test('the answer of an interrupted run names the blocks that it is from', async t => {
  const record = makeRecord({ complete: false, ended: 'interrupted' })
  t.match(toAnswer(record), new RegExp(`^The run was interrupted after ${record.timing.blocks} blocks\\. `))
  t.match(renderBrief(record), /^The run was interrupted/)
})

t.test('a typed comparison with a proxy in front names its cost by transport', async t => {
  const direct = makeArm({ name: 'app', spec: 'express-json' })
  const front = makeArm({ name: 'nginx:uds-keepalive/express-json', spec: 'nginx:uds-keepalive/express-json' })
  const contrasts = [
    makeContrast({ arm: front.name, baseline: 'app', ratio: 0.81, low: 0.74, high: 0.88, verdict: 'slower' })
  ]
  t.equal(answerTo({ arms: [direct, front], contrasts }),
    'nginx in front over a pooled Unix socket serves 19 % less than app (12 to 26 %).')
})

t.test('contrasts with the same effect and baseline share a clause', async t => {
  const contrasts = [
    makeContrast({ arm: 'uds', baseline: 'tcp', ratio: 2.5, low: 2.4, high: 2.6 }),
    makeContrast({ arm: 'keepalive', baseline: 'tcp', ratio: 2.1, low: 2.05, high: 2.15 }),
    makeContrast({ arm: 'direct', baseline: 'tcp', verdict: 'inconclusive', ratio: 1, low: 0.9, high: 1.1 }),
    makeContrast({ arm: 'pool', baseline: 'tcp', verdict: 'inconclusive', ratio: 1, low: 0.8, high: 1.2 })
  ]
  t.equal(answerTo({ contrasts }), [
    'uds serves 2.50 times as much as tcp (2.40 to 2.60), keepalive 2.10 times (2.05 to 2.15); whether direct serves',
    'more or less than tcp is open (−10 to +10 %), as for pool (−20 to +20 %).'
  ].join(' '))
})

t.test('the JSON has the numbers of the contrasts that the answer names', async t => {
  const { contrasts } = findAnswer(makeRecord({ plan: makePlan({ answer: words }) }))
  t.match(contrasts, [{ arm: 'uds', baseline: 'keepalive', ratio: Number, low: Number, high: Number }])
  t.equal(contrasts.length, 1)
})

t.test('a warning about many arms names their number, once', async t => {
  const arms = Array.from({ length: 16 }, (_, i) => `an arm with a name ${i}`)
  const lines = [{ line: '20', lastDay: '2026-04-30' }]
  const text = renderBrief(makeRecord({ warnings: [{ code: 'runtime-past-its-end', params: { arms, lines } }] }))
  t.match(text, /^! 16 arms ran under Node 20/m)
  t.equal(text.split('\n').filter(line => line.startsWith('!')).length, 1)
})
