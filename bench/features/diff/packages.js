/** Installs the packages of a checkout with the manager of its lock file, or copies those of another state. */
import { constants, existsSync, lstatSync, readdirSync, readlinkSync, realpathSync, statSync } from 'node:fs'
import { cp, rm } from 'node:fs/promises'
import { dirname, isAbsolute, join, sep } from 'node:path'
import { HopbenchError, shellWord } from '../../errors.js'
import { run } from '../../machine/process.js'
import { attempt } from '../../shared/attempt.js'
import { secretsOf, textWithoutSecrets } from '../../shared/secrets.js'
import { LOCKS, SCRIPTS } from '../../request/node-project.js'
import { readManifest, readProjectFile } from '../../request/project-paths.js'
import { rejectLinkedPath } from './links.js'

/** @import { Checkout } from './links.js' */

/** A package in a lock file of npm. @typedef {Record<string, unknown> & { optional?: boolean }} LockedPackage */

/** Properties of a package in a lock file of npm that name its content. */
const CONTENT = ['version', 'resolved', 'integrity', 'link']

/** @typedef {keyof typeof INSTALL} Manager */
/** @typedef {{ folder: string, file: string | null, manager: Manager }} Lock file: null: there is no lock file */
/** env: of commands. @typedef {{ env: NodeJS.ProcessEnv, printProgress: (text: string) => void }} Context */

/** Time limit of an installation or a build, in seconds. */
const LIMIT_SECONDS = 1800
/** Time limit of a copy of packages, in milliseconds. An installation is faster than a longer copy. */
const COPY_MS = 120_000
/** Commands that install exactly what the lock file lists, without the scripts of the project and of its packages. */
const INSTALL = {
  npm: 'npm ci --ignore-scripts --no-audit --no-fund --prefer-offline',
  pnpm: 'pnpm install --ignore-scripts --frozen-lockfile --prefer-offline',
  yarn: 'yarn install --immutable --mode=skip-build',
  'yarn 1': 'yarn install --ignore-scripts --frozen-lockfile --prefer-offline',
  bun: 'bun install --ignore-scripts --frozen-lockfile'
}
/** Without a lock file each state gets the newest versions that its package.json allows. */
const INSTALL_UNLOCKED = 'npm install --ignore-scripts --no-audit --no-fund --no-package-lock'
/** Matches a package with scripts in the lock file of npm or pnpm. */
const LOCKED_SCRIPTS = /"hasInstallScript": ?true|requiresBuild: true/
/** How to get a manager. @type {Record<string, string>} */
const REMEDIES = {
  pnpm: 'Install it with corepack enable pnpm, or with npm install -g pnpm',
  yarn: 'Install it with corepack enable yarn, or with npm install -g yarn',
  bun: 'Install it as https://bun.sh describes'
}
/** Matches scripts that only install git's hooks, so that leaving them out changes nothing in the app. */
const GIT_HOOKS = /^(husky|simple-git-hooks|lefthook)( install)?$/
/** Folders in node_modules with code that is generated for one state of the app. */
const GENERATED = ['.prisma']

/**
 * Finds the lock file of an app, in its folder or above it. Workspaces have a common one at the top.
 *
 * @param {Pick<Checkout, 'top' | 'app'>} checkout
 * @returns {Lock | null} null: the app has no package.json
 */
export function findLock ({ top, app }) {
  for (let folder = app; folder.startsWith(top); folder = dirname(folder)) {
    const file = Object.keys(LOCKS).find(name => isFile(join(folder, name)))
    if (file !== undefined) return { folder, file, manager: toManager(join(folder, file), LOCKS[file]) }
    if (folder === top) break
  }
  return existsSync(join(app, 'package.json')) ? { folder: app, file: null, manager: 'npm' } : null
}

/** @param {string} path */
const isFile = path => attempt(() => statSync(path).isFile(), () => false)

/**
 * @param {string} file
 * @param {string} manager
 * @returns {Manager}
 */
const toManager = (file, manager) => /** @type {Manager} */ (
  manager === 'yarn' && !readProjectFile(file).includes('\n__metadata:') ? 'yarn 1' : manager)

/**
 * Installs or copies the packages of a checkout.
 *
 * @param {Checkout} checkout
 * @param {Context & { install?: string, build?: string, donors: Checkout[] }} options install, build: commands;
 *   donors: states with packages
 * @throws {HopbenchError} linked-checkout, no-manager, side-failed
 */
