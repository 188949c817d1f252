/** Tests which names have a hash of their content: names as each builder makes them, and names that people make. */
import fc from 'fast-check'
import t from '../../support/tap.js'
import { hasHashedName, PAGE, toHashPatterns, toHashRules } from '../../../bench/shared/http/hashed-names.js'
import { randomFrom } from '../../../bench/shared/random.js'

/** @import { BuiltFolder } from '../../../bench/types.js' */

const HEX = '0123456789abcdef'
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-'
/** Random names of each builder. */
const SAMPLE = 2000

const random = randomFrom(1, 'names')
/**
 * @param {string} alphabet
 * @param {number} length
 */
const hash = (alphabet, length) =>
  Array.from({ length }, () => alphabet[Math.floor(random() * alphabet.length)]).join('')
/** Folders that a builder alone writes, as bench/measure/built-folders.js finds them. @type {BuiltFolder[]} */
const BUILT = [{ path: '/assets', hash: 'base64' }, { path: '/media', hash: 'base32' }]

/** @param {string[]} values */
const one = (...values) => values[Math.floor(random() * values.length)]
const word = () => one('index', 'app', 'vendor', 'main-navigation', 'user_list', 'About', '404', 'react-dom.client')
const media = () => one('svg', 'png', 'webp', 'woff2')

/**
 * Names of builders, and the smallest share of them that is recognised. It is less than 1 where a hash can be a word.
 * @type {[builder: string, share: number, make: () => string][]}
 */
const BUILDERS = [
  ['Vite', 0.6, () => `/assets/${word()}-${hash(BASE64, 8)}.${one('js', 'css', media())}`],
  ['Rollup below assets', 0.6, () => `/app/assets/${word()}-${hash(BASE64, 8)}.js`],
  ['React Router', 0.6, () => `/assets/${one('root', 'manifest', 'entry.client', 'home')}-${hash(BASE64, 8)}.js`],
  ['Astro', 1, () => `/_astro/${word()}.${hash(BASE64, 8)}.${one('js', 'css')}`],
  ['Astro, images', 1, () => `/_astro/${word()}.${hash(BASE64, 8)}_${hash(BASE64, 6)}.webp`],
  ['Nuxt', 1, () => `/_nuxt/${hash(BASE64, 8)}.js`],
  ['Nuxt, styles', 1, () => `/_nuxt/${word()}.${hash(BASE64, 8)}.css`],
  ['SvelteKit', 1, () => `/_app/immutable/${one('nodes/0', 'entry/start', 'assets/0')}.${hash(BASE64, 8)}.js`],
  ['Angular', 1, () => `/${one('main', 'polyfills', 'scripts', 'chunk')}-${hash(BASE32, 8)}.js`],
  ['Angular, styles', 1, () => `/styles-${hash(BASE32, 8)}.css`],
  ['Angular, media', 0.6, () => `/media/${word()}-${hash(BASE32, 8)}.${media()}`],
  ['Angular, webpack', 0.99, () => `/${one('main', 'runtime')}.${hash(HEX, 16)}.js`],
  ['esbuild', 0.6, () => `/out/${word()}-${hash(BASE32, 8)}.${one('js', 'css')}`],
  ['esbuild, chunks', 1, () => `/out/chunk-${hash(BASE32, 8)}.js`],
  ['Remix', 1, () => `/build/_shared/chunk-${hash(BASE32, 8)}.js`],
  ['webpack', 0.99, () => `/js/${word()}.${hash(HEX, 20)}.js`],
  ['Create React App', 0.99, () => `/static/js/${word()}.${hash(HEX, 8)}${one('.chunk.js', '.js', '.chunk.js.map')}`],
  ['Create React App, media', 0.99, () => `/static/media/${word()}.${hash(HEX, 20)}.svg`],
  ['Parcel', 0.96, () => `/${word()}.${hash(HEX, 8)}.${one('js', 'css', media())}`],
  ['Next', 1, () => `/_next/static/chunks/${one('pages/_app', '117', 'app/layout')}-${hash(HEX, 16)}.js`],
  ['Next, manifests', 1, () => `/_next/static/${hash(BASE64, 21)}/_buildManifest.js`],
  ['Gatsby', 0.99, () => `/component---src-pages-index-js-${hash(HEX, 20)}.js`],
  ['Gatsby, images', 1, () => `/static/${hash(HEX, 32)}/${hash(HEX, 5)}/${word()}.jpg`]
]

