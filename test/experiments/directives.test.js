/** Tests that each directive of nginx is compared alone. */
import t from '../support/tap.js'
import directives from '../../bench/experiments/directives.js'
import { parse } from '../../bench/plan/spec.js'

t.test('sendfile is compared without tcp_nopush, which has an effect only with it', async t => {
  const pairs = directives.answer?.pairs?.filter(([arm]) => /, no (sendfile|tcp_nopush)$/.test(arm)) ?? []
  const toOptions = (/** @type {string} */ name) => {
    const arm = directives.arms[name]
    const { sendfile = true, tcp_nopush: nopush = true } =
      parse(typeof arm === 'string' ? arm : arm.topology).proxy?.options ?? {}
    return { sendfile, nopush: sendfile && nopush }
  }
  t.equal(pairs.length, 8)
  for (const [arm, baseline] of pairs) {
    const [changed, before] = [toOptions(arm), toOptions(baseline)]
    const differences = Object.keys(before).filter(key => Reflect.get(changed, key) !== Reflect.get(before, key))
    t.strictSame(differences, [arm.endsWith('sendfile') ? 'sendfile' : 'nopush'], `${arm} and ${baseline}`)
  }
})
