/** `hopbench diff --latency`: several paths, a mix of requests, and an app that fails before its response times. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../../support/tap.js'
import { hopbench, leavesNothing, makeWorkspace, recordIn, runDir } from '../../support/cli.js'
import { makeRepository } from '../../support/repository.js'

/** @import { Sample } from '../../../bench/types.js' */
/** @import { Test } from 'tap' */
/** @import { Workspace } from '../../support/cli.js' */

/** An app that responds to /slow 500 times per second at most. */
const APP = `require('http').createServer((req, res) => {
  req.resume()
  const end = performance.now() + (req.url === '/slow' ? 2 : 0)
  while (performance.now() < end);
  res.end(req.method + ' ' + req.url)
}).listen(process.env.PORT)
`
const MANIFEST = JSON.stringify({ name: 'demo', private: true, scripts: { start: 'node app.js' } })

/**
 * Compares two equal commits of the app, or a changed one with the app.
 *
 * @param {Test} t
 * @param {string[]} args
 * @param {string} [head] source text
 */
async function compare (t, args, head = APP) {
  const workspace = makeWorkspace(t)
  const cwd = await makeRepository(t, {
    files: { 'package.json': MANIFEST, 'app.js': APP, '.gitignore': 'started-*\n' }, change: { 'app.js': head }
  })
  const result = await hopbench(['diff', 'main', '--smoke', '--latency', ...args, '-o', workspace.results],
    { workspace, cwd })
  const { diff } = recordIn(workspace)
  /** @type {import('../../../bench/types.js').DiffMetric[]} */
  const percentiles = diff.figures.filter((/** @type {{ figure: string }} */ { figure }) => figure === 'p99')
  const isInvalid = percentiles.some(({ verdict }) => verdict === 'invalid')
  t.equal(result.exit, isInvalid ? 1 : 0, result.stderr)
  await leavesNothing(t, workspace)
  return { ...result, diff, percentiles, windows: readWindows(workspace) }
}

/**
 * @param {Workspace} workspace
 * @returns {Sample[]}
 */
function readWindows (workspace) {
  const file = join(runDir(workspace), 'latency.jsonl')
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').map(line => JSON.parse(line)) : []
}

t.test('each path gets response times at a rate of its own', async t => {
  const { percentiles, windows, stdout } = await compare(t, ['--path', '/', '--path', '/slow'])
  t.match(percentiles, [{ arm: 'head /' }, { arm: 'head /slow' }])
  const [fast, slow] = percentiles.map(({ rate }) => Number(rate))
  t.ok(slow <= 250 && fast > slow, `${slow} and ${fast} requests per second`)
  t.match(stdout, /p99\s+at\s+\S+\s+and\s+\S+\s+requests/)
  t.strictSame(new Set(windows.map(({ arm }) => arm)), new Set(['base /', 'head /', 'base /slow', 'head /slow']))
})

t.test('the requests of a page include a POST', async t => {
  const har = join(t.testdir({}), 'page.har')
  const toEntry = (/** @type {string} */ method, /** @type {string} */ path) => ({
    request: {
      method,
      url: `http://localhost:3000${path}`,
      headers: [{ name: 'Accept', value: '*/*' }],
      ...method === 'POST' && { postData: { mimeType: 'text/plain', text: 'item=1' } }
    },
    response: { status: 200, content: { size: 10, mimeType: 'text/html' } }
  })
  writeFileSync(har, JSON.stringify({ log: { entries: [toEntry('GET', '/'), toEntry('POST', '/cart')] } }))
  const { percentiles, windows } = await compare(t, ['--har', har, '--har-methods', 'POST', '--rate', '50'])
  t.match(percentiles, [{ arm: 'head', rate: 50 }])
  t.equal(windows.length, 2)
  for (const { errors, requests } of windows) {
    t.ok(requests > 0)
    t.strictSame(new Set(Object.values(errors)), new Set([0]), 'each response is the one of its request')
  }
})

t.test('an app that does not start again keeps the verdict about its throughput', async t => {
  // The second start of head is for its response times.
  const failing = `const fs = require('fs')
if (fs.existsSync('started-once')) { console.error('no such table'); process.exit(1) }
fs.writeFileSync('started-once', '')
${APP}`
  const { diff, percentiles, windows, stdout, stderr } = await compare(t, [], failing)
  t.match(stderr, /The response times were not measured\..*no such table/s)
  t.match(stdout, /^UNDECIDED: p99 of response times was not measured/)
  t.match(stdout, /CPU time per request, µs/)
  t.equal(diff.starts, 1)
  t.match(percentiles, [{ verdict: 'invalid' }])
  t.strictSame(windows, [])
})
