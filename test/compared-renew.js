/**
 * Renews results/reference/compared.json: `npm run compared -- --renew [server …]` reads from the registry the newest
 * release of each compared package, and checks each server with its pinned and with its newest packages. The newest
 * packages are installed in a folder of their own, so node_modules stays as it is.
 */
import { readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import semver from 'semver'
import { badOption } from '../bench/errors.js'
import { COMPARED_FILE, findChanges, readCompared } from '../bench/features/publish/compared.js'
import { checkFailures, toServerName } from '../bench/judge/check-failures.js'
import { makeFolder } from '../bench/machine/files/make-folder.js'
import { run } from '../bench/machine/process.js'
import { NPM_FLAGS, npmErrors } from '../bench/machine/setup/install.js'
import { serversToCheck } from '../bench/features/check/study.js'
import { findImportedPackages } from '../bench/topology/server-packages.js'
import { pluginFile, pluginNames } from '../bench/plan/plugins.js'
import { hopbench, makeWorkspace, project } from './support/cli.js'
import { OUTSIDE_NPM } from './support/packed.js'
import { copyOfProject } from './support/project.js'

/** @import { CheckRecord } from '../bench/types.js' */
/** @import { Compared, ComparedCheck, Release } from '../bench/features/publish/compared.js' */
/** @import { Scope, Workspace } from './support/cli.js' */

const NPM_SECONDS = 120 // Limit of one request to the registry, or of a lock file; both take seconds.
const CHECK_SECONDS = 1800 // Limit of the check of all servers without proxies, which takes minutes.
/** Days after the first release of a major version until which a server may stay behind it. */
export const MAX_DAYS_BEHIND = 60
const DAY_MS = 86_400_000

/** @typedef {Record<string, string>} Versions by package */

/**
 * Calls npm outside of this project, and returns its output.
 * @param {string[]} args
 * @param {string} cwd
 */
export async function npm (args, cwd) {
  const { exit, stdout, stderr } = await run([...OUTSIDE_NPM, 'npm', ...args], { cwd, timeoutSeconds: NPM_SECONDS })
  if (exit !== 0) throw new Error(`npm ${args.join(' ')} failed: ${npmErrors(`${stdout}\n${stderr}`)}`)
  return stdout
}

/**
 * Returns the newest release of a package.
 * @param {{ 'dist-tags': Record<string, string>, time: Record<string, string> }} published as npm prints it
 * @param {string} read day of the request
 * @returns {Release}
 */
export function toRelease ({ 'dist-tags': { latest }, time }, read) {
  const ofMajor = Object.keys(time).filter(version =>
    semver.valid(version) && semver.major(version) === semver.major(latest) && !semver.prerelease(version))
  const major = ofMajor.map(version => time[version]).sort()[0]
  return { newest: latest, released: time[latest].slice(0, 10), major: major.slice(0, 10), read }
}

/**
 * Lists the packages whose pinned major version has been behind the newest one for too long, by the day on which the
 * newest release was read.
 * @param {Versions} pinned
 * @param {Record<string, Release>} packages
 * @returns {string[]} packages with both versions
 */
export const listOverdue = (pinned, packages) => Object.entries(pinned).flatMap(([name, version]) => {
  const { newest, major, read } = packages[name]
  const days = (Date.parse(read) - Date.parse(major)) / DAY_MS
  return semver.major(version) < semver.major(newest) && days > MAX_DAYS_BEHIND ? [`${name} ${version}: ${newest}`] : []
})

/**
 * Returns the compared packages of each server of files.
 * @returns {Promise<Map<string, string[]>>}
 */
export async function packagesByServer () {
  const plugins = pluginNames('server')
  const names = (await serversToCheck([])).filter(name => plugins.includes(name))
  const packages = names.map(name => findImportedPackages(readFileSync(pluginFile('server', name), 'utf8')))
  return new Map(names.map((name, i) => /** @type {const} */ ([name, packages[i]])).filter(([, list]) => list.length))
}

/**
 * Returns the versions of the lock file.
 * @param {Iterable<string>} names of packages
 * @returns {Versions}
 */
export function pinnedVersions (names) {
  const { packages } = JSON.parse(readFileSync(join(project, 'package-lock.json'), 'utf8'))
  return Object.fromEntries([...names].map(name => [name, packages[`node_modules/${name}`].version]))
}

/**
 * Copies the project, with a lock file of other packages in place of its own and without the pinned ones, so that the
 * copy installs the others into the cache as an installed hopbench does.
 * @param {Scope} scope
 * @param {Versions} versions
 */
async function copyWithVersions (scope, versions) {
  const copy = copyOfProject(scope, { modules: 'none' })
  const { dir } = makeWorkspace(scope)
  writeFileSync(join(dir, 'package.json'), JSON.stringify({ name: 'newest', dependencies: versions }))
  await npm(['install', '--package-lock-only', ...NPM_FLAGS], dir)
  rmSync(join(copy, 'package-lock.json'))
  writeFileSync(join(copy, 'compared-lock.json'), readFileSync(join(dir, 'package-lock.json')))
  const { dependencies } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'))
  for (const name of Object.keys(dependencies).filter(name => !(name in versions))) {
    const path = join(copy, 'node_modules', name)
    makeFolder(dirname(path))
    symlinkSync(join(project, 'node_modules', name), path)
  }
  return copy
}

/**
 * Checks servers without proxies.
 * @param {string[]} names
 * @param {{ workspace: Workspace, from?: string }} options
 * @returns {Promise<CheckRecord>}
 */
async function checkServers (names, options) {
  const args = ['check', ...names, '--bare', '--json', '--results', options.workspace.results]
  const { exit, stdout, stderr } = await hopbench(args, { ...options, timeoutSeconds: CHECK_SECONDS })
  if (exit !== 0) throw new Error(`hopbench ${args.join(' ')} failed: ${stderr}`)
  return JSON.parse(stdout)
}

/**
 * Returns what a check found in each form of the servers.
 * @param {CheckRecord} record
 * @param {Map<string, string[]>} packages by server
 * @param {Versions} versions that were to be checked
 * @returns {Map<string, ComparedCheck>}
 */
export const toChecks = (record, packages, versions) => new Map(record.servers.map(({ name, about, ...server }) => {
  const failures = checkFailures(record, name)
  const list = packages.get(toServerName(name)) ?? []
  if (!failures) throw new Error(`${name} was not checked: ${server.chains[0]?.error}`)
  if (about?.package && server.version !== versions[about.package]) {
    throw new Error(`${name} was checked with ${about.package} ${server.version}, not ${versions[about.package]}`)
  }
  return [name, {
    versions: Object.fromEntries(list.map(name => [name, versions[name]])),
    day: server.checkedAt.slice(0, 10),
    node: server.node,
    probes: record.probes.length,
    failed: failures.map(({ name }) => name)
  }]
}))

/**
 * Prints a list with an entry in each line.
 * @param {Compared} compared
 */
export function toText ({ packages, servers }) {
  const print = (/** @type {Record<string, unknown>} */ entries) => Object.keys(entries).sort()
    .map(name => `${JSON.stringify(name)}:${JSON.stringify(entries[name])}`).join(',\n')
  return `{"packages":{\n${print(packages)}\n},"servers":{\n${print(servers)}\n}}\n`
}

/**
 * @param {string[]} typed names of servers; none: all
 * @param {string[]} others compared packages of no server
 * @returns {Promise<number>} exit code
 */
export async function renew (typed, others) {
  const all = await packagesByServer()
  const unknown = typed.find(name => !all.has(name))
  if (unknown !== undefined) {
    throw badOption('--renew', unknown, 'no server of files with npm packages has this name',
      `Take ${[...all.keys()].join(', ')}.`)
  }
  const names = typed.length > 0 ? typed : [...all.keys()]
  const wanted = [...new Set([...names.flatMap(name => all.get(name) ?? []), ...others])]
  const today = new Date().toISOString().slice(0, 10)
  /** @type {(() => unknown)[]} */
  const undos = []
  const scope = { teardown: (/** @type {() => unknown} */ undo) => undos.unshift(undo) }
  try {
    const workspace = makeWorkspace(scope)
    /** @type {Record<string, Release>} */
    const releases = {}
    for (const name of wanted) {
      const published = await npm(['view', name, 'dist-tags', 'time', '--json'], workspace.dir)
      releases[name] = toRelease(JSON.parse(published), today)
    }
    const pinned = pinnedVersions(wanted)
    const newest = Object.fromEntries(wanted.map(name => [name, releases[name].newest]))
    const behind = names.filter(server => all.get(server)?.some(name => pinned[name] !== newest[name]))
    process.stderr.write(`Checking ${names.join(', ')}${behind.length > 0 ? `; anew: ${behind.join(', ')}` : ''}\n`)
    const atPinned = toChecks(await checkServers(names, { workspace }), all, pinned)
    const from = behind.length > 0 ? await copyWithVersions(scope, newest) : undefined
    const checkNewest = async (/** @type {string[]} */ names) => names.length === 0
      ? new Map()
      : toChecks(await checkServers(names, { workspace: makeWorkspace(scope), from }), all, newest)
    const atNewest = await checkNewest(behind)
    const before = readCompared() ?? { packages: {}, servers: {} }
    let servers = toServers(atPinned, atNewest)
    const changed = behind.filter(name => Object.entries(servers).some(([form, server]) =>
      toServerName(form) === name && Object.values(findChanges(server)).flat().length > 0))
    if (changed.length > 0) {
      process.stderr.write(`Checking once more, because outcomes differ: ${changed.join(', ')}\n`)
      servers = toServers(
        keepRepeated(atPinned, toChecks(await checkServers(changed, { workspace }), all, pinned)),
        keepRepeated(atNewest, await checkNewest(changed)))
    }
    const renewed = {
      packages: { ...before.packages, ...releases },
      servers: { ...before.servers, ...servers }
    }
    writeFileSync(COMPARED_FILE, toText(renewed))
    for (const [name, server] of Object.entries(servers)) process.stdout.write(`${name}: ${describe(server)}\n`)
    return 0
  } finally {
    for (const undo of undos) await undo()
  }
}

/**
 * @param {Map<string, ComparedCheck>} atPinned by form
 * @param {Map<string, ComparedCheck>} atNewest
 * @returns {Compared['servers']}
 */
const toServers = (atPinned, atNewest) => Object.fromEntries([...atPinned].map(([name, pinned]) =>
  [name, { pinned, newest: atNewest.get(name) ?? null }]))

/**
 * Keeps the failures that a second check repeats, because probes with time limits can fail on a busy machine.
 * @param {Map<string, ComparedCheck>} checks by form
 * @param {Map<string, ComparedCheck>} again of some of the forms
 */
export const keepRepeated = (checks, again) => new Map([...checks].map(([name, check]) => {
  const failed = again.get(name)?.failed ?? check.failed
  return [name, { ...check, failed: check.failed.filter(probe => failed.includes(probe)) }]
}))

/** @param {Compared['servers'][string]} server */
function describe (server) {
  const { pinned, newest } = server
  const toWords = (/** @type {ComparedCheck} */ { versions, failed, probes }) =>
    `${Object.entries(versions).map(words => words.join(' ')).join(', ')} fails ${failed.length} of ${probes} probes`
  if (!newest) return `${toWords(pinned)}; newest`
  const { mended, broken } = findChanges(server)
  return `${toWords(pinned)}; ${toWords(newest)}; mended: ${mended.join(', ') || '–'}; broken: ${
    broken.join(', ') || '–'}`
}
