/** The cost of TLS in a sizing, the topology that a virtual machine runs, and the share of new connections. */
import t from '../../../support/tap.js'
import { parse } from '../../../../bench/plan/spec.js'
import { rejectNewConnections } from '../../../../bench/request/plan-checks.js'
import { measureTls, toInstanceArm, toTlsCosts } from '../../../../bench/features/size/study.js'
import { isTlsAtInstance } from '../../../../bench/features/size/prices/instance.js'
import { makeOffering } from '../../../support/offerings.js'
import { makeSample } from '../../../support/record.js'
import { armOf } from '../../../support/samples.js'
import { sentencesOf, sizing } from '../../../support/sizing.js'

/** @import { PriceRow } from '../../../../bench/types.js' */

const PLAIN = 'nginx:uds/express-json'
const WITH_TLS = 'nginx:uds+tls=ecdsa-p256/express-json'

/**
 * Measures the cost of TLS with scripted rigs, whose speed halves after each round.
 * @param {string} [spec]
 * @param {{ connections?: number, invalid?: any }} [changes] connections: of the arm; invalid: of each window over TLS
 */
async function measure (spec = PLAIN, { connections = 400, invalid = null } = {}) {
  /** @type {any[]} */
  const windows = []
  let closed = 0
  const open = async (/** @type {any} */ { load, ...arm }) => ({
    warm: async () => { windows.push(['warm']) },
    closed: async (/** @type {any} */ { seconds, connections = null }) => {
      const kind = load.fresh ? 'fresh' : arm.spec === PLAIN ? 'plain' : 'kept'
      windows.push([kind, seconds, connections])
      const round = windows.filter(([other, , of]) => other === kind && of !== null).length
      const proxy = { plain: 0.1, kept: 0.15, fresh: 0.55 }[kind]
      const cpuSeconds = { load: 0, proxy: proxy * round, server: 0.1 * round, idle: 0 }
      return makeSample({ requests: 1000, cpuSeconds, invalid: kind === 'plain' ? null : invalid })
    },
    close: async () => { closed++ }
  })
  const options = /** @type {any} */ ({
    temp: '/nowhere',
    printProgress: () => {},
    quick: true,
    cores: { served: [1] }
  })
  const arm = armOf(spec)
  const tls = await measureTls({ ...arm, load: { ...arm.load, connections } }, options, /** @type {any} */ (open))
  return { tls: tls && [tls.requestMicros, tls.handshakeMicros].map(Math.round), windows, closed }
}

t.test('measures TLS on kept and on new connections in turns, each after a warm-up', async t => {
  const { tls, windows, closed } = await measure()
  t.same(tls, [175, 1400], 'medians of the differences within a round')
  t.strictSame(windows.slice(0, 3), [['warm'], ['warm'], ['warm']])
  const round = [['plain', 1, 10], ['kept', 1, 10], ['fresh', 1, 10]]
  t.same(windows.slice(3), Array(6).fill(round).flat(), 'six rounds have an interval')
  t.equal(closed, 3)
  t.equal((await measure(PLAIN, { connections: 4 })).windows[3][2], 4, 'with no more connections than the load has')
})

t.test('measures no cost of TLS where the topology ends TLS, or a window is invalid', async t => {
  const { tls, windows } = await measure(WITH_TLS)
  t.strictSame({ tls, windows }, { tls: null, windows: [] })
  t.match(await measure(PLAIN, { invalid: { code: 'no-requests', params: {} } }), { tls: null, closed: 3 })
})

t.test('an instance of a virtual machine ends TLS if its row contains the cost of TLS', async t => {
  const wordOn = (/** @type {Partial<PriceRow>} */ row, spec = PLAIN) =>
    toInstanceArm(armOf(spec), { offering: makeOffering({ class: 'vm' }), instances: 2, ...row }).spec
  t.equal(wordOn({}), WITH_TLS)
  t.equal(wordOn({ withoutTls: true }), PLAIN)
  t.equal(wordOn({ offering: makeOffering({ class: 'dedicated' }) }), PLAIN, 'a platform ends TLS at its router')
  t.equal(wordOn({}, 'nginx:uds+tls=rsa2048/express-json'), 'nginx:uds+tls=rsa2048/express-json')
})

t.test('a share of new connections is rejected if every topology ends TLS itself', async t => {
  const reject = (/** @type {string[]} */ words, rps = 2000) =>
    rejectNewConnections(words.map(armOf), { rps, newConnections: 0.2 })
  t.throws(() => reject([WITH_TLS]), { code: 'bad-option', exit: 2, message: /--new-connections/ })
  t.doesNotThrow(() => reject([WITH_TLS, PLAIN]))
  t.doesNotThrow(() => reject([WITH_TLS], 100_000), 'the balancers of a fleet are billed by new connections')
  t.doesNotThrow(() => rejectNewConnections([armOf(WITH_TLS)], { rps: 2000 }), 'the default is no mistake')
})

t.test('reports that a topology with TLS of its own has TLS in every row', async t => {
  const [topology] = sizing.topologies
  const textOf = (/** @type {string} */ spec) =>
    sentencesOf({ ...sizing, topologies: [{ ...topology, spec, topology: parse(spec) }] }, 'plans').join(' ')
  t.match(textOf(WITH_TLS), `${WITH_TLS}: TLS is in every row, on kept connections, and --new-connections changes no`)
  t.notMatch(textOf(WITH_TLS), /TLS is not included/)
  t.match(textOf(PLAIN), `${PLAIN}: TLS is not included; routers and paid balancers end it.`)
})

t.test('charges the upper bound of a cost of TLS that is not significant', async t => {
  const noisy = [-5, -3, 2, 4, 6, 9].map(more => [100, 100 + more, 900 + more])
  t.same(toTlsCosts(noisy), { requestMicros: 9, handshakeMicros: 800, rounds: 6, bounds: ['requestMicros'] })
})

t.test('a paid balancer ends TLS in front of as many instances as it is paid for', async t => {
  const plusMonthly = { price: 10, from: 2, why: 'a balancer' }
  const vm = makeOffering({ class: 'vm', tlsEnds: 'balancer', plusMonthly })
  t.same([1, 2].map(instances => isTlsAtInstance(vm, instances)), [true, false])
  t.equal(isTlsAtInstance(makeOffering({ class: 'vm' }), 2), true, 'a virtual machine of the user has no balancer')
})
