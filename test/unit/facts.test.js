/** Tests that facts of a record become words, and that words of schema 1 stay as they are. */
import t from 'tap'
import {
  inOneLine, printAdvice, printClaimWhy, printContrastWhy, printRecord, printWarning
} from '../../bench/report/facts/facts.js'
import { adviceTexts } from '../../bench/report/facts/advice-texts.js'
import { warningTexts } from '../../bench/report/facts/warning-texts.js'
import { claimWhyTexts, contrastWhyTexts } from '../../bench/report/facts/why-texts.js'
import { renderText } from '../../bench/report/text.js'
import { faultOf } from '../../bench/store/record-format.js'
import { makeArm, makeClaim, makeContrast, makeRecord } from '../support/record.js'

/** @import { Advice, OldWarning, RunRecord, Warning } from '../../bench/types.js' */

const reason = /** @type {const} */ ({ code: 'errors', text: '5 errors' })

/** Parameters that any text can use: a text reads only its own ones. */
const anyParams = {
  arm: 'uds',
  arms: ['uds'],
  baseline: 'tcp',
  blocks: 3,
  busyShare: 0.5,
  capacity: 900,
  connections: 100,
  contrasts: [{ arm: 'uds', baseline: 'tcp', lag1: 0.3 }],
  cores: 2,
  cpuMicros: 61.2,
  day: '2026-11-23',
  engine: 'autocannon',
  failures: [{ title: 'serves .env', saw: '', died: false }],
  files: 2,
  first: 'tcp',
  floor: 0.03,
  halfWidth: 0.05,
  high: 1.1,
  in: 'none',
  inMemory: 'sirv',
  invalid: 3,
  known: 'at-least',
  last: reason,
  lastDay: '2026-04-30',
  left: 1.6,
  less: 'tcp',
  level: 0.95,
  limit: 256,
  line: '20',
  lines: [{ line: '20', lastDay: '2026-04-30' }],
  loadAverage: 1.2,
  logged: null,
  lost: [{ arm: 'uds', invalid: 3, trials: 6, reason }],
  low: 1.01,
  margin: 0.03,
  memoryMiB: 50,
  more: 'uds',
  needed: 12,
  node: '26.1.0',
  of: 'rate',
  otherRuntimes: ['Bun'],
  others: 2,
  perSecond: 9000,
  place: 'within',
  processes: 400,
  protocol: 'slices',
  ratio: 1.05,
  reason,
  secondsNeeded: 300,
  server: 'st',
  servers: ['st'],
  share: 0.4,
  sizing: false,
  target: 0.02,
  than: 'sirv',
  times: 2,
  timesNode: 3,
  tolerance: 1.1,
  trials: 6,
  wanted: 'h2load',
  why: 'it is not installed',
  words: ['nginx:uds/app']
}

t.test('every code has a text', async t => {
  const fact = (/** @type {string} */ code) => /** @type {any} */ ({ code, params: anyParams })
  for (const code of Object.keys(warningTexts)) {
    const arms = code === 'slower-users' ? [{ arm: 'uds', users: 9, wanted: 1, used: 0.5 }] : anyParams.arms
    const params = { ...anyParams, arms }
    const { text, remedy } = printWarning(/** @type {any} */ ({ code, params }))
    for (const words of [text, remedy.text]) t.match(words, /^[^{}]+$/, code)
    t.not(text, `${code}.`)
    t.notMatch(text + remedy.text, /undefined|NaN/, code)
  }
  for (const code of Object.keys(adviceTexts)) t.notMatch(printAdvice(fact(code)).text, /^\S+$|undefined|NaN/, code)
  for (const code of Object.keys(contrastWhyTexts)) {
    t.notMatch(printContrastWhy({ why: fact(code) }), /^\S+$|undefined|NaN/, code)
  }
  for (const code of Object.keys(claimWhyTexts)) {
    // The reason of an experiment is text, that of an arm a coded reason.
    const params = code === 'declared-not-testable' ? { reason: 'it needs 8 cores' } : anyParams
    t.notMatch(printClaimWhy({ why: [{ ...fact(code), params }] }), /^\S+$|undefined|NaN/, code)
  }
})

t.test('prints the code of a fact that this version does not know', async t => {
  const unknown = /** @type {Warning} */ (/** @type {unknown} */ ({ code: 'sunspots', params: {} }))
  t.match(printWarning(unknown), { code: 'sunspots', text: 'sunspots.', remedy: { command: null } })
  const broken = /** @type {Warning} */ (/** @type {unknown} */ ({ code: 'not-confined', params: {} }))
  t.equal(printWarning(broken).text, 'not-confined.')
  t.equal(printContrastWhy({ why: /** @type {any} */ ({ code: 'constructor', params: {} }) }), 'constructor')
})

/** @type {OldWarning} */
const oldWarning = {
  code: 'cut-off',
  text: 'The run was interrupted after 3 blocks: its results are partial.',
  remedy: 'resume it: npm run hopbench -- run --resume x'
}
/** @type {Partial<RunRecord>} */
const old = {
  schema: 1,
  warnings: [oldWarning],
  recommendation: ['From Node itself use sirv.', 'Not checked yet: st. Check with: npm run hopbench -- check st.'],
  claims: [makeClaim({ why: 'the interval lies within a factor of 1.1' })],
  contrasts: [makeContrast({ verdict: 'invalid', why: 'tcp: it was refused' })]
}

t.test('prints the words of a record of schema 1 as they are, with commands on lines of their own', async t => {
  const record = makeRecord(old)
  t.equal(faultOf('record', JSON.parse(JSON.stringify(record))), null)
  const text = renderText(record)
  t.match(text, '! The run was interrupted after 3 blocks: its results are partial.\n' +
    '  Try: resume it:\n    npm run hopbench -- run --resume x\n')
  t.match(text, '- From Node itself use sirv.\n')
  t.match(text, '- Not checked yet: st. Check with:\n    npm run hopbench -- check st\n')
  t.match(text, 'is invalid: tcp: it was refused.')
  t.match(printRecord(record), old)
})

t.test('adds words to the printed JSON of a record', async t => {
  /** @type {Warning} */
  const warning = { code: 'cut-off', params: { blocks: 3 }, command: 'npm run hopbench -- run --resume x' }
  /** @type {Advice} */
  const advice = { code: 'not-checked', params: { servers: ['st'] }, command: 'npm run hopbench -- check st' }
  const record = makeRecord({
    schema: 2,
    warnings: [warning],
    recommendation: [advice],
    claims: [makeClaim({ why: [{ code: 'trials-agree', params: {} }, { code: 'single-arm', params: {} }] })],
    contrasts: [makeContrast({ verdict: 'inconclusive', why: { code: 'interval-too-wide', params: {} } })],
    arms: [makeArm({ boundWhy: 'both-waited' })]
  })
  t.equal(faultOf('record', JSON.parse(JSON.stringify(record))), null, 'facts keep to the schema')
  const printed = printRecord(record)
  t.match(printed.warnings, [{ ...warning, text: oldWarning.text, remedy: oldWarning.remedy }])
  t.match(printed, {
    recommendation: ['Not checked yet, and so not recommended: st. Check with: npm run hopbench -- check st'],
    claims: [{ why: 'every trial agrees; it names a single arm' }],
    contrasts: [{ why: 'the interval includes both no difference and a relevant one' }],
    arms: [{ boundWhy: /^neither the load generator nor the served side was busy/ }]
  })
  t.equal(faultOf('record', JSON.parse(JSON.stringify(printed))), null, 'and so does the printed JSON')
  t.match(inOneLine(printAdvice(advice)), /Check with: npm run/)
})
