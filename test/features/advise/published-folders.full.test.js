/** Tests that an advice publishes no folder with a file that the app keeps from a stranger. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import t from '../../support/tap.js'
import { listPrefixCandidates } from '../../../bench/features/advise/find-folders.js'
import { inspectInWorker } from '../../../bench/features/advise/inspect.js'
import { adviseRequestFrom } from '../../../bench/features/advise/request.js'
import { inProject } from '../../support/advice.js'

/** @import { Test } from 'tap' */

/** Sends the files of ./public and ./other below their names, except the argument, and a page for all other paths. */
const APP = `
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
createServer(({ url }, response) => {
  if (url === process.argv[2]) return response.writeHead(401).end()
  const isFile = url.startsWith('/public/') || url.startsWith('/other/')
  response.end(isFile ? readFileSync('.' + url) : 'hello')
}).listen(process.env.PORT)
`

/** The usual layout of Express, Koa and Fastify: files at the root, and a route behind that hides one of them. */
const SITE = `
import express from ${JSON.stringify(import.meta.resolve('express'))}
const app = express()
if (process.argv[2]) app.get(process.argv[2], (_request, response) => response.send('a route'))
app.use(express.static('public'))
app.use((_request, response) => response.send('hello'))
app.listen(process.env.PORT)
`

/**
 * Inspects an app whose folders have more files than are tried to find their prefixes.
 * @param {Test} t
 * @param {{ kept?: string, files?: string[], code?: string, folders?: string[] }} options kept: path of a file that the
 *   app protects, or hides by a route; files: as typed
 */
async function inspect (t, { kept = '', files, code = APP, folders = ['public'] }) {
  const names = ['a.txt', 'b.txt', 'c.txt', 'd.txt', 'css/a.css', 'css/b.css']
  const paths = folders.flatMap(folder => names.map(name => `${folder}/${name}`))
  const dir = inProject(t, { 'app.mjs': code, ...Object.fromEntries(paths.map(path => [path, `text of ${path}`])) })
  mkdirSync(join(dir, 'out'))
  const options = { app: [`node app.mjs ${kept}`], readyWithin: 10, lab: false, ...files && { files } }
  const candidates = files ? [] : listPrefixCandidates(dir, folders)
  const { served, leftOut } = await inspectInWorker({ options, paths: ['/'], headers: {}, candidates },
    { bench: { dir: join(dir, 'out') }, request: adviseRequestFrom(options) })
  return { served, leftOut }
}

t.test('takes a folder of which the app sends every file, and names the protected file of another one', async t => {
  t.strictSame(await inspect(t, { kept: '/other/d.txt', folders: ['public', 'other'] }), {
    served: ['/public=./public'],
    leftOut: ['--files /other=./other: /other/d.txt: the app responds with status 401']
  })
})

t.test('takes the files at the root of a site, or the folders in it if a route hides a file', async t => {
  t.strictSame(await inspect(t, { code: SITE }), { served: ['/=./public'], leftOut: [] })
  t.strictSame(await inspect(t, { code: SITE, kept: '/d.txt' }), {
    served: ['/css=./public/css'],
    leftOut: ['--files /=./public: /d.txt: the app sends another content than that of the file']
  })
})

t.test('rejects a typed folder with a protected file', async t => {
  await t.rejects(inspect(t, { kept: '/public/d.txt', files: ['/public=./public'] }), {
    code: 'file-published', message: /\/public\/d\.txt: the app responds with status 401/
  })
  t.strictSame(await inspect(t, { files: ['/public=./public'] }), { served: [], leftOut: [] })
})
