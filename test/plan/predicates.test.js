import t from '../support/tap.js'
import { loadPlugin, pluginNames } from '../../bench/plan/plugins.js'
import {
  compresses, hasTls, isCached, isOn, isPooled, hasProduction, passesUpgrades, servesStatics, usesBrotli, usesSocket
} from '../../bench/plan/predicates.js'
import { resolveOptions } from '../../bench/plan/topology-options.js'
import { parse, transports } from '../../bench/plan/spec.js'

/** @import { OptionValue, ProxyHop, ProxyPlugin, Topology } from '../../bench/types.js' */

/** @typedef {Topology & { proxy: ProxyHop }} WithProxy */
/** @type {Record<string, (topology: WithProxy) => boolean>} */
const PREDICATES = {
  isCached,
  hasTls,
  servesStatics: ({ proxy }) => servesStatics(proxy),
  compresses: ({ proxy }) => compresses(proxy),
  usesBrotli: ({ proxy }) => usesBrotli(proxy),
  hasProduction: ({ proxy }) => hasProduction(proxy),
  passesUpgrades: ({ proxy }) => passesUpgrades(proxy)
}

/** Predicates that hold with an option; of every other option none holds. @type {Record<string, string[]>} */
const BY_OPTION = {
  cache: ['isCached'],
  tls: ['hasTls'],
  static: ['servesStatics'],
  gzip: ['compresses'],
  gzip_static: ['compresses'],
  brotli: ['compresses', 'usesBrotli'],
  brotli_static: ['compresses', 'usesBrotli'],
  production: ['hasProduction', 'passesUpgrades'],
  websocket: ['passesUpgrades']
}

/**
 * Lists words of values that an option can have.
 * @param {ProxyPlugin['about']['options'][string]} spec
 * @returns {{ off: string[], on: string[] }} off: the predicates of the option do not hold
 */
function listValues ({ type, choices = [], default: usual }) {
  if (type === 'boolean') return { off: ['off'], on: ['on'] }
  if (choices.length > 0) {
    const words = choices.map(String)
    return { off: words.filter(spec => spec === 'off'), on: words.filter(spec => spec !== 'off') }
  }
  if (type === 'duration') return { off: usual === 'off' ? ['off'] : [], on: ['5s', '1h'] }
  return { off: [], on: type === 'number' ? ['7'] : [String(usual)] }
}

/**
 * Returns the predicates that hold for a proxy as typed and with resolved options, which must be the same ones.
 * @param {import('tap').Test} t
 * @param {ProxyPlugin['about']['options']} specs
 * @param {string} spec
 */
function findHolding (t, specs, spec) {
  const topology = /** @type {WithProxy} */ (parse(spec))
  const { proxy } = topology
  // Leaves out what the option requires, so that its own meaning remains.
  const independent = Object.fromEntries(Object.entries(specs).map(([name, spec]) =>
    [name, { ...spec, needs: undefined }]))
  const resolved = { ...topology, proxy: { ...proxy, options: resolveOptions(proxy.name, independent, proxy.options) } }
  const holding = Object.keys(PREDICATES).filter(name => PREDICATES[name](topology))
  t.strictSame(Object.keys(PREDICATES).filter(name => PREDICATES[name](resolved)), holding, `${spec}: resolved`)
  return holding
}

for (const name of pluginNames('proxy')) {
  t.test(`every option of ${name} has the meaning that its predicates state`, async t => {
    const { default: { about } } = /** @type {{ default: ProxyPlugin }} */ (await loadPlugin('proxy', name))
    t.strictSame(findHolding(t, about.options, `${name}:keepalive/express-json`), [], 'the default is off')
    for (const [option, spec] of Object.entries(about.options)) {
      const { off, on } = listValues(spec)
      for (const value of off) {
        const spec = `${name}:keepalive+${option}=${value}/express-json`
        t.strictSame(findHolding(t, about.options, spec), [], spec)
      }
      for (const value of on) {
        const spec = `${name}:keepalive+${option}=${value}/express-json`
        t.strictSame(findHolding(t, about.options, spec), Object.keys(PREDICATES).filter(predicate =>
          BY_OPTION[option]?.includes(predicate)), spec)
      }
    }
  })
}

t.test('states which transports keep connections and which use a Unix socket', async t => {
  const table = transports.map(transport => [transport, isPooled({ transport }), usesSocket({ transport })])
  t.strictSame(table, [
    ['tcp', false, false],
    ['keepalive', true, false],
    ['uds', false, true],
    ['uds-keepalive', true, true]
  ])
  t.strictSame([isPooled({ transport: null }), usesSocket({ transport: null })], [false, false], 'files')
  t.strictSame([isPooled(null), usesSocket(null)], [false, false], 'no proxy')
})

t.test('finds TLS at the front only', async t => {
  const words = ['express-json+tls=rsa2048', 'express-json', 'nginx:uds+tls=rsa2048/express-json',
    'nginx:uds/express-json+tls=rsa2048', 'nginx+tls=off/files']
  t.strictSame(words.map(spec => hasTls(parse(spec))), [true, false, true, false, false])
})

t.test('reads an option as off where it is missing, false or the spec', async t => {
  /** @type {(OptionValue | undefined)[]} */
  const values = [undefined, false, 'off', true, 'on', '5s', 1, 'rsa2048']
  t.strictSame(values.map(isOn), [false, false, false, true, true, true, true, true])
})

t.test('no predicate holds without a proxy', async t => {
  const topology = parse('express-json')
  t.strictSame([isCached(topology), hasTls(topology), servesStatics(null), compresses(null), usesBrotli(null),
    hasProduction(null), passesUpgrades(null)], Array(7).fill(false))
})
