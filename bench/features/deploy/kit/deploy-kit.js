/** Writes a deploy kit for a topology and the project in the current folder (`hopbench config --target`). */
import { lstatSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { HopbenchError, badOption, shellWord } from '../../../errors.js'
import { callerCwd } from '../../../machine/caller-cwd.js'
import { describeFileError, isSystemError } from '../../../machine/files/file-failures.js'
import { readOwnText } from '../../../machine/files/own-files.js'
import { getServedPrefixes } from '../../../plan/file-prefixes.js'
import { hasTls, usesBrotli } from '../../../plan/predicates.js'
import { isOwn, isPath, print } from '../../../plan/spec.js'
import { loadPlugin, pluginFile } from '../../../plan/plugins.js'
import { pathWithoutSecrets } from '../../../shared/secrets.js'
import { APP_PORT, CONTAINER_RUN, listCompressed, toView } from './kit-view.js'
import { TARGETS } from './targets.js'
import { armFrom } from '../../../request/request.js'
import { storedRun } from '../../../run/stored-run.js'
import { exampleFacts, projectFacts } from './app-facts.js'
import { findName, findRoot, readManifest, toProjectPath, toProjectPrefixes } from '../../../request/project-paths.js'
import { rejectUnfit } from './reject-unfit.js'
import { settingsOf } from './sized.js'
import { findHealthPath } from './stored-app.js'
import { makeFolder } from '../../../machine/files/make-folder.js'
import { createRequire } from 'node:module'
import { jsonFixture } from '../../../topology/fixtures/fixtures.js'
import Handlebars from 'handlebars'
import { rejectControlCharacters } from '../../../topology/describe/config-values.js'
import { describe } from '../../../topology/describe/describe.js'

/** @import { Arm, FilePrefix, ProxyPlugin, Topology } from '../../../types.js' */
/** @import { CloudRun } from './targets.js' */
/** @import { KitFacts, KitRequest } from './types.js' */

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
  rejectControlCharacters(view, `the deploy kit for ${target}`)
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
  const text = readOwnText(new URL(file, templates))
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

/**
 * @typedef {object} KitOptions
 * @property {string} target of bench/features/deploy/kit/targets.js
 * @property {string} out folder, as typed
 * @property {boolean} [force] overwrites files
 * @property {boolean} [isTrial] checks everything, and writes no file
 * @property {string} [root] folder of files that the proxy serves
 * @property {string} [from] stored run
 * @property {string} [results] folder of runs
 * @property {string} [path] path of the health check
 * @property {string} [plan]
 * @property {number} [processes]
 * @property {number} [instances]
 * @property {number} [memory] MiB
 * @property {string[]} [trust] networks of routers
 * @property {string} [build] command that builds the app in the image
 * @property {string | false} [dockerfile] of the app; false: the kit's, even if the project has one
 * @property {number} [nodeLine] line of Node in the image (default: the one for production)
 */

/**
 * @typedef {object} MadeKit
 * @property {string} dir relative to the directory from which hopbench was started
 * @property {string[]} files
 * @property {FilePrefix[]} published folders of the project
 * @property {string[]} next commands to type
 * @property {boolean} ownImage whether a Dockerfile of the project builds the image of the app
 * @property {number | null} nodeLine line of Node in the image; null: the app needs no Node
 */

/** @typedef {{ spec: string, app: Parameters<typeof armFrom>[1], kit: KitOptions }} KitTask */

/**
 * Writes a kit for the project in the working directory of a worker.
 *
 * @param {KitTask} request
 * @returns {Promise<MadeKit>}
 */
export const makeKitInWorker = async ({ spec, app, kit }) => makeKit(await armFrom(spec, app), kit)

/**
 * @param {Arm} arm
 * @param {KitOptions} options
 * @returns {Promise<MadeKit>}
 * @throws {HopbenchError} cannot-deploy, not-sized, kit-in-the-way, kit-not-writable, bad-option, config-value
 */
export async function makeKit ({ topology, load }, options) {
  const { target, from, results } = options
  const { server, proxy: hop } = topology
  const spec = print(topology)
  const proxy = hop && (await loadPlugin('proxy', hop.name)).default
  const isExample = server !== null && !isOwn(server)
  await rejectUnfit({ topology, spec, target, proxy })
  const out = resolve(callerCwd(), options.out)
  const project = isExample ? out : callerCwd()
  const folder = toProjectPath(project, out, '--out')
  const kit = folder && `${folder}/`
  const stored = from === undefined ? null : await storedRun(from, results)
  const kitOptions = {
    spec, target, processes: countProcesses(topology, options), hasProxy: hop !== null, server: server?.name
  }
  const { settings, sized, cloudRun = null } = settingsOf(kitOptions, options, stored?.record ?? null)
  const appFiles = isExample ? exampleFiles(server.name) : {}
  const facts = {
    name: isExample ? server.name : findName(project),
    kit,
    root: server ? null : findRoot(project, options.root),
    files: toProjectPrefixes(project, getServedPrefixes(topology), {
      module: server && isPath(server.name) ? resolve(callerCwd(), server.name) : null, kit: out
    }),
    // The path that was measured, unless another one was typed.
    path: healthPath(options.path ?? (stored && findHealthPath(stored.record, spec)) ?? load.path),
    settings,
    // The processes of a command are its own.
    sized: server?.command && !stored ? [] : sized,
    ...isExample ? exampleFacts(target) : projectFacts(topology, { ...options, project, out, spec })
  }
  const files = {
    ...kitFiles({
      topology, spec, target, proxy, clients: load.connections, trusted: (options.trust ?? []).map(parseNetwork), facts
    }),
    ...appFiles
  }
  if (facts.image && Object.hasOwn(files, relative(out, join(project, facts.image.file)))) {
    throw badOption('--out', options.out, `the kit would overwrite ${facts.image.file} of the app`,
      'Name another folder inside the project, as in --out ./deploy.')
  }
  if (!options.isTrial) writeKit(out, files, { force: options.force ?? false })
  const dir = relative(callerCwd(), out) || '.'
  const next = listNext(topology, { facts, target, build: options.build ?? null, cloudRun })
  const before = isExample ? [`cd ${shellWord(dir)}`] : adviseBuild(project, facts, options)
  return {
    dir,
    files: Object.keys(files).sort(),
    published: facts.files,
    next: [...before, ...next],
    ownImage: facts.image !== null,
    nodeLine: facts.node?.major ?? null
  }
}

/**
 * Lists the commands that deploy a kit.
 *
 * @param {Topology} topology
 * @param {{ facts: KitFacts, target: string, build: string | null, cloudRun: CloudRun | null }} kit
 */
function listNext (topology, { facts, target, build, cloudRun }) {
  const { kit, name, settings: { instances, plan }, buildpacks, image } = facts
  return TARGETS[target].next({
    kit,
    name,
    nginx: topology.proxy !== null,
    node: facts.node !== null,
    brotli: usesBrotli(topology.proxy),
    compresses: listCompressed({ topology, facts }).length > 0,
    tls: hasTls(topology),
    instances,
    plan,
    buildpacks,
    dockerfile: image?.file ?? `${kit}Dockerfile`,
    hasImage: image !== null,
    build,
    cloudRun
  })
}

/**
 * Advises to build the app in its image, if the project seems to need it, as a comment between commands.
 *
 * @param {string} project
 * @param {Pick<KitFacts, 'node' | 'image'>} facts
 * @param {{ target: string, build?: string }} kit
 */
function adviseBuild (project, { node, image }, { target, build }) {
  const isBuilt = node !== null && image === null && TARGETS[target].templates.includes('Dockerfile')
  const hasScript = isBuilt && build === undefined && readManifest(project).scripts?.build !== undefined
  return hasScript ? ["# If the app needs its script build, write the kit again with --build 'npm run build'"] : []
}

/**
 * Rejects a path with a secret, because the files of a kit contain it.
 *
 * @param {string} path
 */
function healthPath (path) {
  if (pathWithoutSecrets(path) === path) return path
  throw badOption('--path', pathWithoutSecrets(path), 'it contains a secret, and the files of a kit hold none',
    'Name the path of a health check without one.')
}

/**
 * Returns the number of processes per instance in the topology.
 *
 * @param {Topology} topology
 * @param {{ processes?: number, from?: string }} options
 */
function countProcesses ({ server }, { processes, from }) {
  if (server?.instances !== 'max') return server?.instances ?? 1
  if (processes === undefined && from === undefined) {
    throw badOption('--target', undefined,
      `${server.manager}:max is one process per core, and the cores of the other machine are unknown`,
      'Set their number with --processes, or name a sizing with --from.')
  }
  return 1
}

const NETWORK = /^([\d.]+|[\da-f:]+)(\/\d{1,3})?$/i

/** @param {string} text */
function parseNetwork (text) {
  if (NETWORK.test(text)) return text
  throw badOption('--trust', text, 'it takes a network such as 10.0.0.0/8')
}

/**
 * Writes the files of a kit. Checks first that they overwrite nothing.
 *
 * @param {string} dir
 * @param {Record<string, string>} files
 * @param {{ force: boolean }} options
 * @throws {HopbenchError} kit-in-the-way, kit-not-writable
 */
function writeKit (dir, files, { force }) {
  const existing = statSync(dir, { throwIfNoEntry: false })
  if (existing && !existing.isDirectory()) throw new HopbenchError('kit-not-writable', { dir, why: 'it is a file' })
  const names = Object.keys(files).sort()
  const taken = names.filter(name => lstatSync(join(dir, name), { throwIfNoEntry: false }))
  if (taken.length > 0 && !force) throw new HopbenchError('kit-in-the-way', { dir, files: taken })
  try {
    for (const name of names) {
      makeFolder(dirname(join(dir, name)))
      const mode = name.endsWith('.sh') ? 0o755 : 0o644
      writeFileSync(join(dir, name), files[name], { flag: force ? 'w' : 'wx', mode })
    }
  } catch (error) {
    if (!isSystemError(error)) throw error
    throw new HopbenchError('kit-not-writable', { dir, why: describeFileError(error) }, { cause: error })
  }
}

const require = createRequire(import.meta.url)
/** Matches imports of packages, but not those of node: modules or files. */
const IMPORT = /(?:^import .* from |\bimport\()'((?:@[\w.-]+\/)?[\w.-]+)'/gm

/**
 * @param {string} name of a server that serves JSON
 * @returns {Record<string, string>} text by file
 */
function exampleFiles (name) {
  const code = readOwnText(pluginFile('server', name))
  const dependencies = Object.fromEntries([...code.matchAll(IMPORT)].map(([, packaged]) =>
    [packaged, `^${require(`${packaged}/package.json`).version}`]))
  return {
    'app.mjs': code.replace(/^\/\*\* @import .*\n/gm, ''),
    'files/1kb.json': jsonFixture(),
    'package.json': `${JSON.stringify({ name: `${name}-kit`, private: true, dependencies }, null, 2)}\n`
  }
}
