/** Describes the proxy of a topology, or the proxy in the server's place, with its configuration (pure). */
import { isAbsolute, join } from 'node:path'
import { HopbenchError } from '../../errors.js'
import { isOn, servesStatics } from '../../plan/predicates.js'
import { resolveOptions } from '../../plan/topology-options.js'
import { refuseUnsafeValues } from './config-values.js'

/** @import { Address, FilePrefix, OptionSpec, ProxyDescription, ProxyHop } from '../../types.js' */
/** @import { DescribeContext } from '../types.js' */
/** @import { ProxyPlugin, ProxyProgram, RenderRequest, ServerHop } from '../../types.js' */

/** Time for a proxy to start on a busy machine. */
const START_SECONDS = 15

/**
 * @param {ProxyHop} hop
 * @param {DescribeContext} context
 * @param {object} addresses
 * @param {Address} addresses.listen
 * @param {Address[] | null} addresses.upstreams null: the proxy serves the files itself
 * @param {'measure' | 'home'} addresses.purpose
 * @param {number} [addresses.idleSeconds] as in RenderRequest
 * @param {FilePrefix[]} [addresses.files] that the proxy serves itself in front of a server; omitted: none
 * @returns {ProxyDescription}
 * @throws {HopbenchError} bad-option, bad-topology, config-value, module-missing
 */
export function describeProxy (hop, context, { listen, upstreams, purpose, idleSeconds, files = [] }) {
  const { dir, memory } = context
  const { plugin, program, version, env, modules = null } = /** @type {ProxyProgram} */ (context.proxy)
  if (!upstreams && !plugin.about.static) {
    const why = `${hop.name} does not serve files itself in this version`
    throw new HopbenchError('bad-topology', { spec: `${hop.name}/files`, why })
  }
  refuseMeaningless(hop, plugin.about.options, upstreams)
  if (hop.options.shipped) refuseBesideShipped(hop, { upstreams, purpose })
  /** @type {RenderRequest} */
  const request = {
    version,
    listen,
    upstream: upstreams && hop.transport ? { addresses: upstreams, transport: hop.transport, idleSeconds } : null,
    root: context.root,
    files: files.map(({ prefix, folder }) =>
      ({ prefix, folder: isAbsolute(folder) ? folder : join(context.root, folder) })),
    options: resolveOptions(hop.name, plugin.about.options, hop.options, plugin.about.lacks),
    dir,
    memory,
    modules,
    clients: context.clients,
    certificate: context.certificate,
    cores: context.pinned,
    purpose,
    ...context.deploy && { deploy: context.deploy }
  }
  refuseUnsafeValues(plugin, request)
  refuseWithoutModules(plugin, request)
  return {
    argv: [program, ...plugin.command(dir, version, request)],
    check: [program, ...plugin.check(dir, version, request)],
    env: { ...env, ...plugin.env?.(dir, request) },
    files: plugin.render(request),
    folders: plugin.folders?.(request) ?? [],
    listen,
    memory: memory ?? dir,
    countersAt: 'onFront' in plugin.counters && listen.kind === 'tcp' ? listen : null,
    startSeconds: plugin.startSeconds?.(request) ?? START_SECONDS
  }
}

/**
 * Describes a proxy in the server's place.
 * @param {ServerHop} hop
 * @param {DescribeContext} context
 * @param {{ listen: Address, purpose: 'measure' | 'home' }} address
 * @throws {HopbenchError} as describeProxy
 */
export function describeOrigin ({ name, options }, context, { listen, purpose }) {
  const refuse = (/** @type {string} */ option, /** @type {string} */ why, /** @type {string} */ remedy) =>
    new HopbenchError('bad-option', {
      option: `The option ${option} of ${name} behind a proxy`, value: options[option], why, remedy
    })
  if (isOn(options.tls)) {
    throw refuse('tls', 'the proxy in front sends plain HTTP', 'Write +tls at the proxy in front.')
  }
  if (options.reuseport === true && listen.kind === 'unix') {
    throw refuse('reuseport', 'a Unix socket cannot be shared that way', 'Use a transport over TCP, or leave it out.')
  }
  const dir = join(context.dir, 'origin')
  const ownContext = { ...context, dir, proxy: context.origin ?? null, certificate: null }
  const hop = { name, transport: null, options }
  return { dir, ...describeProxy(hop, ownContext, { listen, upstreams: null, purpose }) }
}

/**
 * @param {ProxyPlugin} plugin
 * @param {RenderRequest} request
 */
function refuseWithoutModules ({ modules: required, about }, request) {
  const { modules } = request
  if (!required || !modules) return
  const files = required.needed(request).filter(file => !modules.files.includes(file))
  if (files.length === 0) return
  const options = Object.entries(request.options).filter(([name, value]) => value !== about.options[name].default)
    .map(([name, value]) => `${name}=${value}`)
  const spec = [about.title, ...options].join('+')
  throw new HopbenchError('module-missing', { program: about.title, files, folder: modules.folder, spec })
}

/**
 * Rejects what the default site of a package does not have: an app, other options, and a recommendation.
 * @param {ProxyHop} hop
 * @param {{ upstreams: Address[] | null, purpose: 'measure' | 'home' }} use
 */
function refuseBesideShipped ({ name, options }, { upstreams, purpose }) {
  const other = Object.keys(options).find(option => !['shipped', 'release'].includes(option))
  if (!upstreams && purpose === 'measure' && other === undefined) return
  const option = `The option shipped of ${name}`
  const why = 'it is the default site of Debian\'s package, without an app, without options other than release, and ' +
    'not recommended'
  throw new HopbenchError('bad-option', { option, value: true, why, remedy: `Leave it out, as in ${name}/files.` })
}

/**
 * Rejects an option that has no effect here, because a report would show that it makes no difference.
 * @param {ProxyHop} proxy
 * @param {Record<string, OptionSpec>} specs
 * @param {Address[] | null} upstreams null: the proxy serves the files itself
 */
function refuseMeaningless (proxy, specs, upstreams) {
  const { name, options } = proxy
  const uses = upstreams ? ['app', ...servesStatics(proxy) ? ['files'] : []] : ['files']
  const idle = Object.keys(options).find(option => !uses.includes(specs[option]?.for ?? uses[0]))
  if (idle === undefined) return
  const why = upstreams
    ? `it applies to files that ${name} serves itself`
    : 'it applies to an app behind the proxy, and here there is none'
  const hasStatic = upstreams !== null && specs.static !== undefined
  const remedy = hasStatic ? 'Add +static, with which the proxy serves files, or leave it out.' : 'Leave it out.'
  throw new HopbenchError('bad-option', { option: `The option ${idle} of ${name}`, value: options[idle], why, remedy })
}
