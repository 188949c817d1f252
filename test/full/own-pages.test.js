/** The requests of a page against an app of one's own, alone and behind nginx. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { hopbench, leavesNothing, makeWorkspace, recordIn } from '../support/cli.js'
import { skipWithout, skipWithoutProgram } from '../support/needs.js'

/** Requests of a page by path: a third of them is for /often. */
const PATHS = ['/', '/often?x=1', '/often?x=1', '/a.css', '/b.css', '/c.js']

const CONNECTIONS = 10
/** Requests of each path at the gate: three to the app itself, and a fifth of 200 others. */
const AT_GATE = 43
/** Each connection repeats the six requests in their order, and may end anywhere. */
const TOLERANCE = 2 * CONNECTIONS

/** Responds to each path with another body, compresses nothing, and writes how often each path was requested. */
const APP = `
import { createServer } from 'node:http'
import { renameSync, writeFileSync } from 'node:fs'
const counts = {}
createServer((request, response) => {
  counts[request.url] = (counts[request.url] ?? 0) + 1
  const isWrong = process.env.WRONG === request.url && (process.env.ALWAYS || request.headers['x-forwarded-for'])
  response.setHeader('Content-Type', request.url.endsWith('.css') ? 'text/css' : 'text/html')
  response.end(('the page of ' + request.url + (isWrong ? '!' : '')).padEnd(3000))
}).listen(process.env.PORT, '127.0.0.1')
setInterval(() => {
  const file = process.env.COUNTS + '/' + process.pid
  writeFileSync(file + '.new', JSON.stringify(counts))
  renameSync(file + '.new', file)
}, 50)
`

const entries = PATHS.map((path, i) => ({
  request: {
    method: 'GET', url: `http://localhost:3000${path}`, headers: [{ name: 'Accept-Encoding', value: 'gzip, br' }]
  },
  response: { status: 200, content: { size: 3000, mimeType: i === 0 ? 'text/html' : 'text/css' } }
}))

const workspace = makeWorkspace(t)
const har = join(workspace.dir, 'page.har')
writeFileSync(join(workspace.dir, 'app.mjs'), APP)
writeFileSync(har, JSON.stringify({ log: { entries } }))

/**
 * @param {string[]} args
 * @param {Record<string, string>} env
 */
const measure = (args, env) => hopbench([
  'run', ...args, '--app', 'node app.mjs', '--har', har, '--smoke', '--json', '-o', workspace.results,
  '--connections', String(CONNECTIONS)
], { workspace, cwd: workspace.dir, env })

/** Debian packages by engine. @type {Record<string, string[]>} */
const ENGINES = { autocannon: [], wrk: ['wrk'], h2load: ['nghttp2-client'] }
for (const [engine, packages] of Object.entries(ENGINES)) {
  const skip = skipWithout('nginx') || (packages.length > 0 && skipWithoutProgram(engine, packages))
  t.test(`${engine} requests the paths in their proportions, also where nginx compresses`, { skip }, async t => {
    const counts = t.testdir()
    const { exit, stdout, stderr } =
      await measure(['app', 'nginx:keepalive+gzip/app', '--engine', engine], { COUNTS: counts })
    if (!t.equal(exit, 0, stderr)) return
    for (const { name, invalid } of JSON.parse(stdout).arms) t.equal(invalid, null, name)
    for (const pid of readdirSync(counts)) {
      /** @type {Record<string, number>} */
      const requested = JSON.parse(readFileSync(join(counts, pid), 'utf8'))
      t.strictSame(Object.keys(requested).filter(path => !PATHS.includes(path)), [])
      const total = Object.values(requested).reduce((sum, times) => sum + times - AT_GATE, 0)
      t.ok(total > 6 * CONNECTIONS, `${total} requests`)
      const often = requested['/often?x=1'] - AT_GATE
      t.ok(Math.abs(often - total / 3) <= TOLERANCE, `${often} of ${total}`)
    }
  })
}

t.test('one wrong response among the paths refuses the arm, with its path', { skip: skipWithout('nginx') }, async t => {
  const { exit, stderr } = await measure(['app', 'nginx:keepalive/app'], {
    COUNTS: t.testdir(), WRONG: '/b.css'
  })
  t.equal(exit, 1)
  t.match(stderr, /\/b\.css: the body differs/)
})

t.test('two apps that respond differently to one path are refused, with the path', async t => {
  const args = ['run', 'old', 'new', '--app', 'old=node app.mjs', '--app', 'new=WRONG=/c.js ALWAYS=1 node app.mjs',
    '--har', har, '--smoke', '-o', workspace.results]
  const { exit, stderr } = await hopbench(args, { workspace, cwd: workspace.dir, env: { COUNTS: t.testdir() } })
  t.equal(exit, 1)
  t.match(stderr, /old and new respond differently .*at \/c\.js/)
})

t.test('an engine that cannot request several paths is refused', async t => {
  const { exit, stderr } = await measure(['app', '--engine', 'ab'], {})
  t.equal(exit, 2)
  t.match(stderr, /cannot go through a list of paths/)
})

t.test('the record has the paths, and nothing is left', async t => {
  t.strictSame(new Set(recordIn(workspace).plan.arms[0].load.paths), new Set(PATHS))
  await leavesNothing(t, workspace)
})
