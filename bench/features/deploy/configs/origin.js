/** Program: the app of the check behind a proxy. It listens on ORIGIN_PORT, and completes its responses on SIGTERM. */
import { createServer } from 'node:http'
import { toDrain } from '../../../topology/listener.js'
import app, { upgrade } from './app.js'

/** Longer than the 60 s for which proxies keep idle connections. */
const KEEP_ALIVE_MS = 65_000

const server = createServer(app).on('upgrade', upgrade)
server.keepAliveTimeout = KEEP_ALIVE_MS
server.requestTimeout = 0
const drain = toDrain(server)
process.once('SIGTERM', () => drain(() => process.exit(0)))
server.listen(Number(process.env.ORIGIN_PORT), '127.0.0.1', () => console.log('listening'))
