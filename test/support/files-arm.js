/** An arm with files whose app and proxy are handlers of this process. */
import { createServer } from 'node:http'
import { createArm } from '../../bench/plan/plan.js'
import { parse } from '../../bench/plan/spec.js'
import { listening } from './listening.js'

/**
 * @import { RequestListener } from 'node:http' @import { Test } from 'tap'
 * @import { StagedArm } from '../../bench/measure/types.js'
 */

/**
 * @param {Test} t
 * @param {object} parts
 * @param {string} parts.folder
 * @param {string} [parts.prefix] of the folder; empty: the whole site
 * @param {RequestListener} parts.app
 * @param {RequestListener} parts.proxy
 * @param {string} [parts.spec] topology
 * @returns {Promise<StagedArm & { calls: string[] }>} calls: methods that paused and resumed the app
 */
export async function openFilesArm (t, { spec = 'nginx:keepalive+static/./app.js', prefix = '/assets', ...parts }) {
  const { folder, app, proxy } = parts
  let requests = 0
  const [origin, front] = await Promise.all([
    listen(t, (request, response) => {
      requests++
      app(request, response)
    }),
    listen(t, proxy)
  ])
  /** @type {string[]} */
  const calls = []
  const topology = { ...parse(spec), files: [{ prefix, folder }] }
  const running = {
    target: { url: front, socketPath: null },
    originTarget: { url: origin, socketPath: null },
    origin: async () => ({ requests }),
    noted: () => [],
    logged: () => [],
    pauseServer: () => calls.push('pause'),
    resumeServer: () => calls.push('resume')
  }
  return /** @type {any} */ ({ arm: createArm(topology), dir: folder, network: { enter: [] }, running, calls })
}

/**
 * @param {Test} t
 * @param {RequestListener} handler
 * @returns {Promise<string>} its URL
 */
async function listen (t, handler) {
  return `http://127.0.0.1:${await listening(t, createServer(handler))}`
}

/**
 * Returns a handler that responds to paths with bodies, and to all others with 404.
 *
 * @param {Record<string, string>} bodies by path
 * @param {Record<string, string>} [headers] of all responses
 * @returns {RequestListener}
 */
export const toHandler = (bodies, headers = {}) => ({ url = '' }, response) => {
  if (!Object.hasOwn(bodies, url)) return response.writeHead(404).end('nothing here')
  response.writeHead(200, { 'Content-Type': 'text/javascript', ...headers }).end(bodies[url])
}
