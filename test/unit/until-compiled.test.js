/** Tests the warm-up of a start: full load until its code is compiled, then the rate of its first window. */
import t from 'tap'
import { untilCompiled } from '../../bench/measure/until-compiled.js'
import { makeArm } from '../support/record.js'

/**
 * Warms up a start and returns its windows.
 * @param {{ server?: string | null, cpu: number, plan?: object }} start cpu: CPU seconds of its server per window
 */
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

t.test('loads a start fully until its server has used 3 s of CPU time', async t => {
  t.same(await windowsOf({ cpu: 3.9 }), [4, settled])
  t.same(await windowsOf({ cpu: 1.6 }), [4, 4, settled])
})

t.test('ends the warm-up of a server without CPU time after four windows', async t => {
  t.same(await windowsOf({ cpu: 0.01 }), [4, 4, 4, 4, settled])
  t.same(await windowsOf({ cpu: 0, server: null }), [4, settled],
    'one window without a server, because no code is compiled')
})

t.test('a quick run and a smoke run use one short window', async t => {
  t.same(await windowsOf({ cpu: 0.5, plan: { quick: true } }), [1.5, ['paced', 'x 25 %', 2]])
  t.same(await windowsOf({ cpu: 0.5, plan: { quick: true, smoke: true } }), [1, ['paced', 'x 25 %', 1]])
})
