/** Reads how the packages of a Node project are installed in an image: its package.json, lock file and settings. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { cannotDeploy, plain } from '../errors.js'
import { hasSecretSetting } from '../shared/secret-files.js'
import { readManifest, readProjectFile } from './project-paths.js'

/** @import { NodeProject } from './types.js' */

/** The topology and its platform, for errors. @typedef {{ spec: string, target: string }} Kit */
/** @typedef {'npm' | 'pnpm' | 'yarn' | 'bun'} Manager */
/** @typedef {{ files: string[], manager: string | null, all: string, production: string, prune: string | null,
 * isPlugAndPlay?: boolean }} Way manager: command that installs it; null: that of the image */
/** hash: as in package.json. @typedef {{ number: string, hash: string | null }} Version */
/**
 * Returns how a manager installs packages. isLocked: whether there is a lock file; text: of it, or empty.
 * @typedef {(version: Version | undefined, lock: { text: string, isLocked: boolean }) => Omit<Way, 'files'>} ToWay
 */

/** Manager of each lock file. @type {Record<string, Manager>} */
export const LOCKS = {
  'package-lock.json': 'npm',
  'npm-shrinkwrap.json': 'npm',
  'pnpm-lock.yaml': 'pnpm',
  'yarn.lock': 'yarn',
  'bun.lock': 'bun',
  'bun.lockb': 'bun'
}
/** Settings that managers read during the installation. */
export const SETTINGS = ['.npmrc', 'pnpm-workspace.yaml', '.pnpmfile.cjs', '.yarnrc', '.yarnrc.yml']
/** A variable of the environment in settings of npm, pnpm and Yarn, without a default value. */
const VARIABLE = /\$\{([A-Za-z_]\w*)\}/g
/** Folders with programs or changes of packages, without which an installation fails. */
const FOLDERS = ['.yarn', 'patches']
/** Scripts of a project that run during its installation, and may need any of its files or packages. */
export const SCRIPTS = ['preinstall', 'install', 'postinstall', 'prepare', 'pnpm:devPreinstall']
/** The field packageManager of package.json, as corepack reads it. */
const PACKAGE_MANAGER = /^(npm|pnpm|yarn|bun)@(\d+\.\d+\.\d+(?:-[\w.]+)?)(?:\+(.+))?$/
/** The hash in that field: its algorithm and its hexadecimal digits. */
const HASH = /^(sha(?:1|224|256|384|512))\.([\da-f]{40,128})$/
/** Package of Yarn 2 and later. */
const BERRY = '@yarnpkg/cli-dist'
/** Last version 1 of Yarn. */
const YARN_CLASSIC = '1.22.22'
/** Major version of pnpm by the format of its lock file; 9.0 is that of versions 9 and 10. */
const PNPM_BY_LOCK = { 5: 7, 6: 8, 9: 10 }
/** Major version of Yarn by the format of its lock file. */
const YARN_BY_LOCK = { 6: 3, 8: 4 }

/**
 * @param {string} project folder
 * @param {Kit & { build?: string, major: number, isModule: boolean }} options isModule: the kit starts node itself
 * @returns {NodeProject | null} null: there is no package.json
 * @throws {HopbenchError} cannot-deploy
 */
export function readNodeProject (project, { build, major, isModule, ...kit }) {
  const has = (/** @type {string} */ name) => existsSync(join(project, name))
  if (!has('package.json')) return null
  const manifest = readManifest(project)
  const way = findWay(project, manifest, Object.keys(LOCKS).filter(has), kit)
  if (isModule && way.isPlugAndPlay && !usesFolder(project)) {
    throw cannotDeploy(kit, "Yarn's Plug'n'Play loads its packages, and the kit starts node without it",
      "Write \"nodeLinker: node-modules\" into .yarnrc.yml, or start the app by a command: --app 'yarn start'.")
  }
  const scripts = Object.keys(manifest.scripts ?? {}).filter(name => SCRIPTS.includes(name))
  const needsAll = scripts.length > 0 || manifest.workspaces !== undefined || has('pnpm-workspace.yaml') ||
    FOLDERS.some(has)
  const settings = SETTINGS.filter(has)
  const secretSettings = settings.filter(name => hasSecretSetting(readProjectFile(join(project, name))))
  return {
    major,
    manager: way.manager,
    files: needsAll
      ? ''
      : ['package.json', ...way.files, ...settings.filter(name => !secretSettings.includes(name))].join(' '),
    secretSettings,
    variables: listVariables(settings.map(name => readProjectFile(join(project, name)))),
    install: { all: way.all, production: way.production, prune: way.prune },
    build: build ?? null,
    // Without packages for development scripts such as "prepare" of husky fail.
    stages: build !== undefined || needsAll
  }
}

/**
 * Lists the variables with secrets that settings take from the environment, as in ":_authToken=${NPM_TOKEN}".
 * @param {string[]} texts
 */
const listVariables = texts => [...new Set(texts.flatMap(text =>
  [...text.matchAll(VARIABLE)].map(([, name]) => name)))]

/**
 * @param {string} project
 * @param {Record<string, any>} manifest
 * @param {string[]} locks
 * @param {Kit} kit
 * @returns {Way}
 */
