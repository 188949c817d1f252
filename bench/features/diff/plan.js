/** Makes the plan of `hopbench diff`: an arm of head and one of base for each request. */
import { badOption } from '../../errors.js'
import { loadPlugin } from '../../plan/plugins.js'
import { pathWithoutSecrets } from '../../shared/secrets.js'
import { readMix } from '../../request/user-mix.js'
import { commandFrom, requestFrom } from '../../request/user-request.js'
import { pathFrom, planTyped } from '../../request/request.js'
import { readerFor } from '../../request/typed-experiment.js'

/** @import { AppCommand, Experiment, Plan } from '../../types.js' */
/** @import { RunFlags } from '../../request/types.js' */
/** @import { Side, Sides } from './sides.js' */

/** Options of `hopbench diff` about the measurement. */
/** @typedef {Omit<RunFlags, 'path'> & { path?: string[], allowDifferent?: boolean }} DiffFlags app: of the sides */

/**
 * @param {Sides} sides
 * @param {DiffFlags} options
 * @returns {Promise<{ plan: Plan, options: RunFlags, note?: string }>}
 * @throws {import('../../errors.js').HopbenchError} for every kind of misuse
 */
export async function planDiff ({ base, head }, { path, listen, readyWithin, quietApp, ...typed }) {
  const { allowDifferent, app, ...options } = typed
  const flags = { listen, readyWithin, quietApp }
  const apps = { base: toCommand(base, flags), head: toCommand(head, flags) }
  const { single, several } = readPaths({ ...options, path })
  const experiment = createExperiment(several)
  const request = await planTyped({ name: 'diff', experiment, parse: readerFor(apps) }, { ...options, path: single })
  return { ...request, plan: { ...request.plan, ...allowDifferent && { allowsDifferent: true } } }
}

/**
 * @param {Side} side
 * @param {Pick<RunFlags, 'listen' | 'readyWithin' | 'quietApp'>} flags
 * @returns {AppCommand}
 */
function toCommand ({ start, app }, flags) {
  const command = /** @type {AppCommand} */ (commandFrom({ ...flags, app: start }))
  return { ...command, cwd: app }
}

/**
 * Checks the options about requests and their engine, before minutes are spent on an installation.
 *
 * @param {DiffFlags} options
 * @throws {import('../../errors.js').HopbenchError} for every kind of misuse
 */
export async function checkOptions (options) {
  if (options.engine !== undefined) await loadPlugin('engine', options.engine)
  const typed = { ...options, path: readPaths(options).single }
  requestFrom(typed)
  readMix(typed)
  commandFrom({ app: 'npm start', listen: options.listen })
}

/**
 * @param {DiffFlags} options
 * @returns {{ single: string | undefined, several: string[] }} single: the only path, which is an option of the run, so
 *   that --har and --paths reject it
 */
function readPaths ({ path = [], har, paths: list }) {
  const paths = path.map(text => /** @type {string} */ (pathFrom(text)))
  const file = har ?? list
  if (paths.length > 1 && file !== undefined) {
    const option = har === undefined ? '--paths' : '--har'
    throw badOption(option, file, 'its requests have paths of their own, so --path has no effect')
  }
  // The names of arms are without secrets.
  const names = paths.map(pathWithoutSecrets)
  const duplicate = names.find((name, i) => names.indexOf(name) !== i)
  if (duplicate !== undefined) {
    throw badOption('--path', duplicate, 'another path is the same (values of secrets are not compared)',
      'Name each path once, or write both into a file for --paths.')
  }
  return paths.length > 1 ? { single: undefined, several: paths } : { single: paths[0], several: [] }
}

/**
 * @param {string[]} paths empty: one request, whose path is an option
 * @returns {Experiment}
 */
function createExperiment (paths) {
  const names = paths.map(pathWithoutSecrets)
  const toArms = (/** @type {'head' | 'base'} */ side) => paths.length === 0
    ? [[side, side]]
    : paths.map((path, i) => [`${side} ${names[i]}`, { topology: side, load: { path } }])
  const heads = toArms('head')
  const bases = toArms('base')
  return {
    title: 'head against base',
    question: 'Is head slower than base?',
    source: null,
    arms: Object.fromEntries([...bases, ...heads]),
    contrasts: heads.map(([name], i) => /** @type {[string, string]} */ ([name, bases[i][0]])),
    protocol: 'gang',
    unit: 'requests',
    load: { path: '/' }
  }
}
