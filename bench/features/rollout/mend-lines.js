/** Lines that mend the end of an app, by framework (pure). Sources: the documentation and the code of their servers. */

/** @import { AppFaultCode, MendLines } from './app-half.js' */

/** Limit for open streams and WebSockets, in seconds: below the 10 s after which Docker kills. */
const LIMIT_SECONDS = 8
/** Time for which the app keeps idle connections: above the 60 s of nginx's upstreams and the 75 s of its clients. */
const KEEP_ALIVE_SECONDS = 76

/**
 * Lines by fault: end: for cut requests; kept: for connections that stay open; limit: for an end that hangs.
 * @typedef {{ end: MendLines, kept?: MendLines, limit: MendLines, keepAlive: MendLines | MendLines[] }} Mends
 */

/**
 * Returns the mends of a framework on a server of node:http. Closing the server closes its idle connections (from Node
 * 19 on), and no response announces it.
 * @param {object} app
 * @param {string} app.server declaration of the server
 * @param {string} [app.close] expression that closes the server and then ends the process
 * @returns {Mends}
 */
function onServer ({ server, close = 'server.close(() => process.exit())' }) {
  const place = `after: ${server}`
  const end = {
    place,
    lines: [
      'const open = new Set()',
      'let isEnding = false',
      "server.prependListener('request', (req, res) => {",
      '  if (isEnding) res.shouldKeepAlive = false',
      "  open.add(res.once('close', () => open.delete(res)))",
      '})',
      "process.once('SIGTERM', () => {",
      '  isEnding = true',
      '  for (const res of open) res.shouldKeepAlive = false',
      `  ${close}`,
      `  setTimeout(() => process.exit(), ${LIMIT_SECONDS * 1000}).unref() // streams, WebSockets`,
      '})'
    ]
  }
  const keepAlive = { place, lines: [`server.keepAliveTimeout = ${KEEP_ALIVE_SECONDS}_000`] }
  return { end, kept: end, limit: end, keepAlive }
}

const ON_LISTENING = onServer({ server: 'const server = app.listen(process.env.PORT)' })

/** @param {string[]} lines */
const inEnvironment = (...lines) => ({ place: 'the environment of the app', lines })

const NITRO = {
  end: inEnvironment('unset NITRO_SHUTDOWN_DISABLED'),
  limit: inEnvironment(`NITRO_SHUTDOWN_TIMEOUT=${LIMIT_SECONDS * 1000}`),
  keepAlive: {
    place: 'server/plugins/keep-alive.js',
    lines: [
      "export default defineNitroPlugin(nitroApp => nitroApp.hooks.hook('request', event => {",
      `  event.node.req.socket.server.keepAliveTimeout = ${KEEP_ALIVE_SECONDS}_000`,
      '}))'
    ]
  }
}

const NEXT_LIMIT = {
  place: 'instrumentation.js',
  lines: [
    'export function register () {',
    "  if (process.env.NEXT_RUNTIME !== 'nodejs') return",
    `  process.once('SIGTERM', () => setTimeout(() => process.exit(), ${LIMIT_SECONDS * 1000}).unref())`,
    '}'
  ]
}

/** Mends by the package that shows the framework (bench/request/frameworks.js). @type {Record<string, Mends>} */
const MENDS = {
  express: ON_LISTENING,
  koa: ON_LISTENING,
  hono: onServer({ server: 'const server = serve({ fetch: app.fetch, port: Number(process.env.PORT) })' }),
  fastify: onServer({
    server: 'const { server } = app // Fastify({ return503OnClosing: false })',
    close: 'app.close().then(() => process.exit())'
  }),
  '@nestjs/core': onServer({
    server: 'const server = app.getHttpServer()',
    close: 'app.close().then(() => process.exit())'
  }),
  next: {
    // Next finishes its requests from 14.1 on (pull request 60059).
    end: inEnvironment('unset NEXT_MANUAL_SIG_HANDLE'),
    limit: NEXT_LIMIT,
    // The standalone server reads this variable; `next start` has the option --keepAliveTimeout. Next waits that long
    // for a connection on which a response was in flight, so the end needs a limit.
    keepAlive: [inEnvironment(`KEEP_ALIVE_TIMEOUT=${KEEP_ALIVE_SECONDS * 1000}`), NEXT_LIMIT]
  },
  nuxt: NITRO,
  nitropack: NITRO,
  '@sveltejs/kit': {
    // The server of adapter-node drains. Another server is one of the app.
    ...ON_LISTENING,
    limit: inEnvironment(`SHUTDOWN_TIMEOUT=${LIMIT_SECONDS}`),
    // adapter-node reads this variable since 2026 (pull request 15125 of sveltejs/kit).
    keepAlive: inEnvironment(`KEEP_ALIVE_TIMEOUT=${KEEP_ALIVE_SECONDS}`)
  }
}

/** Which mend a fault needs. @type {Record<AppFaultCode, keyof Mends>} */
const MEND_OF = {
  cuts: 'end',
  rejects: 'kept',
  'accepts-new': 'kept',
  'keeps-open': 'kept',
  hangs: 'limit',
  'short-keep-alive': 'keepAlive'
}

/**
 * Returns the lines that mend these faults, each once.
 * @param {string} name package that shows the framework
 * @param {AppFaultCode[]} codes
 * @returns {MendLines[]} empty: there is no fault, or the lines of the framework are unknown
 */
export function listMendLines (name, codes) {
  if (!Object.hasOwn(MENDS, name)) return []
  const mends = MENDS[name]
  return [...new Set(codes.flatMap(code => mends[MEND_OF[code]] ?? []))]
}
