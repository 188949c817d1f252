/** Policies for hashed files: which files are sent after a rollout. */
import {
  existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync
} from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import t from '../../../support/tap.js'
import { applyPolicy } from '../../../../bench/features/rollout/files/apply-policy.js'
import { findHashedFiles } from '../../../../bench/features/rollout/files/hashed-files.js'
import { hasHashedName } from '../../../../bench/shared/http/hashed-names.js'
import { tempFolder } from '../../../support/temp.js'

/** @import { Build, FilePolicy } from '../../../../bench/features/rollout/types.js' */

/**
 * @param {string} folder
 * @param {Record<string, string>} files
 */
function writeFiles (folder, files) {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  return folder
}

/**
 * @param {'old' | 'new'} name
 * @param {string} folder
 * @returns {Build}
 */
const toBuild = (name, folder) => ({ name, label: folder, folder, start: 'node server.js' })

/**
 * Returns the folder of the new build with the files of an old one.
 * @param {string} old
 * @param {string} next
 * @param {string} dir
 */
const keep = async (old, next, dir) =>
  (await applyPolicy({ policy: 'kept', old: toBuild('old', old), new: toBuild('new', next), dir })).new.folder

/** Lists the plain files of a folder. @param {string} folder */
const listFiles = folder => readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name).slice(folder.length + 1)).sort()

t.test('the hashed files of the old build stay, in the copy of the new one or beside it', async t => {
  const dir = tempFolder(t)
  const [old, next] = /** @type {const} */ (['old', 'new']).map(name => toBuild(name, writeFiles(join(dir, name), {
    [`dist/assets/${name}-3f2a91bc.js`]: name,
    'dist/assets/both-3f2a91bc.js': 'the same',
    'dist/assets/plain.js': name
  })))
  const kept = await keep(old.folder, next.folder, dir)
  t.same(listFiles(kept), ['both-3f2a91bc.js', 'new-3f2a91bc.js', 'old-3f2a91bc.js', 'plain.js']
    .map(name => `dist/assets/${name}`))
  t.equal(readFileSync(join(kept, 'dist/assets/plain.js'), 'utf8'), 'new')
  await applyPolicy({ policy: 'attic', old, new: next, dir })
  const names = new Set(listFiles(join(dir, 'attic')).map(path => path.split('/').at(-1)))
  t.same([...names].sort(), ['both-3f2a91bc.js', 'old-3f2a91bc.js'])
})

t.test('kept: never replaces a file, follows no link, and copies hashed names only', async t => {
  const dir = tempFolder(t)
  const name = fc.tuple(fc.constantFrom('app', 'App', '..b', 'a b', '$x', '.hidden'),
    fc.constantFrom('.3f2a91bc', '-BxGz3s2_', '', '.20240101'), fc.constantFrom('.js', '.html', '.css'))
    .map(parts => parts.join(''))
  const folder = fc.constantFrom('', 'dist/assets/', 'dist/assets/deep/', 'node_modules/x/', '.next/static/chunks/',
    'dist/linked/', '.next/server/')
  const files = fc.dictionary(fc.tuple(folder, name).map(([folder, name]) => `${folder}${name}`),
    fc.string({ maxLength: 5 }), { maxKeys: 10 })
  let run = 0
  await fc.assert(fc.asyncProperty(files, files, async (before, after) => {
    const [old, next] = ['old', 'new'].map(name => join(dir, `${++run}-${name}`))
    writeFiles(old, { 'package.json': '{}', ...before })
    writeFiles(next, { 'package.json': '{"new":1}', ...after })
    const outside = writeFiles(join(dir, `${run}-outside`), { 'x.3f2a91bc.js': 'secret' })
    if (!existsSync(join(next, 'dist/linked'))) {
      mkdirSync(join(next, 'dist'), { recursive: true })
      symlinkSync(outside, join(next, 'dist/linked'))
    }
    symlinkSync(join(outside, 'x.3f2a91bc.js'), join(old, 'link.3f2a91bc.js'))
    const folder = await keep(old, next, dir)
    const [wanted, made, kept] = [next, folder, old].map(listFiles)
    for (const path of wanted) t.equal(readFileSync(join(folder, path), 'utf8'), readFileSync(join(next, path), 'utf8'))
    t.same(listFiles(outside), ['x.3f2a91bc.js'], 'nothing is written through a link')
    for (const path of made.filter(path => !wanted.includes(path))) {
      t.ok(kept.includes(path) && !/node_modules|server|link\./.test(path), path)
      t.equal(readFileSync(join(folder, path), 'utf8'), readFileSync(join(old, path), 'utf8'))
      t.ok(hasHashedName(`/${path}`) || path.startsWith('.next/static/'), path)
    }
    for (const path of kept.filter(path => /^dist\/assets\/(?:deep\/)?(?:app|a b)\.3f2a91bc\.(?:js|css)$/.test(path))) {
      t.ok(made.includes(path), `${path} is kept`)
    }
    for (const folder of [old, next, outside]) rmSync(folder, { recursive: true })
  }), { numRuns: 25, seed: 1 })
})

