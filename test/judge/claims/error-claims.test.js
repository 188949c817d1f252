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

t.test('judges errors by the arms for which they were published, from six trials on', async t => {
  /** @type {[rows: Record<string, string>, expected: object][]} */
  const cases = [
    [{ small: 'xxxxxx', large: 'oooooo' },
      { status: 'confirmed', measured: 'small: 6 of 6, large: 0 of 6 trials with errors' }],
    [{ small: 'oooooo', large: 'oooooo' }, { status: 'refuted', why: 'small had errors in none of its trials' }],
    [{ small: 'xxxxxx', large: 'xxxxxx' }, { status: 'refuted', why: 'large had errors in all of its trials' }],
    [{ small: 'xoxxxx', large: 'oooooo' }, { status: 'inconclusive', why: /small had errors in only some/ }],
    [{ small: 'xx', large: '--' }, { status: 'inconclusive', why: 'no trial of large is conclusive' }],
    // A process that ended counts as an error.
    [{ small: 'dddddd', large: 'oooooo' }, { status: 'confirmed' }],
    [{ small: 'ooo', large: 'ooo' },
      { status: 'inconclusive', why: '3 trials of small are conclusive, and 6 are needed' }],
    [{ small: 'xxxxx', large: 'oooooo' },
      { status: 'inconclusive', why: '5 trials of small are conclusive, and 6 are needed' }]
  ]
  for (const [rows, expected] of cases) t.match(judgeErrors(test, trials(rows)), expected, JSON.stringify(rows))
})

t.test('ignores error rates below one in a thousand', async t => {
  const stray = [0, 1, 2, 3, 4, 5].flatMap(block => [sampleOf({ arm: 'small', block, errors: MANY }),
    sampleOf({ arm: 'large', block, requests: 10_000, errors: { ...NONE, resets: 3 } })])
  t.equal(judgeErrors(test, stray).status, 'confirmed')
})

t.test('clients without a connection are errors, however many requests the others send', async t => {
  const unserved = { clients: 62, of: 1000 }
  const trials = [0, 1, 2, 3, 4, 5].flatMap(block => [sampleOf({ arm: 'small', block, errors: MANY }),
    sampleOf({ arm: 'large', block, requests: 100_000, errors: { ...NONE, timeouts: 62 }, unserved })])
  t.match(judgeErrors(test, trials), { status: 'refuted', measured: /large: 6 of 6 trials with errors/ })
  const one = trials.map(trial => trial.unserved ? { ...trial, unserved: { clients: 1, of: 100 } } : trial)
  t.match(judgeErrors(test, one), { status: 'confirmed', measured: /large: 0 of 6/ }, 'one of a hundred proves nothing')
})

t.test('compares the step with the first errors with the published one', async t => {
  const plan = planFor({
    arms: { tcp: 'nginx:tcp/express-json', uds: 'nginx:uds/express-json' },
    protocol: 'ladder',
    steps: [100, 500, 1000]
  })
  const at500 = { 'tcp c100': 'ooo', 'tcp c500': 'xxx', 'tcp c1000': '---' }
  /** @type {[published: number | null, rows: Record<string, string>, expected: object][]} */
  const cases = [
    [500, at500, { status: 'confirmed', measured: 'errors at 100 connections in 0 of 3 blocks, at 500 in 3 of 3' }],
    [1000, at500, { status: 'refuted', why: 'published: errors from 1,000 connections on' }],
    [null, at500, { status: 'refuted' }],
    [null, { 'tcp c100': 'oo', 'tcp c500': 'oo', 'tcp c1000': 'oo' },
      { status: 'confirmed', measured: 'errors at 1,000 connections in 0 of 2 blocks' }],
    [500, { 'tcp c100': 'oo', 'tcp c500': 'xo', 'tcp c1000': '-x' },
      { status: 'inconclusive', measured: /^errors at 100 .* 0 of 2 blocks, at 500 in 1 of 2, at 1,000 in 1 of 1$/ }],
    [500, { 'tcp c100': 'o', 'tcp c500': '-' },
      { status: 'inconclusive', measured: 'errors at 100 connections in 0 of 1 block' }],
    // Most blocks were not measured at 1,000.
    [500, { 'tcp c100': 'oooooo', 'tcp c500': 'xooooo', 'tcp c1000': '-x----' },
      { status: 'inconclusive', measured: /at 500 in 1 of 6, at 1,000 in 1 of 1$/ }],
    [500, { 'tcp c100': '-', 'tcp c500': '-', 'tcp c1000': '-' },
      { status: 'inconclusive', why: 'no step was measured' }]
  ]
  for (const [connections, rows, expected] of cases) {
    t.match(judgeFirstError({ kind: 'first-error-at', arm: 'tcp', connections }, plan, trials(rows)), expected)
  }
})
