import { mkdtempSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import t from '../../support/tap.js'
import { NoResponse } from '../../../bench/features/check/client.js'
import { loadProbes } from '../../../bench/features/check/study.js'
import { DATA, TEXT, makeSite } from '../../../bench/features/check/site.js'
import { loadPlugin } from '../../../bench/plan/plugins.js'
import { contextFor, isBare } from '../../support/probe-context.js'
import { tempFolder } from '../../support/temp.js'
import { unusual, wrong } from '../../support/wrong-servers.js'

/** @import { Finding } from '../../../bench/features/check/types.js' */

const dir = tempFolder(t)
let sites = 0
const probes = await loadProbes()

t.test('every probe has a unique name, a title, a topic and a well-formed RFC reference', async t => {
  t.equal(new Set(probes.map(({ name }) => name)).size, probes.length)
  for (const { name, title, rfc, topic } of probes) {
    t.match(name, /^[a-z0-9-]{3,20}$/)
    t.ok(title.length > 10 && topic.length > 3, name)
    if (rfc !== null) t.match(rfc, /^RFC \d{4}, \d+(\.\d+)*$/, name)
  }
})

t.test('docs/check.md lists every probe with its current title', async t => {
  const page = readFileSync(new URL('../../../docs/check.md', import.meta.url), 'utf8')
  const rows = probes.map(({ name, title, rfc, safety }) => {
    const notes = [...rfc ? [rfc.replace('RFC 9110, ', '')] : [], ...safety ? ['safety'] : []].join(', ')
    return `- \`${name}\`${notes && ` (${notes})`}: ${title}\n`
  })
  for (const row of rows) t.ok(page.includes(row), row)
  t.equal(page.slice(page.indexOf('## The probes')).match(/^- `/gm)?.length, probes.length, 'lists no other probe')
})

t.test('a correct server fails no probe', async t => {
  const site = makeSite(mkdtempSync(join(dir, `${sites++}-`)))
  const { default: factory } = await loadPlugin('server', 'connect-static')
  const context = await contextFor(t, await factory({ root: site.root }), site)
  for (const probe of probes) {
    const { outcome, saw } = await probe.run(context)
    t.not(outcome, 'fail', `${probe.name}: ${saw}`)
  }
})

for (const probe of probes) {
  t.test(`${probe.name} detects a wrong server`, async t => {
    const handler = wrong[probe.name] ?? unusual[probe.name]
    if (!handler) return t.fail('test/support/wrong-servers.js has no server for this probe')
    const site = makeSite(mkdtempSync(join(dir, `${sites++}-`)))
    const context = await contextFor(t, (req, res) => handler(req, res, site.root), site, !isBare(probe.name))
    const { outcome, saw } = await probe.run(context).catch(failWithoutAnswer)
    t.equal(outcome, wrong[probe.name] ? 'fail' : 'differs-by-design', saw)
  })
}

t.test('one of two requested parts, or both joined, is permitted', async t => {
  const probe = probes.find(({ name }) => name === 'range-multiple')
  for (const [first, last] of [[0, 9], [20, 29], [0, 29]]) {
    const headers = { 'Content-Range': `bytes ${first}-${last}/${DATA.length}` }
    const context = await contextFor(t, (req, res) => {
      res.writeHead(206, headers).end(DATA.subarray(first, last + 1))
    }, makeSite(mkdtempSync(join(dir, `${sites++}-`))))
    t.equal((await probe?.run(context))?.outcome, 'differs-by-design', `${first} to ${last}`)
  }
})

/** CPU time of planted servers for a response without and with compression, in ms: just below and above each limit. */
for (const [plainMs, packedMs, outcome] of /** @type {[number, number, string][]} */ ([
  [4, 9.9, 'pass'], [4, 10.1, 'differs-by-design'], [1, 4.9, 'pass'], [1, 5.1, 'differs-by-design']
])) {
  t.test(`recompress: a server that uses ${packedMs} ms with and ${plainMs} ms without compression: ${outcome}`,
    async t => {
      const packed = gzipSync(TEXT)
      let usedMs = 0
      const context = await contextFor(t, (req, res) => {
        const isPacked = req.headers['accept-encoding'] === 'gzip'
        usedMs += isPacked ? packedMs : plainMs
        res.writeHead(200, isPacked ? { 'Content-Encoding': 'gzip' } : {}).end(isPacked ? packed : TEXT)
      }, makeSite(mkdtempSync(join(dir, `${sites++}-`))), false)
      const probe = probes.find(({ name }) => name === 'recompress')
      t.match(await probe?.run({ ...context, cpuSeconds: () => usedMs / 1000 }), { outcome })
    })
}

t.test('recompress: work of the garbage collector in one of two measurements does not count', async t => {
  const packed = gzipSync(TEXT)
  let [usedMs, requests] = [0, 0]
  const context = await contextFor(t, (req, res) => {
    const isPacked = req.headers['accept-encoding'] === 'gzip'
    // The probe sends one compressed request before its first round of ten.
    usedMs += isPacked && requests++ < 11 ? 30 : 3
    res.writeHead(200, isPacked ? { 'Content-Encoding': 'gzip' } : {}).end(isPacked ? packed : TEXT)
  }, makeSite(mkdtempSync(join(dir, `${sites++}-`))), false)
  const probe = probes.find(({ name }) => name === 'recompress')
  t.match(await probe?.run({ ...context, cpuSeconds: () => usedMs / 1000 }), { outcome: 'pass' })
})

t.test('describes a missing or incomplete response in the error', async t => {
  const site = makeSite(mkdtempSync(join(dir, `${sites++}-`)))
  const silent = await contextFor(t, () => {}, site)
  await t.rejects(silent.request('/%'), { message: 'GET /%: no response within 1.5 s' })
  const rude = await contextFor(t, req => req.socket.destroy(), site)
  await t.rejects(rude.request('/'), { message: /^GET \/: the connection ended without a response/ })
  const short = await contextFor(t, (req, res) => {
    res.writeHead(200, { 'Content-Length': 10 }).write('half', () => res.destroy())
  }, site)
  await t.rejects(short.request('/'), { message: 'GET /: the response broke off after 4 of 10 bytes' })
  const gateway = await contextFor(t, (req, res) => { res.writeHead(502).end() }, site)
  await t.rejects(gateway.request('/'), { message: 'GET /: the proxy got no response (502)' })
})

t.test('follows redirects within the site only, and at most three', async t => {
  const site = makeSite(mkdtempSync(join(dir, `${sites++}-`)))
  const context = await contextFor(t, (req, res) => {
    const [, left, rest] = /^\/(\d)(.*)$/.exec(req.url ?? '') ?? []
    if (left === '0') return res.end(`${req.method} ${rest}`)
    const next = [`/${Number(left) - 1}${rest}`, `http://localhost/${Number(left) - 1}${rest}`][Number(left) % 2]
    res.writeHead([301, 302, 303, 307, 308][Number(left) % 5], { Location: left === '9' ? 'http://a.example/0' : next })
      .end()
  }, site)
  for (const [path, status, body] of /** @type {[string, number, string][]} */ ([
    ['/0/a?b=%20', 200, 'GET /a?b=%20'], ['/1/a?b=%20', 200, 'GET /a?b=%20'], ['/3/a', 200, 'GET /a'],
    ['/4/a', 302, ''], ['/9/a', 308, '']
  ])) {
    const response = await context.request(path)
    t.strictSame([response.status, String(response.body)], [status, body], path)
  }
  t.equal((await context.request('/1/a', {}, { method: 'POST' })).status, 302, 'a POST is not repeated')
  t.equal((await context.request('/1/a', {}, { redirects: 0 })).status, 302, 'a probe of redirects follows none')
})

t.test('no probe fails because a server removes .html and index.html from paths by redirects', async t => {
  const site = makeSite(mkdtempSync(join(dir, `${sites++}-`)))
  const { default: factory } = await loadPlugin('server', 'connect-static')
  const serve = await factory({ root: site.root })
  const context = await contextFor(t, (req, res) => {
    if (/^\/(page\.html|folder\/index\.html)$/.test(req.url ?? '')) {
      return res.writeHead(301, { Location: String(req.url).replace(/(\/index)?\.html$/, '') }).end()
    }
    if (req.url === '/page') req.url = '/page.html'
    serve(req, res)
  }, site)
  for (const probe of probes) {
    const { outcome, saw } = await probe.run(context)
    t.not(outcome, 'fail', `${probe.name}: ${saw}`)
  }
})

/**
 * Converts a missing response to a failure, as the check does.
 * @param {unknown} error
 * @returns {Finding}
 */
function failWithoutAnswer (error) {
  if (error instanceof NoResponse) return { outcome: 'fail', saw: error.message }
  throw error
}
