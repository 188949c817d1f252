/** Writes a deploy kit for a topology and the project in the current folder (`hopbench config --target`). */
import { existsSync, lstatSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { badOption, HopbenchError, shellWord } from '../../errors.js'
import { callerCwd } from '../../machine/caller-cwd.js'
import { describeFileError, isSystemError } from '../../machine/file-failures.js'
import { isPath, print } from '../../plan/word.js'
import { isSpread } from '../../plan/workers.js'
import { loadPlugin } from '../../plugins.js'
import { isTls, kitFiles } from '../../topology/deploy/kit.js'
import { attempt } from '../../shared/attempt.js'
import { TARGETS } from '../../topology/deploy/targets.js'
import { hasProxyOrigin } from '../../topology/proxy-origin.js'
import { storedRun } from '../stored-run.js'
import { exampleFiles } from './example.js'
import { settingsOf } from './sized.js'

/** @import { Arm, ProxyPlugin, ServerAbout, Topology } from '../../types.js' */

/** Forms of a default export, in ESM and CommonJS. */
const DEFAULT_EXPORTS =
  [/\bexport\s+default\b/, /\bexport\s+\{[^}]*\bdefault\b/, /\bmodule\.exports\b/, /\bexports\.default\b/]

/**
 * @param {Arm} arm
 * @param {object} options
 * @param {string} options.target of bench/topology/deploy/targets.js
 * @param {string} options.out folder, as typed
 * @param {boolean} [options.force] overwrites files
 * @param {string} [options.root] folder of files that the proxy serves
 * @param {string} [options.from] stored sizing
 * @param {string} [options.results] folder of runs
 * @param {string} [options.path] path of the health check
 * @param {string} [options.plan]
 * @param {number} [options.processes]
 * @param {number} [options.instances]
 * @param {number} [options.memory] MiB
 * @param {string[]} [options.trust] networks of routers
 * @returns {Promise<{ dir: string, files: string[], next: string[] }>} dir: relative
 * to the directory from which hopbench was started; next: commands to type
 * @throws {HopbenchError} cannot-deploy, not-sized, kit-in-the-way, kit-not-writable, bad-option, config-value
 */
export async function makeKit ({ topology, load }, options) {
  const { target, from, results } = options
  const { server, proxy: hop } = topology
  const word = print(topology)
  const proxy = hop && (await loadPlugin('proxy', hop.name)).default
  const isExample = server !== null && !isPath(server.name)
  await refuseUnfit({ topology, word, target, proxy })
  const out = resolve(callerCwd(), options.out)
  const project = isExample ? out : callerCwd()
  const folder = toProjectPath(project, out, '--out')
  const kit = folder && `${folder}/`
  const stored = from === undefined ? null : await storedRun(from, results)
  const kitOptions = { word, target, processes: countProcesses(topology, options), hasProxy: hop !== null }
  const { settings, sized } = settingsOf(kitOptions, options, stored?.record ?? null)
  const appFiles = isExample ? exampleFiles(server.name) : {}
  const name = isExample ? server.name : findName(project)
  const ownApp = () => server && toProjectPath(project, resolve(project, server.name), 'The app')
  const app = isExample ? 'app.mjs' : ownApp()
  if (app && !isExample) refuseWithoutExport(word, target, resolve(project, app))
  const packageFiles = ['package.json', 'package-lock.json']
    .filter(file => file in appFiles || (!isExample && existsSync(join(project, file))))
  const files = {
    ...kitFiles({
      topology,
      word,
      target,
      proxy,
      clients: load.connections,
      trusted: (options.trust ?? []).map(parseNetwork),
      facts: {
        name,
        kit,
        app,
        root: server ? null : findRoot(project, options.root),
        nodeMajor: Number((stored?.record.environment.node ?? process.versions.node).split('.')[0]),
        install: toInstall(packageFiles),
        // The path that was measured, unless another one was typed.
        path: options.path ?? stored?.record.plan.arms[0]?.load.path ?? load.path,
        settings,
        sized
      }
    }),
    ...appFiles
  }
  writeKit(out, files, { force: options.force ?? false })
  const dir = relative(callerCwd(), out) || '.'
  const nextFacts = {
    kit, name, nginx: hop !== null, node: server !== null, tls: isTls(topology), instances: settings.instances
  }
  const next = [...isExample ? [`cd ${shellWord(dir)}`] : [], ...TARGETS[target].next(nextFacts)]
  return { dir, files: Object.keys(files).sort(), next }
}

/** @param {{ topology: Topology, word: string, target: string, proxy: ProxyPlugin | null }} kit */
async function refuseUnfit ({ topology, word, target, proxy }) {
  const { server, proxy: hop } = topology
  const refuse = (/** @type {string} */ why, /** @type {string} */ remedy) =>
    new HopbenchError('cannot-deploy', { word, target, why, remedy })
  const nginx = (/** @type {string} */ rest) => `Use nginx, as in nginx:uds-keepalive/${rest}.`
  if (hop && !proxy?.about.deploy) {
    throw refuse(`it would have to start ${hop.name}, and kits support only nginx`, nginx(server?.name ?? 'files'))
  }
  if (hasProxyOrigin(topology)) {
    throw refuse(`${server?.name} serves files behind another proxy`, 'Use one proxy for files: nginx/files.')
  }
  if (hop && isSpread(topology)) {
    throw refuse('in a kit all processes of the app share one address',
      `Leave balance out and use a cluster, as in ${server?.name}@cluster:${server?.instances}.`)
  }
  if (server?.manager === 'pm2') {
    throw refuse('the platform restarts a process that ended, which PM2 would prevent',
      `Use a cluster: ${server.name}@cluster:${server.instances}.`)
  }
  const option = Object.keys(server?.options ?? {})[0]
  if (option !== undefined) throw refuse(`a kit cannot set the option ${option} of ${server?.name}`, 'Leave it out.')
  if (target === 'heroku' && (hop?.options.brotli || hop?.options.brotli_static)) {
    throw refuse('the nginx of its buildpack has no Brotli', 'Leave +brotli out, or take +gzip.')
  }
  if (isTls(topology) && TARGETS[target].endsTls) {
    throw refuse(`${target} ends TLS before a request comes in`, 'Leave +tls out.')
  }
  if (server && !isPath(server.name)) {
    /** @type {{ about: ServerAbout }} */
    const { about } = await loadPlugin('server', server.name)
    if (!about.serves.includes('json')) {
      throw refuse(`${server.name} is a server of hopbench, which is only meant for measurements`,
        'Name your own module, as in nginx:uds-keepalive/./my-app.js, or let nginx serve the files: nginx/files.')
    }
  }
}

/**
 * Refuses a module that exports nothing, such as one that listens by itself: its kit would end at once. A module that
 * cannot be read is left to the start script.
 *
 * @param {string} word
 * @param {string} target
 * @param {string} file
 */
function refuseWithoutExport (word, target, file) {
  const text = attempt(() => readFileSync(file, 'utf8'), () => null)
  if (text === null || DEFAULT_EXPORTS.some(form => form.test(text))) return
  throw new HopbenchError('cannot-deploy', {
    word,
    target,
    why: `${basename(file)} has no default export, and a kit starts the handler that a module exports`,
    remedy: 'Export the app, as in "export default app", and listen only where the file is started itself.'
  })
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

/**
 * Returns a path relative to the project. Rejects characters that need quotes in a shell, YAML or a Dockerfile.
 *
 * @param {string} project
 * @param {string} path
 * @param {string} option
 */
function toProjectPath (project, path, option) {
  const found = relative(project, path).split('\\').join('/')
  const why = found.startsWith('..')
    ? `it is outside ${project}, and the kit holds no more than what is in there`
    : /^[\w./-]*$/.test(found) ? null : 'only letters, digits, ".", "_" and "-" may be in its path'
  if (why === null) return found
  throw badOption(option, path, why, 'Start the command in the folder of the project.')
}

/**
 * @param {string} project
 * @param {string} [root]
 */
function findRoot (project, root = './public') {
  const dir = resolve(callerCwd(), root)
  if (!statSync(dir, { throwIfNoEntry: false })?.isDirectory()) {
    throw new HopbenchError('root-missing', { dir, why: 'a kit of nginx/files contains the folder that it serves' })
  }
  return toProjectPath(project, dir, '--root')
}

/**
 * Name of the app, from package.json or else from its folder.
 *
 * @param {string} project
 */
function findName (project) {
  const given = attempt(() => JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')).name, () => null)
  const name = typeof given === 'string' ? given : basename(project)
  return name.toLowerCase().replace(/^@[^/]*\//, '').replace(/[^a-z0-9]+/g, '-').replace(/^-+|-+$/g, '') || 'app'
}

/** @param {string[]} files package.json and package-lock.json, if they exist */
const toInstall = files => files.includes('package.json')
  ? { files: files.join(' '), command: files.length > 1 ? 'npm ci --omit=dev' : 'npm install --omit=dev' }
  : null

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
      mkdirSync(dirname(join(dir, name)), { recursive: true })
      const mode = name.endsWith('.sh') ? 0o755 : 0o644
      writeFileSync(join(dir, name), files[name], { flag: force ? 'w' : 'wx', mode })
    }
  } catch (error) {
    if (!isSystemError(error)) throw error
    throw new HopbenchError('kit-not-writable', { dir, why: describeFileError(error) }, { cause: error })
  }
}
