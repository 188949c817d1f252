import { EventEmitter } from 'node:events'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import t from '../../support/tap.js'
import { eventStream } from '../../../bench/features/serve/app.js'
import { tokenFrom, writeEntrance } from '../../../bench/features/serve/token.js'
import { start, waitUntil } from '../../../bench/machine/process.js'
import { findTool } from '../../../bench/machine/tools.js'
import { begin, makeWorkspace, remainingProcesses, samplesIn } from '../../support/cli.js'
import { makeRecord, makeSample } from '../../support/record.js'
import { skipWithout } from '../../support/needs.js'
import { serveFor, TOKEN, resultsFor, post, RUNS, WITH_TOKEN } from '../../support/serve.js'

/** @import { RunJobs } from '../../../bench/features/serve/job.js' */
/** @import { JobEvent } from '../../../bench/features/serve/types.js' */
/** @import { AddressInfo } from 'node:net' */
/** @import { Test } from 'tap' */

/** Script that prints the events of a run without measuring. */
const SCRIPTED = `
const { request } = JSON.parse(require('node:fs').readFileSync(0, 'utf8'))
const say = event => process.stdout.write('hopbench-feed ' + JSON.stringify(event) + '\\n')
const sample = ${JSON.stringify(makeSample({ arm: 'uds' }))}
say({ event: 'start', run: '2024-05-06T07-08-09Z-uds', plan: ${JSON.stringify(makeRecord().plan)}, budget: 60 })
say({ event: 'trial', sample })
const errors = { non2xx: 3, timeouts: 0, resets: 1, mismatches: 0 }
say({ event: 'trial', sample: { ...sample, invalid: { code: 'wrong-body', params: {} }, errors } })
process.stdout.write('a line of another program\\n')
const contrasts = [{ arm: 'uds', baseline: 'tcp', ratio: 1.2, low: 1.1, high: 1.3 }]
say({ event: 'block', block: 0, elapsed: 1.5, budget: 60, contrasts })
const result = { record: {}, succeeded: true }
const end = () => { say({ event: 'end' }); say({ event: 'result', result }); process.exit(0) }
if (request.options.quick) end()
else setInterval(() => {}, 1000)
process.on('SIGINT', () => { end() })
`

/**
 * @param {Test} t
 * @param {string} code
 */
function scripted (t, code) {
  const file = join(t.testdirName, 'run.cjs')
  writeFileSync(file, code)
  return [process.execPath, file]
}

/**
 * @param {Test} t
 * @param {(events: JobEvent[]) => boolean} holds
 * @param {RunJobs} jobs
 */
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

/**
 * Runs a script in place of a measurement, and returns its events.
 * @param {Test} t
 * @param {string} [code] without it: a worker of hopbench
 * @param {{ words?: string[], mostEvents?: number }} [options]
 */
async function runToItsEnd (t, code, { words = ['uds'], mostEvents } = {}) {
  const resultsDir = resultsFor(t, [])
  const { jobs } = await serveFor(t, { resultsDir, argv: code === undefined ? code : scripted(t, code), mostEvents })
  jobs.begin({ words, options: {} })
  await until(t, events => events.at(-1)?.event === 'ended', jobs)
  return jobs.events()
}

/** @returns {Promise<number>} */
const freePort = () => new Promise(resolve => {
  const server = createServer().listen(0, '127.0.0.1', () => {
    const { port } = /** @type {AddressInfo} */ (server.address())
    server.close(() => resolve(port))
  })
})

