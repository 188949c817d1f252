/** Packages of the states that `hopbench diff` checks out: their manager, and which of them are copied. */
import { existsSync, lstatSync, mkdirSync, readFileSync, realpathSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import t from '../../support/tap.js'
import {
  bringPackages, buildApp, findLock, rejectWithoutPackages, isInstalled
} from '../../../bench/features/diff/packages.js'
import { inEnvironment, program } from '../../support/provoke.js'

/** @import { Test } from 'tap' */

const manifest = JSON.stringify({ dependencies: { express: '5' } })
/** A lock file of npm, as npm also writes it into node_modules. */
const lockOf = (version = '5.0.0', more = {}) => JSON.stringify({
  lockfileVersion: 3, packages: { 'node_modules/express': { version, integrity: `sha512-${version}` }, ...more }
})
const makeModules = (lock = lockOf()) =>
  ({ node_modules: { '.package-lock.json': lock, express: { 'package.json': '{}' } } })

/** @param {string} top */
const toCheckout = (top, name = 'base', app = top) => ({ name, label: name, top, app })

/**
 * Puts programs on the PATH that write their arguments to a file.
 *
 * @param {Test} t
 * @param {string} dir of the test
 * @param {string[]} names
 */
function fakeManagers (t, dir, names) {
  const bin = join(dir, 'bin')
  mkdirSync(bin)
  for (const name of names) program(bin, name, `echo "${name} $*" >> installed`)
  inEnvironment(t, { PATH: `${bin}:/usr/bin:/bin` })
}

t.test('finds the manager of each lock file, in the folder of the app or above', async t => {
  /** @type {[string, string, string][]} */
  const cases = [
    ['package-lock.json', '{}', 'npm'], ['pnpm-lock.yaml', '', 'pnpm'], ['yarn.lock', '# yarn lockfile v1\n', 'yarn 1'],
    ['yarn.lock', '# This file\n\n__metadata:\n  version: 8\n', 'yarn'], ['bun.lock', '{}', 'bun']
  ]
  for (const [file, text, manager] of cases) {
    const top = t.testdir({ 'package.json': manifest, [file]: text, packages: { api: { 'package.json': manifest } } })
    t.match(findLock({ top, app: join(top, 'packages/api') }), { folder: top, file, manager })
  }
  const unlocked = t.testdir({ 'package.json': manifest })
  t.strictSame(findLock({ top: unlocked, app: unlocked }), { folder: unlocked, file: null, manager: 'npm' })
  const empty = t.testdir({})
  t.equal(findLock({ top: empty, app: empty }), null)
})

t.test('installs what the lock file lists, with its manager', async t => {
  const dir = t.testdir({
    pnpm: { 'package.json': manifest, 'pnpm-lock.yaml': '' },
    npm: { 'package.json': manifest, 'package-lock.json': '{}' },
    yarn1: { 'package.json': manifest, 'yarn.lock': '# yarn lockfile v1\n' },
    yarn: {
      'package.json': JSON.stringify({ optionalDependencies: { a: '1' } }),
      'yarn.lock': '# This file\n\n__metadata:\n  version: 8\n'
    },
    bun: { 'package.json': manifest, 'bun.lock': '{}' },
    unlocked: { 'package.json': manifest },
    plain: { 'package.json': '{}' }
  })
  /** @type {string[]} */
  const notes = []
  const printProgress = (/** @type {string} */ text) => { notes.push(text) }
  fakeManagers(t, dir, ['pnpm', 'npm', 'yarn', 'bun'])
  for (const name of ['pnpm', 'npm', 'unlocked', 'plain', 'yarn1', 'yarn', 'bun']) {
    await bringPackages(toCheckout(join(dir, name), name), { donors: [], env: {}, printProgress })
  }
  t.match(notes, ['pnpm: pnpm install --ignore-scripts --frozen-lockfile --prefer-offline',
    'npm: npm ci --ignore-scripts --no-audit --no-fund --prefer-offline', /^unlocked has no lock file: .* can differ/,
    'unlocked: npm install --ignore-scripts --no-audit --no-fund --no-package-lock',
    'yarn1: yarn install --ignore-scripts --frozen-lockfile --prefer-offline',
    'yarn: yarn install --immutable --mode=skip-build',
    'bun: bun install --ignore-scripts --frozen-lockfile'])
  t.equal(notes.length, 7)
  const readLast = (/** @type {string} */ name) =>
    readFileSync(join(dir, name, 'installed'), 'utf8').trim().split('\n').at(-1)
  t.equal(readLast('pnpm'), 'pnpm install --ignore-scripts --frozen-lockfile --prefer-offline')
  t.equal(readLast('npm'), 'npm ci --ignore-scripts --no-audit --no-fund --prefer-offline')
  t.equal(existsSync(join(dir, 'plain/installed')), false, 'an app without packages needs no manager')
})

t.test('builds a state, and fails with the output of a build that fails', async t => {
  const dir = t.testdir({ 'package.json': '{}' })
  const printProgress = () => {}
  await buildApp(toCheckout(dir), { build: 'echo built > built.txt', env: {}, printProgress })
  t.equal(readFileSync(join(dir, 'built.txt'), 'utf8'), 'built\n')
  await t.rejects(buildApp(toCheckout(dir), { build: 'echo no such type >&2; exit 2', env: {}, printProgress }), {
    code: 'side-failed', exit: 1, message: /base.*built.*exit code 2/, details: { output: /no such type/ }
  })
})

t.test('copies the packages of a state with the same lock file', async t => {
  const state = { 'package.json': manifest, 'package-lock.json': lockOf() }
  const dir = t.testdir({
    head: { ...state, ...makeModules() }, base: { ...state }, other: { ...state, 'package-lock.json': '{}' }
  })
  fakeManagers(t, dir, ['npm'])
  /** @type {string[]} */
  const notes = []
  const printProgress = (/** @type {string} */ text) => { notes.push(text) }
  const options = { donors: [toCheckout(join(dir, 'head'), 'head')], env: {}, printProgress }
  await bringPackages(toCheckout(join(dir, 'base')), options)
  const [copied, own] = ['base', 'head'].map(name => join(dir, name, 'node_modules/express/package.json'))
  t.ok(realpathSync(copied).startsWith(join(realpathSync(dir), 'base')), 'its packages find the code of base')
  t.not(statSync(copied).ino, statSync(own).ino, 'a write into one does not change the other')
  await bringPackages(toCheckout(join(dir, 'other'), 'other'), options)
  t.strictSame(notes.map(line => line.replace(/:.*/, '')), ['base copies the packages of head', 'other'])
})

t.test('copies packages in the layout of pnpm, without the results of tools', async t => {
  const state = { 'package.json': manifest, 'pnpm-lock.yaml': 'a: 1\n' }
  const store = { 'lock.yaml': 'a: 1\n', 'express@5.0.0': { node_modules: { express: { 'package.json': '{}' } } } }
  const head = { ...state, node_modules: { '.pnpm': store, '.cache': { a: '' } } }
  const dir = t.testdir({ head, base: { ...state } })
  symlinkSync('.pnpm/express@5.0.0/node_modules/express', join(dir, 'head/node_modules/express'))
  fakeManagers(t, dir, ['pnpm'])
  const options = { donors: [toCheckout(join(dir, 'head'), 'head')], env: {}, printProgress: () => {} }
  await bringPackages(toCheckout(join(dir, 'base')), options)
  const link = join(dir, 'base/node_modules/express')
  t.ok(lstatSync(link).isSymbolicLink())
  t.ok(realpathSync(link).startsWith(join(realpathSync(dir), 'base')), 'the link leads into the same state')
  t.equal(existsSync(join(dir, 'base/installed')), false)
  t.equal(existsSync(join(dir, 'base/node_modules/.cache')), false)
})

t.test('does not copy packages that are code of the repository, generated, or written by a build', async t => {
  const makeState = () => ({ 'package.json': manifest, 'package-lock.json': lockOf() })
  const toManifest = (/** @type {string} */ postinstall) =>
    JSON.stringify({ dependencies: { express: '5' }, scripts: { postinstall } })
  const scripts = toManifest('node generate.js')
  const generated = { node_modules: { ...makeModules().node_modules, '.prisma': {} } }
  const dir = t.testdir({
    workspace: { ...makeState(), ...makeModules(), lib: {} },
    prisma: { ...makeState(), ...generated },
    head: { ...makeState(), ...makeModules() },
    a: makeState(),
    b: makeState(),
    c: { ...makeState(), 'package.json': scripts },
    d: makeState(),
    generates: { ...makeState(), ...makeModules(), 'package.json': scripts },
    e: makeState(),
    f: { ...makeState(), 'package.json': toManifest('husky install && node generate.js') }
  })
  symlinkSync('../lib', join(dir, 'workspace/node_modules/lib'))
  fakeManagers(t, dir, ['npm'])
  const printProgress = () => {}
  const donorsOf = (/** @type {string} */ name) => [toCheckout(join(dir, name), name)]
  await bringPackages(toCheckout(join(dir, 'a')), { donors: donorsOf('workspace'), env: {}, printProgress })
  await bringPackages(toCheckout(join(dir, 'b')), { donors: donorsOf('prisma'), env: {}, printProgress })
  await bringPackages(toCheckout(join(dir, 'c')), { donors: donorsOf('head'), env: {}, printProgress })
  await bringPackages(toCheckout(join(dir, 'd')),
    { donors: donorsOf('head'), build: 'npm run build', env: {}, printProgress })
  await bringPackages(toCheckout(join(dir, 'e')), { donors: donorsOf('generates'), env: {}, printProgress })
  await bringPackages(toCheckout(join(dir, 'f')), { donors: donorsOf('head'), env: {}, printProgress })
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) {
    t.ok(existsSync(join(dir, name, 'installed')), `${name} is installed`)
    t.equal(existsSync(join(dir, name, 'node_modules')), false)
  }
})

