/** Reads the plug-in folders. A file's name is the plug-in's name; there is no other registry. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { armNames, armsOfTest, GROUPS } from './plan/experiment.js'
import { getErrorMessage, HopbenchError } from './errors.js'
import { nearest } from './shared/nearest.js'

/** @import { EngineAbout, Experiment, ProtocolAbout } from './types.js' */

export const PROJECT = fileURLToPath(new URL('..', import.meta.url))

/** @typedef {'server' | 'proxy' | 'engine' | 'experiment' | 'protocol'} Kind */

/** What an engine can do that says nothing else: what most can, and nothing that not all of them can be asked for. */
const ENGINE = /** @satisfies {Partial<EngineAbout>} */ ({
  packages: null,
  closedLoop: true,
  rate: false,
  unixTarget: false,
  tls: true,
  http2: false,
  plain: true,
  keepAlive: true,
  freshConnections: false,
  resumption: null,
  paths: false,
  headers: true,
  counted: null,
  mostConnections: null,
  timeouts: null,
  timesItself: true,
  latencyResolutionMicros: null,
  stop: null,
  checksBodies: false,
  errorLog: null
})
/** @type {ProtocolAbout} */
const PROTOCOL = {
  paused: false,
  clientCounts: false,
  windowSeconds: null,
  steps: null,
  warm: false,
  series: false,
  starts: false,
  elsewhere: null,
  result: 'throughput'
}

/** What an engine can do, or not. */
const YES_OR_NO = ['closedLoop', 'rate', 'unixTarget', 'tls', 'http2', 'plain', 'keepAlive', 'freshConnections',
  'paths', 'headers', 'timesItself', 'checksBodies']

/** filled: with what the plug-in leaves out; contract: what it must have, in words, and a test of it.
 * @type {Record<Kind, { folder: string, filled?: (module: any) => any, contract: Record<string, (module: any,
 * protocol?: ProtocolAbout | null) => boolean> }>} */
const kinds = {
  server: {
    folder: 'servers',
    contract: {
      'a default export that is an async factory ({ root }) => handler': m => typeof m.default === 'function',
      'about.title': m => isText(m.about?.title),
      'about.package, a name or null': m => m.about.package === null || isText(m.about.package),
      'about.serves, a list of json, static and pages': m => isListOf(m.about.serves, ['json', 'static', 'pages']),
      'about.bytesFrom, memory or disk': m => ['memory', 'disk'].includes(m.about.bytesFrom),
      'about.compression, none, on-the-fly or precompressed': m =>
        ['none', 'on-the-fly', 'precompressed'].includes(m.about.compression),
      'about.vulnerable, one sentence where it is there': m =>
        m.about.vulnerable === undefined || isText(m.about.vulnerable)
    }
  },
  proxy: {
    folder: 'proxy',
    contract: {
      'about.title, about.program and about.options': m =>
        isText(m.default?.about?.title) && isText(m.default.about.program) && isObject(m.default.about.options),
      'version.args and version.parse': m => isVersion(m.default.version),
      'the functions render, command and check': m => areFunctions(m.default, ['render', 'command', 'check']),
      'counters with parse or read, and parseLogLine': m => areFunctions(m.default.counters, ['parseLogLine']) &&
        ['parse', 'read'].filter(name => areFunctions(m.default.counters, [name])).length === 1
    }
  },
  engine: {
    folder: 'bench/engines',
    filled: m => ({ ...m, default: { ...m.default, about: { ...ENGINE, ...m.default?.about } } }),
    contract: {
      'about.title and about.program': m => isText(m.default?.about?.title) && isText(m.default.about.program),
      [`about.${YES_OR_NO.join(', ')}, each true or false`]: m =>
        YES_OR_NO.every(key => typeof m.default.about[key] === 'boolean'),
      'about.users, true or false where it is there': m => [undefined, true, false].includes(m.default.about.users),
      'about.python, a list of packages and the oldest Python, where it is there': m =>
        m.default.about.python === undefined ||
        (isText(m.default.about.python.requirements) && /^\d+\.\d+$/.test(m.default.about.python.least)),
      'about.methods, lists of those withBody and without, where it is there': m =>
        m.default.about.methods === undefined ||
        [m.default.about.methods.withBody, m.default.about.methods.without].every(Array.isArray),
      'about.resumption, always, never, chosen or null': m =>
        [null, 'always', 'never', 'chosen'].includes(m.default.about.resumption),
      'about.timeouts, all, late or null': m => [null, 'all', 'late'].includes(m.default.about.timeouts),
      'about.latencyNote, one sentence': m => isText(m.default.about.latencyNote),
      'about.mostConnections, a number or null': m =>
        m.default.about.mostConnections === null || m.default.about.mostConnections > 0,
      'about.stop, a signal or null': m =>
        m.default.about.stop === null || /^SIG[A-Z0-9]+$/.test(m.default.about.stop),
      'version.args and version.parse, or version.npm, or "own"': m =>
        m.default.version === 'own' || isText(m.default.version?.npm) || isVersion(m.default.version),
      'the functions command and parse': m => areFunctions(m.default, ['command', 'parse'])
    }
  },
  experiment: {
    folder: 'bench/experiments',
    contract: {
      'a title and a question': m => isText(m.default?.title) && isText(m.default.question),
      'a group of bench/plan/experiment.js, where it names one': m =>
        m.default.group === undefined || Object.hasOwn(GROUPS, m.default.group),
      'at least two arms': m => isObject(m.default.arms) && Object.keys(m.default.arms).length > 1,
      'a known protocol': (m, protocol) => Boolean(protocol),
      'a known unit': m => ['requests', 'connections', 'handshakes', 'bytes'].includes(m.default.unit),
      'steps, numbers of connections in rising order, with a protocol that steps through them and no other':
        (m, protocol) => (protocol?.steps === 'connections') === isRising(m.default.steps),
      'shares of the peak in rising order, with a protocol that steps through them and no other':
        (m, protocol) => (protocol?.steps === 'shares') === areShares(m.default.shares),
      'contrasts, a twin and claims that name its own arms': m =>
        namesOf(m.default).every(name => armNames(m.default).includes(name))
    }
  },
  protocol: {
    folder: 'bench/measure/protocols',
    filled: m => ({ ...m, about: { ...PROTOCOL, ...m.about } }),
    contract: {
      'a function open': m => areFunctions(m, ['open']),
      'an object about of nothing but what a protocol is': m =>
        isObject(m.about) && Object.keys(m.about).every(key => key in PROTOCOL),
      'about.paused, clientCounts, warm, series and starts, each true or false': m =>
        Object.keys(PROTOCOL).filter(key => PROTOCOL[/** @type {keyof ProtocolAbout} */ (key)] === false)
          .every(key => typeof m.about[key] === 'boolean'),
      'about.windowSeconds, seconds for full, quick and smoke, or null': m =>
        m.about.windowSeconds === null || ['full', 'quick', 'smoke'].every(key => m.about.windowSeconds[key] > 0),
      'about.steps, connections, shares or null': m => ['connections', 'shares', null].includes(m.about.steps),
      'about.elsewhere, the name of a protocol or null': m =>
        m.about.elsewhere === null || pluginNames('protocol').includes(m.about.elsewhere),
      'about.result, throughput, first-errors or latency': m =>
        ['throughput', 'first-errors', 'latency'].includes(m.about.result)
    }
  }
}

