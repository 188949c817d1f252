/** The files of a deploy kit, from the templates beside this file: pure but for reading those. */
import Handlebars from 'handlebars'
import { readFileSync } from 'node:fs'
import { describe } from '../describe.js'
import { TARGETS } from './targets.js'

/** @import { ProxyPlugin, Topology } from '../../types.js' @import { KitFacts, KitRequest } from './types.js' */

const templates = new URL('templates/', import.meta.url)
/** Debian 12's nginx, which the Dockerfile installs: what is written for it holds for every later version. */
const NGINX = '1.22.1'
const DEBIAN = 'bookworm'
const HTTPS_PORT = 443
const APP_DRAIN_SECONDS = 3 // Behind nginx, which has finished before: there is nothing left but to end.

/** @param {KitRequest} request @returns {Record<string, string>} name → text @throws {HopbenchError} bad-option,
 * bad-topology, config-value */
export function kitFiles (request) {
  const { topology, target, facts: { name }, proxy } = request
  const view = viewOf(request)
  const names = ['start.sh', ...topology.server ? ['serve.mjs'] : [], ...TARGETS[target].templates]
  return {
    ...Object.fromEntries(names.map(file => [file === 'unit.service' ? `${name}.service` : file, render(file, view)])),
    ...proxy && { 'nginx.conf': nginxConf(request, proxy) }
  }
}

/** @param {Topology} topology */
export const isTls = ({ proxy }) =>
  proxy?.options.tls !== undefined && proxy.options.tls !== false && proxy.options.tls !== 'off'

/** @param {string} file @param {object} view */
function render (file, view) {
  const text = readFileSync(new URL(file, templates), 'utf8')
  if (file.endsWith('.mjs')) return text
  return Handlebars.compile(text, { noEscape: true, strict: true })(view).replace(/\n{3,}/g, '\n\n')
}

/** @param {KitRequest} request @param {ProxyPlugin} plugin */
function nginxConf ({ topology, target, facts: { name, root }, clients, trusted }, plugin) {
  const { routers, clientHeader, drainSeconds, accessLog } = TARGETS[target]
  // Where each place puts secrets.
  const secrets = target === 'systemd' ? `/run/credentials/${name}.service` : '/run/secrets'
  const { proxy } = describe(topology, {
    dir: '@RUN@',
    root: root === null ? '@HERE@' : `@HERE@/${root}`,
    ports: { front: TARGETS[target].port, origin: 3000 },
    clients,
    launcher: '',
    node: '',
    module: '',
    certificate: isTls(topology) ? { certFile: `${secrets}/site.pem`, keyFile: `${secrets}/site.key` } : null,
    proxy: { plugin, program: '', env: {}, version: NGINX },
    deploy: { routers: [...routers, ...trusted], clientHeader, drainSeconds, accessLog, cache: '@CACHE@' }
  }, 'home')
  return Object.values(proxy?.files ?? {})[0]
}

/** The values of the templates. @param {KitRequest} request */
function viewOf ({ topology, word, target, facts, proxy }) {
  const place = TARGETS[target]
  const { name, kit, settings } = facts
  const [nginx, node] = [proxy !== null, topology.server !== null]
  const up = kit.replace(/[^/]+\//g, '../').replace(/\/$/, '') || '.'
  return {
    ...settings,
    title: `${word} on ${target}`,
    story: `Starts ${[...node ? ['the app'] : [], ...nginx ? ['nginx'] : []].join(' and ')}, passes signals on, and ` +
      `ends when ${node && nginx ? 'either ends' : 'it ends'}, with its exit code.`,
    comments: [`${word} on ${target}.`, ...facts.sized],
    sized: facts.sized,
    name,
    kit,
    up,
    run: place.run.replace('NAME', name),
    port: isTls(topology) && target === 'systemd' ? HTTPS_PORT : place.port,
    path: JSON.stringify(facts.path),
    nginx,
    node,
    socket: topology.proxy?.transport?.startsWith('uds') ?? false,
    app: facts.app,
    drainSeconds: place.drainSeconds,
    appDrainSeconds: nginx ? APP_DRAIN_SECONDS : place.drainSeconds,
    home: `/srv/${name}`,
    tls: isTls(topology),
    ...imageView(node, facts),
    ...platformView(facts, { node, nginx })
  }
}

/** @param {boolean} node @param {KitFacts} facts */
const imageView = (node, { nodeMajor, install }) => ({
  base: node ? `node:${nodeMajor}-${DEBIAN}-slim` : `debian:${DEBIAN}-slim`,
  user: node ? 'node' : 'www-data',
  install: node ? install : null
})

/** How each platform says which plan, and how many. @param {KitFacts} facts
 * @param {{ node: boolean, nginx: boolean }} has */
function platformView ({ settings: { plan, instances } }, { node, nginx }) {
  const id = plan?.toLowerCase() ?? null
  const machine = /^(shared|performance)-(?:cpu-)?(\d+)x/.exec(id ?? '')
  return {
    planId: id && JSON.stringify(id),
    size: machine && `${machine[1] === 'shared' ? 'shared-cpu' : machine[1]}-${machine[2]}x`,
    minimum: instances ?? 1,
    formation: id || instances
      ? JSON.stringify({ web: { ...instances && { quantity: instances }, ...id && { size: id } } })
      : null,
    buildpacks: JSON.stringify(
      [...node ? ['heroku/nodejs'] : [], ...nginx ? ['heroku-community/nginx'] : []].map(url => ({ url })))
  }
}
