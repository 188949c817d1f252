/** @import { OptionValue, Topology } from '../../bench/types.js' */
import t from '../support/tap.js'
import { execFileSync } from 'node:child_process'
import { isDeepStrictEqual } from 'node:util'
import { HopbenchError } from '../../bench/errors.js'
import { parse, print, transports } from '../../bench/plan/spec.js'
import { seeded } from '../support/random.js'

const node = { manager: /** @type {const} */ ('node'), instances: 1, options: {} }

/** @type {Record<string, Topology>} */
const examples = {
  'express-json': { proxy: null, server: { name: 'express-json', ...node } },
  'nginx:uds/express-json': {
    proxy: { name: 'nginx', transport: 'uds', options: {} },
    server: { name: 'express-json', ...node }
  },
  'nginx:keepalive+cache=5s/express-json@pm2:4': {
    proxy: { name: 'nginx', transport: 'keepalive', options: { cache: '5s' } },
    server: { name: 'express-json', manager: 'pm2', instances: 4, options: {} }
  },
  'apache:tcp/st': { proxy: { name: 'apache', transport: 'tcp', options: {} }, server: { name: 'st', ...node } },
  'nginx+gzip+workers=4/files': {
    proxy: { name: 'nginx', transport: null, options: { gzip: true, workers: 4 } },
    server: null
  },
  'nginx:keepalive+tls=rsa2048+tls_version=1.2/nginx+workers=1+worker_cpu_affinity=off': {
    proxy: { name: 'nginx', transport: 'keepalive', options: { tls: 'rsa2048', tls_version: 1.2 } },
    server: { name: 'nginx', manager: 'node', instances: 1, options: { workers: 1, worker_cpu_affinity: false } }
  },
  'nginx/files': { proxy: { name: 'nginx', transport: null, options: {} }, server: null },
  'nginx:uds/./my-app.js': {
    proxy: { name: 'nginx', transport: 'uds', options: {} },
    server: { name: './my-app.js', ...node }
  },
  'nginx:uds-keepalive//srv/@acme/app.js@cluster:max+trust=off': {
    proxy: { name: 'nginx', transport: 'uds-keepalive', options: {} },
    server: { name: '/srv/@acme/app.js', manager: 'cluster', instances: 'max', options: { trust: false } }
  },
  'nginx:uds+balance=least-conn/st@node:4': {
    proxy: { name: 'nginx', transport: 'uds', options: { balance: 'least-conn' } },
    server: { name: 'st', manager: 'node', instances: 4, options: {} }
  },
  '../apps/shop/index.js@cluster:2': {
    proxy: null,
    server: { name: '../apps/shop/index.js', manager: 'cluster', instances: 2, options: {} }
  },
  'st@cluster:1+depth=-1.5+ttl=500ms': {
    proxy: null,
    server: { name: 'st', manager: 'cluster', instances: 1, options: { depth: -1.5, ttl: '500ms' } }
  }
}

t.test('parses a spec into a topology', async t => {
  for (const [spec, topology] of Object.entries(examples)) t.strictSame(parse(spec), topology, spec)
})

t.test('prints a canonical spec unchanged', async t => {
  for (const spec of Object.keys(examples)) t.equal(print(parse(spec)), spec)
})

t.test('prints equivalent words in canonical form', async t => {
  const canonical = {
    'st@node:1': 'st',
    'nginx:tcp+gzip=on/st': 'nginx:tcp+gzip/st',
    'st+n=1.50': 'st+n=1.5',
    'st+n=007': 'st+n=7',
    'st+n=-0': 'st+n=0'
  }
  for (const [typed, spec] of Object.entries(canonical)) t.equal(print(parse(typed)), spec, typed)
})

t.test('accepts an option named like a property of every object', async t => {
  t.strictSame(parse('st+constructor=off').server?.options, Object.fromEntries([['constructor', false]]))
})

t.test('network settings are not part of the spec', async t => {
  t.equal(print({ ...examples['apache:tcp/st'], lab: { net: 'gigabit' } }), 'apache:tcp/st')
})

/** Returns a random topology of the whole grammar. */
function randomTopology (/** @type {ReturnType<typeof seeded>} */ random) {
  const letters = 'abcdefghijklmnopqrstuvwxyz'
  const inside = letters + '0123456789-_'
  const text = (/** @type {string} */ from, /** @type {number} */ max) =>
    Array.from({ length: random.below(max) }, () => random.pick([...from])).join('')
  const name = () => random.pick([...letters]) + text(inside, 12)
  const value = () =>
    random.pick(/** @type {(() => OptionValue)[]} */ ([
      () => true,
      () => false,
      () => random.below(100000),
      () => -random.below(50),
      () => random.below(1000) / 8,
      () => `${1 + random.below(500)}${random.pick(['ms', 's', 'm', 'k'])}`,
      () => 'v' + text(inside + 'ABC.:,%', 8),
      () => '1.2.3',
      () => '4,4'
    ]))()
  const options = () => Object.fromEntries(Array.from({ length: random.below(4) }, () => [name(), value()]))
  const path = () =>
    random.pick(['.', '..', '/srv', '/ünï']) + random.pick(['', '/../x', '/@acme', '/a.b_c']) +
    `/${name()}${random.pick(['.js', '.mjs', ''])}`
  const manager = random.pick(/** @type {const} */ (['node', 'cluster', 'pm2']))
  const server = {
    name: random.chance(0.3) ? path() : name(),
    manager,
    instances: random.pick([1, 2, 16, 9999, /** @type {const} */ ('max')]),
    options: options()
  }
  const kind = random.below(3)
  if (kind === 0) return { proxy: null, server }
  if (kind === 1) return { proxy: { name: name(), transport: null, options: options() }, server: null }
  return { proxy: { name: name(), transport: random.pick(transports), options: options() }, server }
}

