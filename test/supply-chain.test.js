/** Tests that packages are pinned, run no install scripts and have a known licence. */
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import t from './support/tap.js'
import { PROJECT } from '../bench/plan/plugins.js'
import { comparedLock } from './compared-lock.js'
import { isCopyleft, licencesIn, page } from './licences.js'

const read = (/** @type {string} */ file) => readFileSync(join(PROJECT, file), 'utf8')
const lock = JSON.parse(read('package-lock.json'))
/** @type {[string, any][]} */
const packages = Object.entries(lock.packages).filter(([path]) => path !== '')

/** @param {(entry: any) => unknown} isWrong */
const pathsOf = isWrong => packages.filter(([, entry]) => isWrong(entry)).map(([path]) => path)

t.test('every package has a checksum and comes from a registry', async t => {
  t.ok(packages.length > 500)
  t.strictSame(pathsOf(({ integrity }) => !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity)), [],
    'every package has a checksum')
  t.strictSame(pathsOf(({ version }) => !/^\d+\.\d+\.\d+/.test(version)), [],
    'a version, not the address of a repository')
  t.strictSame(pathsOf(({ resolved, link }) =>
    link || (resolved !== undefined && !/^https:\/\/[^/]+\/.*\.tgz$/.test(resolved))), [],
  'neither a folder nor a repository')
  t.equal(lock.lockfileVersion, 3)
})

t.test('package.json lists only version ranges and has no install scripts', async t => {
  const { dependencies, devDependencies, overrides, scripts } = JSON.parse(read('package.json'))
  for (const [name, range] of Object.entries({ ...dependencies, ...devDependencies, ...overrides })) {
    t.match(range, name === 'typescript-7' ? /^npm:typescript@\^7\.\d+\.\d+$/ : /^[\^~]\d+\.\d+\.\d+$/, name)
  }
  t.strictSame(Object.keys(scripts).filter(name => /^(pre|post)?(install|prepare|publish|pack)/.test(name)), [],
    'no install scripts')
})

t.test('no package has install scripts, and npm ignores such scripts', async t => {
  t.strictSame(pathsOf(({ hasInstallScript }) => hasInstallScript), [])
  const running = packages.filter(([path]) => existsSync(join(PROJECT, path, 'package.json'))).filter(([path]) => {
    const { scripts = {} } = JSON.parse(read(join(path, 'package.json')))
    return scripts.preinstall ?? scripts.install ?? scripts.postinstall ??
      existsSync(join(PROJECT, path, 'binding.gyp'))
  })
  t.strictSame(running.map(([path]) => path), [])
  t.match(read('.npmrc'), /^ignore-scripts=true$/m)
  t.match(read('bench/machine/setup/install.js'), '\'--ignore-scripts\'')
})

t.test('compared-lock.json has the versions of the lock file', async t => {
  t.equal(read('compared-lock.json'), comparedLock(), 'regenerate it with: npm run compared')
  const { dependencies, bundleDependencies } = JSON.parse(read('package.json'))
  t.equal(bundleDependencies, true, 'other dependencies are bundled')
  t.notMatch(Object.keys(dependencies), ['pm2'], 'PM2 is not bundled')
  t.strictSame(pathsOf(({ inBundle, dev }) => Boolean(inBundle) === Boolean(dev)), [])
})

t.test('servers import packages that are only compared inside their factory', async t => {
  const { dependencies } = JSON.parse(read('package.json'))
  for (const file of readdirSync(join(PROJECT, 'servers'))) {
    const named = [...read(`servers/${file}`).matchAll(/^import .* from '([^'./][^']*)'$/gm)].map(([, name]) => name)
    t.strictSame(named.filter(name => !name.startsWith('node:') && !(name in dependencies)), [], file)
  }
})

t.test('docs/licences.md matches the lock file', async t => {
  t.equal(read('docs/licences.md'), page(), 'regenerate it with: npm run licences')
})

t.test('the licence of every package is known; only PM2 and a tool of the tests are copyleft', async t => {
  const all = licencesIn(lock)
  t.strictSame(all.filter(({ licence }) => licence === 'not stated'), [])
  t.strictSame(all.filter(isCopyleft).map(({ name, licence }) => [name, licence]),
    [['axe-core', 'MPL-2.0'], ['pm2', 'AGPL-3.0']])
  for (const licence of ['GPL-2.0', 'AGPL-3.0-or-later', 'LGPL-2.1', 'MPL-2.0', '(MIT AND GPL-3.0)']) {
    t.ok(isCopyleft({ name: 'x', licence, dev: false }), licence)
  }
  for (const licence of ['MIT', 'ISC', 'Apache-2.0', '(MIT OR CC0-1.0)']) {
    t.notOk(isCopyleft({ name: 'x', licence, dev: false }), licence)
  }
})

/** Returns all JavaScript files below a folder. @param {string} folder */
const filesIn = folder => readdirSync(join(PROJECT, folder), { recursive: true, encoding: 'utf8' })
  .filter(name => name.endsWith('.js')).map(name => join(folder, name))

t.test('no file imports PM2, which only runs as a program', async t => {
  const files = [...['bench', 'servers', 'proxy'].flatMap(filesIn), 'ecosystem.config.js']
  t.ok(files.length > 200)
  const imports =
    /\b(?:from|import|require|resolve)\s*\(?\s*['"`](?:[^'"`]*node_modules\/)?(?:pm2|@pm2)(?:\/[^'"`]*)?['"`]/
  for (const planted of ["import pm2 from 'pm2'", 'await import("pm2/lib/API.js")', "require('@pm2/io')",
    "from '../node_modules/pm2/index.js'"]) t.match(planted, imports, planted)
  t.strictSame(files.filter(file => imports.test(read(file))), [])
})
