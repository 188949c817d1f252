/** Tests the line for Express that templates and docs print, with express-rate-limit over TCP and a Unix socket. */
import express from 'express'
import { rateLimit } from 'express-rate-limit'
import { once } from 'node:events'
import { readFileSync, readdirSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { join } from 'node:path'
import t from '../../support/tap.js'
import { PROJECT } from '../../../bench/plan/plugins.js'
import { tempFolder } from '../../support/temp.js'

/** Addresses that a client invents. */
const INVENTED = ['198.51.100.1', '198.51.100.2']
/** The address that the proxy adds. */
const CLIENT = '203.0.113.7'

/** Returns the values of all lines in the files of a folder. @param {string} folder */
const findValues = folder => readdirSync(join(PROJECT, folder), { recursive: true, encoding: 'utf8' })
  .filter(file => /\.(?:conf|cfg|vcl|toml|yaml|md|js)$/.test(file))
  .flatMap(file => [...readFileSync(join(PROJECT, folder, file), 'utf8')
    .matchAll(/app\.set\('trust proxy',\s*(\S+?)\)/g)].map(([, value]) => value))

/**
 * Sends two requests of one client, which invents another address for each, to an app that permits one request.
 * @param {import('tap').Test} t
 * @param {{ trust: number | boolean, isUnix: boolean }} options
 * @returns {Promise<{ statuses: (number | undefined)[], clients: string[], warnings: string[] }>} clients: the address
 * that Express finds; warnings: codes of what the limiter finds wrong
 */
async function limit (t, { trust, isUnix }) {
  const errors = t.capture(console, 'error', () => {})
  /** @type {string[]} */
  const clients = []
  const app = express().set('trust proxy', trust)
    .use((request, _, next) => {
      clients.push(String(request.ip))
      next()
    })
    .use(rateLimit({ limit: 1 }))
    .get('/', (_, response) => { response.send('a page') })
  const server = createServer(app).listen(isUnix ? join(tempFolder(t), 'app.sock') : 0)
  await once(server, 'listening')
  const address = server.address()
  const target = typeof address === 'string' ? { socketPath: address } : { port: address?.port }
  const statuses = []
  for (const invented of INVENTED) {
    const headers = { 'X-Forwarded-For': `${invented}, ${CLIENT}` }
    const [response] = await once(request({ ...target, headers, agent: false }).end(), 'response')
    response.resume()
    statuses.push(response.statusCode)
  }
  server.close()
  errors.restore()
  return { statuses, clients, warnings: errors.args().map(([error]) => error.code) }
}

t.test('every template, page and server has 1, because true trusts what a client invents', async t => {
  const values = ['nginx', 'proxy', 'docs', 'servers'].flatMap(findValues)
  t.strictSame([...new Set(values)], ['1'])
  t.ok(values.length >= 10, String(values.length))
})

t.test('with 1 express-rate-limit limits a client that invents addresses, over TCP and a Unix socket', async t => {
  for (const isUnix of [false, true]) {
    t.strictSame(await limit(t, { trust: 1, isUnix }),
      { statuses: [200, 429], clients: [CLIENT, CLIENT], warnings: [] })
    t.strictSame(await limit(t, { trust: true, isUnix }),
      { statuses: [200, 200], clients: INVENTED, warnings: ['ERR_ERL_PERMISSIVE_TRUST_PROXY'] })
  }
})