t.test('prints and parses 5000 random topologies without a change', async t => {
  const random = seeded(20240229)
  for (let i = 0; i < 5000; i++) {
    const topology = randomTopology(random)
    const spec = print(topology)
    const again = parse(spec)
    if (!isDeepStrictEqual(again, topology) || print(again) !== spec) {
      return t.strictSame(again, topology, `draw ${i}: ${spec}`)
    }
  }
})

t.test('a shell passes every spec unchanged', async t => {
  const random = seeded(7)
  const words = [...Object.keys(examples), ...Array.from({ length: 300 }, () => print(randomTopology(random)))]
  const echoed = execFileSync('sh', ['-c', `printf '%s\\n' ${words.join(' ')}`], {
    encoding: 'utf8',
    cwd: t.testdir({})
  })
  t.strictSame(echoed.trimEnd().split('\n'), words)
})

/** Expected error message of each rejected spec. */
const rejections = {
  '': /empty/,
  'nginx/express-json': /"nginx" has no transport .* nginx:tcp, :keepalive, :uds or :uds-keepalive/,
  'nginx:ud/st': /"ud" is none of the transports tcp, keepalive, uds, uds-keepalive \(did you mean uds\?\)/,
  'nginx:tpc/st': /did you mean tcp\?/,
  'nginx:keep/st': /did you mean keepalive\?/,
  'nginx:websocket/st': /uds-keepalive\.$/,
  'nginx:uds:tcp/st': /more than one transport/,
  'nginx:uds': /"nginx:uds" has a transport but no server/,
  'nginx:uds/': /hop is missing/,
  ':uds/st': /name of the proxy is missing/,
  'Nginx:uds/st': /"Nginx" is not the name of a proxy/,
  'nginx:uds/apache:tcp/st': /"apache:tcp\/st" has too many slashes/,
  'my-app.js': /write \.\/my-app\.js/,
  'nginx:tcp/my-app.mjs': /write \.\/my-app\.mjs/,
  './a//b.js': /"\.\/a\/\/b\.js" is not a path/,
  './a b.js': /is not a path/,
  './a*.js': /is not a path/,
  '~/a.js': /"~" is not the name of a proxy/,
  './': /is not a path/,
  'st@': /no process manager/,
  'st@pm:4': /did you mean pm2\?/,
  'st@cluster': /no number of processes/,
  'st@pm2:0': /"0" is not a number of processes/,
  'st@pm2:4:5': /"4:5"/,
  'st@pm2:many': /"many"/,
  'st+x@pm2:4': /"@pm2:4" is after an option/,
  'st+': /name of the option is missing/,
  'st+x=': /"\+x=" has no value/,
  'st+X=1': /"X" is not the name of an option/,
  'st+x=$HOME': /"\$HOME", the value of x/,
  'st+x=a;b': /"a;b"/,
  'st+x+x=2': /"x" is repeated/,
  'st+n=99999999999999999999': /too long for a number/,
  files: /requires a proxy/,
  'nginx:uds/files': /":uds" is not possible/,
  'nginx/files+gzip': /"\+gzip" cannot follow "files"/,
  'nginx/files@pm2:4': /"@pm2:4" cannot follow "files"/
}

t.test('rejects invalid words with the position and the nearest valid name', async t => {
  for (const [spec, expected] of Object.entries(rejections)) {
    t.throws(() => parse(spec), { constructor: HopbenchError, code: 'bad-topology', exit: 2, message: expected },
      spec || '(empty)')
  }
})

t.test('refuses to print a topology that has no spec', async t => {
  const unsayable = [
    { proxy: null, server: null },
    { proxy: null, server: { name: 'st', ...node, options: { n: '4' } } },
    { proxy: null, server: { name: 'st', ...node, options: { n: 'on' } } },
    { proxy: null, server: { name: 'st', ...node, options: { n: NaN } } },
    { proxy: { name: 'nginx', transport: null, options: {} }, server: { name: 'st', ...node } },
    { proxy: { name: 'nginx', transport: 'uds', options: {} }, server: null }
  ]
  for (const topology of unsayable) {
    t.throws(() => print(/** @type {any} */ (topology)), { code: 'bad-topology' }, JSON.stringify(topology))
  }
})
