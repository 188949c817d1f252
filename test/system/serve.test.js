import { EventEmitter } from 'node:events'
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import t from 'tap'
import { eventStream } from '../../bench/commands/serve/event-stream.js'
import { tokenFrom, writeEntrance } from '../../bench/commands/serve/token.js'
import { start, waitUntil } from '../../bench/machine/process.js'
import { findTool } from '../../bench/machine/tools.js'
import { begin, placeFor, processesOf, samplesIn } from '../support/cli.js'
import { makeRecord, makeSample } from '../support/record.js'
import { skipWithout } from '../support/needs.js'
import { serveFor, TOKEN } from '../support/serve.js'

/** @import { JobEvent, Jobs } from '../../bench/commands/serve/types.js' */
/** @import { IncomingHttpHeaders } from 'node:http' */
/** @import { AddressInfo } from 'node:net' */
/** @import { Test } from 'tap' */

/**
 * A folder of results.
 * @param {Test} t
 * @param {string[]} runs
 */
function resultsFor (t, runs) {
  const dir = t.testdir({ 'secret.txt': 'a secret' })
  const results = join(dir, 'results')
  mkdirSync(results)
  for (const run of runs) {
    mkdirSync(join(results, run))
    writeFileSync(join(results, run, 'run.json'), JSON.stringify(makeRecord({ run, question: `What of ${run}?` })))
    writeFileSync(join(results, run, 'plan.json'), JSON.stringify(makeRecord().plan))
    writeFileSync(join(results, run, 'samples.jsonl'), Array.from({ length: 12 }, (_, block) =>
      JSON.stringify(makeSample({ block })) + '\n').join(''))
  }
  return results
}

/**
 * With any headers, which fetch would not send, and with the token unless another one is given.
 * @param {string} url
 * @param {{ method?: string, headers?: Record<string, string>, body?: string, path?: string }} [options]
 * @returns {Promise<{ status: number, body: string, headers: IncomingHttpHeaders }>}
 */
const ask = (url, { body, path, headers: given = {}, method } = {}) =>
  new Promise((resolve, reject) => {
    const { hostname, port, pathname, search } = new URL(url)
    const headers = { ...'Authorization' in given || 'Cookie' in given ? {} : WITH_TOKEN, ...given }
    request({ hostname, port, path: path ?? pathname + search, method, headers }, response => {
      let text = ''
      response.setEncoding('utf8').on('data', chunk => {
        text += chunk
      }).on('end', () => resolve({ status: response.statusCode ?? 0, body: text, headers: response.headers }))
    }).on('error', reject).end(body)
  })
const WITH_TOKEN = { Authorization: `Bearer ${TOKEN}` }
const NO_TOKEN = { Authorization: '' }
const JSON_TYPE = { 'Content-Type': 'application/json' }
const RUNS = ['2024-05-06T07-08-09Z-uds', '2024-05-07T07-08-09Z-uds', '2024-05-08T07-08-09Z-cache']

/** A run that says what a run says, without measuring anything. */
const SCRIPTED = `
const say = event => process.stderr.write('hopbench-feed ' + JSON.stringify(event) + '\\n')
const sample = ${JSON.stringify(makeSample({ arm: 'uds' }))}
say({ event: 'start', run: '2024-05-06T07-08-09Z-uds', plan: ${JSON.stringify(makeRecord().plan)}, budget: 60 })
say({ event: 'trial', sample })
const errors = { non2xx: 3, timeouts: 0, resets: 1, mismatches: 0 }
say({ event: 'trial', sample: { ...sample, invalid: { code: 'noisy', text: 'x' }, errors } })
process.stderr.write('a line of another program\\n')
const contrasts = [{ arm: 'uds', baseline: 'tcp', ratio: 1.2, low: 1.1, high: 1.3 }]
say({ event: 'block', block: 0, elapsed: 1.5, budget: 60, contrasts })
if (process.argv.includes('--quick')) {
  say({ event: 'end' })
  process.stdout.write(JSON.stringify(process.argv.slice(2)))
} else setInterval(() => {}, 1000)
process.on('SIGINT', () => { say({ event: 'end' }); process.exit(0) })
`

