/** Tests that values from the command line or a stored run cannot add lines or variables to a configuration. */
import fc from 'fast-check'
import t from '../../support/tap.js'
import apache from '../../../proxy/apache.js'
import nginx from '../../../proxy/nginx.js'
import { parse } from '../../../bench/plan/spec.js'
import { describeSpec } from '../../support/describe.js'

/** @import { DescribeContext } from '../../../bench/topology/types.js' */
/** @import { ProxyProgram } from '../../../bench/types.js' */

const modules = { folder: '/lib/modules', installed: '/usr/lib/modules', files: [], builtIn: [] }
/** @type {Record<string, ProxyProgram>} */
const programs = {
  nginx: { plugin: nginx, program: '/bin/nginx', version: '1.22.1', env: {} },
  apache: { plugin: { ...apache, modules: undefined }, program: '/bin/apache2', version: '2.4.57', env: {}, modules }
}

/**
 * @param {string} spec
 * @param {Partial<DescribeContext>} [context]
 */
function files (spec, context = {}) {
  const program = programs[parse(spec).proxy?.name ?? '']
  const certificate = { certFile: '/tmp/a.crt', keyFile: '/tmp/a.key' }
  const { proxy } = describeSpec(spec, { proxy: program, certificate, ...context })
  return Object.values(proxy?.files ?? {}).join('\n')
}

/**
 * Renders a configuration for each kind of value that comes from outside.
 * @type {Record<string, (text: string) => string>}
 */
const ways = {
  'the folder that nginx serves': text => files('nginx/files', { root: `/srv/${text}` }),
  'the folder that Apache serves': text => files('apache/files', { root: `/srv/${text}` }),
  'the temporary folder of nginx': text => files('nginx:uds+cache=5s/st', { dir: `/tmp/${text}` }),
  'the temporary folder of Apache': text => files('apache:uds+cache=5s/st', { dir: `/tmp/${text}` }),
  'the folder in memory': text => files('apache:uds+cache=5s+lock/st', { memory: `/dev/shm/${text}` }),
  'a certificate': text =>
    files('nginx+tls=rsa2048/files', { certificate: { certFile: `/tmp/${text}.crt`, keyFile: `/tmp/${text}.key` } }),
  'an address': text => files('nginx:tcp/st', { address: text }),
  'the modules of Apache': text => files('apache/files', {
    proxy: { ...programs.apache, modules: { ...modules, folder: `/${text}` } }
  })
}
/* eslint-disable no-template-curly-in-string */
const odd = fc.array(fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('\n', '\r\n', '\0', '\u2028', '\x85', '$',
  '${', '${PATH}', '$document_root', '"', '\\', '\'', ';', '{', '}', '#', ' ', '<', '>', '</Directory>',
  '\nLoadModule x', '";\nload_module x;', 'é', '[', '*')), { minLength: 1, maxLength: 4 }).map(parts => parts.join(''))

for (const [way, render] of Object.entries(ways)) {
  t.test(`${way} adds no line and no control character to a configuration`, async t => {
    const lines = render('plain').split('\n').length
    let refused = 0
    fc.assert(fc.property(odd, text => {
      let rendered
      try {
        rendered = render(text)
      } catch (error) {
        refused++
        return /** @type {any} */ (error).code === 'config-value'
      }
      return rendered.split('\n').length === lines && !/[^\P{Cc}\n]|[\u2028\u2029]/u.test(rendered)
    }), { numRuns: 500 })
    t.ok(refused > 0)
  })
}

/** Topology, context and expected error message. */
const rejections = /** @type {const} */ ([
  ['nginx/files', { root: '/srv/a\nb' },
    /^The folder of files \(--root\) cannot be "\/srv\/a\\nb" in the .* nginx: .* U\+000A/],
  ['nginx/files', { root: '/srv/$host' }, /it contains \$, which the proxy would interpret/],
  ['apache/files', { root: '/srv/${PATH}' }, /it contains \$\{, which the proxy would interpret/],
  ['apache:uds/st', { dir: '/tmp/${PATH}' }, /^The temporary folder \(TMPDIR\)/],
  ['nginx:tcp/st', { address: '127.0.0.1 ssl; #' }, /^The address to listen on .* it is not a host name or an address/]
])

t.test('names the rejected value and the reason', async t => {
  for (const [spec, context, message] of rejections) {
    t.throws(() => files(spec, context), { code: 'config-value', exit: 2, message })
  }
})

t.test('accepts characters that the program does not interpret', async t => {
  t.match(files('apache/files', { root: '/srv/a$b' }), 'DocumentRoot "/srv/a$b"',
    'Apache does not interpret a single $')
  t.match(files('nginx:uds/st', { dir: '/tmp/a$b' }), 'unix:/tmp/a$b/app.sock', 'nginx expands no variables here')
  t.ok(files('nginx:uds/st', { root: '/srv/a$b' }), 'a folder that another program serves')
})

t.test('checks options of a stored run like typed ones', async t => {
  const specs = { name: /** @type {const} */ ({ type: 'string', default: 'x', help: 'a name' }) }
  const plugin = { ...nginx, about: { ...nginx.about, options: { ...nginx.about.options, ...specs } } }
  const options = { name: 'x;\nuser root' }
  const stored = { ...parse('nginx/files'), proxy: { name: 'nginx', transport: null, options } }
  t.throws(() => describeSpec(stored, { proxy: { ...programs.nginx, plugin } }),
    { code: 'config-value', message: /^The option name cannot be/ })
})
