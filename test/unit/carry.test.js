/** What a core each would change, from the CPU time per request. */
import t from 'tap'
import { carrySentences, coreEach } from '../../bench/report/carry.js'
import { makeArm, makeContrast, makeRecord } from '../support/record.js'

/** @param {string} name @param {{ proxy: number, server: number }} cpu µs @param {object} [topology] */
const arm = (name, cpu, topology = {}) => makeArm({
  name,
  cpuMicrosPerRequest: { load: 20, ...cpu },
  topology: {
    proxy: cpu.proxy > 0 ? { name: 'nginx', transport: 'uds-keepalive', options: {} } : null,
    server: { name: 'express-json', instances: 1, manager: 'node', options: {} },
    ...topology
  }
})

t.test('the slower role of the two decides', async t => {
  const direct = arm('direct', { proxy: 0, server: 100 })
  t.equal(coreEach(arm('uds', { proxy: 40, server: 80 }), direct), 100 / 80)
  t.equal(coreEach(arm('uds', { proxy: 200, server: 80 }), direct), 0.5, 'a proxy that takes more than the app')
  t.equal(coreEach(direct, arm('uds', { proxy: 40, server: 80 })), 80 / 100, 'either way round')
})

t.test('only of one app alone and behind a proxy, a process each', async t => {
  const direct = arm('direct', { proxy: 0, server: 100 })
  const proxied = arm('uds', { proxy: 40, server: 80 })
  t.equal(coreEach(proxied, arm('tcp', { proxy: 50, server: 80 })), null)
  const four = { server: { name: 'express-json', instances: 4 } }
  t.equal(coreEach(arm('four', { proxy: 40, server: 80 }, four), direct), null)
  t.equal(coreEach(arm('st', { proxy: 40, server: 80 }, { server: { name: 'st', instances: 1 } }), direct), null)
  t.equal(coreEach(makeArm({ ...proxied, cpuMicrosPerRequest: null }), direct), null)
  t.equal(coreEach(undefined, direct), null)
})

t.test('it is said where they shared one core, and nowhere else', async t => {
  const record = makeRecord({
    arms: [arm('direct', { proxy: 0, server: 100 }), arm('uds', { proxy: 40, server: 80 })],
    contrasts: [makeContrast({ arm: 'uds', baseline: 'direct' })]
  })
  const on = (/** @type {number[]} */ served) =>
    ({ ...record, environment: { ...record.environment, cores: { load: [0], served } } })
  t.strictSame(carrySentences(on([1])), [
    'Proxy and app shared one core here. With a second core for the proxy, projected from CPU time per ' +
    'request, uds would be about ' +
    '1.25 times as fast as direct.'
  ])
  t.strictSame(carrySentences(on([1, 2])), [])
})
