/** Real apps of several frameworks in test/support/advised-apps/, installed and built. */
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '../../bench/machine/files/make-folder.js'
import { walkFolder } from '../../bench/machine/files/walk-folder.js'
import { run } from '../../bench/machine/process.js'
import { systemName, writableCache } from '../../bench/machine/setup/tool-cache.js'
import { sha256 } from '../../bench/shared/sha256.js'
import { project } from './cli.js'
import { OUTSIDE_NPM } from './packed.js'

/**
 * @typedef {object} App folder of test/support/advised-apps/
 * @property {string} [command] default: npm start
 * @property {string} [path]
 * @property {string[]} [files] folders of files that it serves
 * @property {string} [setUp] command, besides npm's
 * @property {string} [server] file of test/support/user-apps/ that is its server.js
 */
/** @type {Record<string, App>} */
export const APPS = {
  'express-sessions': { files: ['/assets=./public'] },
  'fastify-api': {},
  nest: { command: 'npm run start:prod' },
  next: { files: ['/_next/static=./.next/static'] },
  hono: { server: 'hono.js' },
  'vite-spa': { path: '/api/things', files: ['/assets=./dist/assets'] },
  sveltekit: { files: ['/_app=./build/client/_app'] },
  'json-server': { path: '/posts' },
  'koa-stream': {},
  astro: {},
  nuxt: {},
  'react-router': {},
  'node-red': {},
  strapi: { path: '/admin' },
  turbo: {},
  flask: {
    command: 'venv/bin/gunicorn --bind "$HOST:$PORT" app:app',
    setUp: 'python3 -m venv venv && venv/bin/pip install --quiet --requirement requirements.txt'
  }
}

/**
 * @typedef {object} Variant of an app
 * @property {string} [key] distinguishes its folder in the cache
 * @property {(dir: string) => void} [change] changes the copied sources before they are installed
 * @property {Record<string, string>} [env] of the installation
 */

/** Most entries in the sources of an app. */
const MAX_FILES = 100
/** Empty file in the folder of an app that is installed and built. */
const PREPARED = '.prepared'
/** Limit of an installation with a build, in seconds. Some of these apps have a thousand packages. */
const INSTALL_SECONDS = 900
/** Variables that keep builds of these apps from reporting their use. */
const NO_TELEMETRY = Object.fromEntries(
  ['ASTRO', 'NEXT', 'NUXT', 'STRAPI', 'TURBO'].map(name => [`${name}_TELEMETRY_DISABLED`, '1']))

/**
 * Copies an app, and installs and builds it.
 * @param {string} name
 * @param {string} dir takes the app; its parent exists
 * @param {Variant} [variant]
 */
export async function prepareApp (name, dir, { change, env } = {}) {
  cpSync(join(project, 'test/support/advised-apps', name), dir, { recursive: true })
  change?.(dir)
  const { setUp, server } = APPS[name] ?? {}
  if (server) cpSync(join(project, 'test/support/user-apps', server), join(dir, 'server.js'))
  const npm = 'npm install --no-audit --no-fund && npm run build --if-present'
  const command = [existsSync(join(dir, 'package.json')) && npm, setUp].filter(Boolean).join(' && ')
  const { exit, stdout, stderr } = await run([...OUTSIDE_NPM, 'sh', '-c', command],
    { cwd: dir, env: { ...NO_TELEMETRY, ...env }, timeoutSeconds: INSTALL_SECONDS })
  if (exit !== 0) throw new Error(`${name}: ${stdout}${stderr}`)
}

/** Returns the folder of apps in the cache of programs. */
export function appsFolder () {
  const cache = writableCache(process.env)
  if (cache === null) throw new Error('there is no cache folder')
  return join(cache, systemName(), 'apps')
}

/**
 * Returns the folder of an app in the cache of programs, where it is prepared if it is missing. Its path differs with
 * the files of the app.
 * @param {string} name
 * @param {Variant} [variant]
 */
export async function cachedApp (name, variant = {}) {
  const sources = join(project, 'test/support/advised-apps', name)
  const files = walkFolder(sources, MAX_FILES).filter(({ entry }) => entry.isFile()).map(({ path }) => path).sort()
  const digest = sha256([...files, JSON.stringify(APPS[name] ?? {}), ...variant.key ? [variant.key] : []].map(path =>
    existsSync(join(sources, path)) ? `${path}\n${readFileSync(join(sources, path))}` : path).join('\n'))
  const parent = appsFolder()
  const dir = join(parent, `${name}-${digest.slice(0, 12)}`)
  if (existsSync(join(dir, PREPARED))) return dir
  // Removes the rest of an interrupted call, because a virtual environment of Python cannot be moved.
  rmSync(dir, { recursive: true, force: true })
  makeFolder(parent, 0o755)
  await prepareApp(name, dir, variant)
  writeFileSync(join(dir, PREPARED), '')
  return dir
}
