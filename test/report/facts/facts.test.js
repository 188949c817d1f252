/** Tests that the facts of a record have texts, and that its JSON has both. */
import t from '../../support/tap.js'
import {
  adviceTexts, changeWhyTexts, claimWhyTexts, contrastWhyTexts, inOneLine, printAdvice, printChangeWhy, printClaimWhy,
  printContrastWhy, printRecord, printWarning
} from '../../../bench/report/facts/facts.js'
import { warningTexts } from '../../../bench/report/facts/warning-texts.js'
import { countInvalid, printReason, reasonTexts } from '../../../bench/report/facts/reason-texts.js'
import { printSizingWhy, sizingWhyTexts } from '../../../bench/features/size/why-words.js'
import { findFault } from '../../../bench/store/record-format.js'
import { makeArm, makeClaim, makeContrast, makeRecord, makeSample } from '../../support/record.js'
import { sizing } from '../../support/sizing.js'
import { renderText, toJson } from '../../support/rendered.js'

/** @import { Advice, Reason, Warning } from '../../../bench/types.js' */

const errors = { non2xx: 5, timeouts: 0, resets: 0, mismatches: 0 }
const reason = /** @type {const} */ ({ code: 'errors', params: { errors, requests: 100 } })

/** Parameters that any text can use: a text reads only its own ones. */
const anyParams = {
  arm: 'uds',
  arms: ['uds'],
  baseline: 'tcp',
  before: 'bytes',
  after: 'requests',
  blocks: 3,
  busyShare: 0.5,
  capacity: 900,
  change: -0.08,
  compared: 2,
  connections: 100,
  contrasts: [{ arm: 'uds', baseline: 'tcp', lag1: 0.3 }],
  control: 'bbr',
  cores: 2,
  fewer: 10,
  windowSeconds: 0.5,
  cpuMicros: 61.2,
  day: '2026-11-23',
  differences: ['cpu model'],
  engine: 'autocannon',
  errors,
  failed: 3,
  failures: [{ title: 'serves .env', saw: '', died: false }],
  files: 2,
  first: 'tcp',
  floor: 0.03,
  generator: 1000,
  halfWidth: 0.05,
  hanging: 97,
  headers: [{ name: 'etag', files: 2, path: '/assets/a.js', app: '"a"', proxy: null }],
  high: 1.1,
  hits: 0.5,
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
  limitMs: 5,
  line: '20',
  lines: [{ line: '20', lastDay: '2026-04-30' }],
  loadAverage: 1.2,
  logged: null,
  lost: [{ arm: 'uds', invalid: 3, trials: 6, reason }],
  low: 1.01,
  margin: 0.03,
  memoryMiB: 50,
  message: 'the server ended',
  more: 'uds',
  most: 101,
  needed: 12,
  neededMiB: 100,
  usedMiB: 75,
  node: '26.1.0',
  of: 'rate',
  otherRuntimes: ['Bun'],
  others: 2,
  p99Ms: 9,
  path: '/assets/a.js',
  perRequest: 0.5,
  perSecond: 9000,
  place: 'within',
  ports: 28000,
  processes: 400,
  protocol: 'slices',
  quick: false,
  ratio: 1.05,
  reason,
  requests: 5000,
  role: 'server',
  seconds: 9,
  secondsNeeded: 300,
  seen: 'asleep',
  served: 1200,
  server: 'st',
  servers: ['st'],
  settings: ["dotfiles: 'ignore'"],
  share: 0.4,
  sizing: false,
  socketType: 'tcp',
  starts: 2,
  target: 0.02,
  than: 'sirv',
  times: 2,
  timesNode: 3,
  tolerance: 1.1,
  total: 3,
  transport: 'uds',
  trials: 6,
  uncounted: 'connections',
  waiting: 27000,
  wanted: 'h2load',
  why: 'it is not installed',
  words: ['nginx:uds/app'],
  workers: 2
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
  for (const code of Object.keys(changeWhyTexts)) t.notMatch(printChangeWhy(fact(code)), /^\S+$|undefined|NaN/, code)
  for (const code of Object.keys(reasonTexts)) t.notMatch(printReason(fact(code)), /^\S+$|undefined|NaN/, code)
  for (const code of Object.keys(sizingWhyTexts)) t.notMatch(printSizingWhy(fact(code)), /^\S+$|undefined|NaN/, code)
  for (const code of Object.keys(claimWhyTexts)) {
    t.notMatch(printClaimWhy({ why: [fact(code)] }), /^\S+$|undefined|NaN/, code)
  }
})

/** Returns a value as JSON has it. @param {unknown} value */
const toStored = value => JSON.parse(JSON.stringify(value))

