/** Tests that the facts of a record have texts, and that its JSON has both. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../../support/tap.js'
import { PROJECT } from '../../../bench/plan/plugins.js'
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

const { $defs } = JSON.parse(readFileSync(join(PROJECT, 'results/schema.json'), 'utf8'))

/**
 * Returns a value that a schema accepts, with the required fields of each object.
 * @param {any} schema
 * @returns {any}
 */
function makeValue ({ $ref, oneOf, anyOf, enum: values, type, ...schema }) {
  if ($ref) return makeValue($defs[$ref.split('/').at(-1)])
  const [option] = oneOf ?? anyOf ?? []
  if (option) return makeValue(option)
  if ('const' in schema) return schema.const
  if (values) return values[0]
  const { properties, required = [], items, pattern } = schema
  const made = {
    number: () => 2,
    integer: () => 2,
    string: () => pattern ? '2026-11-23' : 'a text',
    boolean: () => true,
    array: () => [makeValue(items)],
    object: () => Object.fromEntries(required.map((/** @type {string} */ name) => [name, makeValue(properties[name])]))
  }
  return made[/** @type {keyof typeof made} */ ([type].flat()[0])]()
}

t.test('every code has a text', async t => {
  /** @type {Record<string, [texts: object, print: (fact: any) => string | null]>} */
  const kinds = {
    Warning: [warningTexts, warning => {
      const { text, remedy } = printWarning(warning)
      return `${text} ${remedy.text}`
    }],
    Advice: [adviceTexts, advice => printAdvice(advice).text],
    ContrastWhy: [contrastWhyTexts, why => printContrastWhy({ why })],
    ChangeWhy: [changeWhyTexts, printChangeWhy],
    Reason: [reasonTexts, printReason],
    SizingWhy: [sizingWhyTexts, printSizingWhy],
    ClaimWhy: [claimWhyTexts, why => printClaimWhy({ why: [why] })]
  }
  for (const [name, [texts, print]] of Object.entries(kinds)) {
    const { oneOf } = $defs[name].oneOf ? $defs[name] : $defs[$defs[name].$ref.split('/').at(-1)]
    const facts = oneOf.map(makeValue)
    t.strictSame(Object.keys(texts).sort(), facts.map((/** @type {{ code: string }} */ { code }) => code).sort(), name)
    for (const fact of facts) t.notMatch(print(fact), /^\S*$|[{}]|undefined|NaN/, fact.code)
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
      emulated: sizing.emulated?.map(found => ({ ...found, holds: false, why }))
    }
  })
  t.equal(findFault('record', toStored(record)), null)
  t.match(renderText(record).replace(/\s+/g, ' '), /too small: one process needs 90 MiB, 70 MiB under load/)
  const printed = { ...why, text: printSizingWhy(why) }
  const { answer, ...json } = JSON.parse(toJson(record))
  t.match(json.sizing, { table: [{ why: printed }], emulated: [{ why: printed }] })
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