function findWay (project, manifest, locks, kit) {
  const reject = (/** @type {string} */ why, /** @type {string} */ remedy) => cannotDeploy(kit, why, remedy)
  const [, named, number, hash] = PACKAGE_MANAGER.exec(String(manifest.packageManager ?? '')) ?? []
  if (hash !== undefined && !HASH.test(hash)) {
    throw reject(`"packageManager" of package.json has a hash that is not one of SHA-1 or SHA-2: ${plain(hash)}`,
      `Write the hash that corepack writes: corepack use ${named}@${number}.`)
  }
  const version = number === undefined ? undefined : { number, hash: hash ?? null }
  const managers = [...new Set(locks.map(lock => LOCKS[lock]))]
  if (managers.length > 1 && !named) {
    throw reject(`the project has ${locks.join(' and ')}, of different package managers`,
      'Delete one of them, or name the manager in "packageManager" of package.json.')
  }
  const manager = /** @type {Manager} */ (named ?? managers[0] ?? 'npm')
  const files = locks.filter(lock => LOCKS[lock] === manager)
  if (files.length === 0 && manager !== 'npm') {
    throw reject(`package.json names ${manager}, and there is no lock file of it`, `Create one: ${manager} install.`)
  }
  const text = files.length > 0 ? readProjectFile(join(project, files[0])) : ''
  const toWay = { npm: npmWay, pnpm: pnpmWay, yarn: yarnWay, bun: bunWay }[manager]
  return { files, ...toWay(version, { text, isLocked: files.length > 0 }) }
}

/**
 * Returns the command that installs a package manager. Checks the hash as corepack does: that of the archive, or that
 * of the program of Yarn 2 and later.
 *
 * @param {string} name of its package
 * @param {Version} version
 */
function toManagerCommand (name, { number, hash }) {
  const install = 'npm install --global --force'
  const [, algorithm, digest] = HASH.exec(hash ?? '') ?? []
  if (algorithm === undefined) return `${install} ${name}@${number}`
  // A comparison in place of --check, because the exit code of a pipe is that of its last command.
  const check = (/** @type {string} */ file) => `test "$(${algorithm}sum < ${file})" = "${digest}  -"`
  if (name === BERRY) {
    return `${install} --ignore-scripts ${name}@${number} && ${check(`"$(npm root --global)/${name}/bin/yarn.js"`)}`
  }
  const archive = `/tmp/${name}-${number}.tgz`
  return `npm pack --pack-destination /tmp ${name}@${number} && ${check(archive)} && ${install} ${archive} && ` +
    `rm ${archive}`
}

/** @type {ToWay} */
const npmWay = (version, { isLocked }) => ({
  manager: version === undefined ? null : toManagerCommand('npm', version),
  all: isLocked ? 'npm ci' : 'npm install',
  production: isLocked ? 'npm ci --omit=dev' : 'npm install --omit=dev',
  prune: 'npm prune --omit=dev'
})

/**
 * Installs Bun beside Node, so that scripts can start either.
 * @type {ToWay}
 */
const bunWay = version => ({
  manager: toManagerCommand('bun', version ?? { number: '1', hash: null }),
  all: 'bun install --frozen-lockfile',
  production: 'bun install --frozen-lockfile --production',
  // Bun leaves packages for development in an existing folder.
  prune: 'rm -rf node_modules && bun install --frozen-lockfile --production --ignore-scripts'
})

/** @type {ToWay} */
function pnpmWay (version, { text }) {
  const format = /^lockfileVersion: '?(\d+)/m.exec(text)?.[1]
  const major = PNPM_BY_LOCK[/** @type {keyof typeof PNPM_BY_LOCK} */ (Number(format))] ?? 10
  return {
    manager: toManagerCommand('pnpm', version ?? { number: String(major), hash: null }),
    all: 'pnpm install --frozen-lockfile',
    production: 'pnpm install --frozen-lockfile --prod',
    // Without a terminal pnpm fails at a confirmation, unless CI is set.
    prune: 'CI=true pnpm install --frozen-lockfile --prod --ignore-scripts'
  }
}

/** @type {ToWay} */
function yarnWay (version, { text }) {
  const format = /^__metadata:\n +version: (\d+)/m.exec(text)?.[1]
  if (format === undefined) {
    return {
      manager: toManagerCommand('yarn', version ?? { number: YARN_CLASSIC, hash: null }),
      all: 'yarn install --frozen-lockfile',
      production: 'yarn install --frozen-lockfile --production',
      prune: 'yarn install --frozen-lockfile --production --ignore-scripts --prefer-offline'
    }
  }
  const locked = YARN_BY_LOCK[/** @type {keyof typeof YARN_BY_LOCK} */ (Number(format))] ?? 4
  const major = version?.number.split('.')[0] ?? locked
  // The cache is part of the project, because Plug'n'Play loads packages from it.
  const install = 'YARN_ENABLE_GLOBAL_CACHE=false yarn install --immutable'
  const focus = 'YARN_ENABLE_GLOBAL_CACHE=false yarn workspaces focus --all --production'
  const canFocus = Number(major) >= 4
  return {
    manager: toManagerCommand(BERRY, version ?? { number: String(major), hash: null }),
    all: install,
    production: canFocus ? focus : install,
    prune: canFocus ? focus : null,
    isPlugAndPlay: true
  }
}

/**
 * Whether Yarn writes packages into a folder node_modules.
 *
 * @param {string} project
 */
function usesFolder (project) {
  const file = join(project, '.yarnrc.yml')
  return existsSync(file) && /^nodeLinker:\s*["']?(node-modules|pnpm)\b/m.test(readProjectFile(file))
}
