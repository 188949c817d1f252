import { mkdirSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { createServer } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { start, waitUntil } from '../../bench/process.js'
import { findTool } from '../../bench/tools.js'
import { makeRecord, makeSample } from '../support/record.js'
import { serveFor } from '../support/serve.js'

/**
 * A folder of results.
 * @param {import('tap').Test} t
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
    writeFileSync(join(results, run, 'samples.jsonl'), Array.from({ length: 12 }, (_, block) => JSON.stringify(makeSample({ block })) + '\n').join(''))
  }
  return results
}

/**
 * With any headers, which fetch would not send.
 * @param {string} url
 * @param {{ method?: string, headers?: Record<string, string>, body?: string, path?: string }} [options]
 * @returns {Promise<{ status: number, body: string, headers: import('node:http').IncomingHttpHeaders }>}
 */
const ask = (url, { body, path, ...options } = {}) => new Promise((resolve, reject) => {
  const { hostname, port, pathname, search } = new URL(url)
  request({ hostname, port, path: path ?? pathname + search, ...options }, response => {
    let text = ''
    response.setEncoding('utf8').on('data', chunk => { text += chunk }).on('end', () => resolve({ status: response.statusCode ?? 0, body: text, headers: response.headers }))
  }).on('error', reject).end(body)
})
const JSON_TYPE = { 'Content-Type': 'application/json' }
const RUNS = ['2024-05-06T07-08-09Z-uds', '2024-05-07T07-08-09Z-uds', '2024-05-08T07-08-09Z-cache']

/** A run that says what a run says, without measuring anything. */
const SCRIPTED = `
const say = event => process.stderr.write('hopbench-feed ' + JSON.stringify(event) + '\\n')
const sample = ${JSON.stringify(makeSample({ arm: 'uds' }))}
say({ event: 'start', run: '2024-05-06T07-08-09Z-uds', plan: ${JSON.stringify(makeRecord().plan)}, budget: 60 })
say({ event: 'trial', sample })
say({ event: 'trial', sample: { ...sample, invalid: { code: 'noisy', text: 'x' }, errors: { non2xx: 3, timeouts: 0, resets: 1, mismatches: 0 } } })
process.stderr.write('a line of another program\\n')
say({ event: 'block', block: 0, elapsed: 1.5, budget: 60, contrasts: [{ arm: 'uds', baseline: 'tcp', ratio: 1.2, low: 1.1, high: 1.3 }] })
if (process.argv.includes('--quick')) { say({ event: 'end' }); process.stdout.write(JSON.stringify(process.argv.slice(2))) }
else setInterval(() => {}, 1000)
process.on('SIGINT', () => { say({ event: 'end' }); process.exit(0) })
`

/** @param {import('tap').Test} t @param {string} code */
function scripted (t, code) {
  const file = join(t.testdirName, 'run.cjs')
  writeFileSync(file, code)
  return [process.execPath, file]
}

/** @param {import('tap').Test} t @param {(events: import('../../bench/serve/job.js').JobEvent[]) => boolean} holds @param {import('../../bench/serve/job.js').Jobs} jobs */
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
    const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
    server.close(() => resolve(port))
  })
})

t.test('history: the last first, searched by name, a page of each', async t => {
  const { url } = await serveFor(t, { resultsDir: resultsFor(t, RUNS) })
  const all = JSON.parse((await ask(`${url}/history`)).body)
  t.equal(all.total, 3)
  t.strictSame(all.entries.map((/** @type {{ run: string }} */ { run }) => run), [...RUNS].reverse())
  t.match(all.entries[0], { experiment: 'cache', question: `What of ${RUNS[2]}?`, answer: /uds-keepalive/, state: 'complete' })
  t.match(JSON.parse((await ask(`${url}/history?search=UDS%2005-07`)).body), { total: 1, entries: [{ run: RUNS[1] }] })
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
  t.match(JSON.parse((await ask(`${url}/compare?before=${RUNS[0]}&after=${RUNS[1]}`)).body), { slower: false, arms: Array })
})

