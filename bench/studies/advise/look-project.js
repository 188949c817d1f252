/** Reads the facts of a project that its files show, without starting anything. */
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { walkFolder } from '../../machine/walk-folder.js'
import { attempt } from '../../shared/attempt.js'
import { isCompressibleFile } from '../../shared/compressible-files.js'
import { LOCKS } from '../deploy/node-project.js'
import { findName, readManifest } from '../deploy/project-paths.js'

/** @import { FilePrefix, FolderFacts, ProjectFacts } from '../../types.js' */

/** Packages of frameworks, the most specific first, because a framework depends on others. */
const FRAMEWORKS = [
  'next', 'nuxt', '@sveltejs/kit', '@nestjs/core', 'json-server', 'fastify', 'hono', 'koa', 'express', 'vite'
]
/** Packages that take over connections. */
const UPGRADES = ['ws', 'socket.io', '@fastify/websocket', 'express-ws', 'koa-websocket', '@nestjs/websockets']
/** Usual names of folders of files for browsers. */
const FOLDERS = ['public', 'static', 'assets', 'dist', 'build', 'client/dist']
/** Most entries of a folder that are read. */
const MOST_ENTRIES = 100_000
/** A hash at the end of a name, as bundlers write it. A digit in it excludes words. */
const HASHED = /[.-](?=[\w-]*\d)[\w-]{8,}\.\w+$/

/**
 * @param {string} project folder
 * @param {FilePrefix[]} prefixes folders that are named with --files
 * @returns {ProjectFacts}
 */
export function lookAtProject (project, prefixes) {
  const manifest = readManifest(project)
  const packages = { ...manifest.devDependencies, ...manifest.dependencies }
  const framework = FRAMEWORKS.find(name => Object.hasOwn(packages, name))
  const lock = Object.keys(LOCKS).find(name => existsSync(join(project, name)))
  return {
    name: findName(project),
    hasManifest: existsSync(join(project, 'package.json')),
    framework: framework === undefined ? null : { name: framework, version: toVersion(packages[framework]) },
    lock: lock === undefined ? null : LOCKS[lock],
    upgrades: UPGRADES.filter(name => Object.hasOwn(manifest.dependencies ?? {}, name)),
    unnamedFolders: FOLDERS.filter(name => isUnnamed(join(project, name), prefixes))
  }
}

/** @param {unknown} version as in package.json */
const toVersion = version => typeof version === 'string' ? version.slice(0, 40) : null

/**
 * Returns whether a folder has files and neither contains a folder of --files nor is inside one.
 * @param {string} folder
 * @param {FilePrefix[]} prefixes
 */
function isUnnamed (folder, prefixes) {
  const isNamed = prefixes.some(prefix =>
    `${prefix.folder}/`.startsWith(`${folder}/`) || `${folder}/`.startsWith(`${prefix.folder}/`))
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
    hashed: files.filter(path => HASHED.test(path)).length,
    twins: files.filter(path => names.has(`${path}.gz`) || names.has(`${path}.br`)).length,
    maps: files.filter(path => path.endsWith('.map')).length
  }
}
