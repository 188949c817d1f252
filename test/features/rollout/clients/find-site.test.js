/** Tests which files of a page an inspection finds. */
import t from '../../../support/tap.js'
import { findSite } from '../../../../bench/features/rollout/clients/find-site.js'
import { inspectSite } from '../../../../bench/features/rollout/clients/client.js'
import { toAddress } from '../../../support/plays.js'
import { makeFiles, makeSite, serveFiles } from '../../../support/rollout-sites.js'

/** @import { Test } from 'tap' */
/** @import { Server } from 'node:http' */
/** @import { Files } from '../../../support/rollout-sites.js' */
/** @import { Site } from '../../../../bench/features/rollout/types.js' */

const HTML = 'text/html'
const JS = 'text/javascript'

/**
 * @param {Server} server
 * @param {string[]} [api]
 * @returns {Promise<Site>}
 */
async function find (server, api = []) {
  const { site } = await findSite(toAddress(server), { page: '/', api })
  if (!site) throw new Error('no site was found')
  return site
}

/** @param {Site['files']} files */
const toPaths = files => files.map(({ path }) => path).sort()

/** @param {Site} site */
const sorted = ({ files, lateFiles, ...site }) => {
  const sort = (/** @type {Site['files']} */ list) => list.toSorted((a, b) => a.path < b.path ? -1 : 1)
  return { ...site, files: sort(files), lateFiles: sort(lateFiles) }
}

t.test('finds the files of a page, those of its style sheets and scripts, and the late ones', async t => {
  const server = await serveFiles(t, makeFiles('old'))
  t.strictSame(sorted(await find(server, ['/api/items', '/api/other'])), sorted(makeSite('old')))
})

t.test('does not take pages in place of missing files for files', async t => {
  const { '/': page, ...files } = makeFiles('old')
  const late = Object.keys(files).filter(path => path.includes('About'))
  const fallback = Object.fromEntries(late.map(path => [path, page]))
  const site = await find(await serveFiles(t, { ...files, ...fallback, '/': page }))
  t.strictSame(site.lateFiles, [])
  t.equal(site.files.length, 5)
})

t.test('leaves out what differs by request, and states no digest of such a page', async t => {
  let count = 0
  const server = await serveFiles(t, makeFiles('old'), {
    '/': (_, res) => res.setHeader('Content-Type', HTML).end(`${makeFiles('old')['/'][1]}<!-- ${count++} -->`),
    '/icon.svg': (_, res) => res.setHeader('Content-Type', 'image/svg+xml').end(`<svg id="${count++}">`)
  })
  const site = await find(server)
  t.equal(site.pageDigest, null)
  t.notOk(toPaths(site.files).includes('/icon.svg'))
  t.equal(site.files.length, 4)
})

t.test('finds the chunks of webpack, and none of another site or of a package', async t => {
  /** @type {Files} */
  const files = {
    '/': [HTML, '<script src="/_next/static/chunks/webpack-5e8f5c2d77889900.js" async></script>' +
      '<script src="https://cdn.example/x.js"></script>'],
    '/_next/static/chunks/webpack-5e8f5c2d77889900.js': [JS, 'import "react";r.u=e=>"static/chunks/"+(({8:"about"})' +
      '[e]||e)+"."+({8:"aabbccdd11223344",9:"aabbccdd11223355"})[e]+".js"'],
    '/_next/static/chunks/about.aabbccdd11223344.js': [JS, '1'],
    '/_next/static/chunks/9.aabbccdd11223355.js': [JS, '2']
  }
  const site = await find(await serveFiles(t, files))
  t.strictSame(toPaths(site.files), Object.keys(files).slice(1, 2))
  t.strictSame(toPaths(site.lateFiles), Object.keys(files).slice(2).sort())
  t.ok(site.lateFiles.every(({ isHashed }) => isHashed))
})

t.test('finds the files that late ones request later', async t => {
  const files = Object.fromEntries(['a', 'b', 'c', 'd'].map((name, i, names) => [`/${name}.js`,
    /** @type {[string, string]} */ ([JS, `import("./${names[i + 1]}.js")`])]))
  const site = await find(await serveFiles(t, { '/': [HTML, '<script src="a.js"></script>'], ...files }))
  t.strictSame(site.files.map(({ path }) => path), ['/a.js'])
  t.strictSame(site.lateFiles.map(({ path }) => path), ['/b.js', '/c.js', '/d.js'])
})

t.test('recognises hashes without a digit beside a name that surely has one', async t => {
  const names = ['main-CJCmAegw.js', 'a-Aa1bCdEf.js', 'b.js']
  const page = names.map(name => `<script src="/assets/${name}"></script>`).join('')
  const files = Object.fromEntries(names.map(name => [`/assets/${name}`, /** @type {[string, string]} */ ([JS, name])]))
  const site = await find(await serveFiles(t, { '/': [HTML, page], ...files }))
  t.strictSame(site.files.map(({ isHashed }) => isHashed), [true, true, false])
  const alone = await find(await serveFiles(t, { ...files, '/': [HTML, '<script src="/assets/main-CJCmAegw.js">'] }))
  t.strictSame(alone.files.map(({ isHashed }) => isHashed), [false])
})

t.test('ends where scripts name ever more files', async t => {
  let requests = 0
  const server = await serveFiles(t, { '/': [HTML, '<script src="/0.js"></script>'] }, Object.fromEntries(
    Array.from({ length: 150 }, (_, i) => [`/${i}.js`, (_, res) => {
      requests++
      res.setHeader('Content-Type', JS).end(`import "./${i + 1}.js"`)
    }])))
  const site = await find(server)
  t.equal(site.files.length, 100)
  t.ok(requests <= 201, 'each file once, and once again for its stability')
})

t.test('inspects in a child process, and rejects a page that is an error', async t => {
  const server = await serveFiles(t, makeFiles('old'))
  const target = { url: toAddress(server).url, enter: [], dir: t.testdir() }
  t.strictSame(sorted(await inspectSite({ ...target, page: '/', api: ['/api/items'] })), sorted(makeSite('old')))
  await t.rejects(inspectSite({ ...target, page: '/missing', api: [] }),
    { code: 'gate-refused', message: /GET \/missing with status 404/, remedy: /--page/ })
})
