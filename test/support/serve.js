/** Live pages on a free port, and requests to them. */
import { once } from 'node:events'
import { createPageServer } from '../../bench/features/serve/app.js'
import { createRunJobs } from '../../bench/features/serve/job.js'
import { callWorker } from '../../bench/run/call-worker.js'
import { mkdirSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { makeWorkspace } from './cli.js'
import { makeRecord, makeSample } from './record.js'

/** @import { ServedApps } from '../../bench/features/serve/app.js' */
/** @import { AddressInfo } from 'node:net' */
/** @import { Test } from 'tap' */
/** @import { IncomingHttpHeaders } from 'node:http' */

export const TOKEN = 'a-token-of-a-test'

/**
 * @param {Test} t
 * @param {{ resultsDir: string, host?: string, argv?: string[], mostEvents?: number, apps?: ServedApps }} options argv:
 *   of a worker that measures nothing
 */
export async function serveFor (t, { resultsDir, host = '127.0.0.1', argv, mostEvents, apps }) {
  const call = argv && callOf(argv)
  const jobs = createRunJobs({ resultsDir, temp: makeWorkspace(t).tmp, call, mostEvents })
  let port = 0
  const page = { resultsDir, host, port: () => port, token: TOKEN, jobs, apps }
  const server = createPageServer(page).listen(0, '127.0.0.1')
  await once(server, 'listening')
  port = /** @type {AddressInfo} */ (server.address()).port
  t.teardown(async () => {
    await jobs.stop()
    server.close()
    server.closeAllConnections()
  })
  const url = `http://127.0.0.1:${port}`
  return { url, entrance: `${url}/?token=${TOKEN}`, port, jobs }
}

/**
 * Returns a function that calls another worker.
 * @param {string[]} argv
 * @returns {typeof callWorker}
 */
export const callOf = argv => (task, request, options) => callWorker(task, request, { ...options, argv })

/**
 * Makes a folder of results.
 * @param {Test} t
 * @param {string[]} runs
 */
export function resultsFor (t, runs) {
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
 * Sends a request with any headers, also those that fetch rejects. Adds the token unless the headers hold one.
 * @param {string} url
 * @param {{ method?: string, headers?: Record<string, string>, body?: string, path?: string }} [options]
 * @returns {Promise<{ status: number, body: string, headers: IncomingHttpHeaders }>}
 */
export const ask = (url, { body, path, headers: given = {}, method } = {}) =>
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
/** Posts JSON. @type {(url: string, body: object, headers?: Record<string, string>) => ReturnType<typeof ask>} */
export const post = (url, body, headers) =>
  ask(url, { method: 'POST', headers: { ...JSON_TYPE, ...headers }, body: JSON.stringify(body) })
export const WITH_TOKEN = { Authorization: `Bearer ${TOKEN}` }
export const NO_TOKEN = { Authorization: '' }
export const JSON_TYPE = { 'Content-Type': 'application/json' }
export const RUNS = ['2024-05-06T07-08-09Z-uds', '2024-05-07T07-08-09Z-uds', '2024-05-08T07-08-09Z-cache']
