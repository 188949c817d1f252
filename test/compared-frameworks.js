/**
 * Renews the check of the servers that frameworks and runtimes bring along: `npm run compared -- --frameworks
 * [server …]`. Builds a small app of each framework with the newest release of its packages, by npm in the cache of
 * programs, and checks the server of the build; the result is stored in results/reference/check.json. Without names it
 * measures all of them against nginx, too.
 */
import { copyFileSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { badOption, shellWord } from '../bench/errors.js'
import { makeSite } from '../bench/features/check/site.js'
import { makeFolder } from '../bench/machine/files/make-folder.js'
import { findRuntime } from '../bench/machine/setup/runtime.js'
import { findCurrentLts, runtimes } from '../bench/plan/runtimes.js'
import { writeCheck } from '../bench/store/check-results.js'
import { REFERENCE_DIR } from '../bench/store/store.js'
import { withholdSafety } from './support/withhold-safety.js'
import { npm } from './compared-renew.js'
import { measureServers } from './compared-throughput.js'
import { appsFolder, cachedApp } from './support/advised-apps.js'
import { hopbench, makeWorkspace, project } from './support/cli.js'

/** @import { CheckRecord, FoundRuntime, ServerAbout } from '../bench/types.js' */

/** Limit of the check of one server without proxies, which takes a minute. */
const CHECK_SECONDS = 600
const SITE_MODULE = join(project, 'bench/features/check/site.js')
/** Folder in an app with the files of the check, beside those that must not be served. */
const SITE = 'hopbench-site'

/**
 * @typedef {object} Framework
 * @property {string} title
 * @property {string} package whose version is printed
 * @property {string} settings
 * @property {string} app folder of test/support/advised-apps/
 * @property {string} source folder in the app with files that the build copies
 * @property {string} served folder of the build with files
 * @property {string} start command of the build
 * @property {ServerAbout['compression']} [compression] default: none
 * @property {string[]} [aligned] packages of the app whose version is that of the package
 * @property {string[]} [unbuilt] files of the check that end the build with an error
 * @property {Record<string, string | null>} [files] texts of files of the app for the newest release; null: removed
 */
/** Configuration of SvelteKit 3. */
const SVELTEKIT = `import adapter from '@sveltejs/adapter-node'
import { sveltekit } from '@sveltejs/kit/vite'

export default { plugins: [sveltekit({ adapter: adapter({ precompress: true }) })] }
`
/** Frameworks by the name of their server. @type {Record<string, Framework>} */
export const FRAMEWORKS = {
  'next-standalone': {
    title: 'Next.js',
    package: 'next',
    settings: "output: 'standalone'",
    app: 'next',
    source: 'public',
    served: '.next/standalone/public',
    start: 'node .next/standalone/server.js',
    compression: 'on-the-fly'
  },
  'react-router-serve': {
    title: 'React Router',
    package: '@react-router/serve',
    settings: 'the command react-router-serve',
    app: 'react-router',
    source: 'public',
    served: 'build/client',
    start: 'node_modules/.bin/react-router-serve ./build/server/index.js',
    compression: 'on-the-fly',
    aligned: ['@react-router/dev', '@react-router/node', 'react-router']
  },
  'sveltekit-node': {
    title: 'SvelteKit with adapter-node',
    package: '@sveltejs/adapter-node',
    settings: 'precompress: true',
    app: 'sveltekit',
    source: 'static',
    served: 'build/client',
    start: 'node build/index.js',
    compression: 'precompressed',
    files: { 'vite.config.js': SVELTEKIT, 'svelte.config.js': null }
  },
  nitro: {
    title: 'Nitro',
    package: 'nitropack',
    settings: 'the preset node-server',
    app: 'nitro',
    source: 'public',
    served: '.output/public',
    start: 'node .output/server/index.mjs',
    unbuilt: ['100%.txt']
  }
}

/** Servers of runtimes: a program in test/support/served-apps/ for each. @type {Record<string, string>} */
export const RUNTIME_SERVERS = { 'bun-serve': 'bun' }

/**
 * Returns the command that starts the server of a build. Links each file of the check into its folder of files, because
 * files that the build adds, such as compressed ones, must remain.
 * @param {Pick<Framework, 'served' | 'start'>} framework
 * @param {string} node program
 */
export const toCommand = ({ served, start }, node) =>
  `mkdir -p ${served} && cp -rsf "$ROOT/." ${served}/ && ` +
  `PATH=${shellWord(dirname(node))}:$PATH exec ${start}`

/**
 * Gives the sources of an app the files of the check, because some builds list their files, and the newest releases.
 * @param {string} dir
 * @param {Pick<Framework, 'source' | 'package' | 'aligned' | 'files' | 'unbuilt'>} framework
 * @param {string} version newest release of the package
 */
export function prepareSources (dir, { source, package: main, aligned = [], files = {}, unbuilt = [] }, version) {
  for (const [name, text] of Object.entries(files)) {
    if (text === null) rmSync(join(dir, name))
    else writeFileSync(join(dir, name), text)
  }
  rmSync(join(dir, source), { recursive: true, force: true })
  makeFolder(join(dir, SITE))
  const { root } = makeSite(join(dir, SITE))
  // Builds copy the targets of symbolic links.
  const links = readdirSync(root, { withFileTypes: true }).filter(entry => entry.isSymbolicLink())
  for (const name of [...links.map(({ name }) => name), ...unbuilt]) rmSync(join(root, name))
  symlinkSync(root, join(dir, source))
  const file = join(dir, 'package.json')
  const { dependencies = {}, devDependencies = {}, ...rest } = JSON.parse(readFileSync(file, 'utf8'))
  const toNewest = (/** @type {object} */ list) => Object.fromEntries(Object.keys(list).map(name =>
    [name, name === main || aligned.includes(name) ? version : 'latest']))
  writeFileSync(file, JSON.stringify({
    ...rest, dependencies: toNewest(dependencies), devDependencies: toNewest(devDependencies)
  }))
}

/**
 * Builds the app of a framework if the cache lacks it.
 * @param {Framework} framework
 * @param {string} node program
 * @param {string} version newest release of the package
 */
const build = (framework, node, version) => cachedApp(framework.app, {
  key: [version, node, JSON.stringify(framework), readFileSync(SITE_MODULE)].join('\n'),
  change: dir => prepareSources(dir, framework, version),
  env: { PATH: `${dirname(node)}:${process.env.PATH}` }
})

/**
 * Returns the record of a check of an app as one of a server with a package.
 * @param {CheckRecord} record
 * @param {{ about: ServerAbout, version: string, node: string }} facts
 * @returns {CheckRecord}
 */
export const withFacts = (record, facts) =>
  ({ ...record, servers: record.servers.map(server => ({ ...server, ...facts })) })

/**
 * Checks a command without proxies.
 * @param {string} name
 * @param {string} command
 * @param {string} cwd
 * @returns {Promise<CheckRecord>}
 */
async function check (name, command, cwd) {
  /** @type {(() => unknown)[]} */
  const undos = []
  const workspace = makeWorkspace({ teardown: undo => undos.unshift(undo) })
  try {
    const args = ['check', '--app', `${name}=${command}`, '--bare', '--json', '--results', workspace.results]
    const { exit, stdout, stderr } = await hopbench(args, { workspace, cwd, timeoutSeconds: CHECK_SECONDS })
    const record = JSON.parse(stdout || '{}')
    // The exit code is 1 also if a probe of safety fails.
    if (!record.servers) throw new Error(`${name}: the check failed with code ${exit}: ${stderr}${stdout}`)
    return record
  } finally {
    for (const undo of undos) await undo()
  }
}

/**
 * @param {string[]} typed names of servers; none: all
 * @returns {Promise<number>} exit code
 * @throws {HopbenchError} bad-option
 */
export async function renewFrameworks (typed) {
  const all = [...Object.keys(FRAMEWORKS), ...Object.keys(RUNTIME_SERVERS)]
  const unknown = typed.find(name => !all.includes(name))
  if (unknown !== undefined) {
    throw badOption('--frameworks', unknown, 'no server of a framework has this name', `Take ${all.join(', ')}.`)
  }
  const lts = String(findCurrentLts(new Date().toISOString()))
  const node = await findRuntime(lts, runtimes[lts])
  /** @type {Parameters<typeof measureServers>[0]} */
  const servers = {}
  for (const name of typed.length > 0 ? typed : all) {
    process.stderr.write(`Building and checking ${name}\n`)
    const { dir, program, toCommand, facts } = Object.hasOwn(FRAMEWORKS, name)
      ? await buildFramework(FRAMEWORKS[name], node)
      : await writeRuntimeServer(name)
    const record = withFacts(await check(name, toCommand(program), dir), facts)
    withholdSafety(await writeCheck(record, REFERENCE_DIR))
    for (const { chains, version } of record.servers) {
      const failed = chains.flatMap(({ results }) => results.filter(({ outcome }) => outcome === 'fail'))
      process.stdout.write(`${name} ${version}: ${failed.length} of ${record.probes.length} probes failed: ${
        failed.map(({ probe }) => probe).join(', ')}\n`)
    }
    // The links of the check lead to files that are gone.
    const command = `export ROOT="$PWD/${SITE}/files"; ${toCommand(relative(dir, program))}`
    servers[name] = { command, cwd: basename(dir) }
  }
  // A run with few of the servers would replace the one with all.
  if (typed.length === 0) process.stdout.write(`Filed ${await measureServers(servers, appsFolder())}\n`)
  return 0
}

/**
 * @typedef {object} BuiltServer
 * @property {string} dir its folder, in that of the apps
 * @property {string} program that runs it
 * @property {(program: string) => string} toCommand
 * @property {{ about: ServerAbout, version: string, node: string }} facts
 */

/**
 * @param {Framework} framework
 * @param {FoundRuntime} node
 * @returns {Promise<BuiltServer>}
 */
async function buildFramework (framework, { program, runtime }) {
  const newest = (await npm(['view', framework.package, 'version'], project)).trim()
  const dir = await build(framework, program, newest)
  const { version } = JSON.parse(readFileSync(join(dir, 'node_modules', framework.package, 'package.json'), 'utf8'))
  const facts = { about: toAbout(framework), version, node: runtime.version }
  return { dir, program, toCommand: program => toCommand(framework, program), facts }
}

/**
 * @param {string} name
 * @returns {Promise<BuiltServer>}
 */
async function writeRuntimeServer (name) {
  const runtime = runtimes[RUNTIME_SERVERS[name]]
  const { program } = await findRuntime(RUNTIME_SERVERS[name], runtime)
  const dir = join(appsFolder(), name)
  const file = `${RUNTIME_SERVERS[name]}.js`
  rmSync(dir, { recursive: true, force: true })
  makeFolder(join(dir, SITE), 0o755)
  makeSite(join(dir, SITE))
  copyFileSync(join(project, 'test/support/served-apps', file), join(dir, file))
  const about = toAbout({
    title: runtime.title, package: RUNTIME_SERVERS[name], settings: 'a directory route', compression: 'none'
  })
  return {
    dir,
    program,
    toCommand: program => ['exec', ...[program, ...runtime.args, file].map(shellWord)].join(' '),
    facts: { about, version: runtime.version, node: '' }
  }
}

/**
 * @param {Pick<ServerAbout, 'title' | 'package' | 'settings'> & Partial<Pick<ServerAbout, 'compression'>>} facts
 * @returns {ServerAbout}
 */
const toAbout = ({ title, package: name, settings, compression = 'none' }) =>
  ({ title, package: name, settings, compression, serves: ['static'], bytesFrom: 'disk', fixture: true })