t.test('adds texts to the facts in the printed JSON of a record', async t => {
  /** @type {Warning} */
  const warning = { code: 'cut-off', params: { blocks: 3 }, command: 'npm run hopbench -- run --resume x' }
  /** @type {Advice} */
  const advice = { code: 'not-checked', params: { servers: ['st'] }, command: 'npm run hopbench -- check st' }
  const record = makeRecord({
    warnings: [warning],
    recommendation: [advice],
    claims: [makeClaim({ why: [{ code: 'trials-agree', params: {} }, { code: 'single-arm', params: {} }] })],
    contrasts: [makeContrast({ verdict: 'inconclusive', why: { code: 'interval-too-wide', params: {} } })],
    arms: [makeArm({ boundWhy: 'both-waited' })]
  })
  t.equal(findFault('record', toStored(record)), null)
  const printed = printRecord(record)
  t.match(printed, {
    warnings: [{
      ...warning,
      text: 'The run was interrupted after 3 blocks: its results are partial.',
      remedy: 'resume it: npm run hopbench -- run --resume x'
    }],
    recommendation: [{
      ...advice,
      text: 'Not checked yet, and so not recommended: st. Check with: npm run hopbench -- check st'
    }],
    claims: [{
      why: [{ code: 'trials-agree', text: 'every trial agrees' }, { code: 'single-arm', text: 'it names a single arm' }]
    }],
    contrasts: [{
      why: { code: 'interval-too-wide', text: 'the interval includes both no difference and a relevant one' }
    }],
    arms: [{
      boundWhy: 'both-waited', boundText: /^neither the load generator nor the served side was busy/
    }]
  })
  t.equal(findFault('record', toStored(printed)), null, 'the printed JSON has the same schema')
  t.match(inOneLine(printAdvice(advice)), /Check with: npm run/)
})

t.test('stores a reason without words, and adds them to what is printed', async t => {
  /** @type {Reason} */
  const frequent = { ...reason, most: { invalid: 3, trials: 6 } }
  const record = makeRecord({
    arms: [makeArm({ rps: null, invalid: frequent, invalidTrials: [{ block: 2, reason }] })]
  })
  t.equal(findFault('record', toStored(record)), null)
  t.equal(findFault('sample', toStored(makeSample({ invalid: reason }))), null)
  const text = '5 errors on 100 requests: 5 not 2xx'
  t.match(renderText(record).replaceAll(/\s+/g, ' '), `3 of 6 trials are invalid, most often because ${text}`)
  const printed = printRecord(record)
  t.match(printed.arms, [{
    invalid: { ...frequent, text: `3 of 6 trials are invalid, most often because ${text}` },
    invalidTrials: [{ block: 2, reason: { ...reason, text } }]
  }])
  t.equal(findFault('record', toStored(printed)), null)
  const withoutParameters = makeSample({ invalid: /** @type {any} */ ({ code: 'errors' }) })
  t.type(findFault('sample', toStored(withoutParameters)), 'string', 'a reason has parameters')
})

t.test('adds texts to the reasons of a sizing', async t => {
  const why = /** @type {const} */ ({ code: 'memory-too-small', params: { neededMiB: 90, usedMiB: 70 } })
  const [first, ...rows] = sizing.table
  const record = makeRecord({
    sizing: {
      ...sizing,
      table: [{ ...first, instances: null, monthly: null, why }, ...rows],
      verification: sizing.verification && { ...sizing.verification, holds: false, why }
    }
  })
  t.equal(findFault('record', toStored(record)), null)
  t.match(renderText(record).replace(/\s+/g, ' '), /too small: one process needs 90 MiB, 70 MiB under load/)
  const printed = { ...why, text: printSizingWhy(why) }
  const { answer, ...json } = JSON.parse(toJson(record))
  t.match(json.sizing, { table: [{ why: printed }], verification: { why: printed } })
  t.equal(findFault('record', json), null)
})

t.test('a clause in place of a fact, an unknown code and missing parameters are faults', async t => {
  const clause = /** @type {any} */ ('it did not respond')
  const sentences = /** @type {any} */ ({ code: 'cut-off', text: clause, remedy: clause })
  const [row] = sizing.table
  const records = [
    { claims: [makeClaim({ why: clause })] },
    { contrasts: [makeContrast({ why: clause })] },
    { recommendation: [clause] },
    { warnings: [sentences] },
    { warnings: [({ code: 'sunspots', params: {} })] },
    { warnings: [({ code: 'not-confined', params: {} })] },
    { arms: [makeArm({ invalid: /** @type {any} */ ({ code: 'errors', text: clause }) })] },
    { sizing: { ...sizing, table: [{ ...row, why: clause }] } }
  ]
  for (const overrides of records) {
    t.type(findFault('record', toStored(makeRecord(overrides))), 'string', Object.keys(overrides)[0])
  }
})

t.test('prints one trial in the singular', t => {
  t.match(countInvalid({ invalid: 1, trials: 1, arm: 'a' }), /^1 of 1 trial of a is invalid$/)
  t.match(countInvalid({ invalid: 1, trials: 3 }), /^1 of 3 trials is invalid$/)
  t.match(countInvalid({ invalid: 2, trials: 3 }), /^2 of 3 trials are invalid$/)
  t.end()
})
