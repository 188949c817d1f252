/** Connections of engines to the address of a URL that was checked, with the name of the URL. */
import t from '../../support/tap.js'
import { withAddress } from '../../../bench/load/generators/peer.js'
import { loadPlugin } from '../../../bench/plan/plugins.js'

const load = { engine: 'wrk', connections: 1, path: '/a', headers: { Accept: '*/*' } }
const toTarget = (/** @type {string} */ url, address = '192.0.2.1') =>
  ({ url, address, socketPath: null, expectBody: null })

t.test('the URL gets the address, and the header Host the name', async t => {
  /** @type {[url: string, address: string, replaced: string, host: string][]} */
  const cases = [
    ['http://shop.example:8080', '192.0.2.1', 'http://192.0.2.1:8080', 'shop.example:8080'],
    ['http://shop.example', '2001:db8::1', 'http://[2001:db8::1]', 'shop.example'],
    ['https://shop.example', '192.0.2.1', 'https://192.0.2.1', 'shop.example']
  ]
  for (const [url, address, replaced, host] of cases) {
    t.strictSame(withAddress(load, toTarget(url, address)), {
      load: { ...load, headers: { Host: host, Accept: '*/*' } }, target: toTarget(replaced, address)
    })
  }
})

t.test('a header Host of the load is kept, and a target without an address, too', async t => {
  const named = { ...load, headers: { host: 'other.example' } }
  t.equal(withAddress(named, toTarget('http://shop.example')).load, named)
  const target = { url: 'http://127.0.0.1:8080', socketPath: null, expectBody: null }
  const kept = withAddress(load, target)
  t.equal(kept.load, load)
  t.equal(kept.target, target)
})

t.test('engines that take an address connect to the address, with the name of the URL', async t => {
  const context = { program: 'h2load', dir: '/tmp', maxSeconds: 1, part: 0, cores: 1 }
  const target = toTarget('https://shop.example')
  const { default: autocannon } = await loadPlugin('engine', 'autocannon')
  const [{ env }] = autocannon.command(load, target, context).processes
  const { url, serverName, headers } = JSON.parse(env.HOPBENCH_GENERATOR)
  t.strictSame({ url, serverName, headers }, {
    url: 'https://192.0.2.1/a', serverName: 'shop.example', headers: { Host: 'shop.example', Accept: '*/*' }
  })
  const { default: h2load } = await loadPlugin('engine', 'h2load')
  const [{ argv }] = h2load.command(load, target, context).processes
  t.ok(argv.includes('--connect-to=192.0.2.1'), argv.join(' '))
  t.equal(argv.at(-1), 'https://shop.example/a')
})