export async function bringPackages (checkout, { install, build, donors, ...context }) {
  const lock = findLock(checkout)
  if (install !== undefined) {
    await runFor(checkout, { command: install, folder: checkout.app, step: 'installed', ...context })
    return
  }
  if (lock === null || !hasDependencies(lock, checkout)) return
  rejectLinkedPath(checkout, join(lock.folder, 'node_modules'))
  // A build of the other state may have changed its packages.
  const donor = build === undefined ? findDonor(checkout, lock, donors) : null
  if (donor !== null && await copyPackages(donor.folder, lock.folder)) {
    context.printProgress(`${checkout.name} copies the packages of ${donor.name}: ${lock.file} is the same`)
    return
  }
  if (lock.file === null) {
    context.printProgress(`${checkout.name} has no lock file: it gets the newest packages that its package.json ` +
      'allows, which can differ from those of the other state')
  }
  const command = lock.file === null ? INSTALL_UNLOCKED : INSTALL[lock.manager]
  await rejectMissingManager(checkout, lock, context)
  await runFor(checkout, { command, folder: lock.folder, step: 'installed', ...context })
  if (!hasScripts(lock, checkout) && !hasLockedScripts(lock)) return
  context.printProgress(`${checkout.name} is installed without running scripts. If the app needs them: ` +
    `--install ${shellWord(toShortCommand(lock))}`)
}

/**
 * Whether the lock file lists packages with scripts.
 *
 * @param {Lock} lock
 */
const hasLockedScripts = ({ folder, file }) => file !== null && LOCKED_SCRIPTS.test(readProjectFile(join(folder, file)))

/**
 * Returns the command by which a user installs the packages.
 *
 * @param {Lock} lock
 */
const toShortCommand = ({ file, manager }) =>
  file === null ? 'npm install' : INSTALL[manager].split(' ').slice(0, 2).join(' ')

/**
 * Copies packages. Copies share no file with their source, so that a write of one state does not change the other. A
 * symbolic link would not do: Node resolves it, so that packages such as app-root-path and module-alias would load the
 * code of the other state.
 *
 * @param {string} from folder with a folder node_modules
 * @param {string} to folder of a checkout
 * @returns {Promise<boolean>} false: nothing was copied
 */
async function copyPackages (from, to) {
  const [modules, copy] = [from, to].map(folder => join(folder, 'node_modules'))
  // A commit can hold packages, which an installation replaces.
  if (lstatSync(copy, { throwIfNoEntry: false })) return false
  const endsAt = performance.now() + COPY_MS
  const filter = (/** @type {string} */ path) => {
    if (performance.now() > endsAt) throw new Error(`the copy takes longer than ${COPY_MS} ms`)
    // Tools keep results of one state in this folder.
    return path !== join(modules, '.cache')
  }
  try {
    // With reflinks both files share their content until one of them changes.
    await cp(modules, copy, {
      recursive: true, verbatimSymlinks: true, preserveTimestamps: true, mode: constants.COPYFILE_FICLONE, filter
    })
    return true
  } catch {
    await rm(copy, { recursive: true, force: true })
    return false
  }
}

/**
 * Builds a state of the app.
 *
 * @param {Checkout} checkout
 * @param {Context & { build: string }} options build: a command
 * @throws {HopbenchError} side-failed
 */
export const buildApp = (checkout, { build, ...context }) =>
  runFor(checkout, { command: build, folder: checkout.app, step: 'built', ...context })

/**
 * Rejects a folder of the user whose packages are not installed, because hopbench installs none in it.
 *
 * @param {Checkout} checkout
 * @throws {HopbenchError} no-packages
 */
export function rejectWithoutPackages (checkout) {
  const lock = findLock(checkout)
  if (lock === null || !hasDependencies(lock, checkout) || hasPackages(lock, checkout)) return
  throw new HopbenchError('no-packages', { name: checkout.name, folder: lock.folder, command: toShortCommand(lock) })
}

/**
 * Whether packages are in a folder node_modules, or loaded by Plug'n'Play of Yarn.
 *
 * @param {Lock} lock
 * @param {Checkout} checkout
 */
const hasPackages = ({ folder }, { app }) => [folder, app].some(dir =>
  existsSync(join(dir, 'node_modules')) || existsSync(join(dir, '.pnp.cjs')))

/**
 * @param {Lock} lock
 * @param {Checkout} checkout
 */
const hasDependencies = ({ folder }, { app }) => [folder, app].some(dir => {
  const { dependencies, devDependencies, optionalDependencies, workspaces } = readManifest(dir)
  const packages = { ...dependencies, ...devDependencies, ...optionalDependencies }
  return workspaces !== undefined || Object.keys(packages).length > 0
})

/**
 * Whether the installation runs scripts of the project itself, which may write files of the app.
 *
 * @param {Lock} lock
 * @param {{ app: string }} checkout
 */
const hasScripts = ({ folder }, { app }) => [folder, app].some(dir =>
  Object.entries(readManifest(dir).scripts ?? {}).some(([name, script]) =>
    SCRIPTS.includes(name) && !GIT_HOOKS.test(String(script))))

/**
 * Finds a state whose packages are those of a checkout: its lock file is the same, its packages are those of the lock
 * file, no package is a link to code of its repository, and neither state has scripts that could change the packages.
 *
 * @param {Pick<Checkout, 'top' | 'app'>} checkout
 * @param {Lock} lock
 * @param {Checkout[]} donors
 * @returns {{ name: string, folder: string } | null}
 */
