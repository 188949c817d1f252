import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../support/tap.js'
import {
  computeAppShare, getServedPrefixes, isFileRequest, parsePrefixes, printPrefix
} from '../../bench/plan/file-prefixes.js'
import { parse } from '../../bench/plan/spec.js'
import { createArm } from '../../bench/plan/plan.js'
import { toFilesOptions } from '../../bench/shared/commands.js'
import { prefixesFrom, withPrefixes } from '../../bench/request/user-prefixes.js'
import { armFrom, planFrom } from '../../bench/request/request.js'

const rejection = { code: 'bad-option', exit: 2 }

t.test('reads prefixes and folders', async t => {
  t.same(parsePrefixes(['/assets=./public', '/_next/static/=a=b']),
    [{ prefix: '/assets', folder: './public' }, { prefix: '/_next/static', folder: 'a=b' }])
})

t.test('refuses prefixes that are not plain paths or overlap', async t => {
  const rejections = [
    ['/assets'], ['/assets='], ['assets=./public'], ['//=./public'], ['/a//b=./public'],
    ['/a/../b=./public'], ['/a/.git=./public'], ['/a%20b=./public'], ['/a b=./public'], ['/a;b=./public'],
    ['/a$b=./public'], ['/a*=./public'], ['/a=x', '/a=y'], ['/a=x', '/a/=y'], ['/=x', '/a=y'],
    ['/=x', '/=y'], ['/a=x', '/a/b=y'], ['/a/b=x', '/a=y']
  ]
  for (const texts of rejections) t.throws(() => parsePrefixes(texts), rejection, texts.join(' '))
  t.doesNotThrow(() => parsePrefixes(['/a=x', '/ab=y']))
})

t.test('a path belongs to a prefix from its slash on', async t => {
  const prefixes = [{ prefix: '/assets' }]
  for (const path of ['/assets/', '/assets/a.js', '/assets/a.js?v=1']) t.ok(isFileRequest(prefixes, { path }), path)
  for (const path of ['/assets', '/assets?a', '/assetsfoo/a.js', '/api/assets/', '/']) {
    t.notOk(isFileRequest(prefixes, { path }), path)
  }
})

t.test('of the whole site only requests that read its files are for files', async t => {
  const [prefix] = parsePrefixes(['/=./public'])
  t.same(prefix, { prefix: '', folder: './public' })
  t.equal(printPrefix(prefix), '/=./public')
  const folder = t.testdir({ 'a.js': 'a', 'b@2x.png': 'b', '.env': 'x', sub: { 'index.html': 'c' } })
  const prefixes = prefixesFrom({ files: [`/=${folder}`], filesHidden: 'ignore' })
  t.match(prefixes, [{ prefix: '', paths: ['/a.js', '/b%402x.png', '/sub/index.html'] }])
  for (const path of ['/a.js', '/a.js?v=1', '/b@2x.png', '/sub/index.html']) {
    t.ok(isFileRequest(prefixes, { path }), path)
  }
  for (const path of ['/', '/sub/', '/sub', '/b.js', '/.env', '/%', '/a.js/']) {
    t.notOk(isFileRequest(prefixes, { path }), path)
  }
  t.notOk(isFileRequest(prefixes, { path: '/a.js', method: 'POST' }))
})

t.test('refuses a whole site of so many files that they could not be compared', async t => {
  const folder = t.testdir({})
  for (let i = 0; i <= 1000; i++) writeFileSync(join(folder, String(i)), '')
  t.throws(() => prefixesFrom({ files: [`/=${folder}`] }), { ...rejection, message: /1001 files/ })
  t.equal(prefixesFrom({ files: [`/assets=${folder}`] }).length, 1)
  rmSync(join(folder, '0'))
  t.equal(prefixesFrom({ files: [`/=${folder}`] })[0].paths?.length, 1000)
})

t.test('below a prefix only files and folders with a page are requests for files', async t => {
  const folder = t.testdir({ 'a.js': '', docs: { 'index.html': '' } })
  const [prefix] = prefixesFrom({ files: [`/admin=${folder}`] })
  const isFile = (/** @type {string} */ path, method = 'GET') => isFileRequest([prefix], { path, method })
  for (const path of ['/admin/a.js', '/admin/a.js?v=1', '/admin/docs/index.html', '/admin/docs/']) {
    t.ok(isFile(path), path)
  }
  for (const path of ['/admin', '/admin/', '/admin/users/42', '/admin/docs']) t.notOk(isFile(path), path)
  t.notOk(isFile('/admin/a.js', 'POST'))
  const many = t.testdir(Object.fromEntries(Array.from({ length: 1001 }, (_, i) => [`${i}.js`, ''])))
  const [large] = prefixesFrom({ files: [`/admin=${many}`] })
  t.equal(large.paths, undefined)
  t.ok(isFileRequest([large], { path: '/admin/users/42' }))
})

