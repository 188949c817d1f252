import t from '../../support/tap.js'
import * as claims from '../../../bench/judge/claims/claims.js'
import { printClaimWhy } from '../../../bench/report/facts/facts.js'
import { planFor, sampleOf } from '../../support/samples.js'

/** @import { ClaimResult, ClaimTest, Sample } from '../../../bench/types.js' */

/**
 * Prints the reasons of a claim.
 * @template {Pick<ClaimResult, 'why'>} Judged
 * @param {Judged} judged
 */
const inWords = judged => ({ ...judged, why: printClaimWhy(judged) })

/** @param {Parameters<typeof claims.judgeErrors>} input */
const judgeErrors = (...input) => inWords(claims.judgeErrors(...input))
/** @param {Parameters<typeof claims.judgeFirstError>} input */
const judgeFirstError = (...input) => inWords(claims.judgeFirstError(...input))

const NONE = { non2xx: 0, timeouts: 0, resets: 0, mismatches: 0 }
const MANY = { ...NONE, resets: 4000 }
/** Fields of a trial that was skipped because an earlier step had errors. @type {Partial<Sample>} */
const BEYOND = {
  seconds: 0, requests: 0, rps: 0, invalid: { code: 'beyond-first-errors', params: { connections: 500 } }
}
/** @type {Partial<Sample>} */
const DIED = { seconds: 0, invalid: { code: 'process-died', params: { message: 'it ended' } } }

/**
 * Makes the trials of each arm.
 * @param {Record<string, string>} rows by arm, a mark for each block: x errors, o no errors, - skipped, d process died
 */
const trials = rows => Object.entries(rows).flatMap(([arm, row]) => [...row].map((mark, block) => sampleOf({
  arm,
  block,
  errors: mark === 'x' ? MANY : NONE,
  ...mark === '-' ? BEYOND : {},
  ...mark === 'd' ? DIED : {}
})))

/** @type {ClaimTest & { kind: 'errors' }} */
const test = { kind: 'errors', in: ['small'], notIn: ['large'] }

t.test('confirms errors only in the arms for which they were published', async t => {
  t.match(judgeErrors(test, trials({ small: 'xxxxxx', large: 'oooooo' })), {
    status: 'confirmed',
    measured: 'small: 6 of 6, large: 0 of 6 trials with errors'
  })
  t.match(judgeErrors(test, trials({ small: 'oooooo', large: 'oooooo' })), {
    status: 'refuted',
    why: 'small had errors in none of its trials'
  })
  t.match(judgeErrors(test, trials({ small: 'xxxxxx', large: 'xxxxxx' })), {
    status: 'refuted',
    why: 'large had errors in all of its trials'
  })
  t.match(judgeErrors(test, trials({ small: 'xoxxxx', large: 'oooooo' })), {
    status: 'inconclusive',
    why: /small had errors in only some/
  })
  t.match(judgeErrors(test, trials({ small: 'xx', large: '--' })), {
    status: 'inconclusive',
    why: 'no trial of large is conclusive'
  })
  t.match(judgeErrors(test, trials({ small: 'dddddd', large: 'oooooo' })), { status: 'confirmed' },
    'a process that ended counts as an error')
})

t.test('a claim with fewer than six trials is inconclusive', async t => {
  for (const rows of [{ small: 'ooo', large: 'ooo' }, { small: 'xxxxx', large: 'oooooo' }]) {
    t.match(judgeErrors(test, trials(rows)),
      { status: 'inconclusive', why: /^[35] trials of small are conclusive, and 6 are needed$/ })
  }
})

t.test('ignores error rates below one in a thousand', async t => {
  const stray = [0, 1, 2, 3, 4, 5].flatMap(block => [sampleOf({ arm: 'small', block, errors: MANY }),
    sampleOf({ arm: 'large', block, requests: 10_000, errors: { ...NONE, resets: 3 } })])
  t.equal(judgeErrors(test, stray).status, 'confirmed')
})

t.test('compares the step with the first errors with the published one', async t => {
  const plan = planFor({
    arms: { tcp: 'nginx:tcp/express-json', uds: 'nginx:uds/express-json' },
    protocol: 'ladder',
    steps: [100, 500, 1000]
  })
  const first = (/** @type {number | null} */ connections, /** @type {Record<string, string>} */ rows) =>
    judgeFirstError({ kind: 'first-error-at', arm: 'tcp', connections }, plan, trials(rows))
  const at500 = { 'tcp c100': 'ooo', 'tcp c500': 'xxx', 'tcp c1000': '---' }
  t.match(first(500, at500), { status: 'confirmed', measured: 'errors from 500 connections on (3 of 3 blocks)' })
  t.match(first(1000, at500), { status: 'refuted', why: 'published: errors from 1,000 connections on' })
  t.match(first(null, at500), { status: 'refuted' })
  t.match(first(null, { 'tcp c100': 'oo', 'tcp c500': 'oo', 'tcp c1000': 'oo' }), {
    status: 'confirmed',
    measured: 'no errors at any step (2 of 2 blocks)'
  })
  t.match(first(500, { 'tcp c100': 'oo', 'tcp c500': 'xo', 'tcp c1000': '-x' }), {
    status: 'inconclusive',
    measured: /500 .*1 of 2.*1,000 .*1 of 2/
  })
  t.match(first(500, { 'tcp c100': 'o', 'tcp c500': '-' }), {
    status: 'inconclusive',
    why: 'no block reached its first errors or its last step'
  })
})

t.test('first errors are not testable in a protocol without steps', async t => {
  t.match(judgeFirstError({ kind: 'first-error-at', arm: 'tcp', connections: 500 }, planFor(), []), {
    status: 'not-testable',
    why: /protocol slices does not step up/
  })
})
