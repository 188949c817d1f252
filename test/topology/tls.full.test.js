import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../support/tap.js'
import { labFacts } from '../../bench/machine/network/lab.js'
import { armFrom } from '../../bench/request/request.js'
import { openStage } from '../../bench/measure/stage.js'
import { tempRoot } from '../support/temp.js'

const KINDS = ['rsa2048', 'rsa4096', 'ecdsa-p256']
const optionsOf = (/** @type {string} */ tls) => [1.2, 1.3].flatMap(version =>
  ['off', 'on'].map(session => `+tls=${tls}+tls_version=${version}+tls_session=${session}`))
const words = [
  ...KINDS.flatMap(optionsOf).map(options => `nginx${options}/files`),
  // A single server, and workers that share a listener.
  ...optionsOf('ecdsa-p256').map(options => `http-memory${options}`),
  'http-memory+tls=rsa2048+tls_version=1.2+tls_session=on',
  'http-memory@cluster:2+tls=rsa4096+tls_version=1.3+tls_session=on'
]

const temp = tempRoot(t)
const { network } = await labFacts()
const arms = await Promise.all(words.map(spec => armFrom(spec, { connections: 10, path: '/1k.bin' })))
const stage = await openStage(arms, { temp: temp.path, lab: network === 'namespaces', cores: null, cwd: process.cwd() })
t.teardown(() => stage.close())

t.test('nginx and Node pass the gate with every kind of certificate and version, sessions on and off', async t => {
  t.same([...stage.refused], [])
  t.equal(stage.arms.size, words.length)
  for (const { target } of stage.arms.values()) {
    t.match(target.url, /^https:\/\/127\.0\.0\.1:\d+$/)
    t.ok(existsSync(String(target.caFile)))
  }
  const made = new Set([...stage.arms.values()].map(({ target }) => target.caFile))
  t.equal(made.size, KINDS.length, 'one certificate of each kind for all arms')
})

t.test('nginx logs no error', async t => {
  for (const { dir, running } of stage.arms.values()) {
    if (running.proxied) t.equal(readFileSync(join(dir, 'error.log'), 'utf8'), '')
  }
})
