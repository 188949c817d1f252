/** Tests which URL prefixes of folders are tried at an app, and which of them it serves. */
import t from '../../support/tap.js'
import { divideServed, findServed, listPrefixCandidates } from '../../../bench/features/advise/find-folders.js'

const project = t.testdir({
  public: {
    'a.txt': 'a',
    css: { 'site.css': 'p {}', 'more.css': 'a {}' },
    '.hidden': { 'b.txt': 'b' },
    ü: { 'c.txt': 'c' }
  },
  empty: {}
})

t.test('tries the name of a folder, and those of the folders in it', async t => {
  const candidates = listPrefixCandidates(project, ['public', 'empty', 'none'])
  t.same(candidates.map(({ prefix, folder }) => [prefix, folder]), [['/public', 'public'], ['/css', 'public/css']])
  t.same(candidates[1].probes.map(({ path }) => path), ['/css/more.css', '/css/site.css'])
})

t.test('finds the folders whose files the app has sent, each before those inside it', async t => {
  const candidates = listPrefixCandidates(project, ['public'])
  const all = new Map(candidates.flatMap(({ probes }) => probes.map(({ path, sha256 }) => [path, sha256])))
  t.same(findServed(candidates, all), ['/public=./public', '/css=./public/css'])
  const css = new Map([...all].filter(([path]) => path.startsWith('/css/')))
  t.same(findServed(candidates, css), ['/css=./public/css'])
  t.same(findServed(candidates, new Map([...css].slice(0, 1))), [], 'one of two files is missing')
  t.same(findServed(candidates, new Map([...css].map(([path]) => [path, 'other']))), [], 'other bytes')
})

t.test('finds the whole site, unless another folder is served, too', async t => {
  const dir = t.testdir({ public: { 'a.txt': 'a', css: { 'site.css': 'p {}' } }, dist: { js: { 'b.js': 'b' } } })
  const found = async (/** @type {string[]} */ folders, /** @type {string[]} */ sent, fault = '') => {
    const candidates = listPrefixCandidates(dir, folders)
    const files = candidates.flatMap(({ probes }) => probes.map(({ path, sha256 }) =>
      /** @type {const} */ ([path, sha256])))
    const served = findServed(candidates, new Map(files.filter(([path]) => sent.includes(path))))
    return divideServed(served, async text => text === fault ? 'a route hides a file' : null)
  }
  const all = ['/a.txt', '/css/site.css']
  t.strictSame(await found(['public'], all), { served: ['/=./public'], leftOut: [] })
  t.strictSame(await found(['public'], all, '/=./public'),
    { served: ['/css=./public/css'], leftOut: ['--files /=./public: a route hides a file'] })
  t.strictSame((await found(['public'], ['/css/site.css'])).served, ['/css=./public/css'])
  t.strictSame((await found(['public', 'dist'], [...all, '/js/b.js'])).served, ['/css=./public/css', '/js=./dist/js'])
})
