/** Ten quick runs of the smallest app with each engine behind every proxy: `npm run test:soak`, some 40 minutes. */
import t from '../support/tap.js'
import { makeWorkspace } from '../support/cli.js'
import { measureHello, SAME_RATE } from '../support/hello-apps.js'

const RUNS = 10
/** h2load gives no report at its end; ab needs a response in HTTP/1.0 that keeps the connection. */
const ENGINES = ['autocannon', 'wrk', 'h2load']
const PROXIES = ['nginx:keepalive', 'nginx:uds-keepalive', 'apache:keepalive', 'haproxy:keepalive', 'caddy:keepalive',
  'varnish:keepalive', 'envoy:keepalive']

const workspace = makeWorkspace(t)

for (const engine of ENGINES) {
  t.test(`${RUNS} quick runs with ${engine} have no invalid arm`, { timeout: 3600_000 }, async t => {
    const ratios = []
    for (let i = 0; i < RUNS; i++) {
      const found = await measureHello(t, workspace, { engine, proxies: PROXIES, budget: '60s' })
      if (found) ratios.push(Math.log(found.ratio))
    }
    const mean = Math.exp(ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length)
    t.ok(Math.abs(mean - 1) <= SAME_RATE, `by command against as a module: ${mean}`)
  })
}
