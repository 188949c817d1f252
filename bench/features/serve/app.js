/** Routes of the live page. */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import express from 'express'
import handlebars from 'handlebars'
import { compareRuns } from '../../judge/runs/compare-runs.js'
import { HopbenchError, explain } from '../../errors.js'
import { kindOf } from '../../run/kinds.js'
import { loadExperiments, loadPlugin, pluginNames } from '../../plan/plugins.js'
import { printComparisonFacts } from '../../report/facts/facts.js'
import { toJson } from '../../report/json.js'
import { samplesCsv, tableCsv, usersCsv } from '../../report/page/csv.js'
import { renderSvg } from '../../report/page/page.js'
import { pageOf } from '../../run/report-file.js'
import { RUN_NAME } from '../../store/names.js'
import { storedRun } from '../../run/stored-run.js'
import { eventStream } from './event-stream.js'
import { entrance, headers, onlyThisHost, onlyThisPage, onlyWithToken } from './guard.js'
import { createHistory } from './history.js'
import { createMetrics } from './metrics.js'
import { OPTIONS, orderFrom } from './order.js'
import { GROUPS } from '../../plan/experiment.js'
import { transports } from '../../plan/spec.js'

/** @import { Run } from '../../judge/runs/compare-runs.js' */
/** @import { RunJobs } from './job.js' */
/** @import { ServedApps } from './order.js' */
/** @import { Express, NextFunction, Request, Response } from 'express' */

const require = createRequire(import.meta.url)
const BODY_LIMIT = '16kb'
const readBeside = (/** @type {string} */ file) => readFileSync(new URL(file, import.meta.url), 'utf8')

/** Folders with the scripts and styles of the page. */
const ASSETS = [
  fileURLToPath(new URL('browser', import.meta.url)),
  dirname(require.resolve('uplot/dist/uPlot.min.css'))
]

/**
 * Downloads of a run, by file name.
 *
 * @type {Map<string, (run: Run) => string | null>}
 */
const FILES = new Map([
  ['run.json', ({ record }) => toJson(record, kindOf(record))],
  ['table.csv', ({ record }) => tableCsv(record)],
  ['samples.csv', ({ samples }) => samplesCsv(samples)],
  ['users.csv', ({ samples }) => usersCsv(samples)],
  ['chart.svg', ({ record }) => renderSvg(record, kindOf(record))]
])

/** A browser keeps up to six connections per page. */
const MOST_CONNECTIONS = 200
/** Limits how long unfinished requests, which need no token, can occupy all connections. */
const REQUEST_LIMITS = { headersTimeout: 3000, requestTimeout: 5000, connectionsCheckingInterval: 500 }

/** Creates the server of the live page, which is not listening yet. @param {Parameters<typeof createApp>[0]} options */
export function createPageServer (options) {
  const server = createServer(REQUEST_LIMITS, createApp(options))
  server.maxConnections = MOST_CONNECTIONS
  return server
}

/**
 * @param {object} options
 * @param {string} options.resultsDir absolute
 * @param {string} options.host
 * @param {() => number} options.port
 * @param {string} options.token
 * @param {Pick<RunJobs, 'events' | 'isRunning' | 'begin' | 'stop' | 'follow'>} options.jobs
 * @param {ServedApps} [options.apps] of --app
 * @returns {Express}
 */
