/** Tests which server block of nginx takes the requests of a host, and how alike blocks are found. */
import fc from 'fast-check'
import t from '../../support/tap.js'
import { getAllowedAddress, listUntried, toShape } from '../../../bench/features/own-config/blocks.js'
import { chooseHost, findServer } from '../../../bench/features/own-config/hosts.js'
import { findAll, getProxyServers, readTree } from '../../../bench/features/own-config/model.js'

const MAIN = '/etc/nginx/nginx.conf'
/** @param {string} http */
const read = http => readTree(MAIN, new Map([[MAIN, `http { ${http} }`]]))
/** @param {string[]} blocks */
const toServers = blocks => getProxyServers(read(blocks.map(block => `server { ${block} }`).join('')))

t.test('chooses a host that leads to a server block by each kind of name', async t => {
  const names = ['shop.example www.shop.example', '_', '~^(?<sub>[a-z]+)\\.pattern\\.example$ ', '*.shop.example',
    '.dot.example', 'suffix.*', '~^(www|api)-\\d+\\.(test|dev)$', '"~^x{2}$" b.example', 'SHOUT.example', '~(']
  const servers = toServers(names.map(name => `listen 80; server_name ${name};`))
  t.strictSame(servers.map(server => chooseHost(servers, server)), ['shop.example', '_', 'a.pattern.example',
    'any.shop.example', 'www.dot.example', 'suffix.example', 'www-1.test', 'b.example', 'shout.example', null])
})

t.test('a name of a block that is the default one, or alone at its port, takes any host', async t => {
  const servers = toServers(['listen 80; server_name a.example;', 'listen 80 default_server; server_name _;',
    'listen 81; server_name "";', 'listen 80;', 'listen 80; server_name a.example;'])
  t.strictSame(servers.map(server => chooseHost(servers, server)),
    ['a.example', 'example.com', 'example.com', null, null])
})

t.test('exact names precede wildcards, and those precede patterns', async t => {
  const servers = toServers(['listen 80; server_name ~a;', 'listen 80; server_name *.a.example;',
    'listen 80; server_name x.*;', 'listen 80; server_name *.x.a.example;', 'listen 80; server_name b.a.example;'])
  const hosts = ['b.a.example', 'c.a.example', 'b.x.a.example', 'x.net', 'za', 'none']
  t.strictSame(hosts.map(host => servers.indexOf(/** @type {any} */ (findServer(servers, '*:80', host)))),
    [4, 1, 3, 2, 0, 0])
})

t.test('a chosen host leads to its block, independent of the names', async t => {
  const label = fc.constantFrom('a', 'b', 'shop', 'www')
  const host = fc.tuple(label, label).map(labels => labels.join('.'))
  const name = fc.oneof(host, host.map(host => `*.${host}`), host.map(host => `.${host}`),
    label.map(name => `${name}.*`), label.map(name => `~^${name}\\.`),
    fc.constantFrom('_', '""', '~^[^.]+\\.b$', '~.', '~[', '~^(a|b)+$'))
  const server = fc.tuple(fc.constantFrom('80', '81', '[::]:80', '80 default_server'), fc.array(name, { maxLength: 3 }))
    .map(([listen, names]) => `listen ${listen}; ${names.length > 0 ? `server_name ${names.join(' ')};` : ''}`)
  fc.assert(fc.property(fc.array(server, { minLength: 1, maxLength: 5 }), blocks => {
    const servers = toServers(blocks)
    for (const wanted of servers) {
      const host = chooseHost(servers, wanted)
      if (host === null) continue
      t.equal(wanted.listens.some(({ key }) => findServer(servers, key, host) === wanted), true)
    }
  }), { numRuns: 200 })
})

t.test('blocks that differ in names, ports, certificates and addresses of apps are alike', async t => {
  const tree = read(`upstream one { server 127.0.0.1:1; } upstream two { server 127.0.0.1:2; server 127.0.0.1:3; }
server { listen 80; server_name a; location / { proxy_pass http://127.0.0.1:3000; } }
server { listen 81 default_server; server_name b; access_log /b; location / { proxy_pass http://127.0.0.1:3001; } }
server { listen 80; location / { proxy_pass http://app:3000; } }
server { listen 80; location / { proxy_pass http://one; } }
server { listen 80; location / { proxy_pass http://two; } }
server { listen 80 ssl; ssl_certificate a; location / { proxy_pass http://127.0.0.1:3000; } }`)
  const shapes = getProxyServers(tree).map(server => toShape(tree, server))
  t.strictSame(shapes.map(shape => shapes.indexOf(shape)), [0, 0, 2, 3, 4, 5])
})

t.test('names what no app of the check takes, each once with its first place', async t => {
  const tree = readTree(MAIN, new Map([[MAIN, `stream { server { listen 1; proxy_pass a:1; } }
http { server { listen 443 quic; location / { fastcgi_pass a:1; } location /b { fastcgi_pass a:2; } } }`]]))
  t.strictSame(listUntried(tree).map(({ line, why }) => [line, why]), [
    [2, 'fastcgi_pass is not tried, because no app of the check takes it (2 places)'],
    [1, 'the stream block is not tried, because it passes on connections without HTTP'],
    [2, 'HTTP/3 is not tried, because no client of the check speaks it']
  ])
})

t.test('takes an address of the first network that is allowed', async t => {
  const toAddress = (/** @type {string} */ rules) =>
    getAllowedAddress(findAll(read(`server { ${rules} }`), 'allow').map(({ directive }) => directive))
  const rules = ['allow all;', 'allow ::1; allow 10.1.2.0/24; deny all;', 'allow 192.0.2.7;', 'allow unix:;', '']
  t.strictSame(rules.map(toAddress), [null, '10.1.2.1', '192.0.2.7', null, null])
})
