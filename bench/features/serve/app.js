/** Routes of the live page. */
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import express from 'express'
import handlebars from 'handlebars'
import { compareRuns } from '../../judge/runs/compare-runs.js'
import { HopbenchError, explain, getErrorMessage } from '../../errors.js'
import { kindOf } from '../../run/kinds.js'
import { loadExperiments, loadPlugin, pluginNames } from '../../plan/plugins.js'
import { readOwnText } from '../../machine/files/own-files.js'
import { pageOf } from '../../run/report-file.js'
import { RUN_NAME } from '../../store/names.js'
import { storedRun } from '../../run/stored-run.js'
import { entrance, headers, onlyThisHost, onlyThisPage, onlyWithToken } from './guard.js'
import { GROUPS } from '../../plan/experiment.js'
import { isUnknown, parse, transports } from '../../plan/spec.js'
import { stat } from 'node:fs/promises'
import { listRuns, readRun } from '../../store/store.js'
import { withAnswerWords } from '../../run/answer-words.js'
import { count, seconds, seed, share } from '../../request/option-values.js'
import { attempt } from '../../shared/attempt.js'
import { ROLES } from '../../shared/group-by.js'
import { textsOfComparison, textsOfRun } from '../compare/index.js'

/** @import { RunJobs } from './job.js' */
/** @import { Express, NextFunction, Request, Response } from 'express' */
/** @import { RunRecord, Sample } from '../../types.js' */
/** @import { Entry, JobEvent } from './types.js' */
/** @import { RunFlags } from '../../request/types.js' */

/**
 * Options of the page, whose names are those of the command line. parse: reads a value as typed.
 *
 * @type {{ name: string, parse: (text: string) => string | number, help: string }[]}
 */
const OPTIONS = [
  { name: 'budget', parse: seconds('--budget'), help: 'limit of the wall time: 90s, 3m' },
  { name: 'detect', parse: share('--detect'), help: 'difference to detect at 80 % power: 5%' },
  {
    name: 'precision',
    parse: share('--precision'),
    help: 'stop when the half-width of every interval is at most this: 2%'
  },
  { name: 'connections', parse: count('--connections', 1_000_000), help: 'client connections of each arm' },
  { name: 'rate', parse: count('--rate', 100_000), help: 'response times in an open loop at this rate, in req/s: 800' },
  { name: 'engine', parse: String, help: 'load generator of all arms' },
  { name: 'path', parse: String, help: 'path to request: /1kb.json' },
  { name: 'seed', parse: seed('--seed'), help: 'seed of the random order and of the load' }
]

/**
 * Apps that the page may start. commands: by name; options: of all of them.
 *
 * @typedef {{ commands: Record<string, string>, options: Partial<RunFlags> }} ServedApps
 */
/** @type {ServedApps} */
const NO_APPS = { commands: {}, options: {} }

const MAX_WORDS = 20
const MAX_LETTERS = 200

/**
 * @param {unknown} body { words: ['uds'], quick: true, app: 'app', budget: '90s', … }
 * @param {ServedApps} [apps] of `hopbench serve --app`
 * @returns {{ words: string[], options: Partial<RunFlags> }}
 * @throws {HopbenchError} bad-order, bad-option
 */
export function orderFrom (body, apps = NO_APPS) {
  if (!body || typeof body !== 'object') throw rejection('its body is not an object')
  /** @type {Record<string, unknown>} */
  const { words, quick, app = '', ...rest } = { ...body }
  if (!Array.isArray(words) || words.length === 0 || words.length > MAX_WORDS || !words.every(isWord)) {
    throw rejection('it names neither an experiment nor topologies')
  }
  const foreign = words.find(word => !isExperimentName(word) && !isBuiltInTopology(word))
  if (foreign !== undefined) {
    throw rejection(`"${foreign}" is neither an experiment nor a built-in topology; start it from the command line`)
  }
  const typed = OPTIONS.flatMap(({ name, parse }) => {
    const value = rest[name]
    if (value === undefined || value === '') return []
    if (typeof value !== 'string' || value.length > MAX_LETTERS) {
      throw rejection(`--${name} has no value that could be read`)
    }
    return [[name, parse(value)]]
  })
  const unknown = Object.keys(rest).find(name => !OPTIONS.some(option => option.name === name))
  if (unknown !== undefined) throw rejection(`there is no option "${unknown}" here`)
  const options = { ...quick === true && { quick }, ...Object.fromEntries(typed), ...toAppOptions(words, app, apps) }
  return { words, options }
}

