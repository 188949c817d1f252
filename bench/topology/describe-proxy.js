/** The proxy of a topology, or the one in its server's place: its configuration, or why it is refused (pure). */
import { join } from 'node:path'
import { HopbenchError } from '../errors.js'
import { resolveOptions } from '../plan/topology-options.js'
import { refuseUnsafeValues } from './config-values.js'

/** @import { Address, DescribeContext, ProxyDescription, ProxyProgram } from '../types.js' */
/** @import { OptionSpec, ProxyHop, ProxyPlugin, RenderRequest, ServerHop } from '../types.js' */

/** @typedef {{ listen: Address, purpose: 'measure' | 'home' }} Place */

const START_SECONDS = 15 // What a proxy may take to start, on a machine that is busy.

/** @param {ProxyHop} hop @param {DescribeContext} context
 * @param {Place & { origins: Address[] | null }} place origins null: it serves the files itself
 * @returns {ProxyDescription} @throws {HopbenchError} bad-option, bad-topology, config-value, module-missing */
export function describeProxy (hop, context, { listen, origins, purpose }) {
  const { plugin, program, version, env, modules = null } = /** @type {ProxyProgram} */ (context.proxy)
  if (!origins && !plugin.about.static) {
    const why = `${hop.name} does not serve files itself in this version`
    throw new HopbenchError('bad-topology', { word: `${hop.name}/files`, why })
  }
  refuseMeaningless(hop, plugin.about.options, origins ? 'app' : 'files')
  /** @type {RenderRequest} */
  const request = {
    version,
    listen,
    upstream: origins && hop.transport ? { addresses: origins, transport: hop.transport } : null,
    root: context.root,
    options: resolveOptions(hop.name, plugin.about.options, hop.options),
    dir: context.dir,
    memory: context.memory,
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
    argv: [program, ...plugin.command(context.dir, version, request)],
    check: [program, ...plugin.check(context.dir, version, request)],
    env: { ...env, ...plugin.env?.(context.dir) },
    files: plugin.render(request),
    folders: plugin.folders?.(request) ?? [],
    listen,
    memory: context.memory ?? context.dir,
    countersAt: 'onFront' in plugin.counters && listen.kind === 'tcp' ? listen : null,
    startSeconds: plugin.startSeconds?.(request) ?? START_SECONDS
  }
}

/** In the server's place. @param {ServerHop} hop @param {DescribeContext} context @param {Place} place */
export function describeOrigin ({ name, options }, context, { listen, purpose }) {
  const refuse = (/** @type {string} */ option, /** @type {string} */ why, /** @type {string} */ remedy) => {
    const where = `The option ${option} of ${name} behind a proxy`
    throw new HopbenchError('bad-option', { option: where, value: options[option], why, remedy })
  }
  if (options.tls !== undefined && options.tls !== false && options.tls !== 'off') {
    refuse('tls', 'the proxy in front sends plain HTTP', 'Write +tls at the proxy in front.')
  }
  if (options.reuseport === true && listen.kind === 'unix') {
    refuse('reuseport', 'a Unix socket cannot be shared that way', 'Take a transport over TCP, or leave it out.')
  }
  const dir = join(context.dir, 'origin')
  const own = { ...context, dir, proxy: context.origin ?? null, certificate: null }
  return { dir, ...describeProxy({ name, transport: null, options }, own, { listen, origins: null, purpose }) }
}

/** @param {ProxyPlugin} plugin @param {RenderRequest} request */
function refuseWithoutModules ({ modules: spec, about }, request) {
  const { modules } = request
  if (!spec || !modules) return
  const files = spec.needed(request).filter(file => !modules.files.includes(file))
  if (files.length === 0) return
  const options = Object.entries(request.options).filter(([name, value]) => value !== about.options[name].default)
    .map(([name, value]) => `${name}=${value}`)
  const word = [about.title, ...options].join('+')
  throw new HopbenchError('module-missing', { program: about.title, files, folder: modules.folder, word })
}

// An option without effect would be measured, and reported as making no difference.
/** @param {ProxyHop} hop @param {Record<string, OptionSpec>} specs @param {'app' | 'files'} here */
function refuseMeaningless ({ name, options }, specs, here) {
  const idle = Object.keys(options).find(option => ![undefined, here].includes(specs[option]?.for))
  if (idle === undefined) return
  const why = here === 'files'
    ? 'it is about an app behind, and here there is none'
    : `it is about files that ${name} serves itself`
  const option = `The option ${idle} of ${name}`
  throw new HopbenchError('bad-option', { option, value: options[idle], why, remedy: 'Leave it out.' })
}
