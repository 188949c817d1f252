/** Brings base and head onto the disk: checks out commits, installs their packages, and builds them. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { badOption, HopbenchError } from '../../errors.js'
import { makeFolder } from '../../machine/files/make-folder.js'
import { makeTempRoot } from '../../machine/files/temp.js'
import { readManifest } from '../../request/project-paths.js'
import { createEnvironment } from './environment.js'
import { checkOut } from './git.js'
import { rejectLinks } from './links.js'
import { bringPackages, buildApp, findLock, rejectWithoutPackages } from './packages.js'
import { findTargets, getAppFolder } from './targets.js'

/** @import { Target } from './targets.js' */
/** @import { Checkout } from './links.js' */

/** A state of the app that can be started. @typedef {Target & Checkout & { start: string }} Side start: a command */
/** @typedef {{ base: Side, head: Side }} Sides */
/** @typedef {{ app?: string, cwd?: string, install?: string, build?: string, results?: string }} SideOptions */

/**
 * Environment variable with the sides, for the process in the enclosure. The outer process has prepared them, and
 * removes the checkouts at its end.
 */
const PREPARED = 'HOPBENCH_DIFF'

/** Returns the sides that the outer process has prepared. @returns {Sides} */
export const readPrepared = () => JSON.parse(String(process.env[PREPARED]))

/** Start scripts by manager. @type {Record<string, string>} */
const START = { npm: 'npm start', pnpm: 'pnpm start', yarn: 'yarn start', 'yarn 1': 'yarn start', bun: 'bun run start' }

/**
 * @param {string[]} words as typed
 * @param {SideOptions} options
 * @param {(text: string) => void} printProgress
 * @returns {Promise<{ sides: Sides, close: () => void }>} close: removes the checkouts
 * @throws {HopbenchError} errors of finding, checking out, installing and building the states
 */
export async function prepareSides (words, options, printProgress) {
  const { base, head, repository } = await findTargets(words, options)
  if (options.install !== undefined && base.top !== null && head.top !== null) {
    throw badOption('--install', options.install, 'hopbench installs nothing in your folders',
      'Leave it out, and run the command there.')
  }
  printProgress(`base: ${base.label}`)
  printProgress(`head: ${head.label}`)
  const temp = makeTempRoot()
  /** @type {(() => void)[]} */
  const removals = [temp.remove]
  const close = () => { for (const remove of removals.reverse()) remove() }
  try {
    const context = { repository, temp: temp.path, removals, install: options.install, printProgress }
    const checkouts = { head: await toCheckout('head', head, context), base: await toCheckout('base', base, context) }
    rejectWithoutFolder(checkouts.head, options)
    rejectWithoutFolder(checkouts.base, options)
    // A fault of head is a fault of the command, so it is found first. All are found before packages are installed.
    const headSide = toSide(head, checkouts.head, options)
    const sides = { base: toSide(base, checkouts.base, options), head: headSide }
    const here = repository === null ? [] : [toDonor(repository, head)]
    const home = join(temp.path, 'home')
    makeFolder(home, 0o700)
    const env = createEnvironment(home)
    await bringUp([checkouts.head, checkouts.base], { ...options, donors: here, env, printProgress })
    process.env[PREPARED] = JSON.stringify(sides)
    return { sides, close }
  } catch (error) {
    close()
    throw error
  }
}

/**
 * Rejects a state without the folder of --cwd.
 *
 * @param {Checkout} checkout
 * @param {SideOptions} options
 * @throws {HopbenchError} bad-option, if head has none; side-failed, if only base has none
 */
function rejectWithoutFolder ({ name, label, app }, { cwd = '.' }) {
  if (existsSync(app)) return
  if (name === 'head') throw badOption('--cwd', cwd, `there is no folder ${app}`, 'As in --cwd packages/api.')
  throw new HopbenchError('side-failed', { name, label, how: `has no folder ${cwd}` })
}

/** The working tree, whose packages the checkouts may copy. */
const toDonor = (/** @type {string} */ top, /** @type {Target} */ { inside }) =>
  ({ name: 'your working tree', label: 'your working tree', top, app: join(top, inside), isTemporary: false })

/** @typedef {Checkout & { isTemporary: boolean }} FoundCheckout isTemporary: a folder of hopbench, not of the user */

/**
 * Returns the folder of a target. Checks out its commit if it is one.
 *
 * @param {'base' | 'head'} name
 * @param {Target} target
 * @param {{ repository: string | null, temp: string, removals: (() => void)[], install?: string,
 *   printProgress: (text: string) => void }} context removals: gets the function that removes the checkout
 * @returns {Promise<FoundCheckout>}
 * @throws {HopbenchError} git-failed, linked-checkout
 */
async function toCheckout (name, target, { repository, temp, removals, install, printProgress }) {
  const { label, inside } = target
  if (target.top !== null) {
    return { name, label, top: target.top, app: getAppFolder({ top: target.top, inside }), isTemporary: false }
  }
  const top = join(temp, name)
  removals.push(await checkOut(String(repository), String(target.commit), top))
  const checkout = { name, label, top, app: getAppFolder({ top, inside }), isTemporary: true }
  rejectLinks(checkout, { permitsFolders: install !== undefined })
  if (existsSync(join(top, '.gitmodules'))) {
    printProgress(`${name} is checked out without its submodules. If the app needs them: ` +
      "--install 'git submodule update --init --recursive && npm ci'")
  }
  return checkout
}

/**
 * Installs and builds the checkouts, head first, because base may copy its packages.
 *
 * @param {FoundCheckout[]} checkouts
 * @param {SideOptions & { donors: Checkout[], env: NodeJS.ProcessEnv, printProgress: (text: string) => void }} options
 */
async function bringUp (checkouts, { install, build, donors, env, printProgress }) {
  const known = [...donors]
  for (const checkout of checkouts) {
    if (checkout.isTemporary) await bringPackages(checkout, { install, build, donors: known, env, printProgress })
    else rejectWithoutPackages(checkout)
    if (build !== undefined) await buildApp(checkout, { build, env, printProgress })
    known.push(checkout)
  }
}

/**
 * @param {Target} target
 * @param {Checkout} checkout
 * @param {SideOptions} options
 * @returns {Side}
 */
const toSide = (target, checkout, { app }) => ({ ...target, ...checkout, start: app ?? findStartCommand(checkout) })

/**
 * Returns the command of the script "start".
 *
 * @param {Checkout} checkout
 * @throws {HopbenchError} bad-option, if head has none; side-failed, if only base has none
 */
function findStartCommand (checkout) {
  const { name, label, app } = checkout
  if (typeof readManifest(app).scripts?.start === 'string') return START[findLock(checkout)?.manager ?? 'npm']
  const why = `package.json in ${app} has no script "start"`
  if (name === 'head') throw badOption('--app', undefined, why, "Name the command, as in --app 'node dist/main.js'.")
  const how = 'cannot be started: its package.json has no script "start"'
  throw new HopbenchError('side-failed', { name, label, how })
}
