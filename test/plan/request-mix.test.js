/** Loads of several requests: with common headers, or with headers, methods and bodies of their own. */
import t from '../support/tap.js'
import { continueMix, findMix, nameRequest, toMixLoad } from '../../bench/plan/request-mix.js'
import { restoreSecrets, toResumeCommand, withoutSecrets } from '../../bench/plan/stored-plan.js'
import { toBody } from '../../bench/request/user-request.js'

const html = { 'Accept-Encoding': 'gzip', Accept: 'text/html' }
const any = { 'Accept-Encoding': 'gzip', Accept: '*/*' }

t.test('GET requests with equal headers are paths with common headers', async t => {
  const drawn = [{ path: '/', headers: any }, { path: '/a', headers: any }, { path: '/', headers: any }]
  t.strictSame(toMixLoad(drawn, { 'X-Own': '1' }), {
    path: '/', paths: ['/', '/a', '/'], headers: { ...any, 'X-Own': '1' }
  })
  t.strictSame(toMixLoad([{ path: '/' }], {}), { path: '/', paths: ['/'], headers: {} })
})

t.test('requests with different headers keep them, each stored once', async t => {
  const drawn = [{ path: '/', headers: html }, { path: '/', headers: any }, { path: '/', headers: html }]
  t.strictSame(toMixLoad(drawn, {}), {
    path: '/', headers: {}, requests: [{ path: '/', headers: html }, { path: '/', headers: any }], sequence: [0, 1, 0]
  })
  t.strictSame(toMixLoad(drawn, { accept: 'text/plain' }), {
    path: '/', paths: ['/', '/', '/'], headers: { 'Accept-Encoding': 'gzip', accept: 'text/plain' }
  }, 'a header of the load replaces theirs')
})

t.test('different requests have different names', async t => {
  const body = toBody(Buffer.from('{}'))
  const requests = [
    { path: '/' }, { path: '/', headers: html }, { path: '/', headers: any }, { path: '/', method: 'POST' },
    { path: '/', method: 'POST', body }, { path: '/', method: 'POST', body: toBody(Buffer.from('[]')) }
  ]
  t.equal(new Set(requests.map(nameRequest)).size, requests.length)
  t.equal(nameRequest({ path: '/a' }), '/a')
})

t.test('paths and requests are read in the same form', async t => {
  t.equal(findMix({}), null)
  t.strictSame(findMix({ paths: ['/b', '/a', '/b'] }), {
    requests: [{ path: '/b' }, { path: '/a' }], sequence: [0, 1, 0]
  })
  const requests = [{ path: '/a', headers: any }, { path: '/b' }]
  t.strictSame(findMix({ requests, sequence: [1, 0, 0] }), { requests, sequence: [1, 0, 0] })
})

t.test('continues a sequence after the requests that were sent, and keeps their numbers', async t => {
  const load = { engine: 'paced', connections: 1, path: '/b', headers: {} }
  const requests = [{ path: '/b' }, { path: '/a' }]
  t.strictSame(continueMix({ ...load, paths: ['/b', '/a', '/a'] }, 4), { ...load, requests, sequence: [1, 1, 0] })
  t.strictSame(continueMix({ ...load, requests, sequence: [0, 0, 1] }, 2), { ...load, requests, sequence: [1, 0, 0] })
  t.equal(continueMix(load, 4), load)
})

t.test('stores the length of a body, and takes the body again from the same file', async t => {
  const request = { path: '/pay', method: 'POST', body: toBody(Buffer.from('card=4111')) }
  /** @type {any} */
  const plan = {
    arms: [{
      name: 'app',
      topology: { proxy: null, server: null },
      load: { engine: 'wrk', connections: 1, ...toMixLoad([{ path: '/' }, request], {}) }
    }]
  }
  const stored = withoutSecrets(plan)
  t.strictSame(stored.arms[0].load.requests?.[1].body, { base64: null, bytes: 9 })
  t.equal(toResumeCommand('r', stored), 'run --resume r --har … --har-methods …')
  t.strictSame(restoreSecrets(stored, 'r', { request: { requests: [request] }, apps: {} }), plan)
  t.throws(() => restoreSecrets(stored, 'r', { request: {}, apps: {} }), {
    code: 'secret-missing', message: /POST \/pay/
  })
})

t.test('takes each of several bodies of the same length once', async t => {
  const requests = ['{"a":1}', '{"a":2}', '{"a":3}'].map(text =>
    ({ path: '/cart', method: 'POST', body: toBody(Buffer.from(text)) }))
  /** @type {any} */
  const plan = {
    arms: [{
      name: 'app',
      topology: { proxy: null, server: null },
      load: { engine: 'wrk', connections: 1, ...toMixLoad(requests, {}) }
    }]
  }
  const stored = withoutSecrets(plan)
  t.strictSame(restoreSecrets(stored, 'r', { request: { requests }, apps: {} }), plan)
  t.throws(() => restoreSecrets(stored, 'r', { request: { requests: requests.slice(1) }, apps: {} }), {
    code: 'secret-missing', message: /POST \/cart/
  })
})
