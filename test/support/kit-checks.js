/** Checks of every deploy kit: correct responses, trust only in headers of the platform's router, drain and exit. */
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { run } from '../../bench/machine/process.js'
import { findTool } from '../../bench/machine/tools.js'
import { fetchResponses, GATE_REQUESTS, judgeAnswers } from '../../bench/measure/gate/gate.js'
import { expected, jsonFixture } from '../../bench/topology/fixtures/fixtures.js'
import { APP, readStartCommand, projectWithKit, startKit } from './kit-root.js'

/** @import { Test } from 'tap' */

const load = fileURLToPath(new URL('kit-load.js', import.meta.url))
export const files = { 'app.mjs': APP, '1kb.json': jsonFixture(), 'package.json': '{ "name": "shop" }' }
const HELD = 20
/**
 * Header in which a platform's router sends the client's address.
 * @type {Record<string, string | null>}
 */
export const CLIENT_HEADERS = {
  docker: null, systemd: null, heroku: 'X-Forwarded-For', render: 'CF-Connecting-IP', fly: 'Fly-Client-IP'
}

/** @typedef {{ status: number, body: string, headers: http.IncomingHttpHeaders }} Response */

/**
 * @param {string} socketPath
 * @param {string} path
 * @param {object} [headers]
 */
export const get = (socketPath, path, headers) =>
  new Promise((/** @type {(answer: Response) => void} */ resolve, reject) => {
    http.get({ socketPath, path, headers: { host: 'shop.example', ...headers }, agent: false }, response => {
      let body = ''
      response.setEncoding('utf8').on('data', data => { body += data }).on('end', () =>
        resolve({ status: response.statusCode ?? 0, body, headers: response.headers })).on('error', reject)
    }).on('error', reject)
  })

/** @param {() => unknown} holds */
export async function until (holds) {
  while (!await holds()) await sleep(20)
}

/**
 * Waits until a condition holds, for a limited time.
 * @param {number} seconds time limit
 * @param {string} what the condition, for the error
 * @param {() => unknown} holds
 */
export async function within (seconds, what, holds) {
  const deadline = performance.now() + seconds * 1000
  while (!await holds()) {
    if (performance.now() > deadline) throw new Error(`not within ${seconds} s: ${what}`)
    await sleep(100)
  }
}

/** @typedef {NonNullable<Parameters<typeof startKit>[3]> & { files?: Record<string, string> }} KitParts */

/**
 * Starts a kit and waits until it responds.
 * @param {Test} t
 * @param {string} target
 * @param {string} [spec]
 * @param {string[]} [args]
 * @param {KitParts} [parts] files: further ones of the project
 */
export async function up (t, target, spec = 'nginx:uds-keepalive/./app.mjs', args = ['--processes', '2'], parts = {}) {
  const workspace = await projectWithKit(t, spec, target, { args, files: { ...files, ...parts.files } })
  if (target === 'heroku') {
    mkdirSync(join(workspace.project, 'bin'))
    copyFileSync((await findTool({ program: 'nginx', packages: { debian: ['nginx'] } })).path,
      join(workspace.project, 'bin/nginx'))
  }
  const running = await startKit(t, workspace, readStartCommand(target, join(workspace.project, 'deploy')), parts)
  await until(async () => {
    if (running.kit.ended()) throw new Error(running.kit.tail())
    return (await get(running.client, '/').catch(() => null))?.status === 200
  })
  return running
}

/**
 * @param {Test} t
 * @param {string} target
 * @param {[spec?: string, args?: string[], parts?: KitParts]} rest as for `up`
 */
export async function answersAndDrains (t, target, ...rest) {
  const running = await up(t, target, ...rest)
  const { kit, client, processes } = running
  await passesTheGate(t, running)
  await trustsTheRouterOnly(t, { header: CLIENT_HEADERS[target], ...running })
  t.match(await webSocket(client), /^HTTP\/1\.1 101 [^]*\r\n\r\necho ping$/)
  const other = await get(client, '/headers', { Connection: 'Upgrade', Upgrade: 'h2c' })
  t.notMatch(other.body, /h2c|pgrade/, 'other protocols are not forwarded')
  await drains(t, running)
  t.match(await kit.exited, { code: 0 })
  t.strictSame(processes().all, [])
}

