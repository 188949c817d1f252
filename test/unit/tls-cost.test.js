/** The cost of TLS in a sizing, the topology that a virtual machine runs, and the share of new connections. */
import t from 'tap'
import { parse } from '../../bench/plan/word.js'
import { priceSentences } from '../../bench/report/sizing-text.js'
import { refuseNewConnections } from '../../bench/studies/plan-checks.js'
import { measureTls, toInstanceArm } from '../../bench/studies/sizing/tls-cost.js'
import { makeOffering } from '../support/offerings.js'
import { makeSample } from '../support/record.js'
import { armOf } from '../support/samples.js'
import { sizing } from '../support/sizing.js'

/** @import { PriceRow, SizedTopology } from '../../bench/types.js' */

const PLAIN = 'nginx:uds/express-json'
const WITH_TLS = 'nginx:uds+tls=ecdsa-p256/express-json'

/**
 * Measures the cost of TLS with a scripted rig.
 * @param {SizedTopology['growth']['connections']} plain CPU time without TLS by the number of connections
 * @param {string} [word]
 */
async function measure (plain, word = PLAIN) {
  /** @type {any[]} */
  const windows = []
  const open = async (/** @type {any} */ { load, ...arm }) => ({
    closed: async (/** @type {any} */ { seconds, connections = null }) => {
      windows.push([arm.word, load.fresh ?? false, seconds, connections])
      const proxy = load.fresh ? 0.5 : 0.1
      return makeSample({ requests: 1000, cpuSeconds: { load: 0, proxy, server: 0.1, idle: 0 } })
    },
    close: async () => {}
  })
  const options = /** @type {any} */ ({
    temp: '/nowhere', note: () => {}, quick: false, cores: { served: [1] }, plain
  })
  const tls = await measureTls(armOf(word), options, /** @type {any} */ (open))
  return { tls: tls && [tls.requestMicros, tls.handshakeMicros].map(Math.round), windows }
}

t.test('measures TLS on kept and on new connections, each after a warm-up of 3 s of CPU time', async t => {
  const { tls, windows } = await measure([{ x: 100, micros: 150 }])
  t.same(tls, [50, 400])
  t.same(windows, [
    [WITH_TLS, false, 3, null], [WITH_TLS, false, 3, 100], [WITH_TLS, true, 3, null], [WITH_TLS, true, 3, 100]
  ])
})

t.test('measures TLS with the fewest connections with which the CPU time was measured without TLS', async t => {
  const { tls, windows } = await measure([{ x: 10, micros: 150 }, { x: 50, micros: 100 }])
  t.same(tls, [50, 400])
  t.equal(windows[1].at(-1), 10)
})

t.test('measures no cost of TLS where the topology ends TLS, and without a measurement to compare', async t => {
  t.same(await measure([{ x: 100, micros: 150 }], WITH_TLS), { tls: null, windows: [] })
  t.same(await measure([]), { tls: null, windows: [] })
})

t.test('an instance of a virtual machine ends TLS if its row contains the cost of TLS', async t => {
  const wordOn = (/** @type {Partial<PriceRow>} */ row, word = PLAIN) =>
    toInstanceArm(armOf(word), { offering: makeOffering({ class: 'vm' }), ...row }).word
  t.equal(wordOn({}), WITH_TLS)
  t.equal(wordOn({ withoutTls: true }), PLAIN)
  t.equal(wordOn({ offering: makeOffering({ class: 'dedicated' }) }), PLAIN, 'a platform ends TLS at its router')
  t.equal(wordOn({}, 'nginx:uds+tls=rsa2048/express-json'), 'nginx:uds+tls=rsa2048/express-json')
})

t.test('a share of new connections is rejected if every topology ends TLS itself', async t => {
  const refuse = (/** @type {string[]} */ words, rps = 2000) =>
    refuseNewConnections(words.map(armOf), { rps, newConnections: 0.2 })
  t.throws(() => refuse([WITH_TLS]), { code: 'bad-option', exit: 2, message: /--new-connections/ })
  t.doesNotThrow(() => refuse([WITH_TLS, PLAIN]))
  t.doesNotThrow(() => refuse([WITH_TLS], 100_000), 'the balancers of a fleet are billed by new connections')
  t.doesNotThrow(() => refuseNewConnections([armOf(WITH_TLS)], { rps: 2000 }), 'the default is no mistake')
})

t.test('reports that a topology with TLS of its own has TLS in every row', async t => {
  const [topology] = sizing.topologies
  const textOf = (/** @type {string} */ word) =>
    priceSentences({ ...sizing, topologies: [{ ...topology, word, topology: parse(word) }] }).join(' ')
  t.match(textOf(WITH_TLS), `${WITH_TLS}: TLS is in every row, on kept connections, and --new-connections changes no`)
  t.notMatch(textOf(WITH_TLS), /TLS is not included/)
  t.match(textOf(PLAIN), `${PLAIN}: TLS is not included; platforms end it at their router.`)
})