t.test('copies only packages that are those of the lock file', async t => {
  const other = { 'node_modules/other': { version: '1.0.0', integrity: 'sha512-other' } }
  const optional = { 'node_modules/other': { ...other['node_modules/other'], optional: true } }
  const workspace = { '': { name: 'app' }, 'packages/api': { version: '1.0.0' } }
  /** @type {[string, string | null, string, boolean][]} */
  const cases = [
    ['the same', lockOf(), lockOf(), true],
    ['another version', lockOf('4.0.0'), lockOf(), false],
    ['a package too many', lockOf('5.0.0', other), lockOf(), false],
    ['a package too few', lockOf(), lockOf('5.0.0', other), false],
    ['without an optional one', lockOf(), lockOf('5.0.0', optional), true],
    ['the project itself', lockOf(), lockOf('5.0.0', workspace), true],
    ['no record', null, lockOf(), false],
    ['an old lock file', lockOf(), '{"lockfileVersion":1,"dependencies":{}}', false],
    ['a broken record', '{', lockOf(), false]
  ]
  for (const [name, record, lock, expected] of cases) {
    const dir = t.testdir(record === null ? {} : { '.package-lock.json': record })
    t.equal(isInstalled(dir, lock, 'npm'), expected, name)
  }
  const pnpm = t.testdir({ '.pnpm': { 'lock.yaml': 'a: 1\n' } })
  t.equal(isInstalled(pnpm, 'a: 1\n', 'pnpm'), true)
  t.equal(isInstalled(pnpm, 'a: 2\n', 'pnpm'), false)
  t.equal(isInstalled(pnpm, 'a: 1\n', 'yarn'), false, 'Yarn keeps no such record')
  const dir = t.testdir({
    head: { 'package.json': manifest, 'package-lock.json': lockOf(), ...makeModules(lockOf('4.0.0')) },
    base: { 'package.json': manifest, 'package-lock.json': lockOf() }
  })
  fakeManagers(t, dir, ['npm'])
  const donors = [toCheckout(join(dir, 'head'), 'head')]
  await bringPackages(toCheckout(join(dir, 'base')), { donors, env: {}, printProgress: () => {} })
  t.ok(existsSync(join(dir, 'base/installed')))
})