/** @param {Test} t @param {string} code */
function scripted (t, code) {
  const file = join(t.testdirName, 'run.cjs')
  writeFileSync(file, code)
  return [process.execPath, file]
}

/** @param {Test} t @param {(events: JobEvent[]) => boolean} holds @param {Jobs} jobs */
const until = (t, holds, jobs) => new Promise((resolve, reject) => {
  const timer = setTimeout(() => reject(new Error(`never: ${JSON.stringify(jobs.events()).slice(0, 500)}`)), 60_000)
  const look = () => {
    if (!holds(jobs.events())) return
    clearTimeout(timer)
    resolve(undefined)
  }
  t.teardown(jobs.follow(look))
  look()
})

/** @returns {Promise<number>} */
const freePort = () => new Promise(resolve => {
  const server = createServer().listen(0, '127.0.0.1', () => {
    const { port } = /** @type {AddressInfo} */ (server.address())
    server.close(() => resolve(port))
  })
})

t.test('history: the last first, searched by name, a page of each', async t => {
  const { url } = await serveFor(t, { resultsDir: resultsFor(t, RUNS) })
  const all = JSON.parse((await ask(`${url}/history`)).body)
  t.equal(all.total, 3)
  t.strictSame(all.entries.map((/** @type {{ run: string }} */ { run }) => run), [...RUNS].reverse())
  t.match(all.entries[0], {
    experiment: 'cache',
    question: `What of ${RUNS[2]}?`,
    answer: /uds-keepalive/,
    state: 'complete'
  })
  t.match(JSON.parse((await ask(`${url}/history?search=UDS%2005-07`)).body), {
    total: 1,
    entries: [{ run: RUNS[1] }]
  })
  t.match(JSON.parse((await ask(`${url}/history?from=2`)).body), { total: 3, entries: [{ run: RUNS[0] }] })
})

t.test('a stored run is a page, and data', async t => {
  const { url } = await serveFor(t, { resultsDir: resultsFor(t, RUNS) })
  const page = await ask(`${url}/runs/${RUNS[0]}`)
  t.match(page.body, `What of ${RUNS[0]}?`)
  t.equal(page.headers['content-security-policy'], undefined, 'it has a policy of its own in it')
  t.equal(JSON.parse((await ask(`${url}/runs/${RUNS[0]}/run.json`)).body).run, RUNS[0])
  t.equal((await ask(`${url}/runs/${RUNS[0]}/samples.csv`)).body.trim().split('\n').length, 13)
  t.match((await ask(`${url}/runs/${RUNS[0]}/chart.svg`)).body, '<svg')
  t.match(JSON.parse((await ask(`${url}/compare?before=${RUNS[0]}&after=${RUNS[1]}`)).body), {
    slower: false,
    arms: Array
  })
})

t.test('nothing outside the results can be had', async t => {
  const { url } = await serveFor(t, { resultsDir: resultsFor(t, RUNS) })
  const places = ['/runs/../secret.txt', '/runs/..%2fsecret.txt', '/runs/%2e%2e%2fsecret.txt',
    '/runs/..%5csecret.txt', `/runs/${RUNS[0]}/..%2f..%2f..%2fsecret.txt`, `/runs/${RUNS[0]}/plan.json`, '/runs/.',
    '/assets/..%2flive.hbs', '/assets/../../../package.json', '/secret.txt']
  for (const path of places) {
    const { status, body } = await ask(url, { path })
    t.equal(status, 404, path)
    t.notMatch(body, 'a secret', path)
  }
  for (const query of ['before=..%2f..%2fsecret.txt&after=x', `before=${RUNS[0]}&after=%2fetc%2fpasswd`, 'before=',
    '']) t.equal((await ask(`${url}/compare?${query}`)).status, 404, query)
})

