/** Renders the files of a deploy kit from templates/ (pure except for reading the templates). */
import Handlebars from 'handlebars'
import { readFileSync } from 'node:fs'
import { hasTls } from '../../../plan/predicates.js'
import { refuseControlCharacters } from '../../../topology/describe/config-values.js'
import { describe } from '../../../topology/describe/describe.js'
import { APP_PORT, CONTAINER_RUN, toView } from './kit-view.js'
import { TARGETS } from './targets.js'

/** @import { HopbenchError } from '../../../errors.js' */
/** @import { ProxyPlugin } from '../../../types.js' @import { KitRequest } from './types.js' */

const templates = new URL('templates/', import.meta.url)
/** Debian 12's nginx, which the Dockerfile installs. Later versions accept the same configuration. */
const NGINX = '1.22.1'

/**
 * @param {KitRequest} request
 * @returns {Record<string, string>} texts by file name
 * @throws {HopbenchError} bad-option, bad-topology, config-value
 */
export function kitFiles (request) {
  const { target, facts, proxy } = request
  const view = toView(request)
  refuseControlCharacters(view, `the deploy kit for ${target}`)
  const own = facts.image
    ? namesWithImage(request)
    : ['start.sh', ...facts.app === null ? [] : ['serve.mjs'], ...TARGETS[target].templates,
        ...view.hasSocketUnit ? ['unit.socket'] : []]
  const names = [...own, ...view.compressed.length > 0 ? ['compress.sh'] : []]
  return {
    ...Object.fromEntries(names.map(file => [toFileName(file, facts.name), render(file, view)])),
    ...proxy && { 'nginx.conf': renderNginxConf(request, proxy) }
  }
}

/**
 * Returns the templates of a kit whose app is built from a Dockerfile of the project.
 * @param {KitRequest} request
 */
function namesWithImage ({ target, facts: { image, files }, proxy }) {
  const checks = target === 'docker' && !image?.isChecked ? ['health.sh'] : []
  // With folders of files the project is the context of nginx's image, and holds more than the image needs.
  const ignored = files.length > 0 ? ['Dockerfile.dockerignore'] : []
  if (proxy) return ['start.sh', 'nginx.Dockerfile', 'compose-beside.yaml', ...checks, ...ignored]
  return [...TARGETS[target].templates.filter(file => !file.startsWith('Dockerfile')), ...checks]
}

/**
 * Returns the name under which a template is written.
 * @param {string} file
 * @param {string} name of the app
 */
function toFileName (file, name) {
  if (file.startsWith('unit.')) return file.replace('unit', name)
  if (file === 'nginx.Dockerfile') return 'Dockerfile'
  return file === 'compose-beside.yaml' ? 'compose.yaml' : file
}

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
  const { name, root, files, image } = facts
  const { routers, clientHeader, drainSeconds, accessLog, port, keepAliveSeconds, hasOwnCores } = TARGETS[target]
  const secrets = target === 'systemd' ? `/run/credentials/${name}.service` : '/run/secrets'
  const { proxy } = describe({ ...topology, files }, {
    dir: '@RUN@',
    root: root === null ? '@HERE@' : `@HERE@/${root}`,
    ports: { front: port, origin: APP_PORT },
    ...image && { beside: { host: 'app', dir: CONTAINER_RUN } },
    clients,
    launcher: '',
    node: '',
    module: '',
    certificate: hasTls(topology) ? { certFile: `${secrets}/site.pem`, keyFile: `${secrets}/site.key` } : null,
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
