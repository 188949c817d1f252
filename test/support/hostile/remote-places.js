/** Places at which data of the network is read: messages of other machines, and requests to the live page. */
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { createPageServer } from '../../../bench/commands/serve/app.js'
import { Channel } from '../../../bench/studies/remote/channel.js'
import { enginesOver } from '../../../bench/studies/remote/load-client.js'
import { openRigOver } from '../../../bench/studies/remote/rig-client.js'
import { ORDER, SIMPLE_RUN } from './examples.js'
import { hostileText, mutate, shorten, spoil, toJson } from './mutate.js'
import { ANSWERS, PARAMS, START } from './remote-messages.js'
import { RUN } from './sandbox.js'

/** @import { AddressInfo } from 'node:net' */
/** @import { Random } from './mutate.js' */
/** @import { Place } from './stored-places.js' */
/** @import { Sandbox } from './sandbox.js' */

const TOKEN = 'a-token-of-a-test'
/** Timeout of each request to the other machine. */
const SECONDS = 3
const RIG = { engine: 'wrk', mayswitch: false, maxSeconds: SECONDS, note: () => {} }
const RIG_METHODS = ['rig/open', 'rig/trial', 'rig/finish', 'rig/close']

/**
 * Makes a channel to a simulated machine, which sends the given responses unchecked, even if they are not JSON.
 * @param {Record<string, string>} responses JSON text by method
 */
function channelTo (responses) {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const channel = new Channel('other', { input, output })
  let received = ''
  output.setEncoding('utf8').on('data', text => {
    received += text
    for (let found = FRAME.exec(received); found; found = FRAME.exec(received)) {
      const length = Number(found[1])
      const body = received.slice(found[0].length, found[0].length + length)
      if (body.length < length) return
      received = received.slice(found[0].length + length)
      const { id, method } = JSON.parse(body)
      if (id !== undefined) send(input, `{"jsonrpc":"2.0","id":${id},"result":${responses[method] ?? 'null'}}`)
    }
  })
  channel.listen()
  return channel
}
/** Header of a message. Content-Length counts bytes, which are characters here, because requests are ASCII. */
const FRAME = /^Content-Length: (\d+)\r\n\r\n/

/**
 * Sends a message with its header.
 * @param {PassThrough} stream
 * @param {string} text
 */
const send = (stream, text) => stream.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`)

/**
 * Sends requests of a run to a machine: all of a rig or all of a load generator if `method` is among them, otherwise
 * `method` alone.
 * @param {Channel} channel
 * @param {string} method whose response is hostile
 * @param {string} dir folder of the run
 * @returns {Promise<string[]>} received texts that are printed
 */
async function useMachine (channel, method, dir) {
  if (RIG_METHODS.includes(method)) {
    const rig = await openRigOver(channel, /** @type {any} */ ({ arms: [{ name: 'a' }] }), { ...RIG, keepIn: dir })
    const texts = [rig.engine, rig.instead?.wanted ?? '', ...Object.entries(rig.tools).flat()]
    for await (const samples of rig.trials(['a'], 0)) texts.push(...samples.map(({ arm }) => arm))
    texts.push(...(await rig.finish()).keys())
    await rig.close()
    return texts
  }
  if (!method.startsWith('load/')) return [JSON.stringify(await channel.request(method, null, SECONDS))]
  const engine = await enginesOver(channel).find('autocannon')
  const generator = await engine.start(/** @type {any} */ ({ ...START.order, dir }))
  for (const work of /** @type {const} */ (['cpu', 'errors', 'counts', 'failure', 'end'])) await generator[work]()
  await generator.finished(1)
  return [engine.version]
}

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
  'messages of other machines': {
    share: 8,
    make (random, sandbox) {
      const method = random.pick(Object.keys(ANSWERS))
      const { value, told } = mutate(random, ANSWERS[method])
      const text = random.chance(0.05) ? spoil(random, toJson(value)) : toJson(value)
      return {
        told: `${method}: ${told}`,
        async read () {
          const dir = join(sandbox.run, 'kept')
          mkdirSync(dir, { recursive: true })
          const responses = Object.entries(ANSWERS).map(([name, response]) => [name, toJson(response)])
          const channel = channelTo({ ...Object.fromEntries(responses), [method]: text })
          try {
            return { printed: await useMachine(channel, method, dir) }
          } finally {
            channel.close()
          }
        }
      }
    }
  },
  'orders of other machines': {
    share: 2,
    make (random) {
      const method = random.pick(Object.keys(PARAMS))
      const { value, told } = mutate(random, PARAMS[method])
      return {
        told: `${method}: ${told}`,
        async read () {
          const [input, output] = [new PassThrough(), new PassThrough()]
          const channel = new Channel('other', { input, output })
          const answered = once(output, 'data')
          channel.serve(method, () => null)
          channel.listen()
          send(input, `{"jsonrpc":"2.0","id":1,"method":${JSON.stringify(method)},"params":${toJson(value)}}`)
          const isRefused = await Promise.race([answered.then(() => false), channel.lost.then(() => true)])
          channel.close()
          return { isRefused }
        }
      }
    }
  },
  'requests to the live page': {
    share: 7,
    make (random, sandbox) {
      const sent = requestFrom(random)
      return {
        told: `${sent.method} ${shorten(sent.path)}`,
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
