/** Renders the files of a deploy kit from templates/ (pure except for reading the templates). */
import Handlebars from 'handlebars'
import { readFileSync } from 'node:fs'
import { HopbenchError } from '../../errors.js'
import { refuseControlCharacters } from '../config-values.js'
import { describe } from '../describe.js'
import { TARGETS } from './targets.js'

/** @import { ProxyPlugin, Topology } from '../../types.js' @import { KitFacts, KitRequest } from './types.js' */

const templates = new URL('templates/', import.meta.url)
/** Debian 12's nginx, which the Dockerfile installs. Later versions accept the same configuration. */
const NGINX = '1.22.1'
const DEBIAN = 'bookworm'
const HTTPS_PORT = 443
/** Time for an app behind nginx to end. Short, because nginx has finished all requests before. */
const APP_DRAIN_SECONDS = 3
const APP_KEEP_ALIVE_SECONDS = 75
/** Names of offerings in lower case, as in "pro plus" and "standard-2x". */
const OFFERING = /^[a-z0-9][a-z0-9 ._+-]*$/

/**
 * @param {KitRequest} request
 * @returns {Record<string, string>} texts by file name
 * @throws {HopbenchError} bad-option, bad-topology, config-value
 */
export function kitFiles (request) {
  const { topology, target, facts: { name }, proxy } = request
  const view = toView(request)
  refuseControlCharacters(view, `the deploy kit for ${target}`)
  const names = ['start.sh', ...topology.server ? ['serve.mjs'] : [], ...TARGETS[target].templates]
  return {
    ...Object.fromEntries(names.map(file => [file === 'unit.service' ? `${name}.service` : file, render(file, view)])),
    ...proxy && { 'nginx.conf': renderNginxConf(request, proxy) }
  }
}

/** @param {Topology} topology */
export const isTls = ({ proxy }) =>
  proxy?.options.tls !== undefined && proxy.options.tls !== false && proxy.options.tls !== 'off'

/**
 * @param {string} file
 * @param {object} view
 */
function render (file, view) {
  const text = readFileSync(new URL(file, templates), 'utf8')
  if (file.endsWith('.mjs')) return text
  return Handlebars.compile(text, { noEscape: true, strict: true })(view).replace(/\n{3,}/g, '\n\n')
}

/**
 * @param {KitRequest} request
 * @param {ProxyPlugin} plugin
 */
function renderNginxConf ({ topology, target, facts, clients, trusted }, plugin) {
  const { name, root } = facts
  const { routers, clientHeader, drainSeconds, accessLog, port, keepAliveSeconds, hasOwnCores } = TARGETS[target]
  const secrets = target === 'systemd' ? `/run/credentials/${name}.service` : '/run/secrets'
  const { proxy } = describe(topology, {
    dir: '@RUN@',
    root: root === null ? '@HERE@' : `@HERE@/${root}`,
    ports: { front: port, origin: 3000 },
    clients,
    launcher: '',
    node: '',
    module: '',
    certificate: isTls(topology) ? { certFile: `${secrets}/site.pem`, keyFile: `${secrets}/site.key` } : null,
    proxy: { plugin, program: '', env: {}, version: NGINX },
    deploy: {
      routers: [...routers, ...trusted],
      clientHeader,
      drainSeconds,
      accessLog,
      keepAliveSeconds,
      hasOwnCores,
      cache: '@CACHE@',
      temp: '@TEMP@/'
    }
  }, 'home')
  return Object.values(proxy?.files ?? {})[0]
}

/** Returns the values of the templates. @param {KitRequest} request */
function toView ({ topology, word, target, facts, proxy }) {
  const { run, port, drainSeconds, keepAliveSeconds } = TARGETS[target]
  const { name, kit, settings, sized } = facts
  const nginx = proxy !== null
  const node = topology.server !== null
  const parts = [...node ? ['the app'] : [], ...nginx ? ['nginx'] : []]
  return {
    ...settings,
    title: `${word} on ${target}`,
    story: `Starts ${parts.join(' and ')}, passes signals on, and ends when ${parts.length > 1 ? 'either' : 'it'} ` +
      'ends, with its exit code.',
    comments: [`${word} on ${target}.`, ...sized],
    sized,
    name,
    kit,
    up: kit.replace(/[^/]+\//g, '../').replace(/\/$/, '') || '.',
    run: run.replace('NAME', name),
    port: isTls(topology) && target === 'systemd' ? HTTPS_PORT : port,
    path: JSON.stringify(facts.path),
    healthProgram: JSON.stringify(`fetch(${JSON.stringify(`http://127.0.0.1:${port}${facts.path}`)})` +
      '.then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))'),
    nginx,
    brotli: Boolean(topology.proxy?.options.brotli || topology.proxy?.options.brotli_static),
    // Behind nginx it must be longer than the 60 s for which nginx keeps upstream connections.
    keepAliveSeconds: nginx ? APP_KEEP_ALIVE_SECONDS : keepAliveSeconds,
    node,
    socket: topology.proxy?.transport?.startsWith('uds') ?? false,
    app: facts.app,
    drainSeconds,
    appDrainSeconds: nginx ? APP_DRAIN_SECONDS : drainSeconds,
    home: `/srv/${name}`,
    tls: isTls(topology),
    base: node ? `node:${facts.nodeMajor}-${DEBIAN}-slim` : `debian:${DEBIAN}-slim`,
    user: node ? 'node' : 'www-data',
    install: node ? facts.install : null,
    buildpacks: JSON.stringify(
      [...node ? ['heroku/nodejs'] : [], ...nginx ? ['heroku-community/nginx'] : []].map(url => ({ url }))),
    ...toOfferingView(settings)
  }
}

/**
 * Returns the offering and the number of instances in the notation of each platform.
 *
 * @param {KitFacts['settings']} settings
 * @throws {HopbenchError} config-value
 */
function toOfferingView ({ plan, instances }) {
  const id = plan?.toLowerCase() ?? null
  if (id !== null && !OFFERING.test(id)) {
    throw new HopbenchError('config-value', {
      what: 'The name of the offering',
      value: id,
      program: 'the deploy kit',
      why: 'only letters, digits, spaces, ".", "_", "+" and "-" can be in it'
    })
  }
  const machine = /^(shared|performance)-(?:cpu-)?(\d+)x/.exec(id ?? '')
  return {
    planId: id && JSON.stringify(id),
    size: machine && `${machine[1] === 'shared' ? 'shared-cpu' : machine[1]}-${machine[2]}x`,
    minimum: instances ?? 1,
    formation: id || instances
      ? JSON.stringify({ web: { ...instances && { quantity: instances }, ...id && { size: id } } })
      : null
  }
}
