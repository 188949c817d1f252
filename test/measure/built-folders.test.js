/** Tests which folders are recognised as those of a builder: generated builds, with and without files made by hand. */
import { join } from 'node:path'
import t from '../support/tap.js'
import { findBuilt, findBuiltFolders } from '../../bench/measure/built-folders.js'
import { parse } from '../../bench/plan/spec.js'
import { seeded } from '../support/random.js'

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-'
const BASE32 = BASE64.slice(0, 26) + '234567'
const PAGE = '<script type="module" crossorigin src="/assets/index.js"></script>'
const VITE = [{ path: '/assets', hash: 'base64' }]

const random = seeded(58)
/** @param {string} alphabet */
const hash = alphabet => Array.from({ length: 8 }, () => alphabet[random.below(alphabet.length)]).join('')
/** @param {string[]} names */
const toFiles = names => Object.fromEntries(names.map(name => [name, 'x']))
/** @param {number} count */
const vite = count => ['js', 'css', 'svg', 'woff2', 'js.map'].slice(0, count).map(end => `index-${hash(BASE64)}.${end}`)

t.test('recognises the folder assets of builds of Vite, also of one file', async t => {
  for (let i = 0; i < 60; i++) {
    const names = vite(1 + i % 5)
    // A build of one file is not recognised if its hash could be a word.
    if (i % 5 === 0 && /-(?:[a-z_-]+\d*|[A-Z_-]+\d*)\.js$/.test(names[0])) continue
    const dir = t.testdir({ dist: { 'index.html': PAGE, 'favicon.ico': 'x', assets: toFiles(names) } })
    t.strictSame(findBuiltFolders(join(dir, 'dist')), VITE, names.join(' '))
    t.strictSame(findBuiltFolders(join(dir, 'dist/assets'), '/static'), [{ path: '/static', hash: 'base64' }])
  }
})

t.test('uses the manifest of Vite where other files lie beside those of the builder', async t => {
  const built = 'index-abcdeFGH.js'
  const style = 'index-ijklmNOP.css'
  const manifest = JSON.stringify({
    'assets/logo-ListView.svg': { file: `assets/${built}`, css: [`assets/${style}`], src: 'assets/logo-ListView.svg' }
  })
  for (const place of [{ '.vite': { 'manifest.json': manifest } }, { 'manifest.json': manifest }]) {
    const make = (/** @type {string[]} */ ...others) =>
      t.testdir(/** @type {any} */ ({ client: { ...place, assets: toFiles([built, style, ...others]) } }))
    t.strictSame(findBuiltFolders(join(make('logo.png', 'logo-original.svg'), 'client')), VITE)
    t.strictSame(findBuiltFolders(join(make('logo-ListView.svg'), 'client')), [], 'a source of the manifest')
  }
})

t.test('recognises no folder with a file that may have been made by hand', async t => {
  const [good] = vite(1)
  const none = (/** @type {object} */ files, /** @type {string} */ why) =>
    t.strictSame(findBuiltFolders(join(t.testdir(/** @type {any} */ (files)), 'dist')), [], why)
  none({ dist: { 'index.html': PAGE, assets: toFiles([good, 'logo.png']) } }, 'a name without a hash')
  none({ dist: { assets: toFiles(['my-original.svg', 'my-document.js']) } }, 'words only')
  none({ dist: { assets: toFiles(['user-ListView.js', 'util-loadJSON.js']) } }, 'no sign of a builder')
  none({
    public: { assets: toFiles(['user-ListView.js']) },
    dist: { 'index.html': PAGE, assets: toFiles([good, 'user-ListView.js']) }
  }, 'a copy of a file of public')
  for (const text of ['null', '[null]', '{"a":null}', '{"a":{"file":1}}', '{']) {
    none({ dist: { '.vite': { 'manifest.json': text }, assets: toFiles(['user-ListView.js']) } }, text)
  }
  t.strictSame(findBuiltFolders(join(t.testdir({}), 'absent')), [])
})

t.test('recognises a build that has its page beside its assets, as of Strapi', async t => {
  const dir = t.testdir({
    build: { 'index.html': '', ...toFiles(['strapi-BC-bc3JS.js', 'Login-CwI41j51.js']) },
    byHand: { 'index.html': '', ...toFiles(['strapi-BC-bc3JS.js', 'logo.png']) }
  })
  t.strictSame(findBuiltFolders(join(dir, 'build'), '/admin'), [{ path: '/admin', hash: 'base64' }])
  t.strictSame(findBuiltFolders(join(dir, 'byHand'), '/admin'), [])
})

t.test('recognises the folder media of builds of Angular', async t => {
  for (let i = 0; i < 30; i++) {
    const media = toFiles(['logo', 'font'].map(name => `${name}-${hash(BASE32)}.svg`))
    const dir = t.testdir({ browser: { [`main-${hash(BASE32)}.js`]: 'x', 'index.html': '', media } })
    t.strictSame(findBuiltFolders(join(dir, 'browser')), [{ path: '/media', hash: 'base32' }])
  }
  const files = { 'photo-PORTRAIT.svg': 'x' }
  const dir = t.testdir({
    public: { media: files }, browser: { 'main-ABCDEFG2.js': 'x', 'index.html': 'x', media: { ...files } }
  })
  t.strictSame(findBuiltFolders(join(dir, 'browser')), [], 'a copy of a file of public')
})

t.test('reads the folders that the proxy itself serves', async t => {
  const dir = t.testdir({ dist: { 'index.html': PAGE, assets: toFiles(['index-aB3dE5gH.js']) } })
  const files = [{ prefix: '/assets', folder: 'dist/assets' }]
  t.strictSame(findBuilt({ ...parse('nginx:tcp+static/app'), files }, dir), VITE)
  t.strictSame(findBuilt({ ...parse('nginx:tcp/app'), files }, dir), [], 'the app serves them')
  t.strictSame(findBuilt(parse('nginx/files'), join(dir, 'dist')), VITE)
})