t.test('another name, another page and another kind of body have no say', async t => {
  const { url, port, jobs } = await serveFor(t, { resultsDir: resultsFor(t, []) })
  for (const host of ['evil.example', `evil.example:${port}`, `127.0.0.1:${port + 1}`, 'localhost']) {
    t.equal((await ask(url, { headers: { Host: host } })).status, 421, `Host: ${host}`)
  }
  t.equal((await ask(url, { headers: { Host: `localhost:${port}` } })).status, 200)
  const body = JSON.stringify({ words: ['uds'] })
  /** @type {Record<string, string>[]} */
  const foreign = [{ Origin: 'http://evil.example' }, { Origin: 'null' }, { Origin: `https://127.0.0.1:${port}` }, {
    'Sec-Fetch-Site': 'cross-site'
  }]
  for (const headers of foreign) {
    t.equal((await ask(`${url}/start`, { method: 'POST', headers: { ...JSON_TYPE, ...headers }, body })).status, 403,
      JSON.stringify(headers))
    t.equal((await ask(`${url}/stop`, { method: 'POST', headers: { ...JSON_TYPE, ...headers }, body: '{}' })).status,
      403, JSON.stringify(headers))
  }
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
    t.equal((await ask(`${url}/start`, { method: 'POST', headers: { 'Content-Type': type }, body })).status, 415, type)
  }
  for (const site of ['cross-site', 'same-site']) {
    for (const path of ['/', '/history', '/metrics', '/live', '/runs/x']) {
      t.equal((await ask(url + path, { headers: { 'Sec-Fetch-Site': site } })).status, 403, `${site} ${path}`)
    }
  }
  t.equal((await ask(url, { headers: { 'Sec-Fetch-Site': 'none' } })).status, 200, 'a person typed it')
  t.equal((await ask(`${url}/history`, { headers: { Origin: 'http://evil.example' } })).status, 403)
  t.equal((await ask(`${url}/start`)).status, 404, 'a link starts nothing')
  t.equal(jobs.isRunning(), false)
  t.match((await ask(url)).headers, {
    'content-security-policy': /default-src 'none'.*frame-ancestors 'none'/,
    'x-content-type-options': 'nosniff',
    'x-powered-by': undefined
  })
})

t.test('an order that cannot be is refused, with a reason', async t => {
  const { url, jobs } = await serveFor(t, { resultsDir: resultsFor(t, []) })
  const post = (/** @type {string} */ body) => ask(`${url}/start`, { method: 'POST', headers: JSON_TYPE, body })
  const orders = [
    {},
    { words: [] },
    { words: 'uds' },
    { words: [''] },
    { words: ['--help'] },
    { words: ['./app.js'] },
    { words: ['nginx:uds//tmp/app.js'] },
    { words: ['/tmp/app.js'] },
    { words: ['../app.js'] },
    { words: ['uds'], root: '/etc' },
    { words: ['uds'], results: '/tmp' },
    { words: ['uds'], budget: 5 },
    { words: ['uds'], seed: 'x'.repeat(300) },
    { words: Array(21).fill('http-json') }
  ]
  for (const order of orders) {
    const { status, body } = await post(JSON.stringify(order))
    t.equal(status, 400, JSON.stringify(order).slice(0, 60))
    t.ok(JSON.parse(body).error.length > 20)
  }
  t.equal((await post('{')).status, 400, 'no JSON')
  t.equal((await post(JSON.stringify({ words: ['uds'], seed: 'x'.repeat(20_000) }))).status, 413, 'too large')
  t.equal(jobs.isRunning(), false)
})

for (const host of ['127.0.0.1', '0.0.0.0']) {
  t.test(`nothing is answered without the token, on ${host}`, async t => {
    const { url, port, jobs } = await serveFor(t, { resultsDir: resultsFor(t, RUNS), host })
    const paths = ['/', '/history', '/metrics', '/live', '/assets/live.js', '/?token=another', '/?token=',
      `/runs/${RUNS[0]}`, `/history?token=${TOKEN}`]
    for (const path of paths) t.equal((await ask(url + path, { headers: NO_TOKEN })).status, 401, path)
    for (const path of ['/start', '/stop']) {
      const body = JSON.stringify({ words: ['uds'] })
      const headers = { ...JSON_TYPE, ...NO_TOKEN }
      t.equal((await ask(url + path, { method: 'POST', headers, body })).status, 401, path)
    }
    t.equal((await ask(url, { headers: { Cookie: `hopbench-${port + 1}=${TOKEN}` } })).status, 401, "another port's")
    t.equal(jobs.isRunning(), false)
  })
}

