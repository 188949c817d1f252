/** Places at which data of the network is read: output of other machines, and requests to the live page. */
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { createPageServer } from '../../../bench/features/serve/app.js'
import { RemoteProcess } from '../../../bench/load/hosts/process.js'
import { ORDER, SIMPLE_RUN } from './examples.js'
import { hostileText, mutate, shorten, spoil, toJson } from './mutate.js'
import { RUN } from './sandbox.js'

/** @import { AddressInfo } from 'node:net' */
/** @import { Random } from './mutate.js' */
/** @import { Place } from './stored-places.js' */
/** @import { Sandbox } from './sandbox.js' */

const TOKEN = 'a-token-of-a-test'
/** Valid output of a machine that makes load. */
const OUTPUT = 'cpu 12000000\ncpu 2500000000\nended\nfiles\nfile 0.err 0\nfile 0.exit 2\n0\nfile 0.out 14\n' +
  '{"requests":1}file percentages.csv 8\n50,0.123'

/** Port of the live page, which this process starts once. @type {Promise<number> | undefined} */
let pagePort

/** Starts the live page, and returns its port. @param {Sandbox} sandbox */
async function startPage ({ results }) {
  /** @type {any} */
  const jobs = { events: () => [], begin: () => {}, stop: async () => {}, follow: () => () => {} }
  let port = 0
  const host = '127.0.0.1'
  const server = createPageServer({ resultsDir: results, host, port: () => port, token: TOKEN, jobs })
  await once(server.listen(0, host), 'listening')
  server.unref()
  port = /** @type {AddressInfo} */ (server.address()).port
  return port
}

/**
 * Sends a request to the live page, and returns the status.
 * @param {number} port
 * @param {{ method: string, path: string, headers: Record<string, string>, body: string }} options
 * @returns {Promise<number>} status; 0: the request cannot be sent
 */
const statusOf = (port, { method, path, headers, body }) => new Promise((resolve, reject) => {
  try {
    const sent = request({ host: '127.0.0.1', port, method, path, headers, agent: false }, response => {
      if (path.startsWith('/live')) response.destroy()
      response.resume().on('close', () => resolve(response.statusCode ?? 0))
    })
    sent.on('error', reject).end(method === 'POST' ? body : undefined)
  } catch {
    resolve(0) // Node's client rejects a method, path or header with invalid characters.
  }
})

const PATHS = ['/', '/history?search=uds&from=0', `/compare?before=${RUN}&after=${RUN}`, `/runs/${RUN}`,
  `/runs/${RUN}/run.json`, '/metrics', '/assets/uPlot.min.css', '/live', '/start', '/stop']

/** Makes a request with a hostile path, header or body. @param {Random} random */
function requestFrom (random) {
  // Replaces lone surrogates, which encodeURIComponent() rejects.
  const text = Buffer.from(hostileText(random).slice(0, 3000)).toString()
  const isEncoded = random.chance(0.5)
  const path = random.pick(PATHS)
  const spoiled = isEncoded ? `${path}${encodeURIComponent(text)}` : spoil(random, path).slice(0, 3000)
  const { value } = mutate(random, ORDER)
  /** @type {Record<string, string>} */
  const headers = { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json' }
  if (random.chance(0.2)) headers[random.pick(['Cookie', 'Origin', 'If-None-Match', 'Range', 'Accept-Encoding'])] = text
  const method = random.pick(['GET', 'GET', 'POST'])
  return { method, path: random.chance(0.35) ? path : spoiled, headers, body: toJson(value) }
}

/** @type {Record<string, Place>} */
export const remotePlaces = {
  'output of a machine that makes load': {
    share: 4,
    make (random, sandbox) {
      const text = random.chance(0.5) ? spoil(random, OUTPUT) : `${OUTPUT.slice(0, 40)}${hostileText(random)}`
      return {
        mutation: shorten(text),
        async read () {
          const dir = join(sandbox.run, 'kept')
          mkdirSync(dir, { recursive: true })
          writeFileSync(join(dir, 'output'), text)
          // Prints the file in place of connecting.
          const ssh = ['sh', '-c', 'exec cat "$0"', join(dir, 'output')]
          const host = { name: 'other', ssh, address: '', kernel: '', cpu: { model: '', cores: 1 }, lost: null }
          const child = new RemoteProcess(host, { name: 'it', dir, processes: [{ argv: ['true'], env: {} }] })
          await child.exited
          return { printed: [child.tail(), child.lost?.message ?? ''], isRefused: child.lost !== null }
        }
      }
    }
  },
  'requests to the live page': {
    share: 7,
    make (random, sandbox) {
      const sent = requestFrom(random)
      return {
        mutation: `${sent.method} ${shorten(sent.path)}`,
        async read () {
          sandbox.write(sandbox.run, SIMPLE_RUN)
          pagePort ??= startPage(sandbox)
          const status = await statusOf(await pagePort, sent)
          if (status >= 500) throw new Error(`status ${status}`)
          return { isRefused: status >= 400 || status === 0 }
        }
      }
    }
  }
}
