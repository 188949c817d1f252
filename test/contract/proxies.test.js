import t from 'tap'
import { loadPlugin, pluginNames } from '../../bench/plugins.js'
import { resolveOptions } from '../../bench/topology/options.js'
import { transports } from '../../bench/topology/word.js'

/** @type {import('../../bench/types.d.ts').Address} */
const listen = { kind: 'tcp', host: '127.0.0.1', port: 8080 }

for (const name of pluginNames('proxy')) {
  t.test(`proxy ${name}`, async t => {
    /** @type {{ default: import('../../bench/types.d.ts').ProxyPlugin }} */
    const { default: proxy } = await loadPlugin('proxy', name)
    const options = resolveOptions(name, proxy.about.options, {})

    for (const transport of transports) {
      const address = transport.startsWith('uds')
        ? /** @type {const} */ ({ kind: 'unix', path: '/tmp/t/app.sock' })
        : /** @type {const} */ ({ kind: 'tcp', host: '127.0.0.1', port: 3000 })
      const render = () => proxy.render({
        version: '1.22.1', listen, upstream: { addresses: [address], transport }, root: '/srv', options, dir: '/tmp/t', clients: 100, purpose: 'measure'
      })
      const text = Object.values(render()).join('\n')
      t.ok(text.includes('8080'), `${transport}: listens where it is told`)
      t.ok(text.includes(transport.startsWith('uds') ? '/tmp/t/app.sock' : '3000'), `${transport}: goes to the app`)
      t.notMatch(text, /undefined|NaN|\[object|\{\{/, `${transport}: no hole in the text`)
      t.same(render(), render(), `${transport}: the same request gives the same text`)
    }
    const serveFiles = () => proxy.render({ version: '1.22.1', listen, upstream: null, root: '/srv/files', options, dir: '/tmp/t', clients: 100, purpose: 'measure' })
    if (proxy.about.static) {
      const text = Object.values(serveFiles()).join('\n')
      t.ok(text.includes('8080') && text.includes('/srv/files'), 'files: listens where it is told, serves the folder')
      t.notMatch(text, /undefined|NaN|\[object|\{\{/, 'files: no hole in the text')
    }
    for (const [option, spec] of Object.entries(proxy.about.options)) {
      t.ok(spec.help, `${option} says what it is`)
      t.ok(!spec.choices || spec.choices.includes(spec.default), `the default of ${option} is one of its choices`)
    }
    t.equal(proxy.version.parse('no version here'), null, 'does not invent a version')
    t.equal(proxy.counters.parseLogLine('not a line of the log'), null, 'ignores a line it does not know')
    t.throws(() => proxy.counters.parse('<html>404</html>', {}), 'refuses an answer that is not its counters')
  })
}