t.test('a token in the address becomes a cookie', async t => {
  const { url, entrance, port } = await serveFor(t, { resultsDir: resultsFor(t, RUNS), host: '0.0.0.0' })
  const cookie = `hopbench-${port}=${TOKEN}`
  const set = { 'set-cookie': [`${cookie}; HttpOnly; SameSite=Strict; Path=/`] }
  t.match(await ask(entrance, { headers: NO_TOKEN }), { status: 302, headers: { location: '/', ...set } })
  t.match(await ask(entrance, { headers: { ...NO_TOKEN, 'Sec-Fetch-Site': 'cross-site' } }),
    { status: 200, headers: set, body: /http-equiv="refresh" content="0;url=\/"/ }, 'from a file')
  t.equal((await ask(url, { headers: { Cookie: `other=1; ${cookie}` } })).status, 200)
  t.equal(
    (await ask(`${url}/stop`, {
      method: 'POST',
      headers: { ...JSON_TYPE, Cookie: cookie, Origin: 'http://evil.example' },
      body: '{}'
    })).status,
    403
  )
  t.equal((await ask(url, { headers: { Cookie: cookie, Host: `a-name:${port}` } })).status, 200)
})

t.test('a run is followed from its beginning to its end; options go to the command line as they are', async t => {
  const { url, jobs } = await serveFor(t, { resultsDir: resultsFor(t, RUNS), command: scripted(t, SCRIPTED) })
  t.equal(
    (await ask(`${url}/start`, {
      method: 'POST',
      headers: JSON_TYPE,
      body: JSON.stringify({ words: ['uds'], quick: true, budget: '90s', seed: '' })
    })).status,
    202
  )
  await until(t, events => events.at(-1)?.event === 'ended', jobs)
  t.strictSame(jobs.events().map(({ event }) => event), ['begins', 'start', 'trial', 'trial', 'block', 'end', 'ended'])
  t.match(jobs.events().at(-1), { exit: 0, run: RUNS[0], error: null })
  const late = await fetch(`${url}/live`, { headers: WITH_TOKEN })
  const reader = /** @type {ReadableStream<Uint8Array>} */ (late.body).getReader()
  let text = ''
  while (!text.includes('"ended"')) text += Buffer.from((await reader.read()).value ?? []).toString()
  await reader.cancel()
  t.equal(text.split('\n\n').filter(Boolean).length, 7, 'who comes late is told all of it')
})

t.test('one run at a time; it can be stopped', async t => {
  const { url, jobs } = await serveFor(t, { resultsDir: resultsFor(t, []), command: scripted(t, SCRIPTED) })
  const post = (/** @type {string} */ path, /** @type {object} */ body) =>
    ask(`${url}/${path}`, { method: 'POST', headers: JSON_TYPE, body: JSON.stringify(body) })
  t.equal((await post('start', { words: ['uds'] })).status, 202)
  await until(t, events => events.some(({ event }) => event === 'block'), jobs)
  t.match(await post('start', { words: ['cache'] }), { status: 409, body: /under way/ })
  t.equal((await post('stop', {})).status, 202)
  await until(t, events => events.at(-1)?.event === 'ended', jobs)
  t.equal(jobs.isRunning(), false)
})

t.test('stopping twice is no abort', async t => {
  const patient = SCRIPTED.replace("process.on('SIGINT', () => {",
    "let asked = 0\nprocess.on('SIGINT', () => { if (asked++) process.exit(9); setTimeout(() => {")
    .replace('process.exit(0) })', 'process.exit(0) }, 1500) })')
  const { jobs } = await serveFor(t, { resultsDir: resultsFor(t, []), command: scripted(t, patient) })
  jobs.begin({ words: ['uds'], argv: [] })
  await until(t, events => events.some(({ event }) => event === 'block'), jobs)
  const stopping = jobs.stop()
  await new Promise(resolve => setTimeout(resolve, 500))
  await Promise.all([stopping, jobs.stop(), jobs.stop()])
  await until(t, events => events.at(-1)?.event === 'ended', jobs)
  t.match(jobs.events().at(-1), { exit: 0 })
})

