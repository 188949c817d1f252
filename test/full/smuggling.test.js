/**
 * Sends requests whose end is ambiguous (OWASP WSTG-INPV-16) through each recommended configuration, with another
 * request in the body. If the app reads one that the proxy did not, the next client gets the wrong response.
 */
import t from 'tap'
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
    // One side ends the body at the empty chunk, and takes the rest for the beginning of the next request.
    ...OBFUSCATED.map(header => ({
      headers: `Content-Length: LENGTH\r\n${header}`, toBody: (/** @type {string} */ hidden) => `0\r\n\r\n${hidden}`
    })),
    // One side ends the body after its first line.
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

for (const name of ['nginx', 'apache', 'haproxy', 'caddy', 'varnish']) {
  const skip = skipWithout('namespaces') || skipWithout(name)
  t.test(`${name} and the app agree on the end of each request`, { skip, buffered: true }, async t => {
    const send = await startRecommended(t, `${name}:keepalive/express-json`, { tls: false })
    const attacks = toAttacks()
    const next = { url: 'http://localhost/next' }
    const responses = await send([...attacks.flatMap(attack => [attack, next]), { url: 'http://localhost/seen' }])
    const seen = JSON.parse(responses.at(-1).body)
    for (const [i, { raw }] of attacks.entries()) {
      const [response, after] = responses.slice(2 * i, 2 * i + 2)
      const statuses = response.match(/HTTP\/1\.1 \d{3}/g) ?? []
      const text = JSON.stringify(raw)
      t.match(after, { status: 200, headers: { 'x-path': '/next' } }, `the next client gets its own response: ${text}`)
      // A proxy that takes the hidden text for a second request of the same client sends that client both responses.
      t.ok(!seen.includes(`/hidden-${i}`) || statuses.length >= 2, `nothing is read by the app alone: ${text}`)
    }
  })
}
