/** Writes a deploy kit for a topology and the project in the current folder (`hopbench config --target`). */
import { existsSync, lstatSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { HopbenchError, badOption, shellWord } from '../../../errors.js'
import { callerCwd } from '../../../machine/caller-cwd.js'
import { describeFileError, isSystemError } from '../../../machine/files/file-failures.js'
import { readOwnText } from '../../../machine/files/own-files.js'
import { getServedPrefixes } from '../../../plan/file-prefixes.js'
import { hasTls, usesBrotli, usesSocket } from '../../../plan/predicates.js'
import { isOwn, isPath, print } from '../../../plan/spec.js'
import { loadPlugin, pluginFile } from '../../../plan/plugins.js'
import { isWithin } from '../../../shared/paths.js'
import { pathWithoutSecrets } from '../../../shared/secrets.js'
import { APP_PORT, CONTAINER_RUN, getNginxUnit, listBuildSecrets, listCompressed, toView } from './kit-view.js'
import { TARGETS, describeTlsEnd } from './targets.js'
import { armFrom } from '../../../request/request.js'
import { trustedRun } from '../../../run/stored-run.js'
import { exampleFacts, projectFacts } from './app-facts.js'
import { describeExposed, describeLeftOut, findContext } from './context.js'
import { findName, findRoot, readManifest, toProjectPath, toProjectPrefixes } from '../../../request/project-paths.js'
import { rejectUnfit } from './reject-unfit.js'
import { settingsOf } from './sized.js'
import { findFlyName, mergeFiles } from './platform-files.js'
import { findHealthPath } from './stored-app.js'
import { findBuilt } from '../../../measure/built-folders.js'
import { makeFolder } from '../../../machine/files/make-folder.js'
import { createRequire } from 'node:module'
import { jsonFixture } from '../../../topology/fixtures/fixtures.js'
import Handlebars from 'handlebars'
import { rejectControlCharacters } from '../../../topology/describe/config-values.js'
import { describe } from '../../../topology/describe/describe.js'

/** @import { Arm, BuiltFolder, FilePrefix, OptionValue, ProxyPlugin, Topology } from '../../../types.js' */
/** @import { CloudRun } from './targets.js' */
/** @import { ImageContext, KitFacts, KitRequest } from './types.js' */

const templates = new URL('templates/', import.meta.url)
/** Debian 12's nginx, which the Dockerfile installs. Later versions accept the same configuration. */
const NGINX = '1.22.1'
/** Files of a kit that its image contains, if the kit has them. */
const IN_IMAGE = ['start.sh', 'nginx.conf', 'serve.mjs', 'compress.sh', 'keep-builds.sh']

/**
 * @param {KitRequest} request
 * @returns {Record<string, string>} texts by file name
 * @throws {HopbenchError} bad-option, bad-topology, config-value
 */
export function kitFiles (request) {
  const { target, facts, proxy } = request
  const built = findKitBuilt(request)
  const view = toView(request, built)
  rejectControlCharacters(view, `the deploy kit for ${target}`)
  const own = facts.image
    ? namesWithImage(request)
    : ['start.sh', ...facts.app === null ? [] : ['serve.mjs'], ...TARGETS[target].templates,
        ...view.hasSocketUnit ? ['unit.socket'] : [], ...view.isSplit ? ['unit-nginx.service'] : []]
  const names = [...own, ...view.compressed.length > 0 ? ['compress.sh'] : [],
    ...view.keepBuilds > 0 ? ['keep-builds.sh'] : []]
  return {
    ...Object.fromEntries(names.map(file => [toFileName(file, view), render(file, view)])),
    ...proxy && { 'nginx.conf': renderNginxConf(request, proxy, built) }
  }
}

/**
 * Finds folders of files with hashes in their names that a builder alone writes.
 * @param {KitRequest} request
 */
const findKitBuilt = ({ topology, facts: { files, root } }) =>
  findBuilt({ ...topology, files }, resolve(callerCwd(), root ?? '.'))

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
 * @param {{ name: string, nginxUnit: string }} units names
 */
function toFileName (file, { name, nginxUnit }) {
  if (file === 'unit.socket') return `${nginxUnit}.socket`
  if (file.startsWith('unit')) return file.replace('unit', name)
  if (file === 'nginx.Dockerfile') return 'Dockerfile'
  return file === 'compose-beside.yaml' ? 'compose.yaml' : file
}

/**
 * @param {string} file
 * @param {object} view
 */
function render (file, view) {
  const text = readTemplate(file)
  if (file.endsWith('.mjs')) return text
  const partials = { hardening: Handlebars.compile(readTemplate('hardening.conf')) }
  return Handlebars.compile(text, { noEscape: true, strict: true })(view, { partials }).replace(/\n{3,}/g, '\n\n')
}

/** @param {string} file */
const readTemplate = file => readOwnText(new URL(file, templates))

/**
 * @param {KitRequest} request
 * @param {ProxyPlugin} plugin
 * @param {BuiltFolder[]} built
 */
function renderNginxConf (request, plugin, built) {
  const { topology, target, facts, clients, trusted, keepBuilds } = request
  const { root, files, image } = facts
  const { routers, clientHeader, drainSeconds, accessLog, port, keepAliveSeconds, hasOwnCores } = TARGETS[target]
  const unit = getNginxUnit({ topology, facts })
  const secrets = target === 'systemd' ? `/run/credentials/${unit}.service` : '/run/secrets'
  const { proxy } = describe({ ...topology, files }, {
    dir: '@RUN@',
    root: root === null ? '@HERE@' : `@HERE@/${root}`,
    built,
    ports: { front: port, origin: APP_PORT },
    ...image && { beside: { host: 'app', dir: CONTAINER_RUN } },
    clients,
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
      temp: '@TEMP@/',
      ...keepBuilds && { attic: '@ATTIC@/files' }
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
 * @property {boolean} [trustRun] permits a run that this account has not made here
 * @property {string} [path] path of the health check
 * @property {number} [keepBuilds] earlier builds whose files nginx sends, too
 * @property {string} [plan]
 * @property {number} [processes]
 * @property {number} [instances]
 * @property {number} [memory] MiB
 * @property {string[]} [trust] networks of routers
 * @property {string} [build] command that builds the app in the image
 * @property {string | false} [dockerfile] of the app; false: the kit's, even if the project has one
 * @property {Record<string, OptionValue>} [proxyOptions] further options of the proxy in the files
 * @property {number} [nodeLine] line of Node in the image (default: the one for production)
 */

/**
 * @typedef {object} MadeKit
 * @property {string} dir relative to the directory from which hopbench was started
 * @property {string[]} files
 * @property {FilePrefix[]} published folders of the project
 * @property {string[]} notes lines about the app, and about files that the image does not get, or should not get
 * @property {string[]} next commands to type
 * @property {string[]} rollout commands that replace the app by its next build
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
 * @throws {HopbenchError} cannot-deploy, not-sized, kit-in-the-way, kit-not-writable, bad-option, config-value,
 * untrusted-run
 */
export async function makeKit ({ topology, load }, options) {
  const { target, from, keepBuilds } = options
  const { server, proxy: hop } = topology
  const spec = print(topology)
  const proxy = hop && (await loadPlugin('proxy', hop.name)).default
  const isExample = server !== null && !isOwn(server)
  await rejectUnfit({ topology, spec, target, proxy, keepBuilds })
  const out = resolve(callerCwd(), options.out)
  const project = isExample ? out : callerCwd()
  const folder = toProjectPath(project, out, '--out')
  const kit = folder && `${folder}/`
  const stored = from === undefined ? null : await trustedRun(from, options)
  const processes = countProcesses(topology, options)
  const { settings, sized, cloudRun = null } = settingsOf(
    { spec, target, processes, hasProxy: hop !== null, server: server?.name }, options, stored?.record ?? null)
  const flyName = target === 'fly' && !isExample ? findFlyName(project) : null
  const appFiles = isExample ? exampleFiles(server.name) : {}
  const known = {
    name: isExample ? server.name : flyName ?? findName(project),
    kit,
    root: server ? null : findRoot(project, options.root, out),
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
  const context = options.isTrial ? null : await findKitContext(known, { project, target, spec, examples: appFiles })
  const facts = { ...known, context }
  const trusted = parseNetworks(options.trust ?? [], spec, hop !== null)
  const shown = { topology: withProxyOptions(topology, options), spec, target, proxy, trusted, facts, keepBuilds }
  const own = kitFiles({ ...shown, clients: load.connections })
  const merged = mergeFiles(isExample ? null : project, own, facts.image ? null : `sh ${kit}start.sh`)
  const files = { ...merged.files, ...appFiles }
  if (facts.image && Object.hasOwn(files, relative(out, join(project, facts.image.file)))) {
    throw badOption('--out', options.out, `the kit would overwrite ${facts.image.file} of the app`,
      'Name another folder inside the project, as in --out ./deploy.')
  }
  if (!options.isTrial) writeKit(out, files, { force: options.force ?? false })
  const notes = options.isTrial
    ? []
    : [...facts.warnings, ...merged.notes, ...describeFiles(facts, { project, target }),
        ...describeFront(topology, target, trusted)]
  const dir = relative(callerCwd(), out) || '.'
  const { next, rollout } = listNext(topology, options, { facts, files, cloudRun, isCreated: flyName !== null })
  const before = isExample ? [`cd ${shellWord(dir)}`] : adviseBuild(project, facts, options)
  return {
    dir,
    files: Object.keys(files).sort(),
    published: facts.files,
    notes,
    next: [...before, ...next],
    rollout,
    ownImage: facts.image !== null,
    nodeLine: facts.node?.major ?? null
  }
}

/**
 * @param {Topology} topology
 * @param {string} target
 * @param {string[]} trusted networks
 */
function describeFront (topology, target, trusted) {
  const { endsTls, provider, routers } = TARGETS[target]
  const front = { router: endsTls ? provider : null, hasNginx: topology.proxy !== null, tls: hasTls(topology) }
  return topology.server ? [describeTlsEnd({ ...front, trusts: routers.length + trusted.length > 0 })] : []
}

/**
 * @param {Topology} topology
 * @param {KitOptions} options
 */
const withProxyOptions = ({ proxy, ...hops }, { proxyOptions }) =>
  ({ ...hops, proxy: proxy && { ...proxy, options: { ...proxy.options, ...proxyOptions } } })

/**
 * Finds the files of the image that a kit builds.
 *
 * @param {Omit<KitFacts, 'context'>} facts
 * @param {{ project: string, target: string, spec: string, examples: Record<string, string> }} kit examples: files of
 *   an example app, which are written with the kit
 * @returns {Promise<ImageContext | null>} null: the kit has no ignore file
 */
async function findKitContext (facts, { project, target, spec, examples }) {
  const { kit, app, command, node, python, image, root } = facts
  const folders = [...facts.files.map(({ folder }) => folder), ...root === null ? [] : [root]]
  const hasApp = image === null && root === null
  if (!TARGETS[target].templates.includes('Dockerfile.dockerignore') || (!hasApp && folders.length === 0)) return null
  const words = command?.run.split(/[\s'"=;&|()]+/).map(word => word.replace(/^\.\//, '')) ?? []
  const packages = [node?.files, python?.files].flatMap(names => names?.split(' ') ?? [])
  const needed = [...packages, ...app === null ? [] : [app], ...words].filter(name => name !== '')
  return await findContext({
    project,
    scope: hasApp || folders.includes('') ? null : folders,
    folders,
    needed,
    environments: python?.environments ?? [],
    own: [...IN_IMAGE.map(name => `${kit}${name}`), ...Object.keys(examples)],
    kit: { spec, target }
  })
}

/**
 * Describes which files the images do not get, and which secrets the build of the project's own Dockerfile or a copy of
 * the project would get.
 *
 * @param {Pick<KitFacts, 'context' | 'image'>} facts
 * @param {{ project: string, target: string }} kit
 * @returns {string[]} lines
 */
const describeFiles = ({ context, image }, { project, target }) => [
  ...context ? describeLeftOut(context) : [],
  ...image || target === 'systemd' ? describeExposed(project, image?.file ?? null) : []
]

/**
 * Lists the commands that deploy a kit, and those of each later rollout.
 *
 * @param {Topology} topology
 * @param {Pick<KitOptions, 'target' | 'build' | 'keepBuilds'>} options
 * @param {{ facts: KitFacts, files: Record<string, string>, cloudRun: CloudRun | null, isCreated: boolean }} kit files:
 *   texts by name
 */
function listNext (topology, { target, build, keepBuilds }, { facts, files, cloudRun, isCreated }) {
  const { kit, image } = facts
  const { next, rollout } = TARGETS[target]
  const known = {
    ...facts,
    ...facts.settings,
    nginx: topology.proxy !== null,
    node: facts.node !== null,
    brotli: usesBrotli(topology.proxy),
    compresses: listCompressed({ topology, facts }).length > 0,
    tls: hasTls(topology),
    dockerfile: image?.file ?? `${kit}Dockerfile`,
    hasImage: image !== null,
    build: build ?? null,
    secrets: listBuildSecrets(facts.node),
    units: Object.keys(files).filter(file => /\.(service|socket)$/.test(file)).sort().reverse(),
    cloudRun,
    isCreated,
    keepsBuilds: keepBuilds !== undefined,
    followsApp: image !== null && topology.proxy !== null && !usesSocket(topology.proxy) && facts.files.length === 0
  }
  return { next: next(known), rollout: rollout(known) }
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

/**
 * @param {string[]} networks
 * @param {string} spec
 * @param {boolean} hasProxy
 */
function parseNetworks (networks, spec, hasProxy) {
  const wrong = networks.find(text => !NETWORK.test(text))
  if (wrong !== undefined) throw badOption('--trust', wrong, 'it takes a network such as 10.0.0.0/8')
  if (hasProxy || networks.length === 0) return networks
  throw badOption('--trust', networks[0], `it is about nginx, and ${spec} has none`,
    'Leave it out: the app itself trusts its load balancer.')
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
  const names = Object.keys(files).sort()
  rejectLinks(dir, names)
  const taken = names.filter(name => existsSync(join(dir, name)))
  if (taken.length > 0 && !force) throw new HopbenchError('kit-in-the-way', { dir, files: taken })
  try {
    for (const name of names) {
      const path = join(dir, name)
      makeFolder(dirname(path))
      // A file with a second name outside the kit keeps its text there.
      if (force) rmSync(path, { force })
      writeFileSync(path, files[name], { flag: 'wx', mode: name.endsWith('.sh') ? 0o755 : 0o644 })
    }
  } catch (error) {
    if (!isSystemError(error)) throw error
    throw new HopbenchError('kit-not-writable', { dir, why: describeFileError(error) }, { cause: error })
  }
}

/**
 * Rejects a kit that would be written through a symbolic link, and a file in place of a folder.
 *
 * @param {string} dir
 * @param {string[]} names of files
 * @throws {HopbenchError} kit-not-writable
 */
function rejectLinks (dir, names) {
  const top = isWithin(callerCwd(), dir) ? callerCwd() : dirname(dir)
  const folders = new Set(names.flatMap(name => listFolders(top, dirname(join(dir, name)))))
  for (const path of [...folders, ...names.map(name => join(dir, name))]) {
    const stats = lstatSync(path, { throwIfNoEntry: false })
    const why = stats?.isSymbolicLink()
      ? `${relative(top, path)} is a symbolic link`
      : stats && folders.has(path) && !stats.isDirectory() ? 'it is a file' : null
    if (why !== null) throw new HopbenchError('kit-not-writable', { dir, why })
  }
}

/**
 * Lists a folder and those above it.
 *
 * @param {string} top folder, which is not part of the list
 * @param {string} folder
 * @returns {string[]} from the top
 */
const listFolders = (top, folder) =>
  folder === top || !isWithin(top, folder) ? [] : [...listFolders(top, dirname(folder)), folder]

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