t.test('nothing outside the results can be had', async t => {
  const { url } = await serveFor(t, { resultsDir: resultsFor(t, RUNS) })
  const places = ['/runs/../secret.txt', '/runs/..%2fsecret.txt', '/runs/%2e%2e%2fsecret.txt', '/runs/..%5csecret.txt', `/runs/${RUNS[0]}/..%2f..%2f..%2fsecret.txt`, `/runs/${RUNS[0]}/plan.json`, '/runs/.', '/assets/..%2flive.hbs', '/assets/../../../package.json', '/secret.txt']
  for (const path of places) {
    const { status, body } = await ask(url, { path })
    t.equal(status, 404, path)
    t.notMatch(body, 'a secret', path)
  }
  for (const query of ['before=..%2f..%2fsecret.txt&after=x', `before=${RUNS[0]}&after=%2fetc%2fpasswd`, 'before=', '']) t.equal((await ask(`${url}/compare?${query}`)).status, 404, query)
})

t.test('another name, another page and another kind of body have no say', async t => {
  const { url, port, jobs } = await serveFor(t, { resultsDir: resultsFor(t, []) })
  for (const host of ['evil.example', `evil.example:${port}`, `127.0.0.1:${port + 1}`, 'localhost']) t.equal((await ask(url, { headers: { Host: host } })).status, 421, `Host: ${host}`)
  t.equal((await ask(url, { headers: { Host: `localhost:${port}` } })).status, 200)
  const body = JSON.stringify({ words: ['uds'] })
  /** @type {Record<string, string>[]} */
  const foreign = [{ Origin: 'http://evil.example' }, { Origin: 'null' }, { Origin: `https://127.0.0.1:${port}` }, { 'Sec-Fetch-Site': 'cross-site' }]
  for (const headers of foreign) {
    t.equal((await ask(`${url}/start`, { method: 'POST', headers: { ...JSON_TYPE, ...headers }, body })).status, 403, JSON.stringify(headers))
    t.equal((await ask(`${url}/stop`, { method: 'POST', headers: { ...JSON_TYPE, ...headers }, body: '{}' })).status, 403, JSON.stringify(headers))
  }
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
    t.equal((await ask(`${url}/start`, { method: 'POST', headers: { 'Content-Type': type }, body })).status, 415, type)
  }
  t.equal((await ask(`${url}/start`)).status, 404, 'a link starts nothing')
  t.equal(jobs.isRunning(), false)
  t.match((await ask(url)).headers, { 'content-security-policy': /default-src 'none'.*frame-ancestors 'none'/, 'x-content-type-options': 'nosniff', 'x-powered-by': undefined })
})

