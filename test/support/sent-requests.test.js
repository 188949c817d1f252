/** Generated requests as they are sent, and the faults of responses to them. */
import t from './tap.js'
import { findFault, toText } from './sent-requests.js'

/** @import { Sent } from './sent-requests.js' */

/** @type {Sent} */
const PLAIN = {
  method: 'GET',
  version: '1.1',
  hosts: ['example.com'],
  target: null,
  upgrades: [],
  connection: [],
  headers: [['Qa', '1']],
  body: null,
  turn: 0
}
const EXPECTED = { scheme: 'http', address: '127.0.0.1', site: null }
const PROMISED = ['Host', 'example.com', 'X-Forwarded-Host', 'example.com', 'X-Forwarded-For', '127.0.0.1', 'X-Real-IP',
  '127.0.0.1', 'X-Forwarded-Proto', 'http']

/**
 * Returns the fault of a response with the promised headers and others.
 * @param {Partial<Sent>} sent
 * @param {string[]} more raw headers
 */
const toFault = (sent, ...more) => findFault('nginx', { ...PLAIN, ...sent },
  { status: 200, body: JSON.stringify([...PROMISED, ...more]) }, EXPECTED)

t.test('sends lines in the order of a turn, and a body in chunks with trailers', async t => {
  t.equal(toText(PLAIN), 'GET /raw-headers HTTP/1.1\r\nHost: example.com\r\nQa: 1\r\n\r\n')
  t.equal(toText({ ...PLAIN, turn: 1 }), 'GET /raw-headers HTTP/1.1\r\nQa: 1\r\nHost: example.com\r\n\r\n')
  t.equal(toText({ ...PLAIN, method: 'POST', target: 'a.example', body: { text: 'x=1', trailers: [['Qb', '2']] } }),
    'POST http://a.example/raw-headers HTTP/1.1\r\nHost: example.com\r\nQa: 1\r\nTransfer-Encoding: chunked\r\n' +
    'Trailer: Qb\r\n\r\n3\r\nx=1\r\n0\r\nQb: 2\r\n\r\n')
  t.equal(toText({ ...PLAIN, headers: [], upgrades: ['h2c'], connection: ['close'] }),
    'GET /raw-headers HTTP/1.1\r\nHost: example.com\r\nUpgrade: h2c\r\nSec-WebSocket-Version: 13\r\n' +
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n' +
    'Connection: Upgrade, HTTP2-Settings, close\r\n\r\n')
})

t.test('finds headers that were invented, lost or changed', async t => {
  t.equal(toFault({}, 'qa', '1'), null)
  t.equal(toFault({}, 'qa', '1', 'Qb', '2'), 'the app got qb: 2, which no client sent')
  t.equal(toFault({}), 'the app got qa:  in place of 1')
  t.equal(toFault({}, 'qa', '2'), 'the app got qa: 2 in place of 1')
  t.equal(toFault({ headers: [['Qa', '1'], ['Qa', '']] }, 'qa', '1'), null, 'an empty line adds nothing')
  t.equal(toFault({ connection: ['"Qa"'] }), null, 'Connection names the header')
  t.equal(toFault({ upgrades: ['h2c'] }, 'qa', '1', 'upgrade', 'h2c'), 'the app got upgrade: h2c, which no client sent')
  t.equal(toFault({ upgrades: ['websocket'] }, 'qa', '1', 'upgrade', 'websocket', 'connection', 'upgrade'), null)
  const body = { text: 'x=1', trailers: /** @type {[string, string][]} */ ([['Qb', '2']]) }
  t.equal(toFault({ body }, 'qa', '1', 'qb', '2'), 'the app got qb: 2, which no client sent', 'a trailer is no header')
})

t.test('finds a status other than that of the site', async t => {
  const toStatus = (/** @type {Partial<Sent>} */ sent, /** @type {number} */ status) =>
    findFault('nginx', { ...PLAIN, ...sent }, { status, body: '' }, { ...EXPECTED, site: ['example.com'] })
  t.equal(toStatus({}, 421), 'a harmless request got status 421 in place of 200')
  t.equal(toStatus({ hosts: ['evil.example'] }, 421), null)
  t.equal(toStatus({ hosts: ['evil.example'] }, 400), 'a harmless request got status 400 in place of 421')
  t.equal(toStatus({ hosts: ['a/b'] }, 400), null)
  t.equal(toStatus({ hosts: ['a/b'] }, 502), 'a request got status 502')
})
