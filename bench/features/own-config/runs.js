/** Tries behaviours of configurations of one's own. Each function returns the observed fault, or null. */
import { writeFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { constants, createGunzip } from 'node:zlib'
import { makeFolder } from '../../machine/files/make-folder.js'
import { attempt } from '../../shared/attempt.js'
import { HOST, PAGE, SITE, SITE_HEADERS, TLS_CLIENT, ask, openWebSocket, setSite } from '../deploy/index.js'
import { getAliases, getShortened, getUpgrades, getValue, toAbsolute } from './model.js'

/** @import { Subject } from '../deploy/configs/types.js' */
/** @import { OwnSubject } from './types.js' */

const FORGED = 'forged.example'
const TRUSTED = ['X-Forwarded-For', 'X-Forwarded-Host', 'X-Forwarded-Proto', 'X-Real-IP']
const SECRET = 'the secret beside the folder'
const SECRET_FILE = 'hopbench-secret.txt'
/** Seconds for an app that comes back at another address to be found: with a resolver, names are kept for 10 s. */
const FOUND_SECONDS = { withResolver: 15, without: 3 }
/** Idle time of a WebSocket: nginx closes after 60 s by default. */
const IDLE_MS = 62_000
const EVENTS = 3
const EVENT_MS = 2000
/** Number of requests whose responses must not come from a cache. */
let requests = 0

/**
 * Requests a path of a site itself, not of the app.
 * @param {OwnSubject} subject
 * @param {string} path
 */
async function askSite ({ port, tls, block: { host, base } }, path) {
  setSite({ host })
  const response = await ask({ port, tls }, path)
  setSite({ host, path: base })
  return response
}

/** Writes a file that must not be sent. Returns whether the folder can be written. @param {string} folder */
const writeSecret = folder => attempt(() => {
  makeFolder(folder)
  writeFileSync(join(folder, SECRET_FILE), SECRET)
  return true
}, () => false)

/** Requests a file beside the folder of each alias. @param {OwnSubject} subject */
export async function aliasFolder (subject) {
  for (const { path, folder } of getAliases(subject)) {
    const beside = dirname(toAbsolute(folder).replace(/\/$/, '') || '/')
    if (!writeSecret(beside)) continue
    const leaving = `${path}../${SECRET_FILE}`
    if (!path.endsWith('/') && (await askSite(subject, leaving)).body === SECRET) {
      return `${leaving} sends a file of ${beside}`
    }
  }
  return null
}

/** Compares paths that an app gets with those that were requested. @param {OwnSubject} subject */
export async function keptPath (subject) {
  for (const { location } of getShortened(subject)) {
    const path = `${getValue(location).replace(/\/?$/, '/')}arrived-path`
    const { status, body } = await askSite(subject, path)
    if (status !== 200 || body !== JSON.stringify(path)) return `${path} arrives as ${status === 200 ? body : status}`
  }
  return null
}

/** Starts the apps at other addresses, and waits until a page arrives. @param {OwnSubject} subject */
export async function movedApp (subject) {
  await subject.moveApps()
  const seconds = FOUND_SECONDS[subject.hasResolver ? 'withResolver' : 'without']
  // A page of the app of the check could come from a cache.
  const page = subject.block.isOwn ? PAGE : { path: '/pid', status: 200 }
  let status = 0
  for (let i = 0; i < seconds; i++) {
    status = (await ask(subject, page.path, { limitMs: 1000 })).status
    if (status === page.status) return null
    await sleep(1000)
  }
  return `status ${status || 'none'} for ${seconds} s after the app came back`
}

/**
 * @param {OwnSubject} subject
 * @param {Record<string, string>} [headers]
 */
async function readHeaders (subject, headers = {}) {
  // A cache gets another path each time.
  const { status, body } = await ask(subject, `/headers?number=${requests++}`, { headers })
  if (status !== 200) throw new Error(`status ${status}: ${body.slice(0, 60)}`)
  return /** @type {Record<string, string | undefined>} */ (JSON.parse(body))
}

/** Reads the header Connection of a request without an upgrade, as the app gets it. @param {OwnSubject} subject */
export async function plainConnection (subject) {
  const { connection = '' } = await readHeaders(subject)
  return /upgrade/i.test(connection)
    ? `the app gets Connection: ${connection} with each request, so that no connection is kept`
    : null
}

/** Sends headers in which a client names another address, scheme or host. @param {OwnSubject} subject */
export async function forgedAddress (subject) {
  const seen = await readHeaders(subject, Object.fromEntries(TRUSTED.map(name => [name, FORGED])))
  const passed = TRUSTED.filter(name => seen[name.toLowerCase()]?.includes(FORGED))
  return passed.length > 0 ? `the app gets ${passed.join(', ')} of the client` : null
}

/** Compares the host that the app gets with the one of the request. @param {OwnSubject} subject */
export async function keptHost (subject) {
  const seen = await readHeaders(subject)
  const hosts = [seen.host, seen['x-forwarded-host']]
  if (hosts.some(host => host?.split(':')[0] === SITE)) return null
  return `the app gets the host ${seen.host} in place of ${SITE}`
}

/** Requests a page by HTTP. Accepts temporary redirects, too. @param {OwnSubject} subject */
export async function httpsRedirect ({ tls, block: { base } }) {
  const path = '/page?number=1'
  const { status, headers: { location }, body } = await ask({ port: Number(tls?.redirectPort), tls: null }, path)
  const wanted = `https://${SITE}${base}${path}`
  if (![301, 302, 307, 308].includes(status)) return `status ${status}: ${body.slice(0, 60)}`
  return location === wanted ? null : `Location: ${location}`
}

/** Returns the path at which a location takes an upgrade. @param {OwnSubject} subject */
function getUpgradePath ({ passes, block }) {
  const paths = getUpgrades(passes)
    .map(({ around }) => around.findLast(({ name }) => name === 'location')?.args.at(-1)?.value ?? '/')
  const own = `${block.base}/socket`
  const [path] = paths.filter(path => path.startsWith('/'))
  return !path || own.startsWith(path) ? own : `${path.replace(/\/$/, '')}/socket`
}

/** Opens a WebSocket, and sends data in both directions. @param {OwnSubject} subject */
export const webSocket = subject => tryWebSocket(subject, 0)
/** Sends data again on a WebSocket that was idle. @param {OwnSubject} subject */
export const idleWebSocket = subject => tryWebSocket(subject, IDLE_MS)

/**
 * @param {OwnSubject} subject
 * @param {number} idleMs
 */
async function tryWebSocket (subject, idleMs) {
  const socket = await openWebSocket(/** @type {OwnSubject & Subject} */ (subject), 2 * IDLE_MS,
    getUpgradePath(subject))
  try {
    if (!await socket.echo('the first echo')) return 'the echo did not arrive'
    if (idleMs === 0) return null
    await sleep(idleMs)
    const isOpen = await socket.echo('the second echo')
    return isOpen ? null : `it was closed while it was idle for ${idleMs / 1000} s`
  } finally {
    socket.close()
  }
}

/** Receives a stream of events, plain and compressed. @param {OwnSubject} subject */
export async function events (subject) {
  for (const encoding of ['identity', 'gzip']) {
    const arrived = await countEvents(subject, encoding)
    if (arrived < EVENTS) return `${arrived} of ${EVENTS} events arrive in time (Accept-Encoding: ${encoding})`
  }
  return null
}

/**
 * Returns how many events arrive, each before the app sends the next one.
 * @param {OwnSubject} subject
 * @param {string} encoding
 */
async function countEvents (subject, encoding) {
  const { port, tls, block } = subject
  const options = {
    host: HOST,
    port,
    path: `${block.base}/events?number=${requests++}`,
    agent: /** @type {const} */ (false),
    headers: { Host: SITE, ...SITE_HEADERS, Accept: 'text/event-stream', 'Accept-Encoding': encoding }
  }
  const request = tls ? httpsRequest({ ...options, ...TLS_CLIENT }) : httpRequest(options)
  request.on('error', () => {}).end()
  let seen = ''
  request.on('response', response => {
    const isZipped = response.headers['content-encoding'] === 'gzip'
    const text = isZipped ? response.pipe(createGunzip({ finishFlush: constants.Z_SYNC_FLUSH })) : response
    response.on('error', () => {})
    text.on('error', () => {}).on('data', data => { seen += data })
  })
  const count = () => seen.split('data:').length - 1
  try {
    for (let wanted = 1; wanted <= EVENTS; wanted++) {
      for (let waited = 0; waited < EVENT_MS && count() < wanted; waited += 10) await sleep(10)
      if (count() < wanted) return wanted - 1
      await subject.sendNextEvents()
    }
    return EVENTS
  } finally {
    request.destroy()
  }
}

/** Requests a page that sets a cookie twice. @param {OwnSubject} subject */
export async function cacheLogin (subject) {
  const [first, second] = await askTwice(subject, '/seen/cookie=1&id=login')
  return first.body === second.body && second.headers['set-cookie']
    ? `two visitors get ${second.headers['set-cookie']}`
    : null
}

/** Requests pages that may not be shared twice. @param {OwnSubject} subject */
export async function cachePrivate (subject) {
  for (const path of ['/private', '/no-store']) {
    const [first, second] = await askTwice(subject, path)
    if (first.body === second.body) return `a response with Cache-Control: ${path.slice(1)} is stored`
  }
  return null
}

/** Requests a page with the cookies of two visitors. @param {OwnSubject} subject */
export async function cacheCookies (subject) {
  const path = '/seen/id=cookies'
  // A cache can store a response at the second request.
  for (const name of ['alice', 'alice', 'bob']) {
    const { body } = await ask(subject, path, { headers: { Cookie: `sid=${name}` } })
    if (name === 'bob' && body.includes('sid=alice')) return 'a visitor with sid=bob gets the page of sid=alice'
  }
  return null
}

/** Requests a page again that failed once. @param {OwnSubject} subject */
export async function cacheErrors (subject) {
  const [first, second] = await askTwice(subject, '/fails-once')
  const isKept = first.body === second.body && second.status >= 500
  return isKept ? `the second request gets status ${second.status} again` : null
}

/**
 * @param {OwnSubject} subject
 * @param {string} path
 */
const askTwice = async (subject, path) => [await ask(subject, path), await ask(subject, path)]
