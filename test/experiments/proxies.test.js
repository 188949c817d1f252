/** Tests that proxies are compared without metrics, as their recommended configurations are. */
import t from '../support/tap.js'
import proxies from '../../bench/experiments/proxies.js'
import { loadPlugin } from '../../bench/plan/plugins.js'
import { parse } from '../../bench/plan/spec.js'

t.test('every proxy that has the option metrics is compared without', async t => {
  const arms = [proxies, proxies.variants?.ingress].flatMap(experiment => Object.values(experiment?.arms ?? {}))
  const found = await Promise.all(arms.map(async arm => {
    const { proxy } = parse(typeof arm === 'string' ? arm : arm.topology)
    const has = proxy && (await loadPlugin('proxy', proxy.name)).default.about.options.metrics !== undefined
    return has ? [proxy.name, proxy.options.metrics] : []
  }))
  t.strictSame(found.filter(([name]) => name), [['caddy', false], ['caddy', false], ['traefik', false]])
})
