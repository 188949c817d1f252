/** Tests the calls of tasks in workers: results, errors, progress, and the ends of a worker. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../support/tap.js'
import { fromErrorData, HopbenchError, toErrorData } from '../../bench/errors.js'
import { isAlive } from '../../bench/machine/process-facts.js'
import { callWorker } from '../../bench/run/call-worker.js'
import { planFrom } from '../../bench/request/request.js'

/** @import { FeedEvent } from '../../bench/report/progress-feed.js' */
/** @import { Test } from 'tap' */

const REQUEST = { words: ['uds'], options: { lab: true, header: ['Cookie: sid=1'] } }
const RESULT = { record: { run: '2024-05-06T07-08-09Z-uds', answer: 'größer' }, succeeded: true }

/** Beginning of a worker that measures nothing. `request` is what standard input holds. */
const WORKER = `
import { readFileSync, writeFileSync } from 'node:fs'
const write = event => { process.stdout.write('hopbench-feed ' + JSON.stringify(event) + '\\n') }
const request = JSON.parse(readFileSync(0, 'utf8'))
const result = ${JSON.stringify(RESULT)}
writeFileSync(new URL('./pid', import.meta.url), String(process.pid))
`

/**
 * Calls a worker with this code.
 * @param {Test} t
 * @param {string} code
 * @param {Partial<Parameters<typeof callWorker>[2]>} [options]
 */
async function callFake (t, code, options) {
  const dir = t.testdir({ 'worker.mjs': `${WORKER}${code}`, out: {} })
  const outcome = await callWorker('run', REQUEST, {
    name: 'uds', dir: join(dir, 'out'), argv: [process.execPath, join(dir, 'worker.mjs')], ...options
  })
  const [pid, log] = ['pid', 'out/uds.log'].map(file => readFileSync(join(dir, file), 'utf8'))
  return { outcome, pid: Number(pid), log, files: readdirSync(join(dir, 'out')) }
}

t.test('sends the request on standard input, and returns the result as data', async t => {
  const { outcome, files, log } = await callFake(t, `
    process.stderr.write(JSON.stringify(request))
    process.stdout.write('output of a module\\n')
    write({ event: 'result', result })`)
  t.strictSame(outcome, { result: RESULT, error: null })
  t.strictSame(JSON.parse(log), { task: 'run', request: REQUEST, hasFeed: false })
  t.strictSame(files, ['uds.log'], 'no file holds the request any more')
})

t.test('passes the progress on while the worker runs, also if a listener fails', async t => {
  /** @type {FeedEvent[]} */
  const events = []
  const { outcome, log } = await callFake(t, `
    process.stderr.write(String(request.hasFeed))
    write({ event: 'stage', text: 'größer' })
    process.on('SIGINT', () => { write({ event: 'result', result }); process.exit(0) })
    setInterval(() => {}, 1000)`, {
    onEvent (event) {
      events.push(event)
      throw new Error('a page that went away')
    },
    interrupted: () => events.length
  })
  t.equal(log, 'true')
  t.strictSame(events, [{ event: 'stage', text: 'größer' }])
  t.strictSame(outcome, { result: RESULT, error: null }, 'Ctrl-C after the event was forwarded')
})

t.test('ends a hanging worker after the time limit', async t => {
  const { outcome, pid } = await callFake(t, `
    process.on('SIGINT', () => {})
    setInterval(() => {}, 1000)`, { seconds: 1, graceSeconds: 0.2 })
  t.match(outcome, { result: null, error: { code: 'task-late', details: { task: 'run', seconds: 1 } } })
  t.notOk(isAlive(pid))
})

t.test('an aborted signal ends a hanging worker', async t => {
  const stop = new AbortController()
  const code = `
    process.on('SIGINT', () => {})
    write({ event: 'end' })
    setInterval(() => {}, 1000)`
  const { outcome, pid } = await callFake(t, code, {
    onEvent: () => stop.abort(), signal: stop.signal, graceSeconds: 0.2
  })
  t.match(outcome, { result: null, error: { code: 'process-died' } })
  t.notOk(isAlive(pid))
})

t.test('a worker that ends without a result is an error with the end of its log', async t => {
  const { outcome: { result, error } } = await callFake(t, `
    process.stderr.write('out of memory\\n')
    process.kill(process.pid, 'SIGKILL')`)
  t.equal(result, null)
  t.match(error, { code: 'process-died', message: 'hopbench run was ended by SIGKILL.' })
  t.match(error, { details: { output: 'out of memory' } })
})

t.test('returns the code and the details of an error unchanged', async t => {
  const dir = t.testdir({})
  writeFileSync(join(dir, 'app.jsonl'), 'of an older worker')
  const words = ['udx']
  const { result, error } = await callWorker('run', { words, options: { lab: false } }, { name: 'app', dir })
  const own = await planFrom(words, { lab: false }).catch(error => error)
  t.equal(result, null)
  if (!(error instanceof HopbenchError)) throw new Error('no error of the catalog', { cause: error })
  t.equal(error.code, 'unknown-experiment')
  t.equal(error.details.nearest, 'uds')
  t.strictSame(
    { code: error.code, details: error.details, message: error.message, remedy: error.remedy, exit: error.exit },
    { code: own.code, details: own.details, message: own.message, remedy: own.remedy, exit: own.exit }
  )
  t.match(readFileSync(join(dir, 'app.log'), 'utf8'), error.message, 'the log has the sentence')
  t.notOk(existsSync(join(dir, 'app.jsonl')))
})

t.test('errors that are not of the catalog keep their message, and those of the system get a code', async t => {
  t.strictSame(toErrorData(new TypeError('x is not a function')),
    { code: 'internal', details: { message: 'x is not a function' } })
  t.strictSame(fromErrorData({ code: 'internal', details: { message: 'no' } }), new Error('no'))
  const full = Object.assign(new Error('ENOSPC'), { code: 'ENOSPC', path: '/a' })
  t.strictSame(toErrorData(full), { code: 'disk-full', details: { file: '/a', resume: null } })
})
