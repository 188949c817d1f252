/** Options of compression: their arms get requests that accept it, and are refused if nothing is compressed. */
import { createServer } from 'node:http'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import t from '../../support/tap.js'
import { passMixGate } from '../../../bench/measure/gate/path-mix.js'
import { createArm } from '../../../bench/plan/plan.js'
import { COMPRESSION_OPTIONS } from '../../../bench/plan/predicates.js'
import { parse } from '../../../bench/plan/spec.js'
import { acceptCompression } from '../../../bench/request/user-mix.js'
import { listening } from '../../support/listening.js'

const TEXT = 'text '.repeat(1000)

/** Returns an arm of two files. @param {string} spec */
const makeArm = spec =>
  createArm(parse(spec), { engine: 'paced', connections: 1, path: '/a.txt', paths: ['/a.txt', '/b.txt'], headers: {} })

t.test('each option of compression is proven by a response, and no other arm needs one', async t => {
  const root = t.testdir({ 'a.txt': TEXT, 'b.txt': TEXT })
  let compresses = true
  const port = await listening(t, createServer(({ headers }, response) => {
    const accepted = headers['accept-encoding'] ?? ''
    const encoding = !compresses ? null : accepted.includes('br') ? 'br' : accepted.includes('gzip') ? 'gzip' : null
    const body = encoding === 'br' ? brotliCompressSync(TEXT) : encoding === 'gzip' ? gzipSync(TEXT) : TEXT
    response.writeHead(200, { 'Content-Type': 'text/plain', ...encoding && { 'Content-Encoding': encoding } }).end(body)
  }))
  const target = { url: `http://127.0.0.1:${port}`, socketPath: null }
  /** @param {ReturnType<typeof makeArm>} arm */
  const pass = async arm => {
    const staged = { arm, dir: root, network: { enter: [] }, running: { target, originTarget: target } }
    const result = await passMixGate(/** @type {any} */ (staged), root)
    return typeof result === 'string' ? result : 'passed'
  }
  for (const option of COMPRESSION_OPTIONS) {
    const [plain, packed] = acceptCompression([makeArm('nginx/files'), makeArm(`nginx+${option}/files`)])
    t.strictSame(plain.load.headers, packed.load.headers, `${option}: both arms get the same requests`)
    t.equal(packed.load.headers['Accept-Encoding'], option.startsWith('brotli') ? 'gzip, br' : 'gzip')
    compresses = true
    t.equal(await pass(packed), 'passed', option)
    compresses = false
    t.equal(await pass(packed),
      'no response is compressed, so the option of nginx for compression has no effect', option)
    t.equal(await pass(plain), 'passed', `${option}: an arm without it`)
  }
  t.strictSame(acceptCompression([makeArm('nginx/files')])[0].load.headers, {})
})