t.test('sends all events of a run, also to a late listener', async t => {
  const { url, jobs } = await serveFor(t, { resultsDir: resultsFor(t, RUNS), argv: scripted(t, SCRIPTED) })
  t.equal((await post(`${url}/start`, { words: ['uds'], quick: true, budget: '90s', seed: '' })).status, 202)
  await until(t, events => events.at(-1)?.event === 'ended', jobs)
  t.strictSame(jobs.events().map(({ event }) => event), ['begins', 'start', 'trial', 'trial', 'block', 'end', 'ended'])
  t.match(jobs.events().at(-1), { exit: 0, run: RUNS[0], error: null })
  const late = await fetch(`${url}/live`, { headers: WITH_TOKEN })
  const reader = /** @type {ReadableStream<Uint8Array>} */ (late.body).getReader()
  let text = ''
  while (!text.includes('"ended"')) text += Buffer.from((await reader.read()).value ?? []).toString()
  await reader.cancel()
  t.equal(text.split('\n\n').filter(Boolean).length, 7, 'a late listener gets all events')
})

t.test('rejects a second run while one is in progress, and stops a run on request', async t => {
  const { url, jobs } = await serveFor(t, { resultsDir: resultsFor(t, []), argv: scripted(t, SCRIPTED) })
  t.equal((await post(`${url}/start`, { words: ['uds'] })).status, 202)
  await until(t, events => events.some(({ event }) => event === 'block'), jobs)
  t.match(await post(`${url}/start`, { words: ['cache'] }), { status: 409, body: /in progress/ })
  t.equal((await post(`${url}/stop`, {})).status, 202)
  await until(t, events => events.at(-1)?.event === 'ended', jobs)
  t.equal(jobs.isRunning(), false)
})

t.test('a repeated stop does not abort a run that is already ending', async t => {
  const patient = SCRIPTED.replace("process.on('SIGINT', () => { end() })",
    'let signals = 0\nprocess.on(\'SIGINT\', () => { if (signals++) process.exit(9)\n' +
    "say({ event: 'stage', text: 'ending' }); setTimeout(end, 1500) })")
  const { jobs } = await serveFor(t, { resultsDir: resultsFor(t, []), argv: scripted(t, patient) })
  jobs.begin({ words: ['uds'], options: {} })
  await until(t, events => events.some(({ event }) => event === 'block'), jobs)
  const stopping = jobs.stop()
  await until(t, events => events.some(({ event }) => event === 'stage'), jobs)
  await Promise.all([stopping, jobs.stop(), jobs.stop()])
  await until(t, events => events.at(-1)?.event === 'ended', jobs)
  t.match(jobs.events().at(-1), { exit: 0 })
})

t.test('keeps the first and the latest events of a long run', async t => {
  const long = "const say = event => process.stdout.write('hopbench-feed ' + JSON.stringify(event) + '\\n')\n" +
    "say({ event: 'start', run: 'x', plan: {}, budget: 1 })\n" +
    "for (let i = 0; i < 500; i++) say({ event: 'stage', text: String(i) })\n" +
    "say({ event: 'result', result: { record: {}, succeeded: true } })"
  const events = await runToItsEnd(t, long, { mostEvents: 100 })
  t.ok(events.length <= 100)
  t.strictSame(events.slice(0, 2).map(({ event }) => event), ['begins', 'start'])
  t.match(events.at(-2), { event: 'stage', text: '499' })
  t.match(events.at(-1), { run: 'x' })
})

t.test('serves at most twenty listeners, and another one after some have left', async t => {
  const { url } = await serveFor(t, { resultsDir: resultsFor(t, []) })
  const leaving = new AbortController()
  const follow = () => fetch(`${url}/live`, { headers: WITH_TOKEN, signal: leaving.signal })
  const pages = await Promise.all(Array.from({ length: 20 }, follow))
  t.ok(pages.every(({ status }) => status === 200))
  t.equal((await follow()).status, 503)
  leaving.abort()
  // The server sees the closed connections after some milliseconds.
  let status = 503
  while (status === 503) status = (await fetch(`${url}/live`, { headers: WITH_TOKEN })).status
  t.equal(status, 200)
})

