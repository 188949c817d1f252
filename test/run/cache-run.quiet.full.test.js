/** A run of nginx with a cache and without one. */
import t from '../support/tap.js'
import { leavesNothing } from '../support/cli.js'
import { measured } from '../support/quiet-run.js'

const noErrors = { non2xx: 0, timeouts: 0, resets: 0, mismatches: 0 }

t.test('a cache that is on serves nearly all requests, and one that is off serves none', async t => {
  const { workspace, record: { arms, contrasts } } = await measured(t, ['run', 'nginx:uds/http-json',
    'nginx:uds+cache=5s/http-json', '--engine', 'autocannon', '--quick', '--warm-up', '1s',
    '--budget', '45s', '--json'])
  t.ok(arms[0].proof.cacheHitRatio < 0.5, `${arms[0].proof.cacheHitRatio}`)
  t.ok(arms[1].proof.cacheHitRatio > 0.99, `${arms[1].proof.cacheHitRatio}`)
  t.match(arms.map((/** @type {any} */ arm) => arm.errors), [noErrors, noErrors])
  t.not(contrasts[0].verdict, 'invalid')
  t.ok(contrasts[0].ratio > 1)
  await leavesNothing(t, workspace)
})
