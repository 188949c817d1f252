/** Tests that each directive in which the recommended and the measured configuration differ has a reason. */
import t from '../../../support/tap.js'
import { parse, transports } from '../../../../bench/plan/spec.js'
import { loadPlugin, pluginNames } from '../../../../bench/plan/plugins.js'
import {
  compareDirectives, explainConfig, explainText, readArguments, readDirectives
} from '../../../../bench/features/deploy/explain/explain-config.js'
import { hopbench, makeWorkspace } from '../../../support/cli.js'
import { skipWithout } from '../../../support/needs.js'

/** @import { ProxyPlugin, ProxyProgram } from '../../../../bench/types.js' */

/** Versions of each proxy. */
const VERSIONS = {
  nginx: ['1.22.1', '1.29.8'],
  apache: ['2.4.57'],
  haproxy: ['2.6.12'],
  caddy: ['2.6.2'],
  varnish: ['7.1.1', '7.3.0'],
  traefik: ['3.7.15', '3.6.0'],
  envoy: ['1.40.0']
}
const HOSTS = '+host=example.com,www.example.com'
/** Options of the proxy in front of one process, and in front of two. @type {Record<string, string[]>} */
const OPTIONS = {
  nginx: ['', '+cache=5s', '+cache=5s+lock+stale=off+public_cookies=_ga', '+gzip+brotli', '+tls=ecdsa-p256',
    '+tls=rsa2048+tls_version=1.2+tls_session+http2', '+access_log', '+balance=least-conn',
    '+static+spa+tls=ecdsa-p256', HOSTS],
  apache: ['', '+cache=5s+lock', '+cache=5s+store=socache', '+mpm=prefork', '+mpm=worker+gzip', '+static+spa',
    HOSTS],
  haproxy: ['', '+gzip', '+balance=round-robin', '+zero_copy=off', '+http_no_delay', HOSTS],
  caddy: ['', '+gzip', '+balance=least-conn', '+static+spa', HOSTS],
  varnish: ['', '+cache=5s', '+cache=5s+stale=off+lock=off+gzip', HOSTS],
  traefik: ['', '+gzip', '+balance=p2c', HOSTS],
  envoy: ['', '+gzip', '+balance=least-conn', '+threads=2', HOSTS]
}
/** A list of modules that contains every name. @type {any} */
const ALL_MODULES = { includes: () => true }

/**
 * Explains one topology, with programs that need not exist.
 * @param {string} spec
 * @param {string} version of the proxy
 */
async function explainWord (spec, version) {
  const topology = { ...parse(spec), files: [{ prefix: '/assets', folder: '/srv/public' }] }
  /** @type {Map<string, ProxyProgram>} */
  const programs = new Map()
  const hops = [topology.proxy?.name, topology.server?.name]
  for (const name of hops.filter(name => name && pluginNames('proxy').includes(name))) {
    const { default: plugin } = await loadPlugin('proxy', String(name))
    const modules = { folder: '/modules', installed: '/usr/lib/nginx/modules', files: ALL_MODULES, builtIn: [] }
    programs.set(String(name), { plugin, program: '', env: {}, version, modules })
  }
  return explainConfig(topology, { clients: 300, programs })
}

for (const [name, versions] of Object.entries(VERSIONS)) {
  t.test(`each difference of ${name} has a reason, and each reason is needed`, async t => {
    /** @type {{ default: ProxyPlugin }} */
    const { default: { about, explain } } = await loadPlugin('proxy', name)
    const reasons = explain?.reasons ?? {}
    const words = OPTIONS[name].flatMap(options => (about.transports ?? transports).map(transport =>
      `${name}:${transport}${options}/http-json${options.includes('balance') ? '@node:2' : ''}`))
    const files = about.static ? [`${name}/files`, ...name === 'nginx' ? [`${name}+tls=ecdsa-p256/files`] : []] : []
    const used = new Set()
    for (const spec of [...words, ...files]) {
      for (const version of versions) {
        const [{ title, differences }] = await explainWord(spec, version)
        t.equal(title, about.title)
        t.strictSame(differences.filter(({ reason }) => reason === null).map(({ name }) => name), [], spec)
        for (const { name } of differences) used.add(name)
        const lines = explainText([{ title, differences }], { spec, columns: 80 }).split('\n')
        t.strictSame(lines.filter(line => line.length > 80), [], `${spec} within 80 columns`)
      }
    }
    t.strictSame(Object.keys(reasons).filter(reason => !used.has(reason)), [], 'no reason without a difference')
    t.ok(Object.values(reasons).every(reason => /^[A-Z].*\.$/.test(reason)), 'reasons are sentences')
  })
}

