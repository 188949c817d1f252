/**
 * Sends requests whose end is ambiguous (OWASP WSTG-INPV-16) through each recommended configuration, with another
 * request in the body. If the app reads one that the proxy did not, the next client gets the wrong response.
 */
import t from '../support/tap.js'
import { skipWithout } from '../support/needs.js'
import { startRecommended } from '../support/recommended-proxy.js'

/** Headers that a proxy and an app could read differently: as no Transfer-Encoding, or as `chunked`. */
const OBFUSCATED = ['Transfer-Encoding: chunked', 'Transfer-Encoding: xchunked', 'Transfer-Encoding : chunked',
  'Transfer-Encoding:\u000bchunked', 'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity',
  'X: y\r\n Transfer-Encoding: chunked', 'Transfer-Encoding: "chunked"', 'Transfer_Encoding: chunked',
  'Transfer-Encoding: identity, chunked']

/**
 * Returns the attacks whose hidden request is for /hidden-N, where N is the position of the attack.
 * @returns {{ raw: string }[]}
 */
function toAttacks () {
  /** @type {{ headers: string, toBody: (hidden: string) => string }[]} */
  const attacks = [
    // The proxy or the app ends the body at the empty chunk, and takes the rest for the beginning of the next request.
    ...OBFUSCATED.map(header => ({
      headers: `Content-Length: LENGTH\r\n${header}`, toBody: (/** @type {string} */ hidden) => `0\r\n\r\n${hidden}`
    })),
    // The proxy or the app ends the body after its first line.
    ...OBFUSCATED.map(header => ({ headers: `Content-Length: 4\r\n${header}`, toBody: toChunk })),
    ...['LENGTH\r\nContent-Length: 0', '0\r\nContent-Length: LENGTH', '+LENGTH', '0, LENGTH'].map(length => ({
      headers: `Content-Length: ${length}`, toBody: (/** @type {string} */ hidden) => hidden
    }))
  ]
  return attacks.map(({ headers, toBody }, i) => {
    const body = toBody(`GET /hidden-${i} HTTP/1.1\r\nHost: localhost\r\nFoo: x`)
    const head = headers.replace('LENGTH', String(body.length))
    return { raw: `POST / HTTP/1.1\r\nHost: localhost\r\n${head}\r\n\r\n${body}` }
  })
}

/** @param {string} hidden */
function toChunk (hidden) {
  const whole = `${hidden}\r\n\r\n`
  return `${whole.length.toString(16)}\r\n${whole}\r\n0\r\n\r\n`
}

/** A proxy that reads only the first Content-Length, and sends all requests over one connection to the app. */
const NAIVE = `
const net = require('node:net')
const { once } = require('node:events')
const app = net.connect(3000, '127.0.0.1')
let queue = Promise.resolve()
let answered = ''
app.on('data', data => { answered += data })
const LENGTH = /content-length: *\\+?(\\d+)/i
const forward = async request => {
  app.write(request)
  for (;;) {
    const end = answered.indexOf('\\r\\n\\r\\n') + 4
    const whole = end + Number(LENGTH.exec(answered.slice(0, end))?.[1] ?? 0)
    if (end > 3 && answered.length >= whole) {
      const response = answered.slice(0, whole)
      answered = answered.slice(whole)
      return response
    }
    await once(app, 'data')
  }
}
net.createServer(client => {
  let received = ''
  client.on('error', () => {}).on('data', data => {
    received += data
    const end = received.indexOf('\\r\\n\\r\\n') + 4
    const whole = end + Number(LENGTH.exec(received.slice(0, end))?.[1] ?? 0)
    if (end < 4 || received.length < whole) return
    const request = received.slice(0, whole).replace(/^connection:.*\\r\\n/im, '')
    received = received.slice(whole)
    queue = queue.then(async () => client.end(await forward(request)))
  })
}).listen(80)`

/**
 * Sends each attack, and then a request of another client.
 * @param {(requests: object[]) => Promise<any[]>} send
 */
async function attack (send) {
  const attacks = toAttacks()
  const next = { url: 'http://localhost/next' }
  const responses = await send([...attacks.flatMap(({ raw }) => [{ raw }, next]), { url: 'http://localhost/seen' }])
  return attacks.map(({ raw }, i) => ({
    text: JSON.stringify(raw),
    hidden: `/hidden-${i}`,
    statuses: responses[2 * i].match(/HTTP\/1\.1 \d{3}/g) ?? [],
    after: responses[2 * i + 1],
    seen: responses.at(-1).body
  }))
}

t.jobs = 3 // The client waits after each attack, for half a second at most.

for (const name of ['nginx', 'apache', 'haproxy', 'caddy', 'varnish', 'envoy']) {
  const skip = skipWithout('namespaces') || skipWithout(name)
  t.test(`${name} and the app agree on the end of each request`, { skip, buffered: true }, async t => {
    const send = await startRecommended(t, `${name}:keepalive/express-json`, { tls: false })
    for (const { text, hidden, statuses, after, seen } of await attack(send)) {
      t.match(after, { status: 200, headers: { 'x-path': '/next' } }, `the next client gets its own response: ${text}`)
      // A proxy that takes the hidden text for a second request of the same client sends that client both responses.
      t.ok(!seen.includes(`"${hidden}"`) || statuses.length >= 2, `nothing is read by the app alone: ${text}`)
    }
  })
}

t.test('finds a proxy that passes on a hidden request', {
  skip: skipWithout('namespaces'), buffered: true
}, async t => {
  const send = await startRecommended(t, 'nginx:keepalive/express-json', { tls: false, code: NAIVE })
  const [{ raw }] = toAttacks()
  const [, after] = await send([{ raw }, { url: 'http://localhost/next' }])
  t.match(after.headers, { 'x-path': '/hidden-0' }, 'the next client gets the response to the hidden request')
})