function findDonor ({ top, app }, lock, donors) {
  if (lock.file === null || hasScripts(lock, { app })) return null
  const text = readProjectFile(join(lock.folder, lock.file))
  for (const donor of donors) {
    const other = findLock(donor)
    if (other?.file !== lock.file || lock.folder.slice(top.length) !== other.folder.slice(donor.top.length)) continue
    if (readProjectFile(join(other.folder, other.file)) !== text || hasScripts(other, donor)) continue
    // Packages in the folder of a workspace belong to the app, too.
    const hasOwnPackages = lock.folder !== app && existsSync(join(donor.app, 'node_modules'))
    const modules = join(other.folder, 'node_modules')
    if (!hasOwnPackages && isSelfContained(modules) && isInstalled(modules, text, other.manager)) {
      return { name: donor.name, folder: other.folder }
    }
  }
  return null
}

/**
 * Whether a folder node_modules exists, is no link, and can be copied without links to its own place or outside.
 *
 * @param {string} modules
 */
function isSelfContained (modules) {
  if (!attempt(() => lstatSync(modules).isDirectory(), () => false)) return false
  const inside = realpathSync(modules) + sep
  const names = readdirSync(modules).flatMap(name =>
    name.startsWith('@') ? readdirSync(join(modules, name)).map(scoped => join(name, scoped)) : name)
  return !names.some(name => GENERATED.includes(name)) && names.every(name => {
    const path = join(modules, name)
    return !lstatSync(path).isSymbolicLink() || attempt(() =>
      !isAbsolute(readlinkSync(path)) && realpathSync(path).startsWith(inside), () => false)
  })
}

/**
 * @param {Checkout} checkout
 * @param {Lock} lock
 * @param {Context} context
 * @throws {HopbenchError} no-manager
 */
async function rejectMissingManager ({ name, label, app }, { file, manager: kind }, { env }) {
  const [manager] = kind.split(' ')
  const { exit } = await run([manager, '--version'], { cwd: app, env })
  if (exit !== null && exit !== 127) return
  throw new HopbenchError('no-manager', {
    lock: file ?? 'package.json', name, label, manager, remedy: REMEDIES[manager] ?? `Install ${manager}`
  })
}

/**
 * Runs a command of the user in a folder of a checkout.
 *
 * @param {Checkout} checkout
 * @param {Context & { command: string, folder: string, step: string }} options step: what the command achieves
 * @throws {HopbenchError} side-failed
 */
async function runFor ({ name, label }, { command, folder, step, env, printProgress }) {
  const shown = textWithoutSecrets(command)
  printProgress(`${name}: ${shown}`)
  const { exit, signal, stdout, stderr, timedOut } = await run(['sh', '-c', command], {
    cwd: folder, env, timeoutSeconds: LIMIT_SECONDS
  })
  if (exit === 0) return
  const end = timedOut ? `took longer than ${LIMIT_SECONDS} s` : `ended with ${signal ?? `exit code ${exit}`}`
  const output = textWithoutSecrets(`${stdout}\n${stderr}`, secretsOf({ headers: {}, path: '' }, process.env))
  throw new HopbenchError('side-failed', { name, label, how: `could not be ${step}: "${shown}" ${end}`, output })
}

/**
 * Whether the packages of a lock file are installed. A lock file that was checked out after the last installation, and
 * packages that were installed by hand, make both differ.
 *
 * @param {string} modules folder node_modules
 * @param {string} lock text of the lock file
 * @param {string} manager of the lock file
 * @returns {boolean} false: also if the manager keeps no record
 */
export function isInstalled (modules, lock, manager) {
  const read = (/** @type {string} */ file) => attempt(() => readProjectFile(join(modules, file)), () => null)
  if (manager === 'pnpm') return read('.pnpm/lock.yaml') === lock
  const installed = manager === 'npm' ? parsePackages(read('.package-lock.json')) : null
  const locked = parsePackages(lock)
  return installed !== null && locked !== null && isSameTree(installed, locked)
}

/**
 * Reads the packages of a lock file of npm 7 or newer, without the project itself and the folders of its workspaces.
 *
 * @param {string | null} text
 * @returns {Map<string, LockedPackage> | null} null: there are none, or the format is older
 */
function parsePackages (text) {
  const packages = attempt(() => JSON.parse(String(text))?.packages, () => null)
  if (packages === null || typeof packages !== 'object') return null
  return new Map(Object.entries(packages).filter(([path]) => path.startsWith('node_modules/')))
}

/**
 * @param {Map<string, LockedPackage>} installed
 * @param {Map<string, LockedPackage>} locked
 */
function isSameTree (installed, locked) {
  const isLocked = [...installed].every(([path, found]) => {
    const wanted = locked.get(path)
    return wanted !== undefined && CONTENT.every(name => found[name] === wanted[name])
  })
  // Optional packages of other platforms are not installed.
  return isLocked && [...locked].every(([path, { optional, devOptional }]) =>
    installed.has(path) || optional === true || devOptional === true)
}