t.test('an order that cannot be is refused, with a reason', async t => {
  const { url, jobs } = await serveFor(t, { resultsDir: resultsFor(t, []) })
  const post = (/** @type {string} */ body) => ask(`${url}/start`, { method: 'POST', headers: JSON_TYPE, body })
  const orders = [
    {}, { words: [] }, { words: 'uds' }, { words: [''] }, { words: ['--help'] }, { words: ['./app.js'] }, { words: ['nginx:uds//tmp/app.js'] }, { words: ['/tmp/app.js'] }, { words: ['../app.js'] },
    { words: ['uds'], root: '/etc' }, { words: ['uds'], results: '/tmp' }, { words: ['uds'], budget: 5 }, { words: ['uds'], seed: 'x'.repeat(300) }, { words: Array(21).fill('http-json') }
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

t.test('beyond loopback a token is asked for', async t => {
  const { url, port } = await serveFor(t, { resultsDir: resultsFor(t, RUNS), token: 'a-token', host: '0.0.0.0' })
  for (const path of ['/', '/history', '/metrics', '/live', '/?token=another', `/runs/${RUNS[0]}`]) t.equal((await ask(url + path)).status, 401, path)
  const opened = await ask(`${url}/?token=a-token`)
  t.match(opened, { status: 302, headers: { location: '/', 'set-cookie': [/^hopbench=a-token; HttpOnly; SameSite=Strict/] } })
  t.equal((await ask(url, { headers: { Cookie: 'other=1; hopbench=a-token' } })).status, 200)
  t.equal((await ask(`${url}/history`, { headers: { Authorization: 'Bearer a-token' } })).status, 200)
  t.equal((await ask(`${url}/stop`, { method: 'POST', headers: { ...JSON_TYPE, Cookie: 'hopbench=a-token', Origin: 'http://evil.example' }, body: '{}' })).status, 403)
  t.equal((await ask(url, { headers: { Cookie: 'hopbench=a-token', Host: `a-name:${port}` } })).status, 200)
})

t.test('a run is followed from its beginning to its end; options go to the command line as they are', async t => {
  const { url, jobs } = await serveFor(t, { resultsDir: resultsFor(t, RUNS), command: scripted(t, SCRIPTED) })
  t.equal((await ask(`${url}/start`, { method: 'POST', headers: JSON_TYPE, body: JSON.stringify({ words: ['uds'], quick: true, budget: '90s', seed: '' }) })).status, 202)
  await until(t, events => events.at(-1)?.event === 'ended', jobs)
  t.strictSame(jobs.events().map(({ event }) => event), ['begins', 'start', 'trial', 'trial', 'block', 'end', 'ended'])
  t.match(jobs.events().at(-1), { exit: 0, run: RUNS[0], error: null })
  const late = await fetch(`${url}/live`)
  const reader = /** @type {ReadableStream<Uint8Array>} */ (late.body).getReader()
  let text = ''
  while (!text.includes('"ended"')) text += Buffer.from((await reader.read()).value ?? []).toString()
  await reader.cancel()
  t.equal(text.split('\n\n').filter(Boolean).length, 7, 'who comes late is told all of it')
})

t.test('one run at a time; it can be stopped', async t => {
  const { url, jobs } = await serveFor(t, { resultsDir: resultsFor(t, []), command: scripted(t, SCRIPTED) })
  const post = (/** @type {string} */ path, /** @type {object} */ body) => ask(`${url}/${path}`, { method: 'POST', headers: JSON_TYPE, body: JSON.stringify(body) })
  t.equal((await post('start', { words: ['uds'] })).status, 202)
  await until(t, events => events.some(({ event }) => event === 'block'), jobs)
  t.match(await post('start', { words: ['cache'] }), { status: 409, body: /under way/ })
  t.equal((await post('stop', {})).status, 202)
  await until(t, events => events.at(-1)?.event === 'ended', jobs)
  t.equal(jobs.isRunning(), false)
})

t.test('a run that ends without a record says why', async t => {
  const fails = 'process.stderr.write("There is no experiment \\"udx\\".\\nTry: something\\n"); process.exitCode = 2'
  const { jobs } = await serveFor(t, { resultsDir: resultsFor(t, []), command: scripted(t, fails) })
  jobs.begin({ words: ['udx'], argv: [] })
  await until(t, events => events.at(-1)?.event === 'ended', jobs)
  t.match(jobs.events().at(-1), { exit: 2, run: null, error: 'There is no experiment "udx".' })
})

t.test('Prometheus reads the run under way', async t => {
  const tool = await findTool({ program: 'prometheus', packages: { debian: ['prometheus'] } }).catch((/** @type {Error} */ error) => error)
  if (tool instanceof Error) return t.pass('no Prometheus', { skip: tool.message })
  const dir = resultsFor(t, [])
  const { jobs, port } = await serveFor(t, { resultsDir: dir, command: scripted(t, SCRIPTED) })
  jobs.begin({ words: ['uds'], argv: [] })
  await until(t, events => events.some(({ event }) => event === 'block'), jobs)
  writeFileSync(join(dir, 'prometheus.yml'), `scrape_configs:\n- job_name: hopbench\n  scrape_interval: 200ms\n  scrape_timeout: 200ms\n  static_configs:\n  - targets: ['127.0.0.1:${port}']\n`)
  const own = await freePort()
  const prometheus = start({ name: 'prometheus', argv: [tool.path, `--config.file=${dir}/prometheus.yml`, `--storage.tsdb.path=${dir}/data`, `--web.listen-address=127.0.0.1:${own}`], env: tool.env, log: join(dir, 'prometheus.log') })
  t.teardown(() => prometheus.stop())
  const query = async (/** @type {string} */ text) => {
    const response = await fetch(`http://127.0.0.1:${own}/api/v1/query?query=${encodeURIComponent(text)}`).catch(() => null)
    return response?.ok ? /** @type {any} */ (await response.json()).data.result : []
  }
  await waitUntil(prometheus, async () => (await query('hopbench_run_active == 1')).length > 0, { timeoutSeconds: 60 })
  const sample = makeSample()
  t.match(await query('hopbench_arm_rate_per_second'), [{ metric: { experiment: 'uds', arm: 'uds', unit: 'requests' }, value: [Number, String(sample.rps)] }])
  t.match(await query('hopbench_errors_total{kind="non2xx"}'), [{ value: [Number, '3'] }])
  t.match(await query('hopbench_trials_total{valid="true"}'), [{ value: [Number, '1'] }])
  t.match(await query('hopbench_contrast_ratio'), [{ metric: { arm: 'uds', baseline: 'tcp' }, value: [Number, '1.2'] }])
  t.match(await query('hopbench_run_budget_seconds'), [{ value: [Number, '60'] }])
})
