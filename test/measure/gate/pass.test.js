/** Tests the gate of one path: compressed responses are those of the app, and options of compression have an effect. */
import { gzipSync } from 'node:zlib'
import t from '../../support/tap.js'
import { passGate } from '../../../bench/measure/gate/pass.js'
import { openFilesArm } from '../../support/files-arm.js'

/** @import { RequestListener } from 'node:http' */
/** @import { Test } from 'tap' */

const TEXT = 'text '.repeat(1000)
const passed = { passed: { answer: { status: 200 } } }
/** @type {RequestListener} */
const plain = (_request, response) => { response.writeHead(200, { 'Content-Type': 'text/plain' }).end(TEXT) }
/** @type {(text: string) => RequestListener} */
const toPacking = text => (request, response) => {
  if (request.headers['accept-encoding'] !== 'gzip') return plain(request, response)
  response.writeHead(200, { 'Content-Type': 'text/plain', 'Content-Encoding': 'gzip' }).end(gzipSync(text))
}

/**
 * Passes an arm with one path through the gate.
 * @param {Test} t
 * @param {object} arm
 * @param {RequestListener} arm.proxy
 * @param {RequestListener} [arm.app]
 * @param {string} [arm.options] of the proxy
 * @param {string} [arm.accepted] encodings; empty: the header is not sent
 */
async function pass (t, { proxy, app = plain, options = '+gzip', accepted = 'gzip' }) {
  const staged = await openFilesArm(t, { folder: t.testdir({}), app, proxy, spec: `nginx:keepalive${options}/app` })
  const { files, ...topology } = staged.arm.topology
  /** @type {any} */
  const server = { ...topology.server, command: { run: 'node app.js', listen: ['tcp'] } }
  staged.arm = {
    ...staged.arm,
    topology: { ...topology, server },
    load: { ...staged.arm.load, path: '/a', headers: accepted ? { 'Accept-Encoding': accepted } : {} }
  }
  return passGate(staged, '/')
}

t.test('an option of compression without a compressed response is refused, of one path, too', async t => {
  const refused = { refused: { why: /no response is compressed, so the option of nginx .* has no effect/ } }
  t.match(await pass(t, { proxy: plain }), refused)
  t.match(await pass(t, { proxy: toPacking(TEXT), accepted: '' }), refused, 'clients that do not accept it')
  t.match(await pass(t, { proxy: plain, options: '' }), passed, 'without an option of compression')
})

t.test('compares a compressed response of one path with that of the app by its decoded body', async t => {
  t.match(await pass(t, { proxy: toPacking(TEXT) }), { passed: { answer: { bytes: TEXT.length } } })
  t.match(await pass(t, { proxy: toPacking(TEXT), app: toPacking(TEXT), options: '' }), passed)
  t.match(await pass(t, { proxy: toPacking('other') }), { refused: { why: /the body differs/ } })
})
