import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../support/tap.js'
import { loadPlugin, pluginNames, PROJECT } from '../../bench/plan/plugins.js'
import { resolveOptions } from '../../bench/plan/topology-options.js'
import { transports } from '../../bench/plan/spec.js'

/** @import { Address, ProxyPlugin, RenderRequest } from '../../bench/types.js' */
/** @import { Test } from 'tap' */

const { files } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8'))
/** @type {Address} */
const listen = { kind: 'tcp', host: '127.0.0.1', port: 8080 }

/**
 * @param {Test} t
 * @param {ProxyPlugin} proxy
 */
function checkCounters (t, proxy) {
  const { counters } = proxy
  if ('read' in counters) {
    t.throws(() => counters.read('/nowhere', '/nowhere'), { code: 'ENOENT' }, 'reports that its counters are not there')
  } else {
    t.throws(() => counters.parse('<html>404</html>', {}), { message: /not contain its counters/ },
      'rejects a response without counters')
    t.equal(counters.isReady?.('<html>404</html>') ?? false, false,
      'is not up for a response without counters')
  }
}

/**
 * @param {Test} t
 * @param {ProxyPlugin} proxy
 * @param {RenderRequest} plain
 */
function checkHome (t, proxy, plain) {
  const hasSockets = (proxy.about.transports ?? transports).includes('uds')
  /** @type {RenderRequest['upstream']} */
  const upstream = hasSockets
    ? { addresses: [{ kind: 'unix', path: '/run/app/app.sock' }], transport: 'uds' }
    : { addresses: [{ kind: 'tcp', host: '127.0.0.1', port: 3000 }], transport: 'tcp' }
  const recommended = Object.values(proxy.render({ ...plain, upstream, purpose: 'home' })).join('\n')
  t.match(recommended, hasSockets ? '/run/app/app.sock' : '127.0.0.1:3000',
    'the recommended configuration goes to the app')
  t.notMatch(recommended, /undefined|NaN|\[object|\{\{|\/tmp\/t\/|[Ff]or the suite|HOPBENCH/,
    'and holds nothing of the suite')
  if (!proxy.about.static) {
    t.throws(() => proxy.render(plain), { message: /does not serve files$/ },
      'files: it does not pretend to serve them')
  }
}

for (const name of pluginNames('proxy')) {
  t.test(`proxy ${name}`, async t => {
    /** @type {{ default: ProxyPlugin }} */
    const { default: proxy } = await loadPlugin('proxy', name)
    const options = resolveOptions(name, proxy.about.options, {})
    /** @type {RenderRequest} */
    const plain = {
      version: '2.4.57',
      listen,
      upstream: null,
      root: '/srv/files',
      options,
      dir: '/tmp/t',
      modules: proxy.modules ? { folder: '/lib/modules', installed: '/usr/lib/modules', files: [], builtIn: [] } : null,
      clients: 100,
      purpose: 'measure'
    }

    const reached = proxy.about.transports ?? transports
    t.ok(reached.every(transport => transports.includes(transport)), 'reaches servers by transports that there are')
    for (const transport of reached) {
      const address = transport.startsWith('uds')
        ? /** @type {const} */ ({ kind: 'unix', path: '/tmp/t/app.sock' })
        : /** @type {const} */ ({ kind: 'tcp', host: '127.0.0.1', port: 3000 })
      const request = { ...plain, upstream: { addresses: [address], transport } }
      const command = () => proxy.command(plain.dir, plain.version, request).join(' ')
      const render = () => ({ ...proxy.render(request), command: command() })
      const text = Object.values(render()).join('\n')
      t.ok(text.includes('8080'), `${transport}: listens where it should`)
      t.ok(text.includes(transport.startsWith('uds') ? 'app.sock' : '3000'), `${transport}: goes to the app`)
      t.notMatch(text, /undefined|NaN|\[object|\{\{/, `${transport}: no hole in the text`)
      t.same(render(), render(), `${transport}: the same request gives the same text`)
      t.ok((proxy.startSeconds?.(request) ?? 15) > 0, `${transport}: states how long it may take to start`)
      t.ok((proxy.folders?.(request) ?? []).every(folder => folder.startsWith('/tmp/t/')),
        `${transport}: its folders are its own`)
    }
    const distinct = new Set(reached.map(transport =>
      JSON.stringify(proxy.render({
        ...plain,
        upstream: { addresses: [{ kind: 'tcp', host: '127.0.0.1', port: 3000 }], transport }
      })).replaceAll(/# [^\\]*/g, '')
    ))
    checkHome(t, proxy, plain)
    t.equal(distinct.size, new Set(reached.map(transport => transport.endsWith('keepalive'))).size,
      'pooled connections and fresh ones have other words, and nothing else differs over one address')

    if (proxy.about.static) {
      const text = Object.values(proxy.render(plain)).join('\n')
      t.ok(text.includes('8080') && text.includes('/srv/files'), 'files: listens where it should, serves the folder')
      t.notMatch(text, /undefined|NaN|\[object|\{\{/, 'files: no hole in the text')
    }
    for (const [option, spec] of Object.entries(proxy.about.options)) {
      t.ok(spec.help, `${option} has a help text`)
      t.ok(!spec.choices || spec.choices.includes(spec.default), `the default of ${option} is one of its choices`)
    }
    if (proxy.modules) {
      t.ok(proxy.modules.needed(plain).length > 0, 'lists which modules it needs')
      t.ok(proxy.modules.folders.every(folder => !folder.startsWith('/')),
        'looks for them from the root of its package')
    }
    t.ok(files.includes(name === 'nginx' ? name : 'proxy'), 'the folder of its templates is published')
    t.equal(proxy.version.parse('no version here'), null, 'does not invent a version')
    t.equal(proxy.counters.parseLogLine('not a line of the log'), null, 'ignores a line it does not know')
    checkCounters(t, proxy)
  })
}