/**
 * Returns the options that start the chosen app, and those that topologies contain.
 *
 * @param {string[]} words
 * @param {unknown} chosen name; empty: none
 * @param {ServedApps} apps
 * @returns {Partial<RunFlags>}
 */
function toAppOptions (words, chosen, { commands, options }) {
  if (typeof chosen !== 'string' || (chosen !== '' && !Object.hasOwn(commands, chosen))) {
    throw rejection('it names an app that hopbench serve was not started with')
  }
  // The name of an experiment parses as a server of that name, which is no app.
  const servers = words.map(word => parse(word).server?.name)
  const names = Object.keys(commands).filter(name => name === chosen || servers.includes(name))
  return names.length === 0 ? {} : { app: names.map(name => `${name}=${commands[name]}`), ...options }
}

/**
 * @param {unknown} word
 * @returns {word is string}
 */
const isWord = word =>
  typeof word === 'string' && word.length > 0 && word.length <= MAX_LETTERS && !word.startsWith('-')

/** @param {string} word */
const isExperimentName = word => /^[a-z][a-z\d_-]*$/.test(word)

/**
 * Returns whether a word names servers of the suite only. A module or an experiment in a file would be run as code, and
 * a URL would send load to another server.
 * @param {string} word
 */
const isBuiltInTopology = word => attempt(() => !isUnknown(parse(word)), () => false)

const rejection = (/** @type {string} */ why) => new HopbenchError('bad-order', { why })

const MAX_CLIENTS = 20 // Enough for three browsers, which open at most six connections each.
const MAX_WAITING = 20_000 // A client with more events in its queue is disconnected. Browsers reconnect.
const STALL_SECONDS = 60 // A page that reads nothing for this long is disconnected.

/**
 * @param {Pick<RunJobs, 'events' | 'follow'>} jobs
 * @param {{ stallSeconds?: number }} [options]
 */
export function eventStream (jobs, { stallSeconds = STALL_SECONDS } = {}) {
  let clients = 0
  /**
   * @param {Request} _request
   * @param {Response} response
   */
  return (_request, response) => {
    if (clients >= MAX_CLIENTS) {
      response.status(503).json({ error: `${MAX_CLIENTS} pages follow the run already. Close one of them.` })
      return
    }
    clients++
    response.writeHead(200, { 'Content-Type': 'text/event-stream' })
    response.flushHeaders()
    const queue = createQueue(response, stallSeconds)
    const unfollow = jobs.follow(event => queue.send(event))
    for (const event of [...jobs.events()]) queue.send(event)
    response.on('close', () => {
      clients--
      unfollow()
      queue.close()
    })
  }
}

/**
 * Returns functions that write events only as fast as the client reads. The others are kept here, where they are
 * counted, and not in the socket.
 *
 * @param {Response} response
 * @param {number} stallSeconds a client that reads nothing for so long is disconnected
 * @returns {{ send: (event: JobEvent) => void, close: () => void }}
 */
function createQueue (response, stallSeconds) {
  /** @type {JobEvent[]} */
  let waiting = []
  /** Runs while the client does not read. @type {ReturnType<typeof setTimeout> | undefined} */
  let stallTimer
  const close = () => clearTimeout(stallTimer)
  const flush = () => {
    close()
    stallTimer = undefined
    const events = waiting
    waiting = []
    for (const [i, event] of events.entries()) {
      if (response.write(`data: ${JSON.stringify(event)}\n\n`)) continue
      waiting = events.slice(i + 1)
      stallTimer = setTimeout(() => response.destroy(), stallSeconds * 1000)
      response.once('drain', flush)
      return
    }
  }
  const send = (/** @type {JobEvent} */ event) => {
    waiting.push(event)
    if (!stallTimer) flush()
    else if (waiting.length > MAX_WAITING) response.destroy()
  }
  return { send, close }
}

/** Name of the experiment of topologies that were typed (bench/request/typed-experiment.js). */
const TYPED = 'typed'
const PAGE = 50 // Runs per request, because reading a thousand records takes seconds.

/**
 * @param {string} resultsDir
 * @returns {(query: { search?: string, from?: number }) => Promise<{ total: number, entries: Entry[] }>} search: parts
 * of the name of a run; from: number of runs to skip
 */
