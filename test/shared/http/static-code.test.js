/** Tests the modules that are shown with a recommended static server. */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, get as httpGet } from 'node:http'
import { once } from 'node:events'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from '../../support/tap.js'
import { loadPlugin, PROJECT } from '../../../bench/plan/plugins.js'
import { recommend } from '../../../bench/judge/recommendation.js'
import { knownServers } from '../../../bench/run/known-servers.js'
import { listRuns, readRun } from '../../../bench/store/store.js'
import { isSuggested } from '../../../bench/shared/commands.js'
import { STATIC_CODE, STATIC_FILE } from '../../../bench/shared/http/static-code.js'
import { freePort, releasePort } from '../../../bench/machine/network/ports.js'
import { start, waitUntil } from '../../../bench/machine/process.js'
import { hopbench, makeWorkspace } from '../../support/cli.js'
import { listening } from '../../support/listening.js'
import { tempFolder } from '../../support/temp.js'
import { renderBrief, renderText } from '../../support/rendered.js'

/** @import { RequestListener } from 'node:http' */
/** @import { Test } from 'tap' */

const PAGE = '<!doctype html><title>A page</title>'.padEnd(4000, 'x')
/** Headers that the settings of a server decide. */
const COMPARED = ['cache-control', 'content-type', 'content-encoding', 'etag', 'last-modified', 'vary', 'x-powered-by']

/**
 * Makes a project with a module, its packages and a page.
 * @param {Test} t removes it
 * @param {string} server
 */
function makeProject (t, server) {
  const dir = tempFolder(t)
  const { packages, lines } = STATIC_CODE[server]
  mkdirSync(join(dir, 'public'))
  writeFileSync(join(dir, 'public/page.html'), PAGE)
  writeFileSync(join(dir, 'public/.env'), 'hidden')
  writeFileSync(join(dir, STATIC_FILE), `${lines.join('\n')}\n`)
  const dependencies = Object.fromEntries(packages.map(name => [name, '*']))
  writeFileSync(join(dir, 'package.json'), JSON.stringify({ name: 'files', dependencies }))
  symlinkSync(join(PROJECT, 'node_modules'), join(dir, 'node_modules'))
  return dir
}

/**
 * Requests the page from a handler, the page again, and a hidden file.
 * @param {RequestListener} handler
 */
async function fetchPage (handler) {
  const port = await listening(t, createServer(handler))
  const get = (/** @type {string} */ path) =>
    fetch(`http://127.0.0.1:${port}${path}`, { headers: { Connection: 'close' } })
  const response = await get('/page.html')
  const body = await response.text()
  const headers = { 'If-Modified-Since': String(response.headers.get('last-modified')) }
  // Not fetch, which would add Cache-Control: no-cache.
  const [again] = await once(httpGet({ port, path: '/page.html', headers, agent: false }), 'response')
  again.resume()
  const hidden = await get('/.env')
  return {
    status: response.status,
    body,
    headers: COMPARED.map(name => `${name}: ${response.headers.get(name)}`),
    again: [again.statusCode, again.headers.vary],
    hidden: hidden.status
  }
}

for (const server of Object.keys(STATIC_CODE)) {
  t.test(`the module of ${server} serves files as the server with recommended settings does`, async t => {
    const dir = makeProject(t, server)
    const { default: handler } = await import(pathToFileURL(join(dir, STATIC_FILE)).href)
    const plugin = await loadPlugin('server', server)
    const recommended = await plugin.default({ root: join(dir, 'public'), options: { production: true } })
    const shown = await fetchPage(handler)
    t.strictSame(shown, await fetchPage(recommended))
    t.match(shown, { status: 200, body: PAGE, hidden: 404 })
    t.equal(shown.again[0], 304)
    t.notOk(plugin.about.demonstration, 'can be recommended')
    t.ok(readFileSync(join(PROJECT, 'docs/static.md'), 'utf8').includes(STATIC_CODE[server].lines.join('\n')),
      'docs/static.md has the code')
  })
}

t.test('hopbench writes a deploy kit of the shown module, which serves the page', async t => {
  const dir = makeProject(t, 'connect-static')
  const command = `npm run hopbench -- config ./${STATIC_FILE} --target docker`
  t.ok(isSuggested(command))
  const { exit, stderr } = await hopbench(command.split(' ').slice(4), { workspace: makeWorkspace(t), cwd: dir })
  t.equal(exit, 0, stderr)
  t.match(readFileSync(join(dir, 'deploy/Dockerfile'), 'utf8'), /npm install --omit=dev/)
  t.match(readFileSync(join(dir, 'deploy/start.sh'), 'utf8'), new RegExp(STATIC_FILE.replace('.', '\\.')))
  const port = await freePort(18200, '127.0.0.1')
  t.teardown(() => releasePort(port))
  const kit = start({
    name: 'the kit',
    argv: [process.execPath, 'deploy/serve.mjs'],
    env: { APP: `./${STATIC_FILE}`, HOST: '127.0.0.1', PORT: String(port) },
    cwd: dir,
    log: join(dir, 'kit.log')
  })
  t.teardown(() => kit.stop())
  const request = () => fetch(`http://127.0.0.1:${port}/page.html`).then(response => response.text(), () => null)
  await waitUntil(kit, async () => await request() !== null)
  t.equal(await request(), PAGE)
})

t.test('the report of static servers shows the packages, and with the details the module', async t => {
  const folder = join(PROJECT, 'results/reference')
  const runs = (await listRuns(folder)).filter(({ dir }) => dir.includes('static-html'))
  const { record: stored } = await readRun(runs[runs.length - 1].dir, folder)
  if (!stored) throw new Error('no run of static servers is stored')
  const { advice } = recommend(stored, await knownServers(stored.arms, folder))
  const record = { ...stored, recommendation: advice }
  const chosen = advice.find(({ code }) => code === 'node-code')
  const server = chosen?.code === 'node-code' ? chosen.params.server : ''
  const { packages, lines } = STATIC_CODE[server]
  t.match(renderBrief(record, { columns: 80 }), `npm install ${packages.join(' ')}\n`)
  const details = renderText(record, { columns: 80 })
  t.ok(details.includes(lines.map(line => line && `    ${line}`).join('\n')), 'the code can be copied')
  t.match(details, `config ./${STATIC_FILE} --target docker`)
  const serves = advice.find(({ code }) => code === 'node-serves')
  const { names, others } = serves?.code === 'node-serves' ? serves.params : {}
  t.ok(others && names?.length === others, 'names the others')
})