/** Names without a hash of their content. */
const OTHERS = [
  '/', '/index.html', '/assets/index.html', '/assets/post-2a4b6c8d.html', '/_astro/', '/assets/logo.png',
  '/assets/jquery-3.7.1.min.js', '/assets/main-navigation.js', '/assets/2024-report.pdf', '/assets/report-20240131.pdf',
  '/assets/trip-IMG_1234.jpg', '/assets/chapter-01-introduction.css', '/assets/my-title.css', '/assets/a-component2.js',
  '/_nuxt/builds/latest.json', '/_app/version.json', '/_app/env.js', '/static/index-BxGz3s2_.css', '/sw.js',
  '/assets/photo-PORTRAIT.jpg', '/assets/Annual-REPORT24.pdf', '/js/app-VERSION2.js', '/page-data/app-data.json',
  '/assets/user-ListView.js', '/assets/util-loadJSON.js', '/assets/page-Chapter1.css', '/static/media/logo.svg',
  '/bootstrap.min.css', '/v/1.2.3/lib.js', '/assets/site.webmanifest', '/assets/decade.2.js'
]

/** Recognition as each proxy does it. @type {Record<string, (path: string, built?: BuiltFolder[]) => boolean>} */
const MATCHERS = {
  hasHashedName,
  'nginx and Apache': (path, built) => !new RegExp(PAGE).test(path) &&
    toHashPatterns(built).some(text => new RegExp(text).test(path)),
  Caddy: (path, built) => !/(?:\/|\.html?)$/.test(path) &&
    toHashRules(built).some(patterns => patterns.every(text => new RegExp(text).test(path)))
}

t.test('recognises the names of each builder', async t => {
  for (const [builder, share, make] of BUILDERS) {
    const paths = Array.from({ length: SAMPLE }, make)
    for (const [name, matches] of Object.entries(MATCHERS)) {
      const found = paths.filter(path => matches(path)).length / SAMPLE
      t.ok(found >= share, `${name}: ${builder}: ${found} of at least ${share}, as ${paths[0]}`)
    }
  }
})

t.test('recognises 99 % of the names below folders that a builder alone writes', async t => {
  for (const [builder,, make] of BUILDERS.filter(([name]) => /^(?:Vite|React Router|Angular, media)$/.test(name))) {
    const paths = Array.from({ length: 2 * SAMPLE }, make)
    for (const [name, matches] of Object.entries(MATCHERS)) {
      const found = paths.filter(path => matches(path, BUILT)).length / paths.length
      t.ok(found >= 0.987, `${name}: ${builder}: ${found}`)
    }
  }
  const words = ['logo-original.svg', 'my-document.js', 'photo-Portrait.png', 'photo-PORTRAIT.png', 'main-nav_menu.css',
    'trip-IMG_1234.jpg', 'page-chapter1.js', 'notes-20240131.pdf', 'jquery-3.7.1.min.js', 'app-REPORT24.js', 'a-b.js']
  for (const [name, matches] of Object.entries(MATCHERS)) {
    t.strictSame(words.filter(word => matches(`/assets/${word}`, BUILT)), [], name)
    t.notOk(matches('/other/index-aaaBBBcc.js', BUILT), 'other folders have the general rules')
    t.notOk(matches('/assets.js/index-aaaBBBcc.js', [{ path: '/assets.j', hash: 'base64' }]))
  }
})

t.test('recognises no name that a person makes', async t => {
  for (const [name, matches] of Object.entries(MATCHERS)) t.strictSame(OTHERS.filter(path => matches(path)), [], name)
  const eight = fc.constantFrom('calendar', 'portrait', 'question', 'document', 'download', 'building', 'database')
  const written = fc.oneof(eight, eight.map(text => text.toUpperCase()),
    eight.map(text => `${text[0].toUpperCase()}${text.slice(1)}`), fc.stringMatching(/^[a-z]{1,20}$/),
    fc.stringMatching(/^[a-z]{2,7}\d{1,3}$/).filter(text => /[g-z]/.test(text)), fc.stringMatching(/^[12]\d{3,7}$/),
    fc.stringMatching(/^v?\d{1,2}\.\d{1,2}\.\d{1,3}$/), fc.stringMatching(/^(?:IMG|DSC|PXL)_\d{4,8}$/))
  const path = fc.tuple(fc.constantFrom('/', '/assets/', '/static/js/', '/media/', '/img/'), written,
    fc.constantFrom('-', '.', '_', ' '), written, fc.constantFrom('.js', '.min.js', '.css', '.png', '.pdf', '.js.map'))
    .map(parts => parts.join(''))
  fc.assert(fc.property(path, path => Object.values(MATCHERS).every(matches => !matches(path))), { numRuns: 5000 })
})

t.test('the patterns are also those of Go, which has no lookahead', async t => {
  for (const pattern of toHashRules(BUILT).flat()) t.notOk(/\(\?[=!<]/.test(pattern), pattern)
})