export function createHistory (resultsDir) {
  /** @type {Map<string, { at: number, entry: Entry }>} by run; at: time at which its record was written */
  const cache = new Map()
  /** @param {Awaited<ReturnType<typeof listRuns>>[number]} stored */
  const getEntry = async ({ run, dir, experiment, startedAt }) => {
    const at = await stat(join(dir, 'run.json')).then(({ mtimeMs }) => mtimeMs, () => 0)
    const cached = cache.get(run)
    if (cached?.at === at) return cached.entry
    const entry = { run, experiment, startedAt, ...await describeRun(dir, resultsDir) }
    cache.set(run, { at, entry })
    return entry
  }
  return async ({ search = '', from = 0 }) => {
    const words = search.toLowerCase().split(/\s+/).filter(Boolean)
    const runs = (await listRuns(resultsDir)).reverse().filter(({ run }) =>
      words.every(spec => run.toLowerCase().includes(spec))
    )
    return { total: runs.length, entries: await Promise.all(runs.slice(from, from + PAGE).map(getEntry)) }
  }
}

/**
 * @param {string} dir
 * @param {string} resultsDir
 * @returns {Promise<Pick<Entry, 'what' | 'question' | 'answer' | 'state'>>} what: empty if it is unknown
 */
async function describeRun (dir, resultsDir) {
  try {
    const { record } = await readRun(dir, resultsDir)
    if (!record) {
      const answer = 'The run was interrupted before anything was measured.'
      return { what: '', question: '', answer, state: 'cut off' }
    }
    const entry = { what: nameCompared(record), question: record.question }
    if (!record.complete) return { ...entry, answer: 'The run was interrupted.', state: 'cut off' }
    const worded = await withAnswerWords(record)
    return { ...entry, answer: kindOf(worded).answer(worded).text, state: 'complete' }
  } catch (error) {
    return { what: '', question: '', answer: getErrorMessage(error), state: 'unreadable' }
  }
}

/**
 * Names a run by what it compared: the experiment, or the topologies that were typed.
 *
 * @param {Pick<RunRecord, 'experiment' | 'plan'>} record
 */
function nameCompared ({ experiment, plan: { arms, quick } }) {
  const [first, ...others] = new Set(arms.filter(({ twinOf }) => twinOf === null).map(({ name }) => name))
  const compared = others.length > 0 ? `${others.join(', ')} against ${first}` : first
  return `${experiment === TYPED ? compared ?? experiment : experiment}${quick ? ' (quick)' : ''}`
}

/** Media type of the text format of Prometheus. */
const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** Type and help of each metric by its name without that of the program. All are 0 or absent before the first run. */
const METRICS = {
  run_active: ['gauge', 'Whether a run is under way'],
  run_elapsed_seconds: ['gauge', 'Wall time of the run so far'],
  run_budget_seconds: ['gauge', 'Wall time that the run may take'],
  run_blocks: ['gauge', 'Blocks that have been measured'],
  arm_rate_per_second: ['gauge', 'Units per second of the last valid trial'],
  trials_total: ['counter', 'Trials made'],
  errors_total: ['counter', 'Errors under load'],
  cpu_seconds_total: ['counter', 'CPU time within the measured windows'],
  contrast_ratio: ['gauge', 'Relative throughput against the baseline so far']
}

/** @typedef {keyof typeof METRICS} MetricName */
/** @typedef {Record<string, string>} Labels */

