import t from '../support/tap.js'
import { findRefusal } from '../../bench/load/capabilities.js'
import { loadPlugin, pluginNames } from '../../bench/plan/plugins.js'

/** @import { EnginePlugin, Load, Target } from '../../bench/types.js' */
/** @import { Test } from 'tap' */

const context = { program: '/usr/bin/engine', dir: '/tmp/engine', maxSeconds: 600 }
const facts = { unix: false, tls: false, sessions: false, http2: false }

for (const name of pluginNames('engine')) {
  t.test(`engine ${name}`, async t => {
    /** @type {{ default: EnginePlugin }} */
    const { default: engine } = await loadPlugin('engine', name)
    const { about } = engine
    const tls = about.tls
    const target = {
      url: `${tls && !about.plain ? 'https' : 'http'}://127.0.0.1:8080`,
      socketPath: null,
      expectBody: null
    }
    /** A load that uses all capabilities of the engine. @type {Load} */
    const load = {
      engine: name,
      connections: Math.min(100, about.mostConnections ?? Infinity),
      path: '/x',
      headers: about.headers ? { 'X-Test': '1' } : {},
      ...!about.keepAlive && { fresh: true },
      ...about.users ? { spawnPerSecond: 25, perUserPerSecond: 1.5 } : !about.closedLoop && { rate: 1000 }
    }
    const orderOf = (/** @type {Partial<Load>} */ more = {}, /** @type {Partial<Target>} */ where = {}) =>
      engine.command({ ...load, ...more }, { ...target, ...where }, context)
    const text = (/** @type {Parameters<typeof orderOf>} */ ...asked) => JSON.stringify(orderOf(...asked))

    const refused = (/** @type {Load} */ load, protocol = {}) =>
      findRefusal(about, { load, facts: { ...facts, tls: !about.plain }, protocol })
    t.equal(refused(load, about.closedLoop ? { paused: true } : { clientCounts: true }), null, 'has this ability')
    const { spawnPerSecond, perUserPerSecond, ...plainLoad } = load
    t.equal(refused({ ...plainLoad, spawnPerSecond: 25 }, { clientCounts: true }) === null, about.users ?? false,
      'makes users that wait where it states so')
    if (about.users) {
      t.not(text({ spawnPerSecond: 26 }), text(), 'gets the spawn rate')
      t.not(text({ perUserPerSecond: 2 }), text(), 'gets the rate of each user')
    }
    t.equal(refused({ ...load, rate: 500 }, { clientCounts: true }) === null, about.rate,
      'keeps a rate where it states so')
    if (about.rate) t.not(text({ rate: 500 }), text({ rate: 501 }), 'gets the rate')
    t.ok(orderOf().processes.length > 0, 'starts at least one process')
    t.ok(text().includes('8080') && text().includes('/x'), 'gets the target and the path')
    t.ok(text().includes('100') || orderOf().processes.length === load.connections, 'gets the connections')
    if (about.headers) t.ok(text().includes('X-Test'), 'gets the headers')
    t.ok(text().includes('600'), 'ends by itself')
    t.same(orderOf(), orderOf(), 'the same order gives the same command')
    t.notMatch(text(), /undefined|NaN|null,null/, 'nothing is left open')

    tellsMore(t, about, text)

    for (const stdout of ['', 'garbage', '{', 'null', '{"requests":"many"}', '{"summary":{"total":1}}',
      '<html>502</html>']) {
      t.throws(() => engine.parse([{ stdout, stderr: '', dir: '/tmp', exit: 0 }]),
        { message: /printed no report|report is not JSON|report has no totals|has left no stats/ },
        `refuses the report ${JSON.stringify(stdout)}`)
    }
  })
}

/**
 * Tests options that only some engines have.
 * @param {Test} t
 * @param {EnginePlugin['about']} about
 * @param {(more?: Partial<Load>, where?: Partial<Target>) => string} text of the command
 */
function tellsMore (t, about, text) {
  if (about.paths) {
    t.ok(['/one', '/two'].every(path => text({ paths: ['/one', '/two'] }).includes(path)),
      'gets every path of a mix')
  }
  if (about.unixTarget) {
    t.ok(text({}, { url: 'http://localhost', socketPath: '/run/x.sock' }).includes('/run/x.sock'),
      'gets the socket')
  }
  const http2 = { url: 'https://127.0.0.1:8080', http2: true }
  t.equal(text({}, { ...http2, http2: false }) !== text({}, http2), about.http2, 'gets HTTP/2 where it speaks it')
  if (about.http2) t.not(text({ streams: 7 }, http2), text({}, http2), 'gets how many requests a connection has')
  if (about.freshConnections && about.keepAlive) {
    t.not(text({ fresh: true }), text(), 'gets the option for new connections')
  }
  if (about.resumption === 'chosen') {
    t.not(text({ resume: true }), text({ resume: false }), 'gets whether to resume')
  }
  if (['all', 'late'].includes(about.timeouts ?? '')) {
    t.ok(text({ timeoutSeconds: 7 }).includes('7'), 'gets the timeout')
  }
  t.equal(about.freshConnections && about.tls, about.resumption !== null,
    'states whether its new TLS connections resume')
  t.ok(about.freshConnections || about.keepAlive, 'does one of the two')
}
