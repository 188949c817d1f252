/** The load of an app whose files are known: page views of its path and its files, or of a HAR file. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../support/tap.js'
import { planFrom } from '../../bench/request/request.js'

/** @import { RunFlags } from '../../bench/request/types.js' */

const root = t.testdir({
  few: { 'app.js': 'a', 'app.js.map': 'm', 'app.js.gz': 'z', sub: { 'style.css': 'b' } },
  many: {}
})
for (let i = 0; i < 30; i++) writeFileSync(join(root, 'many', `file-${i}.js`), String(i))

/**
 * @param {Partial<RunFlags>} typed
 * @param {string[]} [words]
 */
const planOf = (typed, words = []) => planFrom(words, /** @type {RunFlags} */ ({
  app: ['node app.js'], files: [`/assets=${join(root, 'few')}`], seed: 7, results: 'results', ...typed
}))

t.test('a page view is the path and the files of the prefixes, without maps and precompressed twins', async t => {
  const { plan, note } = await planOf({ path: '/shop' })
  t.equal(plan.unit, 'pages')
  t.same(plan.arms.filter(({ twinOf }) => !twinOf).map(({ spec }) => spec),
    ['app', 'nginx:keepalive/app', 'nginx:keepalive+static/app'])
  for (const { load } of plan.arms) {
    t.same(load.paths, ['/shop', '/assets/app.js', '/assets/sub/style.css'])
    t.equal(load.headers['Accept-Encoding'], 'gzip')
  }
  t.match(note, 'A page view is /shop and 2 files. --har takes the requests of a real page.')
})

t.test('of more than 20 files the seed chooses 20, and typed headers take precedence', async t => {
  const files = [`/assets=${join(root, 'many')}`]
  const pathsOf = async (/** @type {number} */ seed) => (await planOf({ files, seed })).plan.arms[0].load.paths ?? []
  t.equal((await pathsOf(7)).length, 21)
  t.same(await pathsOf(7), await pathsOf(7))
  t.notSame(await pathsOf(7), await pathsOf(8))
  const { plan, note } = await planOf({ files, header: ['Accept-Encoding: br'] })
  t.equal(plan.arms[0].load.headers['Accept-Encoding'], 'br')
  t.match(note, '/ and 20 of 30 files, chosen by the seed')
})

t.test('another method than GET is one request, and a HAR file is a page view of its own', async t => {
  t.equal((await planOf({ method: 'POST', body: '{}' })).plan.unit, 'requests')
  const entry = (/** @type {string} */ path) => ({
    request: { method: 'GET', url: `http://localhost:3000${path}`, headers: [] },
    response: { status: 200, content: { size: 10, mimeType: 'text/html' } }
  })
  const har = join(root, 'page.har')
  writeFileSync(har, JSON.stringify({ log: { entries: ['/', '/assets/app.js', '/assets/app.js'].map(entry) } }))
  const { plan } = await planOf({ har })
  t.equal(plan.unit, 'pages')
  t.same(plan.arms[0].load.paths?.toSorted(), ['/', '/assets/app.js', '/assets/app.js'])
  const long = Array.from({ length: 301 }, (_, i) => entry(`/${i}`))
  writeFileSync(har, JSON.stringify({ log: { entries: long } }))
  t.equal((await planOf({ har })).plan.unit, 'requests', 'its sequence is a sample of the page')
})

t.test('response times of an app of your own beside its file traffic', async t => {
  const { plan } = await planOf({}, ['site-latency'])
  t.equal(plan.unit, 'pages')
  t.same(plan.arms[0].load.paths, ['/', '/assets/app.js', '/assets/sub/style.css'])
  t.equal(plan.arms[0].topology.server?.command?.run, 'node app.js')
})

t.test('an experiment with a page of its own refuses --path', async t => {
  await t.rejects(planFrom(['site'], /** @type {RunFlags} */ ({ path: '/x', results: 'results' })),
    { code: 'bad-option', message: /--path/ })
})
