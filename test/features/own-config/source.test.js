/** Tests how configurations are read from files, folders, compose files and the output of nginx -T. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from '../../support/tap.js'
import { findProxyService, readSource } from '../../../bench/features/own-config/source.js'
import { tempFolder } from '../../support/temp.js'

/** @import { Test } from 'tap' */

const MAIN = 'events {} http { include conf.d/*.conf; }'
const SITE = 'server { location / { proxy_pass http://web:3000; } }'

/**
 * Writes files.
 * @param {Test} t
 * @param {Record<string, string | Buffer>} files
 */
function makeFolder (t, files) {
  const dir = tempFolder(t)
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true })
    writeFileSync(join(dir, name), text)
  }
  return dir
}

/**
 * Returns the paths in the room with those that are shown.
 * @param {string} path
 * @param {string} cwd
 * @param {string} [input]
 */
const list = (path, cwd, input) =>
  Object.fromEntries(readSource(path, { cwd, input }).files.map(({ path, shown }) => [path, shown]))

t.test('of the folder around a file only included files are read', async t => {
  const cwd = makeFolder(t, { 'nginx.conf': MAIN, 'conf.d/a.conf': SITE, 'conf.d/b.txt': SITE, 'package.json': '{}' })
  t.strictSame(list('nginx.conf', cwd),
    { '/etc/nginx/nginx.conf': 'nginx.conf', '/etc/nginx/conf.d/a.conf': 'conf.d/a.conf' })
})

t.test('a file of conf.d gets the main file of the official image', async t => {
  const cwd = makeFolder(t, { 'deploy/shop': SITE })
  t.strictSame(list('deploy/shop', cwd),
    { '/etc/nginx/nginx.conf': null, '/etc/nginx/conf.d/shop.conf': 'deploy/shop' })
})

t.test('a folder is read without links that leave it, hidden files, packages and programs', async t => {
  const cwd = makeFolder(t, {
    'nginx/nginx.conf': MAIN,
    'nginx/conf.d/a.conf': SITE,
    'nginx/.git/x': '',
    'nginx/node_modules/x': '',
    'nginx/evil.so': Buffer.from('\x7fELF'),
    secret: 'x'
  })
  symlinkSync('../secret', join(cwd, 'nginx/link'))
  symlinkSync('conf.d', join(cwd, 'nginx/sites'))
  t.strictSame(list('nginx', cwd), {
    '/etc/nginx/conf.d/a.conf': 'nginx/conf.d/a.conf',
    '/etc/nginx/nginx.conf': 'nginx/nginx.conf',
    '/etc/nginx/sites/a.conf': 'nginx/conf.d/a.conf'
  })
})

t.test('a folder of sites and a compose file get the main file of the official image', async t => {
  const compose = 'services:\n  web:\n    volumes: ["./x:/x"]\n  proxy:\n    volumes:\n' +
    '      - ./default.conf:/etc/nginx/conf.d/default.conf:ro\n      - ./public:/srv/public\n'
  const files = { 'sites/a.conf': SITE, 'compose.yaml': compose, 'default.conf': SITE, 'public/a.css': 'a' }
  const cwd = makeFolder(t, files)
  t.strictSame(list('sites', cwd), { '/etc/nginx/nginx.conf': null, '/etc/nginx/conf.d/a.conf': 'sites/a.conf' })
  t.strictSame(list('.', cwd), {
    '/etc/nginx/nginx.conf': null, '/etc/nginx/conf.d/default.conf': 'default.conf', '/srv/public/a.css': 'public/a.css'
  })
  t.equal(readSource('compose.yaml', { cwd }).hasContainers, true)
})

t.test('reads mounts in both forms', async t => {
  t.strictSame(findProxyService(`name: x
services:
    app:
        volumes: ['./a:/a']
    nginx:
        volumes:
            - type: bind
              source: ./nginx
              target: /etc/nginx
            - "./b:/b:ro"
volumes: {}
`).mounts, [{ source: './nginx', target: '/etc/nginx' }, { source: './b', target: '/b' }])
  t.strictSame(findProxyService('services:\n  a:\n    volumes: [./a:/a]\n').mounts, [])
  t.strictSame(findProxyService(`x-files: &files ['./conf.d:/etc/nginx/conf.d:ro', 'data:/data', './a']
services:
  nginx:
    volumes: *files
    configs: [{ source: main, target: /etc/nginx/nginx.conf }, { source: other, target: /b }, short]
configs:
  main: { file: ./nginx.conf }
`).mounts, [
    { source: './conf.d', target: '/etc/nginx/conf.d' }, { source: './nginx.conf', target: '/etc/nginx/nginx.conf' }
  ])
  const odd = ['', 'services: [', 'a', '- 1', 'services: 1', 'services: { a: 1, b: { volumes: x } }', 'services: *a']
  for (const text of odd) {
    t.strictSame(findProxyService(text).mounts, [], text)
  }
})

t.test('the output of nginx -T is read as files', async t => {
  const text = `nginx: the configuration file is ok\n# configuration file /etc/nginx/nginx.conf:\n${MAIN}\n\n` +
    `# configuration file /etc/nginx/conf.d/a.conf:\n${SITE}\n`
  const { main, files } = readSource('-', { cwd: '/', input: text })
  t.equal(main, '/etc/nginx/nginx.conf')
  t.strictSame(files.map(({ shown, text }) => [shown, text.trim()]),
    [['etc/nginx/nginx.conf', MAIN], ['etc/nginx/conf.d/a.conf', SITE]])
})

t.test('rejects what holds no configuration', async t => {
  const cwd = makeFolder(t, { 'empty/a.txt': '', 'compose.yaml': 'services: {}' })
  for (const [path, input] of [['-', 'nginx: not found'], ['empty'], ['compose.yaml']]) {
    t.throws(() => readSource(String(path), { cwd, input }), { code: 'bad-option' })
  }
})

t.test('bytes that are no UTF-8 are kept', async t => {
  const bytes = Buffer.concat([Buffer.from('# '), Buffer.from([0xe4, 0xff]), Buffer.from(`\n${SITE}`)])
  const cwd = makeFolder(t, { 'a.conf': bytes })
  const { text, encoding } = readSource('a.conf', { cwd }).files[1]
  t.strictSame(Buffer.from(text, encoding), bytes)
})
