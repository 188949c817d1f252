/** Tests the line for Express that templates and docs print, with Express over TCP and over a Unix socket. */
import express from 'express'
import { once } from 'node:events'
import { readFileSync, readdirSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import t from '../../support/tap.js'
import { PROJECT } from '../../../bench/plan/plugins.js'
import { tempFolder } from '../../support/temp.js'

/** An address that a client invented, and the one that the proxy adds. */
const FORWARDED = '198.51.100.1, 203.0.113.7'

/** Returns the values of all lines in the files of a folder. @param {string} folder */
const findValues = folder => readdirSync(join(PROJECT, folder), { recursive: true, encoding: 'utf8' })
  .filter(file => /\.(?:conf|cfg|vcl|toml|yaml|md)$/.test(file))
  .flatMap(file => [...readFileSync(join(PROJECT, folder, file), 'utf8')
    .matchAll(/app\.set\('trust proxy',\s*(\S+?)\)/g)].map(([, value]) => value))

/**
 * Returns the address of the client that Express finds.
 * @param {import('tap').Test} t
 * @param {{ trust: number | boolean, isUnix: boolean }} options
 */
async function findClient (t, { trust, isUnix }) {
  const app = express().set('trust proxy', trust)
  app.get('/', (request, response) => { response.send(request.ip) })
  const server = createServer(app).listen(isUnix ? join(tempFolder(t), 'app.sock') : 0)
  await once(server, 'listening')
  const address = server.address()
  const target = typeof address === 'string' ? { socketPath: address } : { port: address?.port }
  const sent = request({ ...target, headers: { 'X-Forwarded-For': FORWARDED }, agent: false }).end()
  const [response] = await once(sent, 'response')
  const client = await text(response)
  server.close()
  return client
}

t.test('every template and page prints 1, because true trusts what a client invents', async t => {
  const values = ['nginx', 'proxy', 'docs'].flatMap(findValues)
  t.strictSame([...new Set(values)], ['1'])
  t.ok(values.length >= 7, String(values.length))
})

t.test('with 1 Express takes the address that the proxy adds, over TCP and a Unix socket', async t => {
  for (const isUnix of [false, true]) {
    t.equal(await findClient(t, { trust: 1, isUnix }), '203.0.113.7')
    t.equal(await findClient(t, { trust: true, isUnix }), '198.51.100.1')
  }
})