t.test('attic: has only names with a hash, of plain files, without code of the server', async t => {
  const dir = tempFolder(t)
  const old = writeFiles(join(dir, 'old'), {
    '.next/static/chunks/main-3f2a91bc00000000.js': 'next',
    '.next/static/id/_buildManifest.js': 'manifest',
    '.next/server/chunks/1-3f2a91bc.js': 'server code',
    '.next/standalone/.next/static/chunks/main-3f2a91bc00000000.js': 'next',
    '.output/public/_nuxt/BxGz3s2_.js': 'nuxt',
    'dist/client/assets/.secret/a-3f2a91bc.js': 'hidden',
    'dist/client/assets/index-overview.js': 'a word',
    'dist/client/assets/index-BxGz3s2_.js': 'vite',
    'dist/client/assets/index-BxGz3s2_.js.gz': 'packed',
    'dist/client/post-3f2a91bc.html': 'page',
    '.env.3f2a91bc.js': 'secret'
  })
  symlinkSync('/etc/hostname', join(old, 'dist/client/assets/link-3f2a91bc.js'))
  await applyPolicy({ policy: 'attic', old: toBuild('old', old), new: toBuild('new', old), dir })
  const files = listFiles(join(dir, 'attic'))
  for (const path of ['_next/static/chunks/main-3f2a91bc00000000.js', '_next/static/id/_buildManifest.js',
    '_nuxt/BxGz3s2_.js', 'assets/index-BxGz3s2_.js', 'assets/index-BxGz3s2_.js.gz']) t.ok(files.includes(path), path)
  t.notOk(files.some(path => /server|\ba-3f2a|link-|overview|html|env/.test(path)))
  for (const path of files) t.ok(lstatSync(join(dir, 'attic', path)).isFile(), path)
})

t.test('recognises a hash that could be a word in a folder that a builder alone writes', async t => {
  const folder = writeFiles(tempFolder(t), {
    'dist/index.html': '<script type="module" crossorigin src="/assets/index-overview.js"></script>',
    'dist/assets/index-overVieW.js': '',
    'public/logo.svg': ''
  })
  const { files, built } = findHashedFiles(folder)
  t.same(files.map(({ path }) => path), ['dist/assets/index-overVieW.js'])
  t.ok(files[0].urls.includes('/assets/index-overVieW.js'))
  t.ok(built.some(({ path, hash }) => path === '/assets' && hash === 'base64'))
})

t.test('only attic and cdn change the configuration of nginx, for names with a hash', async t => {
  const dir = tempFolder(t)
  const old = toBuild('old', writeFiles(join(dir, 'old'), { 'assets/a.3f2a91bc.js': 'a' }))
  const next = toBuild('new', writeFiles(join(dir, 'new'), { 'assets/b.3f2a91bc.js': 'b' }))
  const apply = (/** @type {FilePolicy} */ policy) => applyPolicy({ policy, old, new: next, dir })
  t.same(await apply('new'), { new: next, nginx: '', http: '' })
  t.match(await apply('kept'), { nginx: /^$/, http: /^$/ })
  for (const policy of /** @type {const} */ (['attic', 'cdn'])) {
    const { nginx, new: { folder } } = await apply(policy)
    t.equal(folder, next.folder)
    const pattern = new RegExp(String(/^location ~ "(.*)" \{$/m.exec(nginx)?.[1]))
    for (const path of ['/assets/a.3f2a91bc.js', '/x/_astro/a.css', '/assets/index-BxGz3s2_.js']) t.match(path, pattern)
    for (const path of ['/', '/assets/a.3f2a91bc.html', '/_astro/', '/.git/a.3f2a91bc.js', '/api/items', '/a.js']) {
      t.notMatch(path, pattern)
    }
  }
  t.match((await apply('cdn')).http, `proxy_cache_path "${dir}/cdn"`)
})