t.test('explains a proxy in the server\'s place beside the one in front', async t => {
  const [front, origin] = await explainWord('nginx:keepalive/nginx', '1.22.1')
  const names = (/** @type {typeof front} */ { differences }) => differences.map(({ name }) => name)
  t.ok(names(front).includes('proxy_set_header X-Forwarded-For'))
  t.notOk(names(origin).includes('proxy_set_header X-Forwarded-For'))
})

t.test('finds a directive that was added, removed or changed, and nothing else', async t => {
  const conf = 'a 1;\nb {\n    # A comment.\n    c 2;\n    d \'x\'\n      \'y\';\n}\n'
  const compare = (/** @type {string} */ changed) =>
    compareDirectives(readDirectives(conf, 'statements'), readDirectives(changed, 'statements'))
  t.strictSame(compare(conf.replace('A comment', 'Another one')), [])
  t.strictSame(compare(`${conf}e;`), [{ only: 'recommended', text: 'e;' }])
  t.strictSame(compare(conf.replace('a 1;', '')), [{ only: 'measured', text: 'a 1;' }])
  t.strictSame(compare(conf.replace('\'y\'', '\'z\'')),
    [{ only: 'recommended', text: 'd \'x\' \'z\';' }, { only: 'measured', text: 'd \'x\' \'y\';' }])
  t.strictSame(compare(`${conf}f {\n  g;\n}\n`), [{ only: 'recommended', text: 'f { g; … }' }], 'a whole block is one')
})

t.test('reads the blocks of every syntax', async t => {
  const toTexts = (/** @type {ReturnType<typeof readDirectives>} */ list) =>
    list.map(({ text, inner }) => inner === null ? text : [text, inner.map(({ text }) => text)])
  t.strictSame(toTexts(readDirectives('Listen 80\n<A "x">\n  B 1 \\\n    2\n</A>\nC\n', 'tags')),
    ['Listen 80', ['<A "x">', ['B 1 2']], 'C'])
  t.strictSame(toTexts(readDirectives('global\n    a 1\n\ndefaults\n    b\n', 'sections')),
    [['global', ['a 1']], ['defaults', ['b']]])
  t.strictSame(toTexts(readDirectives('{\n\tadmin off\n}\n:80 {\n\tlog\n}\n', 'lines')),
    [['{', ['admin off']], [':80 {', ['log']]])
  t.strictSame(toTexts(readDirectives('sub a {\n  C{\n    x(1,\n      2);\n  }C\n}\nsub b {\n}\n', 'statements')),
    [['sub a {', ['C{']], ['sub b {', []]])
  t.strictSame(toTexts(readDirectives('a:\n  b:\n  - name: c\n    d: 1\n  # A comment.\n  - e\nf: 2\n', 'indents')),
    [['a:', ['b:']], 'f: 2'])
  t.strictSame(toTexts(readDirectives('a:\n- name: c\n  d: 1\n- e\n', 'indents')), [['a:', ['- name: c', '- e']]],
    'items with the indentation of their key')
  t.strictSame(readArguments(['varnishd', '-F', '-p', 'a=1']).map(({ text }) => text), ['-F', '-p a=1'])
})

t.test('hopbench config --explain prints the differences', { skip: skipWithout('nginx') }, async t => {
  const workspace = makeWorkspace(t)
  const { exit, stdout, stderr } = await hopbench(['config', 'nginx:keepalive/http-json', '--explain'], { workspace })
  t.equal(exit, 0, stderr)
  t.match(stdout, /^- worker_processes 1;\n\+ worker_processes auto;\n {4}\S/m)
  t.notMatch(stdout, /not written down/)
})

t.test('hopbench config --explain is refused for a deploy kit and without a proxy', async t => {
  const workspace = makeWorkspace(t)
  for (const args of [['nginx:keepalive/http-json', '--target', 'docker'], ['http-json']]) {
    const { exit, stderr } = await hopbench(['config', ...args, '--explain'], { workspace })
    t.equal(exit, 2, args.join(' '))
    t.match(stderr, /\[bad-option\]/)
  }
})