export function createApp ({ resultsDir, host, port, token, jobs, apps }) {
  const app = express()
  const history = createHistory(resultsDir)
  const metrics = createMetrics()
  jobs.follow(metrics.note)
  app.disable('x-powered-by')
  app.use(headers, onlyThisHost({ host, port }), entrance({ token, port }), onlyThisPage,
    onlyWithToken({ token, port }), express.json({ limit: BODY_LIMIT }))

  app.get('/', async (_request, response) => {
    response.type('html').send(await renderLivePage(Object.keys(apps?.commands ?? {})))
  })
  app.use('/assets', ASSETS.map(folder => express.static(folder)))

  app.get('/history', async ({ query }, response) => {
    const search = String(query.search ?? '').slice(0, 200)
    response.json(await history({ search, from: Math.max(0, Number(query.from) || 0) }))
  })
  app.get('/compare', async ({ query }, response) => {
    const names = [query.before, query.after].map(String)
    const [before, after] = await Promise.all(names.map(name => openRun(name, resultsDir)))
    response.json(printComparisonFacts(compareRuns(before, after)))
  })
  app.get('/runs/:run', async ({ params }, response) => {
    // The report contains its own policy, which is stricter.
    response.removeHeader('Content-Security-Policy')
    response.type('html').send(await pageOf({ ...await openRun(params.run, resultsDir), resultsDir }))
  })
  app.get('/runs/:run/:file', async ({ params }, response) => {
    const { record, samples } = await openRun(params.run, resultsDir)
    const file = FILES.get(params.file)?.({ record, samples }) ?? null
    if (file === null) notFound(response)
    else response.attachment(`${record.run}-${params.file}`).send(file)
  })

  app.get('/live', eventStream(jobs))
  app.get('/metrics', (_request, response) => {
    const { type, text } = metrics.print()
    response.type(type).send(text)
  })
  app.post('/start', ({ body }, response) => {
    jobs.begin(orderFrom(body, apps))
    response.status(202).json({})
  })
  app.post('/stop', (_request, response) => {
    jobs.stop().catch(error => { process.stderr.write(`${explain(error).text}\n`) })
    response.status(202).json({})
  })
  app.use((_request, response) => notFound(response))
  app.use(handleError)
  return app
}

/** @param {string[]} apps names */
async function renderLivePage (apps) {
  return handlebars.compile(readBeside('live.hbs'))({
    css: readBeside('../../report/page/page.css') + readBeside('live.css'),
    ...await listChoices(apps),
    apps,
    // A first run of the app alone and behind nginx.
    words: apps.length > 0 ? defaultWords(apps) : '',
    options: OPTIONS,
    engines: pluginNames('engine')
  })
}

/** @param {string[]} apps names */
const defaultWords = apps => (apps.length > 1 ? apps : [apps[0], `nginx:keepalive/${apps[0]}`]).join(' ')

const notFound = (/** @type {Response} */ response) => {
  response.status(404).json({ error: 'There is no such page.' })
}

/**
 * Finds a run by its name. Rejects paths, because they could leave the results.
 *
 * @param {string} name
 * @param {string} resultsDir
 */
async function openRun (name, resultsDir) {
  if (!RUN_NAME.test(name)) throw new HopbenchError('unknown-run', { name, dir: resultsDir })
  return storedRun(name, resultsDir)
}

/** @type {Record<string, number>} */
const STATUS = { 'unknown-run': 404, 'already-running': 409, 'bad-order': 400, 'bad-option': 400 }

/**
 * Responds with the status and sentence of an error.
 *
 * @param {any} error
 * @param {Request} _request
 * @param {Response} response
 * @param {NextFunction} _next makes express recognise an error handler, which has four parameters
 */
function handleError (error, _request, response, _next) {
  // Other errors with a status below 500 come from express: a body that is too large or not JSON.
  const isKnown = error instanceof HopbenchError
  const status = isKnown ? STATUS[error.code] ?? 500 : error.status ?? 500
  const refusal = status < 500 ? error.message : 'The request failed. The error is printed on the terminal.'
  response.status(status).json({ error: isKnown ? explain(error).text : refusal })
  if (status >= 500) process.stderr.write(`${explain(error).text}\n`)
}

/**
 * @param {string[]} apps names of the apps that the page may start
 * @returns {Promise<{ groups: { title: string, experiments: { name: string, title: string }[] }[],
 *   servers: { name: string, title: string }[], fronts: string[] }>} groups: experiments by question; fronts: proxies
 *   with each of their ways to the server, as in a topology
 */
async function listChoices (apps) {
  const experiments = (await loadExperiments()).map(({ name, experiment: { title, group = 'other' } }) =>
    ({ name, title, group }))
  const groups = Object.entries(GROUPS).map(([group, title]) =>
    ({ title, experiments: experiments.filter(experiment => experiment.group === group) }))
  const servers = await Promise.all(pluginNames('server').map(async name =>
    ({ name, title: String((await loadPlugin('server', name)).about.title) })))
  const fronts = await Promise.all(pluginNames('proxy').map(async name => {
    const { default: { about } } = await loadPlugin('proxy', name)
    return (about.transports ?? transports).map((/** @type {string} */ transport) => `${name}:${transport}`)
  }))
  return {
    groups: groups.filter(({ experiments }) => experiments.length > 0),
    servers: [...apps.map(name => ({ name, title: 'your app' })), ...servers],
    fronts: fronts.flat()
  }
}
