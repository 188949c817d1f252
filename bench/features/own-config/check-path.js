/** Part of the command check: a path to a configuration in place of names. */
import { join, relative } from 'node:path'
import { text } from 'node:stream/consumers'
import { badOption, HopbenchError, shellWord } from '../../errors.js'
import { callerCwd } from '../../machine/caller-cwd.js'
import { isEnclosed, runInside } from '../../machine/network/enclosure.js'
import { findNetworkTool } from '../../machine/network/lab.js'
import { readOwnText } from '../../machine/files/own-files.js'
import { findProxies } from '../../measure/find-programs.js'
import { toOption } from '../../shared/commands.js'
import { listing } from '../../shared/format.js'
import { printReport } from '../../report/terminal.js'
import { withReleases } from '../../request/user-release.js'
import { prepareHops } from '../../run/programs.js'
import { terminal } from '../../run/show-record.js'
import { openWorkspace } from '../../run/session.js'
import { prepareCheck, writeTexts } from '../../store/check-results.js'
import { DEFAULT_RESULTS_DIR } from '../../store/layout.js'
import { getConfigArms } from '../deploy/index.js'
import { findCommand, getAppName } from './apps.js'
import { ownKind, toSarif } from './kind.js'
import { readTree } from './model.js'
import { readSource } from './source.js'

/** @import { OwnRecord, Source } from './types.js' */

/** Version of hopbench. */
const { version: VERSION } = JSON.parse(readOwnText(new URL('../../../package.json', import.meta.url)))
/** Options of the other checks. */
const UNUSED = ['bare', 'configs', 'ownNode', 'listen', 'quietApp', 'files', 'filesHidden', 'readyWithin', 'report']
/** Files in the folder of results. */
const RECORD = 'own-config'

/**
 * Returns whether an argument of the command is a path to a configuration.
 * @param {string} word
 */
export const isConfigPath = word => word === '-' || word.includes('/') || word.includes('.')

/**
 * Options of the command, as typed.
 * @typedef {object} OwnOptions
 * @property {boolean} [json]
 * @property {boolean} [sarif]
 * @property {boolean} [quick] leaves out behaviours that last a minute
 * @property {string} [results] folder
 * @property {string} [host]
 * @property {string[]} [app] commands, with or without the name of an upstream
 * @property {string} [release] of Debian, from which the program comes
 */

/**
 * Tries a configuration, and reports what fails.
 * @param {string[]} words a path
 * @param {OwnOptions & Record<string, unknown>} options
 * @param {string[]} args of the command line
 * @returns {Promise<number>} exit code: 1 if a behaviour fails, or if nothing can be tried
 * @throws {HopbenchError} bad-option, lab-needed
 */
export async function checkPath ([path, ...others], options, args) {
  if (others.length > 0) {
    throw badOption('A path to check', others[0], 'a configuration is checked alone', 'Leave it out.')
  }
  const unused = UNUSED.find(name => options[name] !== undefined)
  if (unused) {
    throw badOption(toOption(unused), true, 'it has no effect on a configuration of your own', 'Leave it out.')
  }
  const input = path === '-' ? await text(process.stdin) : undefined
  const source = readSource(path, { cwd: callerCwd(), input })
  const apps = readApps(source, options.app)
  const { arms } = await withReleases(getConfigArms([{ name: source.program.name, kind: 'proxy' }]), options.release)
  const ip = await findNetworkTool()
  if (!ip) throw new HopbenchError('lab-needed', { name: `The check of ${path}`, what: 'a file system of its own' })
  if (!isEnclosed()) {
    await prepareHops(arms)
    return Number(await runInside(args, { ip, input }))
  }
  const { results = DEFAULT_RESULTS_DIR } = options
  await prepareCheck(results)
  const workspace = openWorkspace()
  try {
    const { checkOwn } = await import('./study.js')
    const [program] = (await findProxies(arms)).values()
    const record = await checkOwn(source, {
      path,
      program,
      ip,
      temp: workspace.temp,
      host: options.host ?? null,
      apps,
      folder: callerCwd(),
      isQuick: options.quick,
      printProgress: line => { process.stderr.write(`${line}\n`) }
    })
    process.stdout.write(await store(record, results, options))
    return record.blocks.length === 0 || record.findings.length > 0 ? 1 : 0
  } finally {
    workspace.close()
  }
}

/**
 * Returns the commands of --app by the name of the upstream that each replaces; "": all others.
 * @param {Source} source
 * @param {string[]} [texts] as typed
 * @returns {Record<string, string>}
 * @throws {HopbenchError} bad-option
 */
function readApps ({ program, main, files }, texts = []) {
  const tree = readTree(main, new Map(files.map(({ path, text }) => [path, text])), program)
  const upstreams = program.getSites(tree, '').flatMap(({ apps }) => apps)
  const names = [...new Set(upstreams.map(getAppName))]
  const isName = (/** @type {string} */ name) => upstreams.some(app => findCommand(app, { [name]: name }))
  return Object.fromEntries(texts.map(text => {
    const [, name = '', command = text] = /^([\w.:/-]+)=(.*)$/s.exec(text) ?? []
    // A variable of the environment, as in NODE_ENV=production, is part of the command.
    const isVariable = /^[A-Z_][A-Z0-9_]*$/.test(name) && !isName(name)
    if (command.trim() === '') throw badOption('--app', text, 'it is the command that starts your app')
    if (name === '' || isVariable) return ['', text]
    if (isName(name)) return [name, command]
    throw badOption('--app', name, 'the configuration passes no requests on to it', `Take ${listing(names)}.`)
  }))
}

/**
 * Stores a record with its page and its patch, and returns what is printed.
 * @param {OwnRecord} record
 * @param {string} results folder
 * @param {{ json?: boolean, sarif?: boolean }} options
 */
async function store (record, results, { json, sarif }) {
  const toFile = (/** @type {string} */ ending) => join(results, `${RECORD}.${ending}`)
  const { sectionsPage } = await import('../../report/page/page.js')
  await writeTexts(Object.entries({
    json: `${JSON.stringify(record)}\n`, html: sectionsPage(record, ownKind, record.path), patch: record.patch
  }).map(([ending, text]) => ({ file: `${RECORD}.${ending}`, text })), results)
  if (json) return `${JSON.stringify(record, null, 2)}\n`
  if (sarif) return `${JSON.stringify(toSarif(record, VERSION), null, 2)}\n`
  const folder = relative(callerCwd(), record.root) || '.'
  const patch = shellWord(relative(callerCwd(), toFile('patch')))
  const apply = `patch -p1${folder === '.' ? '' : ` -d ${shellWord(folder)}`} < ${patch}`
  return `${printReport(record, ownKind, terminal())}Stored in: ${toFile('html')}\n` +
    (record.patch ? `Mend it:   ${apply}\n` : '')
}
