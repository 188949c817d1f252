import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../support/tap.js'
import { labFacts } from '../../bench/machine/network/lab.js'
import { armFrom } from '../../bench/request/request.js'
import { openStage } from '../../bench/measure/stage.js'
import { passTlsGate } from '../../bench/measure/gate/pass.js'
import { tempRoot } from '../support/temp.js'

/** @import { StagedArm } from '../../bench/measure/types.js' */
/** @import { OptionValue } from '../../bench/types.js' */

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

/**
 * Changes the options of an arm while its processes stay the same.
 * @param {StagedArm} staged
 * @param {Record<string, OptionValue>} options
 */
function claiming (staged, options) {
  const topology = structuredClone(staged.arm.topology)
  Object.assign(/** @type {{ options: {} }} */ (topology.proxy ?? topology.server).options, options)
  return { ...staged, arm: { ...staged.arm, topology } }
}

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

for (const [name, staged] of stage.arms) {
  t.test(`${name} is refused by the gate for an arm with other options`, async t => {
    const { proxy, server } = staged.arm.topology
    const { tls, tls_version: version, tls_session: session } = /** @type {any} */ ((proxy ?? server)?.options)
    t.match(await passTlsGate(claiming(staged, { tls_version: version === 1.2 ? 1.3 : 1.2 })),
      `it speaks TLSv${version}, not`)
    t.match(await passTlsGate(claiming(staged, { tls_session: !session })),
      session ? /^it resumes a session/ : /^it does not resume a session/)
    t.match(await passTlsGate(claiming(staged, { tls: tls === 'rsa4096' ? 'rsa2048' : 'rsa4096' })),
      tls === 'ecdsa-p256' && version === 1.2 ? /^the cipher is ECDHE-ECDSA/ : /^its certificate has an/)
    t.equal(await passTlsGate(claiming(staged, { http2: true })),
      'of HTTP/2 and HTTP/1.1 it chooses HTTP/1.1 (ALPN http/1.1)')
  })
}

t.test('nginx logs no error', async t => {
  for (const { dir, running } of stage.arms.values()) {
    if (running.proxied) t.equal(readFileSync(join(dir, 'error.log'), 'utf8'), '')
  }
})
