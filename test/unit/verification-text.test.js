import t from 'tap'
import { withAnswers } from '../../bench/report/answers/page.js'
import { briefVerification, verificationSentences } from '../../bench/report/verification-text.js'
import { makeRecord } from '../support/record.js'
import { sizing } from '../support/sizing.js'

/** @import { Answer } from '../../bench/report/answers/answer.js' */
/** @import { AtLimit, Sizing } from '../../bench/types.js' */

const [row] = sizing.table
const verification = /** @type {NonNullable<Sizing['verification']>} */ (sizing.verification)
const textOf = (/** @type {Partial<Sizing>} */ more) => verificationSentences({ ...sizing, ...more }).join('\n')
const vm = { ...row, offering: { ...row.offering, name: 'Large', vcpu: 4, class: /** @type {const} */ ('vm') } }
const shared = { ...row, offering: { ...row.offering, name: 'Small', class: /** @type {const} */ ('shared') } }

t.test('lists the offerings of an answer that were not verified, with the reason', async t => {
  t.notMatch(textOf({}), /[Nn]ot verified|does not name/)
  const text = textOf({ table: [row, vm, shared] })
  t.match(text, /^Not verified: Acme Small\.$/m)
  t.match(text, /^Not verified, because this machine serves with 1 core and each has more: Acme Large\.$/m)
  t.notMatch(text, /does not name/)
  t.notMatch(textOf({ table: [row, vm, shared], verified: [{ ...verification, offering: 'Acme Small' }] }),
    /Not verified: Acme Small/)
  t.match(textOf({ table: [shared] }), /The answer does not name Acme <b>One<\/b>, so this confirms none of its/)
  t.same(verificationSentences({ ...sizing, verification: null, table: [vm] }), [])
  t.match(briefVerification({ ...sizing, table: [row, vm] }), [/^One instance/, /^Not verified, because/])
})

t.test('reports p99 at the limit of requests in flight, and a limit that was lowered', async t => {
  const at = (/** @type {AtLimit} */ atLimit) => textOf({ verification: { ...verification, atLimit } })
  t.match(at({ limit: 60, inFlight: 60, p99Ms: 45, holds: true }),
    /At the limit of a kit, or with all .* fewer, p99 was 45\.0 ms with 60 requests in flight\.$/)
  t.match(at({ limit: 60, inFlight: 30, p99Ms: 40, holds: true }), /A kit permits 30 requests in flight in place of 60/)
  t.match(at({ limit: 60, inFlight: 25, p99Ms: 55, holds: false }), /The goal is missed .* 25 requests in flight\.$/)
})

t.test('an answer with a line for each rate has line breaks in the table of README.md', async t => {
  const [begin, end] = ['<!-- answers: made by hopbench answers --write -->', '<!-- /answers -->']
  const answer = /** @type {Answer} */ (/** @type {unknown} */ ({
    question: { id: 'x', question: 'How many?' },
    sentence: 'By rate.\n500 req/s: 2 × A_B.',
    more: [],
    records: [makeRecord()]
  }))
  t.match(withAnswers(`${begin}\n${end}\n`, [answer]), '| By rate.<br>500 req/s: 2 × A\\_B. |')
})