t.test('shows the output of a failed installation without secrets', async t => {
  const dir = t.testdir({ 'package.json': manifest })
  inEnvironment(t, { NPM_TOKEN: 'sesame-open-sesame' })
  const install = 'echo "denied for sesame-open-sesame" >&2; exit 3'
  const error = await bringPackages(toCheckout(dir), {
    install,
    donors: [],
    env: {},
    printProgress: () => {}
  }).catch(error => error)
  t.equal(error.code, 'side-failed')
  t.match(error.message, /^base \(base\) could not be installed: .* ended with exit code 3\.$/)
  t.match(error.details.output, /denied for \[redacted\]/)
})

t.test('a folder of the user without its packages is rejected', async t => {
  const dir = t.testdir({
    bare: { 'package.json': manifest, 'yarn.lock': '' }, whole: { 'package.json': manifest, ...makeModules() }
  })
  t.throws(() => rejectWithoutPackages(toCheckout(join(dir, 'bare'), 'head')),
    { code: 'no-packages', remedy: /: yarn install$/ })
  t.doesNotThrow(() => rejectWithoutPackages(toCheckout(join(dir, 'whole'), 'head')))
})

t.test('does not copy packages over those of a commit, or with links to the place of their source', async t => {
  const state = { 'package.json': manifest, 'package-lock.json': lockOf() }
  const dir = t.testdir({
    head: { ...state, ...makeModules() },
    absolute: { ...state, ...makeModules() },
    base: { ...state, node_modules: { express: { 'package.json': '{"tracked":1}' } } },
    other: { ...state }
  })
  symlinkSync(join(dir, 'absolute/node_modules/express'), join(dir, 'absolute/node_modules/alias'))
  fakeManagers(t, dir, ['npm'])
  for (const [name, donor] of [['base', 'head'], ['other', 'absolute']]) {
    const donors = [toCheckout(join(dir, donor), donor)]
    await bringPackages(toCheckout(join(dir, name)), { donors, env: {}, printProgress: () => {} })
    t.ok(existsSync(join(dir, name, 'installed')), name)
  }
  t.equal(readFileSync(join(dir, 'base/node_modules/express/package.json'), 'utf8'), '{"tracked":1}')
})

t.test('states how to run the scripts of an installation, if there are any', async t => {
  const withScripts = { ...JSON.parse(manifest), scripts: { postinstall: 'node generate.js' } }
  const dir = t.testdir({
    project: { 'package.json': JSON.stringify(withScripts), 'package-lock.json': lockOf() },
    packages: { 'package.json': manifest, 'package-lock.json': '{ "hasInstallScript": true }' },
    without: { 'package.json': manifest, 'package-lock.json': lockOf() }
  })
  fakeManagers(t, dir, ['npm'])
  /** @type {string[]} */
  const notes = []
  const printProgress = (/** @type {string} */ text) => { notes.push(text) }
  for (const name of ['project', 'packages', 'without']) {
    await bringPackages(toCheckout(join(dir, name), name), { donors: [], env: {}, printProgress })
  }
  t.strictSame(notes.filter(line => line.includes('scripts.')), ['project', 'packages'].map(name =>
    `${name} is installed without running scripts. If the app needs them: --install 'npm ci'`))
})
