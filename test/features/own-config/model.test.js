/** Tests how server blocks, apps and listeners are found in configurations. */
import t from '../../support/tap.js'
import { findAll, getApps, getPasses, getProxyServers, getValue, readTree, toAddress, toListeners, toTarget }
  from '../../../bench/features/own-config/model.js'

const MAIN = '/etc/nginx/nginx.conf'
/**
 * @param {string} http
 * @param {Record<string, string>} [others]
 */
const read = (http, others = {}) => readTree(MAIN, new Map(Object.entries({ [MAIN]: `http { ${http} }`, ...others })))

t.test('an included file takes the place of its include, with lines of its own', async t => {
  const tree = read('include conf.d/*.conf; include /etc/nginx/nginx.conf;', {
    '/etc/nginx/conf.d/b.conf': 'server { listen 2; }',
    '/etc/nginx/conf.d/a.conf': '\nserver { listen 1; }',
    '/etc/nginx/conf.d/c.txt': 'server { listen 3; }'
  })
  const [first, second] = findAll(tree, 'server').map(({ directive: { file, line } }) => ({ file, line }))
  t.strictSame([first, second], [
    { file: '/etc/nginx/conf.d/a.conf', line: 2 }, { file: '/etc/nginx/conf.d/b.conf', line: 1 }
  ])
})

t.test('a file that includes itself is read once', async t => {
  const others = { '/etc/nginx/b': 'include *;' }
  const tree = read('include *; include *; server { include /etc/nginx/*.conf; listen 1; }', others)
  t.equal(findAll(tree, 'listen').length, 1)
})

t.test('reads addresses of apps', async t => {
  t.strictSame(['app:3000', 'app', '[::1]:80', 'unix:/run/a.sock', '$app:3000', 'a:b:c'].map(text => toAddress(text)), [
    { host: 'app', port: 3000, path: null },
    { host: 'app', port: 80, path: null },
    { host: '::1', port: 80, path: null },
    { host: null, port: 0, path: '/run/a.sock' },
    null,
    null
  ])
})

t.test('finds apps by an upstream block, by an address and by a variable', async t => {
  const tree = read(`upstream shop { server 127.0.0.1:3000; server unix:/run/a.sock; }
server {
  set $web web:8080;
  location / { proxy_pass http://shop; }
  location /a { proxy_pass http://api:4000/v1/; }
  location /b { proxy_pass http://$web; }
  location /c { proxy_pass http://unix:/run/c.sock:/x; }
}`)
  const passes = getPasses(tree)
  t.strictSame(passes.map(toTarget), [
    { scheme: 'http', target: 'shop', path: null },
    { scheme: 'http', target: 'api:4000', path: '/v1/' },
    { scheme: 'http', target: 'web:8080', path: null },
    { scheme: 'http', target: 'unix:/run/c.sock', path: '/x' }
  ])
  t.strictSame(passes.flatMap(pass => getApps(tree, pass)).map(({ host, port, path }) => [host, port, path]), [
    ['127.0.0.1', 3000, null], [null, 0, '/run/a.sock'], ['api', 4000, null], ['web', 8080, null],
    [null, 0, '/run/c.sock']
  ])
})

t.test('finds the listeners of server blocks, those of TLS and of all addresses first', async t => {
  const tree = read(`server { }
server { listen 80; listen [::]:443 ssl; listen 443 ssl default_server; listen unix:/a; }
server { ssl on; listen 10.0.0.7; listen 443 quic; listen web:8080 proxy_protocol; listen $x; }`)
  const listens = getProxyServers(tree).map(({ listens }) => listens.map(({ key, host, port, path, ...words }) =>
    [key, host, port, path, ...Object.entries(words).flatMap(([name, has]) => has ? [name] : [])]))
  t.strictSame(listens, [
    [['*:8000', '127.0.0.1', 8000, null]],
    [
      ['*:443', '127.0.0.1', 443, null, 'tls', 'isDefault'], ['::1:443', '::1', 443, null, 'tls'],
      ['*:80', '127.0.0.1', 80, null], ['/a', null, 0, '/a']
    ],
    [['10.0.0.7:80', '10.0.0.7', 80, null, 'tls'], ['web:8080', 'web', 8080, null, 'tls', 'hasProxyHeader']]
  ])
})

t.test('leaves out what internal locations pass on, unless there is nothing else', async t => {
  const tree = read(`server { location / { proxy_pass http://a; } location /auth { internal; proxy_pass http://b; } }
server { location /auth { internal; proxy_pass http://b; } }`)
  t.strictSame(getProxyServers(tree).map(({ passes, allPasses }) => [passes.length, allPasses.length]),
    [[1, 2], [1, 1]])
})

t.test('finds the apps that a map chooses', async t => {
  const tree = read(`map $host $pool { default one; ~^b https://two:8443; }
upstream one { server 127.0.0.1:3000; server 127.0.0.1:3001; }
server { location / { proxy_pass http://$pool; } location /x { proxy_pass http://$host; } }`)
  const apps = getPasses(tree).map(pass => getApps(tree, pass))
  t.strictSame(apps.map(apps => apps.map(({ host, port, upstream }) => [host, port, upstream])),
    [[['127.0.0.1', 3000, 'one'], ['127.0.0.1', 3001, 'one']], []])
})

t.test('reads the ports of listeners from /proc/net/tcp', async t => {
  t.strictSame(toListeners(`  sl  local_address rem_address   st tx_queue
   0: 00000000:0050 00000000:0000 0A 00000000:00000000
   1: 0100007F:0BB8 0100007F:1F90 01 00000000:00000000
   2: 00000000000000000000000000000000:01BB 00000000000000000000000000000000:0000 0A 00000000
`), [80, 443])
})

t.test('a directive without an argument has an empty value', async t => {
  t.equal(getValue(findAll(read('server { listen; }'), 'listen')[0].directive), '')
})
