/** The live page's routes. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import express from 'express'
import { compareRuns } from '../compare.js'
import { HopbenchError, explain } from '../errors.js'
import { samplesCsv, tableCsv, usersCsv } from '../page/csv.js'
import { renderSvg } from '../page/page.js'
import { pageOf } from '../report-file.js'
import { RUN_NAME } from '../store/names.js'
import { storedRun } from '../stored-run.js'
import { headers, onlyThisHost, onlyThisPage, onlyWithToken } from './guard.js'
import { createHistory } from './history.js'
import { livePage } from './live-page.js'
import { createMetrics } from './metrics.js'
import { orderFrom } from './order.js'

/** @typedef {import('express').Request} Request */
/** @typedef {import('express').Response} Response */

const require = createRequire(import.meta.url)
const BODY_LIMIT = '16kb'

/** What the page loads, by the name it asks for. */
const ASSETS = {
  'live.js': { type: 'text/javascript', file: new URL('browser/live.js', import.meta.url) },
  'uplot.js': { type: 'text/javascript', file: require.resolve('uplot/dist/uPlot.iife.min.js') },
  'uplot.css': { type: 'text/css', file: require.resolve('uplot/dist/uPlot.min.css') }
}

/** What can be had of a run. @type {Map<string, (run: import('../compare.js').Run) => string | null>} */
const FILES = new Map([
  ['run.json', ({ record }) => JSON.stringify(record, null, 2)],
  ['table.csv', ({ record }) => tableCsv(record)],
  ['samples.csv', ({ samples }) => samplesCsv(samples)],
  ['users.csv', ({ samples }) => usersCsv(samples)],
  ['chart.svg', ({ record }) => renderSvg(record)]
])

/**
 * @param {object} options
 * @param {string} options.resultsDir absolute
 * @param {string} options.host
 * @param {() => number} options.port
 * @param {string | null} options.token null: none is asked for
 * @param {import('./job.js').Jobs} options.jobs
 * @returns {import('express').Express}
 */
export function createApp ({ resultsDir, host, port, token, jobs }) {
  const app = express()
  const history = createHistory(resultsDir)
  const metrics = createMetrics()
  jobs.follow(metrics.note)
  app.disable('x-powered-by')
  app.use(headers, onlyThisHost({ host, port }), onlyWithToken(token), onlyThisPage, express.json({ limit: BODY_LIMIT }))

  app.get('/', async (_request, response) => { response.type('html').send(await livePage()) })
  for (const [name, { type, file }] of Object.entries(ASSETS)) app.get(`/assets/${name}`, (_request, response) => { response.type(type).send(readFileSync(file)) })

  app.get('/history', async ({ query }, response) => {
    response.json(await history({ search: String(query.search ?? '').slice(0, 200), from: Math.max(0, Number(query.from) || 0) }))
  })
  app.get('/compare', async ({ query }, response) => {
    const [before, after] = await Promise.all([query.before, query.after].map(name => runNamed(String(name), resultsDir)))
    response.json(compareRuns(before, after))
  })
  app.get('/runs/:run', async ({ params }, response) => {
    // A report brings a policy of its own, stricter than that of this page.
    response.removeHeader('Content-Security-Policy')
    response.type('html').send(await pageOf({ ...await runNamed(params.run, resultsDir), resultsDir }))
  })
  app.get('/runs/:run/:file', async ({ params }, response) => {
    const { record, samples } = await runNamed(params.run, resultsDir)
    const file = FILES.get(params.file)?.({ record, samples }) ?? null
    if (file === null) nothing(response)
    else response.attachment(`${record.run}-${params.file}`).send(file)
  })

  app.get('/live', (request, response) => follow(jobs, request, response))
  app.get('/metrics', async (_request, response) => { response.type(metrics.registry.contentType).send(await metrics.registry.metrics()) })
  app.post('/start', ({ body }, response) => {
    jobs.begin(orderFrom(body))
    response.status(202).json({})
  })
  app.post('/stop', (_request, response) => {
    jobs.stop()
    response.status(202).json({})
  })
  app.use((_request, response) => nothing(response))
  app.use(failed)
  return app
}

const nothing = (/** @type {Response} */ response) => { response.status(404).json({ error: 'There is nothing of that name.' }) }

/**
 * A run by its name alone: no path leads out of the folder of results.
 * @param {string} name
 * @param {string} resultsDir
 */
async function runNamed (name, resultsDir) {
  if (!RUN_NAME.test(name) || /[/\\]/.test(name)) throw new HopbenchError('unknown-run', { name, dir: resultsDir })
  return storedRun(name, resultsDir)
}

/**
 * What has happened so far, and what happens from now on, as server-sent events.
 * @param {import('./job.js').Jobs} jobs
 * @param {Request} request
 * @param {Response} response
 */
function follow (jobs, request, response) {
  response.writeHead(200, { 'Content-Type': 'text/event-stream' })
  const send = (/** @type {import('./job.js').JobEvent} */ event) => { response.write(`data: ${JSON.stringify(event)}\n\n`) }
  for (const event of jobs.events()) send(event)
  const leave = jobs.follow(send)
  request.on('close', leave)
}

/** @type {Record<string, number>} */
const STATUS = { 'unknown-run': 404, 'already-running': 409, 'bad-order': 400 }

/**
 * A failure as a status and a sentence.
 * @param {any} error
 * @param {Request} _request
 * @param {Response} response
 * @param {import('express').NextFunction} _next by which express knows that this is for failures
 */
function failed (error, _request, response, _next) {
  // What express itself refuses: a body that is too large, or is no JSON.
  const status = error instanceof HopbenchError ? STATUS[error.code] ?? 500 : error.status ?? 500
  response.status(status).json({ error: error instanceof HopbenchError ? explain(error).text : status < 500 ? error.message : 'That failed; the terminal says why.' })
  if (status >= 500) process.stderr.write(`${explain(error).text}\n`)
}
