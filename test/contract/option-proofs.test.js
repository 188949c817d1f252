/**
 * Each option of each proxy and server has a proof that it has an effect. An option without a line in PROOFS is proven
 * by its program: the option changes the configuration, the command line or the environment with which the program
 * starts, and the program ends with an error if it does not accept them.
 */
import t from '../support/tap.js'
import { describeSpec } from '../support/describe.js'
import { COMPRESSION_OPTIONS } from '../../bench/plan/predicates.js'
import { parse } from '../../bench/plan/spec.js'
import { loadPlugin, pluginNames } from '../../bench/plan/plugins.js'
import { SERVER_OPTIONS, getOwnOptions } from '../../bench/topology/server-options.js'
import { TLS_OPTIONS } from '../../bench/topology/option-specs.js'

/** @import { OptionSpec, ProxyPlugin, ServerAbout } from '../../bench/types.js' */

/**
 * Proofs by what a running arm does, in addition to its configuration: without them the arm is refused, or its trials
 * are invalid.
 * @type {Record<string, string>}
 */
const PROOFS = {
  ...Object.fromEntries(COMPRESSION_OPTIONS.map(name => [name, 'findUncompressed: a response is compressed'])),
  ...Object.fromEntries(Object.keys(TLS_OPTIONS).map(name => [name, 'passTlsGate: what handshakes negotiate'])),
  static: 'passFilesGate: the proxy sends files while the app is paused; rejectPassedFiles: no file reaches the app',
  cache: 'judgeAnswers and rejectCacheMisses: hits',
  production: 'findMissingLog: lines in the access log',
  access_log: 'findMissingLog: lines in the access log',
  pool: 'rejectUpstreamConnections: connections to the app for each request'
}
/**
 * Options that the measured configuration does not contain.
 * @type {Record<string, string>}
 */
const UNMEASURED = {
  release: 'another program, whose version the record contains',
  max_body: 'the recommended configuration alone contains it, also with production: loads send bodies of known size',
  host: 'the recommended configuration alone contains it: loads name the address of the proxy',
  http3: 'the recommended configuration alone contains it: no load generator speaks it',
  runtime: 'another program, whose version the record contains'
}
/**
 * Specs of options that have an effect beside others only: without and with the option.
 * @type {Record<string, (name: string) => [usual: string, changed: string]>}
 */
const SPECS = {
  balance: name => [`${name}:keepalive+balance=round-robin/http-json@node:2`,
    `${name}:keepalive+balance=${name === 'traefik' ? 'p2c' : 'least-conn'}/http-json@node:2`],
  // The rules about cookies are those of the recommended configuration.
  public_cookies: name => [`${name}:keepalive+production+cache=7s/http-json`,
    `${name}:keepalive+production+cache=7s+public_cookies=_ga/http-json`],
  schedule: name => [`${name}@cluster:2`, `${name}@cluster:2+schedule=none`],
  static: name => [`${name}:keepalive/http-json`, `${name}:keepalive+static/http-json`],
  upstream_defaults: name => [`${name}:tcp/http-json`, `${name}:tcp+upstream_defaults/http-json`]
}
/** Files that a proxy with +static serves. */
const FILES = [{ prefix: '/assets', folder: '/srv/assets' }]
/** Values of options without choices and of others that are valid beside any option. @type {Record<string, string>} */
const VALUES = { flags: 'jitless', public_cookies: '_ga', host: 'example.com', mpm: 'prefork' }

/**
 * Returns another value than the default.
 * @param {string} name
 * @param {OptionSpec} spec
 */
function getOther (name, { type, default: usual, choices }) {
  if (type === 'boolean') return usual === true ? 'off' : 'on'
  const chosen = VALUES[name] ?? choices?.findLast(value => value !== usual)
  if (chosen !== undefined) return String(chosen)
  return type === 'duration' ? '7s' : '7'
}

/**
 * Returns the specs of a proxy or a server without and with an option.
 * @param {string} name
 * @param {string} option
 * @param {Record<string, OptionSpec>} options
 * @param {string} [behind] the rest of the spec
 */
function listSpecs (name, option, options, behind = '') {
  if (SPECS[option]) return SPECS[option](name)
  const { needs } = options[option]
  const before = `${name}${needs ? `+${needs}=${getOther(needs, options[needs])}` : ''}`
  return [`${before}${behind}`, `${before}+${option}=${getOther(option, options[option])}${behind}`]
}

/**
 * Describes what starts.
 * @param {string} spec
 * @param {Partial<Parameters<typeof describeSpec>[1]>} context
 */
const print = (spec, context) => JSON.stringify(describeSpec({ ...parse(spec), files: FILES }, {
  certificate: { certFile: '/tmp/t/site.crt', keyFile: '/tmp/t/site.key' }, cores: 2, nodeVersion: '24.0.0', ...context
}))

for (const name of pluginNames('proxy')) {
  t.test(`each option of ${name} changes the program that starts, or has another proof`, async t => {
    /** @type {{ default: ProxyPlugin }} */
    const { default: plugin } = await loadPlugin('proxy', name)
    const modules = plugin.modules
      ? { folder: '/lib/modules', installed: '/usr/lib/modules', files: [], builtIn: [] }
      : null
    const proxy = { plugin: { ...plugin, modules: undefined }, program: name, version: '99.0.0', env: {}, modules }
    const { options } = plugin.about
    for (const [option, spec] of Object.entries(options)) {
      if (Object.hasOwn(UNMEASURED, option)) continue
      const [hop, behind] = spec.for === 'files' ? [name, '/files'] : [`${name}:keepalive`, '/http-json']
      const [usual, changed] = listSpecs(SPECS[option] ? name : hop, option, options, behind)
      t.not(print(changed, { proxy }), print(usual, { proxy }), `${changed} is not ${usual}`)
    }
  })
}

t.test('each option of each server changes the process that starts', async t => {
  for (const name of pluginNames('server')) {
    const { about } = /** @type {{ about: ServerAbout }} */ (await loadPlugin('server', name))
    const own = getOwnOptions(about)
    // Options of all servers need one server only.
    const options = { ...SERVER_OPTIONS, ...own }
    for (const option of Object.keys(name === 'http-json' ? options : own)) {
      if (Object.hasOwn(UNMEASURED, option)) continue
      const [usual, changed] = listSpecs(name, option, options)
      t.not(print(changed, { about }), print(usual, { about }), `${changed} is not ${usual}`)
    }
  }
})

t.test('names no proof and no reason of an option that does not exist', async t => {
  const plugins = await Promise.all(pluginNames('proxy').map(name => loadPlugin('proxy', name)))
  const all = new Set([...plugins.flatMap(({ default: { about } }) => Object.keys(about.options)),
    ...Object.keys(SERVER_OPTIONS)])
  for (const name of Object.keys({ ...PROOFS, ...UNMEASURED, ...SPECS })) t.ok(all.has(name), name)
  for (const name of Object.keys(UNMEASURED)) t.notOk(PROOFS[name], `${name} has one of both`)
})