/** @param {Kind} kind @returns {string[]} the names there are, sorted */
export function pluginNames (kind) {
  return readdirSync(join(PROJECT, kinds[kind].folder))
    .filter(file => file.endsWith('.js')).map(file => file.slice(0, -3)).sort()
}

/** @param {Kind} kind @param {string} name */
export const pluginFile = (kind, name) => join(PROJECT, kinds[kind].folder, `${name}.js`)

/** Imports one plug-in and checks its contract. @param {Kind} kind @param {string} name
 * @returns {Promise<any>} the module @throws {HopbenchError} unknown-plugin, bad-plugin */
export async function loadPlugin (kind, name) {
  const { folder } = kinds[kind]
  const known = pluginNames(kind)
  if (!known.includes(name)) {
    throw new HopbenchError('unknown-plugin', { kind, name, folder, known, nearest: nearest(name, known) })
  }
  const file = `${folder}/${name}.js`
  let module
  try {
    module = await import(pathToFileURL(pluginFile(kind, name)).href)
  } catch (error) {
    throw new HopbenchError('bad-plugin', {
      file,
      why: `it cannot be imported: ${getErrorMessage(error)}`
    }, { cause: error })
  }
  module = kinds[kind].filled?.(module) ?? module
  const what = missingPart(kind, module, kind === 'experiment' ? await protocolOf(module) : null)
  if (what !== null) throw new HopbenchError('bad-plugin', { file, why: `it requires ${what}` })
  return module
}

/** What is missing from a plug-in, by its kind's contract. @param {Kind} kind @param {unknown} module anything at all
 * @param {ProtocolAbout | null} [protocol] of an experiment: the one it names; left out: there is none of that name
 * @returns {string | null} the first thing, in words; null: nothing is missing */
export const missingPart = (kind, module, protocol) =>
  Object.entries(kinds[kind].contract).find(([, holds]) => !safely(() => holds(module, protocol)))?.[0] ?? null

/** @param {any} experiment a module, whatever is in it @returns {Promise<ProtocolAbout | null>} */
async function protocolOf ({ default: experiment }) {
  return pluginNames('protocol').includes(experiment?.protocol) ? aboutProtocol(experiment.protocol) : null
}

/** @param {string} name @returns {Promise<ProtocolAbout>} @throws {HopbenchError} unknown-plugin, bad-plugin */
export const aboutProtocol = async name => (await loadPlugin('protocol', name)).about

/** @param {() => boolean} check of a value that may be anything, also undefined: one that throws does not hold */
function safely (check) {
  try {
    return check()
  } catch {
    return false
  }
}

/** @param {unknown} value */
const isText = value => typeof value === 'string' && value !== ''
/** @param {unknown} value */
const isObject = value => typeof value === 'object' && value !== null && !Array.isArray(value)
/** @param {unknown} steps */
const isRising = steps =>
  Array.isArray(steps) && steps.length > 0 &&
  steps.every((step, i) => Number.isInteger(step) && step > (steps[i - 1] ?? 0))
/** @param {unknown} shares */
const areShares = shares =>
  Array.isArray(shares) && shares.length > 0 && shares.every((share, i) => share > (shares[i - 1] ?? 0) && share < 1)
/** @param {any} version */
const isVersion = version => Array.isArray(version?.args) && typeof version.parse === 'function'
/** @param {any} value @param {string[]} allowed */
const isListOf = (value, allowed) =>
  Array.isArray(value) && value.length > 0 && value.every(item => allowed.includes(item))
/** @param {any} value @param {string[]} names */
const areFunctions = (value, names) => names.every(name => typeof value[name] === 'function')

/** @param {Experiment} experiment */
const namesOf = experiment => [
  ...(experiment.contrasts ?? []).flat(),
  ...(experiment.twin ? [experiment.twin] : []),
  ...(experiment.claims ?? []).flatMap(({ test }) => armsOfTest(test))
]
