/** The promise about headers, for headers that keep and break it. */
import t from '../../../support/tap.js'
import { findBrokenPromise } from '../../../../bench/features/deploy/configs/promise.js'

const KEPT = {
  Host: 'example.com',
  'X-Forwarded-Host': 'example.com',
  'X-Forwarded-For': '127.0.0.1',
  'X-Real-IP': '127.0.0.1',
  'X-Forwarded-Proto': 'http'
}

/**
 * Returns the raw headers of an app.
 * @param {Record<string, string>} changed values by name
 * @param {string[]} more raw headers
 */
const toRaw = (changed = {}, ...more) => JSON.stringify([...Object.entries({ ...KEPT, ...changed }).flat(), ...more])

t.test('accepts the promised headers, and a host in another spelling', async t => {
  t.equal(findBrokenPromise('nginx', toRaw()), null)
  t.equal(findBrokenPromise('nginx', toRaw(), { host: 'EXAMPLE.com.' }), null)
  t.equal(findBrokenPromise('nginx', toRaw({ Host: '_', 'X-Forwarded-Host': '' }), { host: null }), null)
  t.equal(findBrokenPromise('nginx', toRaw(), { host: "example.com:80'x" }), null)
  t.equal(findBrokenPromise('nginx', toRaw({}, 'Remote-User', 'alice')), null)
})

t.test('finds a header that is missing, repeated or another one', async t => {
  const forwarded = (/** @type {string} */ seen) => `the app got x-forwarded-for: ${seen} in place of 127.0.0.1`
  t.equal(findBrokenPromise('nginx', toRaw({ 'X-Forwarded-For': '10.0.0.1' })), forwarded('10.0.0.1'))
  t.equal(findBrokenPromise('nginx', toRaw({}, 'x-forwarded-for', '10.0.0.1')), forwarded('127.0.0.1 and 10.0.0.1'))
  t.equal(findBrokenPromise('nginx', JSON.stringify([])), forwarded('nothing'))
  t.equal(findBrokenPromise('nginx', toRaw(), { address: '10.0.0.1' }),
    'the app got x-forwarded-for: 127.0.0.1 in place of 10.0.0.1')
})

t.test('finds another host, and one with other signs', async t => {
  t.equal(findBrokenPromise('nginx', toRaw({ 'X-Forwarded-Host': 'evil.example' })),
    'the app got the hosts example.com and evil.example in place of example.com')
  t.equal(findBrokenPromise('nginx', toRaw({ Host: 'a/b' }), { host: 'a/b' }), 'the app got the host "a/b"')
  t.equal(findBrokenPromise('nginx', toRaw({}, 'Host', 'evil.example')),
    'the app got the host "example.com and evil.example"')
})

t.test('finds names that a configuration removes, which differ between proxies', async t => {
  const names = ['Forwarded', 'X_Real_IP', 'Q_a', 'Q!a']
  const found = (/** @type {string} */ subject) =>
    names.filter(name => findBrokenPromise(subject, toRaw({}, name, 'forged')) !== null)
  t.strictSame(found('docker'), names)
  t.strictSame(found('caddy'), ['Forwarded', 'X_Real_IP', 'Q_a'])
  t.strictSame(found('apache'), ['Forwarded', 'X_Real_IP'])
})