t.test('of a long run its beginning is remembered, and its latest events', async t => {
  const long = "const say = event => process.stderr.write('hopbench-feed ' + JSON.stringify(event) + '\\n')\n" +
    "say({ event: 'start', run: 'x', plan: {}, budget: 1 })\n" +
    "for (let i = 0; i < 500; i++) say({ event: 'stage', text: String(i) })"
  const { jobs } = await serveFor(t, { resultsDir: resultsFor(t, []), command: scripted(t, long), mostEvents: 100 })
  jobs.begin({ words: ['uds'], argv: [] })
  await until(t, events => events.at(-1)?.event === 'ended', jobs)
  t.ok(jobs.events().length <= 100)
  t.strictSame(jobs.events().slice(0, 2).map(({ event }) => event), ['begins', 'start'])
  t.match(jobs.events().at(-2), { event: 'stage', text: '499' })
  t.match(jobs.events().at(-1), { run: 'x' })
})

t.test('twenty pages follow a run, and no more', async t => {
  const { url } = await serveFor(t, { resultsDir: resultsFor(t, []) })
  const leaving = new AbortController()
  const follow = () => fetch(`${url}/live`, { headers: WITH_TOKEN, signal: leaving.signal })
  const pages = await Promise.all(Array.from({ length: 20 }, follow))
  t.ok(pages.every(({ status }) => status === 200))
  t.equal((await follow()).status, 503)
  leaving.abort()
  await new Promise(resolve => setTimeout(resolve, 300))
  t.equal((await fetch(`${url}/live`, { headers: WITH_TOKEN })).status, 200, 'who leaves makes room')
})

t.test('what a page does not read is not collected in its socket', async t => {
  /** @type {((event: JobEvent) => void)[]} */
  const listeners = []
  /** @param {(event: JobEvent) => void} listener */
  const follow = listener => {
    listeners.push(listener)
    return () => {}
  }
  const jobs = /** @type {any} */ ({ events: () => [], follow })
  let written = 0
  const write = () => ++written % 3 !== 0
  let destroyed = 0
  const destroy = () => { destroyed++ }
  const response = Object.assign(new EventEmitter(), { writeHead () {}, flushHeaders () {}, destroy, write })
  eventStream(jobs, { stallSeconds: 0.2 })(/** @type {any} */ ({}), /** @type {any} */ (response))
  for (let i = 0; i < 10; i++) listeners[0]({ event: 'stage', text: String(i) })
  t.equal(written, 3, 'it waits for the socket to drain')
  response.emit('drain')
  t.equal(written, 6)
  await new Promise(resolve => setTimeout(resolve, 400))
  t.equal(destroyed, 1, 'and not for ever')
  response.emit('close')
})

t.test('a page that is killed takes its run with it', async t => {
  const place = placeFor(t)
  const serve = begin(t, ['serve', '--port', '0', '--results', place.results], { place })
  await serve.until(() => serve.stdout().includes('Ctrl-C'))
  const [, base, token] = /** @type {string[]} */ (/^(http:.*)\/\?token=(.*)$/m.exec(serve.stdout()))
  const headers = { ...JSON_TYPE, Authorization: `Bearer ${token}` }
  const body = JSON.stringify({ words: ['http-json'], budget: '60s' })
  t.equal((await ask(`${base}/start`, { method: 'POST', headers, body })).status, 202)
  await serve.until(() => samplesIn(place).length > 0)
  process.kill(serve.child.pid, 'SIGKILL')
  await serve.child.exited
  const deadline = Date.now() + 10_000
  while (processesOf(place).length > 0 && Date.now() < deadline) await new Promise(resolve => setTimeout(resolve, 100))
  t.strictSame(processesOf(place), [])
})

