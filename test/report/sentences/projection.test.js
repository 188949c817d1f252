/** Tests the projection to one core each for proxy and app, from the CPU time per request. */
import t from '../../support/tap.js'
import { projectionSentences, projectRatio } from '../../../bench/report/sentences/contrast-sentences.js'
import { makeArm, makeContrast, makeRecord } from '../../support/record.js'

/**
 * Makes an arm with this CPU time per request.
 * @param {string} name
 * @param {{ proxy: number, server: number }} cpu in µs
 * @param {object} [topology]
 */
const arm = (name, cpu, topology = {}) => makeArm({
  name,
  cpuMicrosPerRequest: { load: 20, ...cpu },
  topology: {
    proxy: cpu.proxy > 0 ? { name: 'nginx', transport: 'uds-keepalive', options: {} } : null,
    server: { name: 'express-json', instances: 1, manager: 'node', options: {} },
    ...topology
  }
})

/**
 * Projects a ratio that was not measured at capacity.
 * @param {Parameters<typeof projectRatio>[1]} arm
 * @param {Parameters<typeof projectRatio>[2]} baseline
 */
const byCpu = (arm, baseline) => projectRatio({ ratio: 0.7, measures: 'hand-off latency' }, arm, baseline)

t.test('scales the measured ratio of two saturated arms, independent of the speed of their blocks', async t => {
  const contrast = { ratio: 0.75, measures: /** @type {const} */ ('capacity') }
  const direct = arm('direct', { proxy: 0, server: 100 })
  const projected = 0.75 * 120 / 80
  t.equal(projectRatio(contrast, arm('uds', { proxy: 40, server: 80 }), direct), projected)
  t.equal(projectRatio(contrast, arm('uds', { proxy: 20, server: 40 }), direct), projected, 'a faster hour')
  t.equal(projectRatio({ ...contrast, ratio: 1.25 }, direct, arm('uds', { proxy: 40, server: 80 })), 1.25 * 80 / 120)
})

t.test('projects from the slower of proxy and server', async t => {
  const direct = arm('direct', { proxy: 0, server: 100 })
  t.equal(byCpu(arm('uds', { proxy: 40, server: 80 }), direct), 100 / 80)
  t.equal(byCpu(arm('uds', { proxy: 200, server: 80 }), direct), 0.5, 'a proxy that takes more than the app')
  t.equal(byCpu(direct, arm('uds', { proxy: 40, server: 80 })), 80 / 100, 'arm and baseline exchanged')
})

t.test('compares only one app alone and behind a proxy, with one process each', async t => {
  const direct = arm('direct', { proxy: 0, server: 100 })
  const proxied = arm('uds', { proxy: 40, server: 80 })
  t.equal(byCpu(proxied, arm('tcp', { proxy: 50, server: 80 })), null)
  const four = { server: { name: 'express-json', instances: 4 } }
  t.equal(byCpu(arm('four', { proxy: 40, server: 80 }, four), direct), null)
  t.equal(byCpu(arm('st', { proxy: 40, server: 80 }, { server: { name: 'st', instances: 1 } }), direct), null)
  t.equal(byCpu(makeArm({ ...proxied, cpuMicrosPerRequest: null }), direct), null)
  t.equal(byCpu(undefined, direct), null)
})

t.test('prints the projection only where proxy and app shared one core', async t => {
  const record = makeRecord({
    arms: [arm('direct', { proxy: 0, server: 100 }), arm('uds', { proxy: 40, server: 80 })],
    contrasts: [makeContrast({ arm: 'uds', baseline: 'direct' })]
  })
  const on = (/** @type {number[]} */ served) =>
    ({ ...record, environment: { ...record.environment, cores: { load: [0], served } } })
  t.strictSame(projectionSentences(on([1])), [
    'Proxy and app shared one core here. With one core each, uds would serve about 0.63 times as much per core as ' +
    'direct (1.25 times in total, with two cores instead of one). This is projected from the CPU time per request. ' +
    'If the app runs one process per core, both alone and behind the proxy, the measured ratio holds instead.'
  ])
  t.strictSame(projectionSentences(on([1, 2])), [])
})