/** @returns {{ note: (event: JobEvent) => void, print: () => string }} */
function createMetrics () {
  /** Values by name and labels, as they are printed. @type {Record<string, Map<string, number>>} */
  const values = Object.fromEntries(Object.keys(METRICS).map(name => [name, new Map()]))
  const set = (/** @type {MetricName} */ name, /** @type {number} */ value, /** @type {Labels} */ labels = {}) =>
    values[name].set(printLabels(labels), value)
  const add = (/** @type {MetricName} */ name, /** @type {number} */ value, /** @type {Labels} */ labels) =>
    set(name, (values[name].get(printLabels(labels)) ?? 0) + value, labels)
  set('run_active', 0)
  set('run_elapsed_seconds', 0)
  set('run_budget_seconds', 0)
  set('run_blocks', 0)
  let experiment = ''
  let unit = ''

  /** @param {Sample} sample */
  const noteTrial = ({ arm, invalid, rps, errors, cpuSeconds }) => {
    add('trials_total', 1, { experiment, arm, valid: String(invalid === null) })
    if (!invalid) set('arm_rate_per_second', rps, { experiment, arm, unit })
    for (const [kind, count] of Object.entries(errors)) add('errors_total', count, { experiment, arm, kind })
    for (const role of ROLES) add('cpu_seconds_total', Math.max(0, cpuSeconds[role]), { experiment, arm, role })
  }
  /** @type {(event: JobEvent) => void} */
  const note = event => {
    switch (event.event) {
      case 'begins':
        set('run_active', 1)
        values.arm_rate_per_second.clear()
        values.contrast_ratio.clear()
        set('run_elapsed_seconds', 0)
        set('run_blocks', 0)
        break
      case 'start':
        experiment = event.plan.experiment
        unit = event.plan.unit
        set('run_budget_seconds', event.budget)
        break
      case 'trial':
        noteTrial(event.sample)
        break
      case 'block':
        set('run_elapsed_seconds', event.elapsed)
        set('run_blocks', event.block + 1)
        for (const { arm, baseline, ratio } of event.contrasts) {
          if (Number.isFinite(ratio)) set('contrast_ratio', ratio, { experiment, arm, baseline })
        }
        break
      case 'ended':
        set('run_active', 0)
    }
  }
  const print = () => Object.entries(METRICS).map(([name, [type, help]]) =>
    `# HELP hopbench_${name} ${help}\n# TYPE hopbench_${name} ${type}\n` +
    [...values[name]].map(([labels, value]) => `hopbench_${name}${labels} ${value}\n`).join('')).join('')
  return { note, print }
}

/** @param {string} value of a label */
const escapeLabel = value => value.replace(/[\\"\n]/g, found => found === '\n' ? '\\n' : `\\${found}`)

/** @param {Labels} labels */
function printLabels (labels) {
  const entries = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`)
  return entries.length === 0 ? '' : `{${entries.join(',')}}`
}

const require = createRequire(import.meta.url)
const BODY_LIMIT = '16kb'
const readBeside = (/** @type {string} */ file) => readOwnText(new URL(file, import.meta.url))

/** Folders with the scripts and styles of the page. */
const ASSETS = [
  fileURLToPath(new URL('browser', import.meta.url)),
  dirname(require.resolve('uplot/dist/uPlot.min.css'))
]

/** Formats of the downloads of a run, by file name. */
const FILES = new Map([
  ['run.json', 'json'],
  ['table.csv', 'csv'],
  ['samples.csv', 'samples'],
  ['users.csv', 'users'],
  ['chart.svg', 'svg']
])

/** A browser keeps up to six connections per page. */
const MAX_CONNECTIONS = 200
/** Limits how long unfinished requests, which need no token, can occupy all connections. */
const REQUEST_LIMITS = { headersTimeout: 3000, requestTimeout: 5000, connectionsCheckingInterval: 500 }

/** Creates the server of the live page, which is not listening yet. @param {Parameters<typeof createApp>[0]} options */
export function createPageServer (options) {
  const server = createServer(REQUEST_LIMITS, createApp(options))
  server.maxConnections = MAX_CONNECTIONS
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
  app.get('/compare', async (request, response) => {
    const names = [request.query.before, request.query.after].map(String)
    const [before, after] = await Promise.all(names.map(name => openRun(name, resultsDir)))
    const texts = textsOfComparison(compareRuns(before, after))
    // A program that accepts anything gets JSON, a browser the page.
    const format = request.accepts(['json', 'html']) === 'html' ? 'html' : 'json'
    response.type(format).send(await texts[format]())
  })
  app.get('/runs/:run', async ({ params }, response) => {
    // The report contains its own policy, which is stricter.
    response.removeHeader('Content-Security-Policy')
    response.type('html').send(await pageOf({ ...await openRun(params.run, resultsDir), resultsDir }))
  })
  app.get('/runs/:run/:file', async ({ params }, response) => {
    const run = await openRun(params.run, resultsDir)
    const format = FILES.get(params.file)
    if (format === undefined) notFound(response)
    else response.attachment(`${run.record.run}-${params.file}`).send(await textsOfRun(run)[format]())
  })

  app.get('/live', eventStream(jobs))
  app.get('/metrics', (_request, response) => {
    response.type(CONTENT_TYPE).send(metrics.print())
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
const STATUS = {
  'unknown-run': 404,
  'no-users': 404,
  'nothing-to-draw': 404,
  'already-running': 409,
  'bad-order': 400,
  'bad-option': 400
}

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
  const rejection = status < 500 ? error.message : 'The request failed. The error is printed on the terminal.'
  response.status(status).json({ error: isKnown ? explain(error).text : rejection })
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