t.test('the token is in no command line, and the file that leads in is for one account', async t => {
  const file = writeEntrance(t.testdir({}), `http://127.0.0.1:1/?token=${TOKEN}`)
  t.equal(statSync(file).mode & 0o777, 0o600)
  t.match(readFileSync(file, 'utf8'), TOKEN)
  t.throws(() => writeEntrance(dirname(file), 'x'), { code: 'EEXIST' }, 'nobody else has put it there')
  t.match(tokenFrom({}), /^[\w-]{32}$/)
  t.not(tokenFrom({}), tokenFrom({}))
  t.equal(tokenFrom({ HOPBENCH_TOKEN: TOKEN }), TOKEN)
  for (const wrong of ['', 'short', 'x'.repeat(300), 'with spaces in it, and quotes']) {
    t.throws(() => tokenFrom({ HOPBENCH_TOKEN: wrong }), { code: 'bad-option' }, wrong)
  }
})

t.test('a run that ends without a record says why', async t => {
  const fails = 'process.stderr.write("There is no experiment \\"udx\\".\\nTry: something\\n"); process.exitCode = 2'
  const { jobs } = await serveFor(t, { resultsDir: resultsFor(t, []), command: scripted(t, fails) })
  jobs.begin({ words: ['udx'], argv: [] })
  await until(t, events => events.at(-1)?.event === 'ended', jobs)
  t.match(jobs.events().at(-1), { exit: 2, run: null, error: 'There is no experiment "udx".' })
})

t.test('a run whose end cannot be told is over all the same', async t => {
  const { jobs } = await serveFor(t, { resultsDir: resultsFor(t, []), command: scripted(t, '') })
  let broken = false
  const leave = jobs.follow(({ event }) => {
    if (event !== 'ended' || broken) return
    broken = true
    throw new Error('a page that went away')
  })
  t.teardown(leave)
  jobs.begin({ words: ['uds'], argv: [] })
  await until(t, events => broken && events.at(-1)?.event === 'ended', jobs)
  t.match(jobs.events().at(-1), { exit: null, error: 'a page that went away' })
  t.equal(jobs.isRunning(), false)
})

t.test('Prometheus reads the run under way', { skip: skipWithout('prometheus') }, async t => {
  const tool = await findTool({ program: 'prometheus', packages: { debian: ['prometheus'] } })
  const dir = resultsFor(t, [])
  const { jobs, port } = await serveFor(t, { resultsDir: dir, command: scripted(t, SCRIPTED) })
  jobs.begin({ words: ['uds'], argv: [] })
  await until(t, events => events.some(({ event }) => event === 'block'), jobs)
  writeFileSync(join(dir, 'prometheus.yml'),
    'scrape_configs:\n- job_name: hopbench\n  scrape_interval: 200ms\n  scrape_timeout: 200ms\n' +
    `  authorization:\n    credentials: ${TOKEN}\n  static_configs:\n  ` +
    `- targets: ['127.0.0.1:${port}']\n`)
  const own = await freePort()
  const prometheus = start({
    name: 'prometheus',
    argv: [tool.path, `--config.file=${dir}/prometheus.yml`, `--storage.tsdb.path=${dir}/data`,
      `--web.listen-address=127.0.0.1:${own}`],
    env: tool.env,
    log: join(dir, 'prometheus.log')
  })
  t.teardown(() => prometheus.stop())
  const query = async (/** @type {string} */ text) => {
    const response = await fetch(`http://127.0.0.1:${own}/api/v1/query?query=${encodeURIComponent(text)}`).catch(() =>
      null
    )
    return response?.ok ? /** @type {any} */ (await response.json()).data.result : []
  }
  await waitUntil(prometheus, async () => (await query('hopbench_run_active == 1')).length > 0, { timeoutSeconds: 60 })
  const sample = makeSample()
  t.match(await query('hopbench_arm_rate_per_second'), [{
    metric: { experiment: 'uds', arm: 'uds', unit: 'requests' },
    value: [Number, String(sample.rps)]
  }])
  t.match(await query('hopbench_errors_total{kind="non2xx"}'), [{ value: [Number, '3'] }])
  t.match(await query('hopbench_trials_total{valid="true"}'), [{ value: [Number, '1'] }])
  t.match(await query('hopbench_contrast_ratio'), [{ metric: { arm: 'uds', baseline: 'tcp' }, value: [Number, '1.2'] }])
  t.match(await query('hopbench_run_budget_seconds'), [{ value: [Number, '60'] }])
})
