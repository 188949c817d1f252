/** Servers that lie: no ratio of theirs is a result. */
import t from 'tap'
import { failsWell, hopbench, leavesNothing, placeFor } from '../support/cli.js'
import { copyWithLiars } from '../support/liars.js'

const from = copyWithLiars(t)

t.test('a server of wrong bytes is refused before anything is measured', async t => {
  const place = placeFor(t)
  const result = await hopbench(['run', 'express-json', 'wrong-bytes', '--quick', '--results', place.results], {
    place,
    from
  })
  await failsWell(t, result, {
    place,
    exit: 1,
    says: /^wrong-bytes answers incorrectly: the body is another one/m
  })
})

t.test('what is left to compare is compared when one arm is refused', async t => {
  const place = placeFor(t)
  const { exit, stdout, stderr } = await hopbench(
    ['run', 'http-json', 'wrong-bytes', 'express-json', '--smoke', '--json', '--results', place.results],
    { place, from }
  )
  t.equal(exit, 1, 'an answer is missing') || t.comment(stderr)
  const { contrasts } = JSON.parse(stdout)
  t.match(contrasts, [{ arm: 'wrong-bytes', verdict: 'invalid', why: /the body is another one/ }, {
    arm: 'express-json'
  }])
  t.not(contrasts[1].verdict, 'invalid')
  await leavesNothing(t, place)
})