/** @typedef {Awaited<ReturnType<typeof up>>} Running */

/**
 * @param {Test} t
 * @param {Running} running
 */
export async function passesTheGate (t, { network, port }) {
  const findings = await fetchResponses({
    target: { url: `http://127.0.0.1:${port}`, socketPath: null },
    load: { engine: 'autocannon', connections: 4, path: '/', headers: {} },
    network
  })
  const wanted = expected(jsonFixture(), 'application/json; charset=utf-8')
  t.equal(judgeAnswers(findings, wanted, { cached: false }), null)
  t.equal(findings.answers.reduce((sum, { times }) => sum + times, 0), GATE_REQUESTS)
}

/**
 * Stops a kit under load and with slow requests in flight. All accepted requests must get a complete response.
 * @param {Test} t
 * @param {Running} running
 * @param {(running: Running) => void} [stop]
 */
export async function drains (t, running, stop = signalScript) {
  const { kit, network, client, shared, port } = running
  const started = join(shared, 'started')
  const loaded = run([...network.enter, process.execPath, load, String(port), started], { env: { NODE_OPTIONS: '' } })
  const held = Array.from({ length: HELD }, () => get(client, '/hold'))
  await until(() => existsSync(started) && sizeOf(shared, 'held') === HELD)
  stop(running)
  const { whole, wrong } = JSON.parse((await loaded).stdout)
  t.equal(kit.ended(), null, 'the kit accepts no connection, and waits for the requests in flight')
  writeFileSync(join(shared, 'release'), '')
  const answers = await Promise.all(held)
  t.strictSame(answers.map(({ status, body }) => [status, body.length]), answers.map(() => [200, 1024]))
  t.strictSame(wrong, [], 'under load no response is wrong or truncated')
  t.equal(whole, sizeOf(shared, 'counted'), 'every request that reached the app has a response')
}

/** @param {Running} running */
const signalScript = ({ processes }) => process.kill(/** @type {number} */ (processes().script), 'SIGTERM')

/**
 * @param {string} folder
 * @param {string} file
 */
const sizeOf = (folder, file) => existsSync(join(folder, file)) ? readFileSync(join(folder, file)).length : 0

/**
 * @param {Test} t
 * @param {{ header: string | null, client: string, router: string }} kit
 */
async function trustsTheRouterOnly (t, { header, client, router }) {
  const lies = { 'X-Forwarded-For': '1.1.1.1', 'CF-Connecting-IP': '1.1.1.1', 'Fly-Client-IP': '1.1.1.1' }
  const headersSeen = async (/** @type {string} */ socket, /** @type {object} */ headers) =>
    JSON.parse((await get(socket, '/headers', headers)).body)
  t.match(await headersSeen(client, { ...lies, 'X-Forwarded-Proto': 'https' }),
    { 'x-forwarded-for': /^127\.0\.0\.1$/, 'x-forwarded-proto': /^http$/, host: 'shop.example' })
  const from = await headersSeen(router, {
    ...lies,
    ...header && {
      [header]: '1.1.1.1, 203.0.113.7'.slice(
        header === 'X-Forwarded-For' ? 0 : 9)
    },
    'X-Forwarded-Proto': 'https'
  })
  t.match(from, header
    ? { 'x-forwarded-for': /^203\.0\.113\.7$/, 'x-real-ip': '203.0.113.7', 'x-forwarded-proto': /^https$/ }
    : { 'x-forwarded-for': /^10\.9\.9\.9$/, 'x-forwarded-proto': /^http$/ })
}

/**
 * @param {string} socketPath
 * @returns {Promise<string>} all that came
 */
const webSocket = socketPath => new Promise((resolve, reject) => {
  http.get({ socketPath, path: '/', headers: { Connection: 'Upgrade', Upgrade: 'websocket' }, agent: false })
    .on('upgrade', (response, socket, head) => {
      socket.write('ping')
      socket.once('data', data => {
        socket.destroy()
        resolve(`HTTP/1.1 ${response.statusCode} ${response.statusMessage}\r\n\r\n${head}${data}`)
      })
    })
    .on('response', response => reject(new Error(`status ${response.statusCode}`)))
    .on('error', reject)
})