t.test('only a proxy with the option static serves prefixes', async t => {
  const files = [{ prefix: '/assets', folder: '/srv' }]
  t.same(getServedPrefixes({ ...parse('nginx:keepalive+static/./a.js'), files }), files)
  const listed = files.map(prefix => ({ ...prefix, paths: ['/assets/a.js'] }))
  t.same(getServedPrefixes({ ...parse('nginx:keepalive+static+spa/./a.js'), files: listed }), files, 'pages, too')
  for (const spec of ['nginx:keepalive/./a.js', 'nginx:keepalive+static=off/./a.js', './a.js', 'nginx/files']) {
    t.same(getServedPrefixes({ ...parse(spec), files }), [], spec)
  }
})

t.test('refuses folders that cannot be served or would publish more than the app does', async t => {
  const dir = t.testdir({
    good: { 'a.js': 'a', sub: { 'b.js': 'b' } },
    empty: { sub: {} },
    file: 'x',
    hidden: { 'a.js': 'a' },
    out: { 'a.js': '' }
  })
  mkdirSync(join(dir, 'hidden/sub/.git'), { recursive: true })
  writeFileSync(join(dir, 'hidden/sub/.git/config'), '')
  symlinkSync('/etc/passwd', join(dir, 'out/secret'))
  const read = (/** @type {string} */ folder, /** @type {object} */ options = {}) =>
    prefixesFrom({ files: [`/assets=${join(dir, folder)}`], ...options })
  t.same(read('good'),
    [{ prefix: '/assets', folder: join(dir, 'good'), paths: ['/assets/a.js', '/assets/sub/b.js'] }])
  for (const folder of ['missing', 'file', 'file/below', 'empty']) t.throws(() => read(folder), rejection, folder)
  t.throws(() => read('hidden'), { ...rejection, message: /sub\/\.git/ })
  t.equal(read('hidden', { filesHidden: 'ignore' }).length, 1)
  t.throws(() => read('out'), { ...rejection, message: /symbolic link secret/ })
  t.throws(() => read('out', { filesHidden: 'ignore' }), rejection, 'links are refused in any case')
  t.throws(() => prefixesFrom({ filesHidden: 'ignore' }), rejection, '--files-hidden without --files')
})

t.test('adds the prefixes to apps of your own, with and without a proxy', async t => {
  const files = [{ prefix: '/assets', folder: '/srv' }]
  const words = ['./a.js', 'nginx:keepalive+static/./a.js', 'express-json', 'nginx/files']
  const arms = words.map(spec => createArm(parse(spec)))
  const topologies = (await withPrefixes(arms, files)).map(({ topology }) => topology.files)
  t.same(topologies, [files, files, undefined, undefined])
  await t.rejects(withPrefixes([createArm(parse('express-json'))], files), rejection)
})

t.test('refuses +static without known files, and options of files without +static', async t => {
  const options = { connections: 10, app: ['node a.js'], lab: true }
  const folder = t.testdir({ 'a.js': '' })
  await t.rejects(armFrom('nginx:keepalive+static/app', options),
    { ...rejection, message: /which paths of app are files/ })
  await t.resolves(armFrom('nginx:keepalive+static+gzip_static/app', { ...options, files: [`/assets=${folder}`] }))
  await t.rejects(armFrom('nginx:keepalive+static+spa/app', { ...options, files: [`/=${folder}`] }),
    { ...rejection, message: /the paths of pages are those of the app/ })
  await t.rejects(armFrom('haproxy:keepalive+static/app', { ...options, files: [`/assets=${folder}`] }),
    { ...rejection, message: /HAProxy serves no files/ })
  await t.rejects(armFrom('varnish:keepalive+static/app', { ...options, files: [`/assets=${folder}`] }),
    { ...rejection, message: /Varnish serves no files, but may cache/ })
})

t.test('compares the app alone, behind a proxy that passes everything on, and behind one with +static', async t => {
  const folder = t.testdir({ 'a.js': '' })
  const { plan } = await planFrom([], { app: ['node a.js'], files: [`/assets=${folder}`], lab: true })
  t.same(plan.arms.slice(0, 3).map(({ name }) => name), ['app', 'nginx:keepalive/app', 'nginx:keepalive+static/app'])
  const expected = [{ prefix: '/assets', folder, paths: ['/assets/a.js'] }]
  for (const { topology } of plan.arms) t.strictSame(topology.files, expected)
})

t.test('computes the share of a load that reaches an app whose files the proxy serves', async t => {
  const files = [{ prefix: '/assets', folder: '/srv' }]
  const load = createArm(parse('./a.js')).load
  const mixed = { ...load, paths: ['/', '/assets/a.js', '/assets/b.js', '/assetsfoo'] }
  const share = (/** @type {string} */ spec, /** @type {typeof load} */ typed) =>
    computeAppShare({ ...parse(spec), files }, typed)
  t.equal(share('nginx:keepalive+static/./a.js', mixed), 0.5)
  t.equal(share('nginx:keepalive+static/./a.js', { ...load, path: '/assets/a.js' }), 0)
  t.equal(share('nginx:keepalive/./a.js', mixed), 1)
})

t.test('the printed options of a topology name the same folders', async t => {
  for (const files of [[{ prefix: '', folder: '/srv/site' }], [{ prefix: '/a', folder: '/srv/a' }]]) {
    const [option, text] = toFilesOptions({ files })
    t.equal(option, '--files')
    t.strictSame(parsePrefixes([text]), files)
  }
})
