/** Reads the facts of a project that its files show, without starting anything. */
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { walkFolder } from '../../machine/files/walk-folder.js'
import { attempt } from '../../shared/attempt.js'
import { isCompressibleFile } from '../../shared/http/compressible-files.js'
import { hasHashedName } from './hashed-names.js'
import { isWithin } from '../../shared/paths.js'
import { LOCKS } from '../../request/node-project.js'
import { findName, readManifest } from '../../request/project-paths.js'

/** @import { FilePrefix, FolderFacts, ProjectFacts } from '../../types.js' */

/** Packages of frameworks, the most specific first, because a framework depends on others. */
const FRAMEWORKS = [
  'next', 'nuxt', '@sveltejs/kit', '@nestjs/core', 'json-server', 'fastify', 'hono', 'koa', 'express', 'vite'
]
/** Packages that take over connections. */
const UPGRADES = ['ws', 'socket.io', '@fastify/websocket', 'express-ws', 'koa-websocket', '@nestjs/websockets']
/** Usual names of folders of files for browsers. */
const FOLDERS = ['public', 'static', 'assets', 'dist', 'build', 'client/dist']
/** Folders that are left out without a page, because they are the code of the server in many projects. */
const MAYBE_CODE = ['dist', 'build']
/**
 * Folders that frameworks build for browsers, with the prefix of their URLs, by package.
 * @type {Record<string, FilePrefix>}
 */
const BUILT_FOLDERS = {
  next: { prefix: '/_next/static', folder: '.next/static' },
  nuxt: { prefix: '/_nuxt', folder: '.output/public/_nuxt' },
  '@sveltejs/kit': { prefix: '/_app', folder: 'build/client/_app' }
}
/** Most entries of a folder that are read. */
const MOST_ENTRIES = 100_000

/**
 * @param {string} project folder
 * @param {FilePrefix[]} prefixes folders that are named with --files
 * @returns {ProjectFacts}
 */
export function lookAtProject (project, prefixes) {
  const manifest = readManifest(project)
  const packages = readDependencies(project)
  const framework = FRAMEWORKS.find(name => Object.hasOwn(packages, name))
  const lock = Object.keys(LOCKS).find(name => existsSync(join(project, name)))
  return {
    name: findName(project),
    hasManifest: existsSync(join(project, 'package.json')),
    framework: framework === undefined ? null : { name: framework, version: toVersion(packages[framework]) },
    lock: lock === undefined ? null : LOCKS[lock],
    upgrades: UPGRADES.filter(name => Object.hasOwn(manifest.dependencies ?? {}, name)),
    unnamedFolders: FOLDERS.filter(name => isUnnamed(join(project, name), prefixes) && !isMaybeCode(project, name))
  }
}

/**
 * Reads the ranges of the packages of a project, by name.
 * @param {string} project folder
 * @returns {Record<string, unknown>}
 */
function readDependencies (project) {
  const { devDependencies, dependencies } = readManifest(project)
  return { ...devDependencies, ...dependencies }
}

/**
 * Lists the folders that the frameworks of a project build for browsers.
 * @param {string} project folder
 * @returns {FilePrefix[]} folder: relative to the project; it may be missing
 */
export function listBuiltFolders (project) {
  const packages = readDependencies(project)
  return Object.keys(BUILT_FOLDERS).filter(name => Object.hasOwn(packages, name)).map(name => BUILT_FOLDERS[name])
}

/**
 * Returns whether a folder may hold the code of the server.
 * @param {string} project folder
 * @param {string} name of the folder in it
 */
const isMaybeCode = (project, name) => MAYBE_CODE.includes(name) && !existsSync(join(project, name, 'index.html'))

/** @param {unknown} version as in package.json */
const toVersion = version => typeof version === 'string' ? version.slice(0, 40) : null

/**
 * Returns whether a folder has files and neither contains a folder of --files nor is inside one.
 * @param {string} folder
 * @param {FilePrefix[]} prefixes
 */
function isUnnamed (folder, prefixes) {
  const isNamed = prefixes.some(prefix => isWithin(folder, prefix.folder) || isWithin(prefix.folder, folder))
  return !isNamed && attempt(() => walkFolder(folder, MOST_ENTRIES).some(({ entry }) => entry.isFile()), () => false)
}

/**
 * Reads the facts of a folder whose files the app serves.
 * @param {FilePrefix} prefix
 * @returns {FolderFacts}
 */
export function lookAtFolder ({ prefix, folder }) {
  const paths = walkFolder(folder, MOST_ENTRIES).filter(({ entry }) => entry.isFile()).map(({ path }) => path)
  const names = new Set(paths)
  const files = paths.filter(path => !/\.(gz|br|zst)$/.test(path))
  const sizes = new Map(files.map(path => [path, statSync(join(folder, path)).size]))
  const sum = (/** @type {string[]} */ list) => list.reduce((total, path) => total + Number(sizes.get(path)), 0)
  return {
    prefix,
    files: files.length,
    bytes: sum(files),
    compressible: sum(files.filter(path => isCompressibleFile(path, Number(sizes.get(path))))),
    hashed: files.filter(path => hasHashedName(`${prefix}/${path}`)).length,
    twins: files.filter(path => names.has(`${path}.gz`) || names.has(`${path}.br`)).length,
    maps: files.filter(path => path.endsWith('.map')).length
  }
}
