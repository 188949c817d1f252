/** The requests of a page against an app of one's own, alone and behind nginx. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../support/tap.js'
import { hopbench, leavesNothing, makeWorkspace, recordIn } from '../support/cli.js'
import { readCounts, WRITE_COUNTS } from '../support/counting-app.js'
import { skipWithout, skipWithoutProgram } from '../support/needs.js'

/**
 * Requests of a page, as the app counts them: method, path, Accept, and the length of the body. A third of them is for
 * /often, in two forms.
 */
const SENT = ['GET / text/html 0', 'GET /often?x=1 */* 0', 'GET /often?x=1 */* 0', 'GET /often?x=1 text/css 0',
  'GET /a.css text/css 0', 'GET /b.css text/css 0', 'GET /c.js */* 0', 'GET /d.png image/png 0', 'POST /pay */* 11']
const OFTEN = 'GET /often?x=1 */* 0'

const CONNECTIONS = 10
/** Each connection repeats the requests in their order, and may end anywhere. */
const TOLERANCE = 2 * CONNECTIONS

/** Responds to each path with another body, compresses nothing, and writes how often each request was sent. */
const APP = `
import { createServer } from 'node:http'
import { renameSync, writeFileSync } from 'node:fs'
const counts = {}
createServer((request, response) => {
  const { method, url, headers } = request
  const name = [method, url, headers.accept, headers['content-length'] ?? 0].join(' ')
  counts[name] = (counts[name] ?? 0) + 1
  request.resume()
  const isWrong = process.env.WRONG === url && (process.env.ALWAYS || headers['x-forwarded-for'])
  response.setHeader('Content-Type', url.endsWith('.css') ? 'text/css' : 'text/html')
  response.end(('the page of ' + name + (isWrong ? '!' : '')).padEnd(3000))
}).listen(process.env.PORT, '127.0.0.1')
${WRITE_COUNTS}`

const entries = SENT.map(name => {
  const [method, path, accept, length] = name.split(' ')
  return {
    request: {
      method,
      url: `http://localhost:3000${path}`,
      headers: [
        { name: 'Accept-Encoding', value: 'gzip, br' }, { name: 'Accept', value: accept },
        { name: 'Cookie', value: 'sid=1234567' }
      ],
      ...method === 'POST' && { postData: { mimeType: 'text/plain', text: 'card=4111..'.padEnd(Number(length)) } }
    },
    response: { status: 200, content: { size: 3000, mimeType: accept } }
  }
})

const workspace = makeWorkspace(t)
const har = join(workspace.dir, 'page.har')
writeFileSync(join(workspace.dir, 'app.mjs'), APP)
writeFileSync(har, JSON.stringify({ log: { entries } }))

/**
 * @param {string[]} args
 * @param {Record<string, string>} env
 */
const measure = (args, env) => hopbench([
  'run', ...args, '--app', 'node app.mjs', '--smoke', '--json', '-o', workspace.results,
  '--connections', String(CONNECTIONS)
], { workspace, cwd: workspace.dir, env })

const PAGE = ['--har', har, '--har-methods', 'POST']
/** The same Accept for all requests leaves paths with common headers. */
const PATHS = ['--har', har, '--header', 'Accept: */*']

/** The request with which hopbench waits for the app. */
const WAITING = 'GET /  0'

/**
 * Reads the requests that each process of the app has counted, without the process that got each request once.
 * @param {string} folder
 */
const readRequests = folder => readCounts(folder).map(({ [WAITING]: waiting, ...requested }) => requested)
  .filter(requested => Object.values(requested).some(times => times > 3))

/** @type {Record<string, { packages: string[], options: string[] }>} */
const ENGINES = {
  autocannon: { packages: [], options: PAGE },
  wrk: { packages: ['wrk'], options: PAGE },
  h2load: { packages: ['nghttp2-client'], options: PATHS },
  oha: { packages: [], options: PATHS }
}
for (const [engine, { packages, options }] of Object.entries(ENGINES)) {
  const skip = skipWithout('nginx') || (engine !== 'autocannon' && skipWithoutProgram(engine, packages))
  t.test(`${engine} sends the requests in their proportions, also where nginx compresses`, { skip }, async t => {
    const counts = t.testdir()
    // Without nginx the requests of oha cannot be counted between slices.
    const words = [...engine === 'oha' ? [] : ['app'], 'nginx:keepalive+gzip/app']
    const { exit, stdout, stderr } = await measure([...words, '--engine', engine, ...options], { COUNTS: counts })
    if (!t.equal(exit, 0, stderr)) return
    for (const { name, invalid } of JSON.parse(stdout).arms) t.equal(invalid, null, name)
    const isPage = options === PAGE
    const gets = SENT.filter(name => name.startsWith('GET'))
    const page = isPage ? SENT : gets.map(name => name.replace(/ \S+ 0$/, ' */* 0'))
    const share = page.filter(name => name === OFTEN).length / page.length
    for (const requested of readRequests(counts)) {
      t.strictSame(Object.keys(requested).filter(name => !page.includes(name)), [])
      t.strictSame(page.filter(name => !requested[name]), [])
      // The gate sends each different request equally often.
      const different = new Set(page)
      const atGate = 3 + Math.ceil(200 / different.size)
      const total = Object.values(requested).reduce((sum, times) => sum + times - atGate, 0)
      t.ok(total > page.length * CONNECTIONS, `${total} requests`)
      const often = requested[OFTEN] - atGate
      // oha draws each request at random: five standard deviations.
      const tolerance = engine === 'oha' ? 5 * Math.sqrt(total) / 2 : TOLERANCE
      t.ok(Math.abs(often - total * share) <= tolerance, `${often} of ${total}`)
    }
  })
}

t.test('the open loop of --rate sends the same requests', async t => {
  const counts = t.testdir()
  const { exit, stdout, stderr } = await measure(['app', '--rate', '500', ...PAGE], { COUNTS: counts })
  if (!t.equal(exit, 0, stderr)) return
  // Beside other tests the generator can be late.
  const whys = JSON.parse(stdout).openLoop.arms.map((/** @type {any} */ arm) => arm.why?.code ?? null)
  t.ok(whys.length === 1 && [null, 'behind-schedule'].includes(whys[0]), `${whys}`)
  const last = readRequests(counts).at(-1) ?? {}
  t.strictSame(Object.keys(last).sort(), [...new Set(SENT)].sort())
})

t.test('one wrong response among the paths refuses the arm, with its path', { skip: skipWithout('nginx') }, async t => {
  const { exit, stderr } = await measure(['app', 'nginx:keepalive/app', '--har', har], {
    COUNTS: t.testdir(), WRONG: '/b.css'
  })
  t.equal(exit, 1)
  t.match(stderr, /\/b\.css \(Accept: text\/css, Accept-Encoding: gzip, br\): the body differs/)
})

t.test('the record has the requests without secrets, and nothing is left', async t => {
  const text = JSON.stringify(recordIn(workspace))
  t.match(text, '/often?x=1')
  t.notMatch(text, /sid=1234567|card=4111/)
  await leavesNothing(t, workspace)
})
