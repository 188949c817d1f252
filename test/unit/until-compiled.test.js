/** A start is loaded until its code is compiled, then at the rate of its first window. */
import t from 'tap'
import { untilCompiled } from '../../bench/measure/until-compiled.js'
import { makeArm } from '../support/record.js'

/** @param {{ server?: string | null, cpu: number, plan?: object }} start cpu: seconds of its server in a window */
async function windowsOf ({ server = 'express-json', cpu, plan = {} }) {
  const seen = /** @type {any[]} */ ([])
  const { topology } = makeArm()
  const arm = /** @type {any} */ ({ name: 'x 25 %', topology: { ...topology, server: server && { name: server } } })
  await untilCompiled(arm, /** @type {any} */ ({ plan, staged: {}, engine: 'paced' }), {
    full: async (_, { seconds }) => {
      seen.push(seconds)
      return /** @type {any} */ ({ sample: { cpuSeconds: { server: cpu } } })
    },
    atRate: async order => {
      seen.push([order.engine, order.arm.name, order.seconds])
      return /** @type {any} */ ({})
    }
  })
  return seen
}
const settled = ['paced', 'x 25 %', 5]

t.test('it is loaded as fast as it answers until three seconds of CPU time are used', async t => {
  t.same(await windowsOf({ cpu: 3.9 }), [4, settled])
  t.same(await windowsOf({ cpu: 1.6 }), [4, 4, settled])
})

t.test('one that takes no CPU time is not waited for', async t => {
  t.same(await windowsOf({ cpu: 0.01 }), [4, 4, 4, 4, settled])
  t.same(await windowsOf({ cpu: 0, server: null }), [4, settled], 'files of a proxy: nothing is compiled')
})

t.test('a quick and a smoke run take one short window', async t => {
  t.same(await windowsOf({ cpu: 0.5, plan: { quick: true } }), [1.5, ['paced', 'x 25 %', 2]])
  t.same(await windowsOf({ cpu: 0.5, plan: { quick: true, smoke: true } }), [1, ['paced', 'x 25 %', 1]])
})