t.test('stops writing to a page that does not read, and closes its connection after the time limit', async t => {
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
  let destroy = () => {}
  /** @type {Promise<void>} */
  const destroyed = new Promise(resolve => { destroy = resolve })
  const response = Object.assign(new EventEmitter(), { writeHead () {}, flushHeaders () {}, destroy, write })
  eventStream(jobs, { stallSeconds: 0.2 })(/** @type {any} */ ({}), /** @type {any} */ (response))
  for (let i = 0; i < 10; i++) listeners[0]({ event: 'stage', text: String(i) })
  t.equal(written, 3, 'waits until the socket has drained')
  response.emit('drain')
  t.equal(written, 6)
  await destroyed
  response.emit('close')
})

t.test('the run ends when the server of its page is killed', async t => {
  const workspace = makeWorkspace(t)
  const serve = begin(t, ['serve', '--port', '0', '--results', workspace.results], { workspace })
  await serve.until(() => serve.stdout().includes('Ctrl-C'))
  const [, base, token] = /** @type {string[]} */ (/^(http:.*)\/\?token=(.*)$/m.exec(serve.stdout()))
  const order = { words: ['http-json'], budget: '60s' }
  t.equal((await post(`${base}/start`, order, { Authorization: `Bearer ${token}` })).status, 202)
  await serve.until(() => samplesIn(workspace).length > 0)
  process.kill(serve.child.pid, 'SIGKILL')
  await serve.child.exited
  t.strictSame(await remainingProcesses(workspace), [])
})

t.test('the file with the token is readable by one account only, and tokens have the right form', async t => {
  const file = writeEntrance(t.testdir({}), `http://127.0.0.1:1/?token=${TOKEN}`)
  t.equal(statSync(file).mode & 0o777, 0o600)
  t.match(readFileSync(file, 'utf8'), TOKEN)
  t.throws(() => writeEntrance(dirname(file), 'x'), { code: 'EEXIST' }, 'an existing file is not overwritten')
  t.match(tokenFrom({}), /^[\w-]{32}$/)
  t.not(tokenFrom({}), tokenFrom({}))
  t.equal(tokenFrom({ HOPBENCH_TOKEN: TOKEN }), TOKEN)
  for (const wrong of ['', 'short', 'x'.repeat(300), 'with spaces in it, and quotes']) {
    t.throws(() => tokenFrom({ HOPBENCH_TOKEN: wrong }), { code: 'bad-option' }, wrong)
  }
})

t.test('the last event of a run that failed has the reason, without the output of programs', async t => {
  t.match((await runToItsEnd(t, undefined, { words: ['udx'] })).at(-1),
    { exit: 2, run: null, error: '"udx" is neither an experiment nor a topology. Did you mean "uds"?' })
  const killed = "process.stderr.write('a password\\n'); process.kill(process.pid, 'SIGKILL')"
  t.match((await runToItsEnd(t, killed)).at(-1),
    { exit: 1, run: null, error: 'hopbench run was ended by SIGKILL.' })
})

t.test('a run counts as ended even if a listener throws at its last event', async t => {
  const { jobs } = await serveFor(t, { resultsDir: resultsFor(t, []), argv: scripted(t, '') })
  let broken = false
  const leave = jobs.follow(({ event }) => {
    if (event !== 'ended' || broken) return
    broken = true
    throw new Error('a page that went away')
  })
  t.teardown(leave)
  jobs.begin({ words: ['uds'], options: {} })
  await until(t, events => broken && events.at(-1)?.event === 'ended', jobs)
  t.match(jobs.events().at(-1), { exit: null, error: 'a page that went away' })
  t.equal(jobs.isRunning(), false)
})

t.test('Prometheus reads the metrics of a run in progress', { skip: skipWithout('prometheus') }, async t => {
  const tool = await findTool({ program: 'prometheus', packages: { debian: ['prometheus'] } })
  const dir = resultsFor(t, [])
  const { jobs, port } = await serveFor(t, { resultsDir: dir, argv: scripted(t, SCRIPTED) })
  jobs.begin({ words: ['uds'], options: {} })
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
