/** Runs of an app by command whose files nginx serves: the arms by default, their proof, and apps that are refused. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../support/tap.js'
import { hopbench, makeWorkspace } from '../support/cli.js'
import { readCounts, WRITE_COUNTS } from '../support/counting-app.js'
import { skipWithout } from '../support/needs.js'

/**
 * Serves the folder public below /assets/ and counts the requests that come through a proxy. Responds with 403 to
 * $PROTECTED. With $CHANGES, replaces a file after the requests of the gate.
 */
const APP = `
import { createServer } from 'node:http'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
const counts = { pages: 0, files: 0 }
let requests = 0
createServer(({ url, headers }, response) => {
  const isFile = url.startsWith('/assets/')
  if (headers['x-forwarded-proto']) counts[isFile ? 'files' : 'pages']++
  if (process.env.CHANGES && ++requests === 300) writeFileSync('public/b.js', 'another')
  if (url === process.env.PROTECTED) return response.writeHead(403).end()
  if (!isFile) return response.setHeader('Content-Type', 'application/json').end('{}')
  try {
    const body = readFileSync('public' + url.replace('/assets', ''))
    response.writeHead(200, { 'Content-Type': 'text/javascript', 'Cache-Control': 'max-age=60' }).end(body)
  } catch {
    response.writeHead(404).end()
  }
}).listen(process.env.SOCKET ?? Number(process.env.PORT), '127.0.0.1')
${WRITE_COUNTS}`
const workspace = makeWorkspace(t)
const { dir } = workspace
mkdirSync(join(dir, 'public'))
writeFileSync(join(dir, 'public/a.js'), 'a'.repeat(2000))
writeFileSync(join(dir, 'public/b.js'), 'b')
writeFileSync(join(dir, 'app.mjs'), APP)
writeFileSync(join(dir, 'paths.txt'), '/\n/assets/a.js\n')

/**
 * @param {string} counts folder
 * @param {Record<string, string>} env
 * @param {string[]} words
 */
async function measure (counts, env = {}, words = []) {
  const { exit, stdout, stderr } = await hopbench([
    'run', ...words, '--app', 'node app.mjs', '--listen', '$PORT,$SOCKET', '--files', '/assets=public',
    '--paths', 'paths.txt', '--smoke', '--json', '-o', workspace.results, '--connections', '10'
  ], { workspace, cwd: dir, env: { COUNTS: counts, ...env } })
  return { exit, stderr, ...JSON.parse(stdout) }
}

const skip = skipWithout('nginx')

t.test('compares the app alone, behind nginx, and with nginx in front of its files', { skip }, async t => {
  const counts = t.testdir()
  const { exit, stderr, arms, fileDifferences } = await measure(counts)
  if (!t.equal(exit, 0, stderr)) return
  const names = ['app', 'nginx:uds-keepalive/app', 'nginx:uds-keepalive+static/app']
  t.strictSame(arms.map((/** @type {any} */ { name }) => name).slice(0, 3), names)
  for (const { name, invalid } of arms) t.equal(invalid, null, name)
  const [{ headers, ...compared }, ...others] = fileDifferences
  t.strictSame([compared, others], [{ arm: names[2], compared: 2, total: 2 }, []])
  t.match(headers.find((/** @type {any} */ { name }) => name === 'cache-control'),
    { files: 2, path: '/assets/a.js', app: 'max-age=60', proxy: null })
  const proxied = readCounts(counts).filter(({ pages }) => pages > 0)
  t.equal(proxied.length, 2, 'apps that are reached through nginx')
  t.equal(proxied.filter(({ files }) => files === 1).length, 1, 'with +static the app gets the path without a file')
})

t.test('refuses an app that protects a file, and names it', { skip }, async t => {
  const words = ['app', 'nginx:keepalive+static/app']
  const { exit, error } = await measure(t.testdir(), { PROTECTED: '/assets/b.js' }, words)
  t.equal(exit, 1)
  t.match(error, { code: 'file-published', message: /\/assets\/b\.js/ })
})

t.test('arms are invalid if a file changes during the run', { skip }, async t => {
  const { arms } = await measure(t.testdir(), { CHANGES: '1' }, ['app', 'nginx:keepalive+static/app'])
  for (const { name, invalid } of arms) {
    t.match(invalid, { code: 'file-changed', params: { path: '/assets/b.js' } }, name)
  }
})
