/**
 * Starts each proxy with the configuration that `hopbench config` prints, and tries how it behaves in production. Each
 * file in behaviours/ is one behaviour.
 */
import { readdirSync } from 'node:fs'
import { parse as parsePath } from 'node:path'
import { Readable } from 'node:stream'
import { getErrorMessage } from '../../../errors.js'
import { makeTempDir } from '../../../machine/temp.js'
import { findProxies } from '../../../measure/find-programs.js'
import { parse } from '../../../plan/word.js'
import { loadPlugin, pluginNames } from '../../../plugins.js'
import { startSubject } from './subject.js'

/** @import { Arm, ConfigCell, ConfigsRecord, ProxyPlugin, ProxyProgram } from '../../../types.js' */
/** @import { Behaviour } from './types.js' */

const folder = new URL('behaviours/', import.meta.url)
/** Number of behaviours that are tried at once. Most behaviours spend their time waiting. */
const AT_ONCE = 12

/** Returns the behaviours by name. @returns {Promise<Map<string, Behaviour>>} */
export async function loadBehaviours () {
  const names = readdirSync(folder).map(file => parsePath(file).name).sort()
  const loaded = await Promise.all(names.map(async name => (await import(new URL(`${name}.js`, folder).href)).default))
  return new Map(names.map((name, i) => [name, loaded[i]]))
}

/**
 * Returns an arm for each proxy. Programs are looked up and installed for arms.
 * @param {string[]} [names] of proxies
 * @returns {Arm[]}
 */
export const getConfigArms = (names = pluginNames('proxy')) => names.map(name => {
  const word = `${name}:keepalive/express-json`
  const load = { engine: 'autocannon', connections: 1, path: '/', headers: {} }
  return { name: word, word, topology: parse(word), load, twinOf: null }
})

/**
 * Tries every behaviour with every proxy.
 * @param {object} options
 * @param {string[]} [options.names] of proxies
 * @param {string} options.temp folder in which each trial gets a folder
 * @param {(line: string) => void} options.say prints progress
 * @param {Map<string, Behaviour>} [options.behaviours]
 * @param {(text: string) => string} [options.change] changes the text of each configuration, to plant a fault in tests
 * @returns {Promise<ConfigsRecord>}
 */
export async function checkConfigs ({ names = pluginNames('proxy'), temp, say, behaviours, change }) {
  const started = performance.now()
  const tried = behaviours ?? await loadBehaviours()
  const programs = await findProxies(getConfigArms(names))
  const slowFirst = [...tried].sort(([, a], [, b]) => Number(b.isSlow ?? false) - Number(a.isSlow ?? false))
  const jobs = slowFirst.flatMap(([behaviour, about]) => names.map(proxy => ({ behaviour, about, proxy })))
  let done = 0
  const cells = await Readable.from(jobs).map(async job => {
    const cell = await tryBehaviour(job, { temp, change, program: getProgram(programs, job.proxy) })
    say(`${++done} of ${jobs.length}  ${job.proxy}: ${job.behaviour} ${cell.outcome}`)
    return cell
  }, { concurrency: AT_ONCE }).toArray()
  return {
    schema: 1,
    seconds: (performance.now() - started) / 1000,
    checkedAt: new Date().toISOString(),
    proxies: names.map(name => ({ name, version: getProgram(programs, name).version })),
    behaviours: [...tried].map(([name, { title }]) => ({ name, title })),
    cells
  }
}

/**
 * Returns the program of a proxy.
 * @param {Map<string, ProxyProgram>} programs
 * @param {string} name
 */
function getProgram (programs, name) {
  const program = programs.get(name)
  if (!program) throw new TypeError(`the program of ${name} is missing`)
  return program
}

/**
 * Tries one behaviour with one proxy, in processes of its own.
 * @param {{ behaviour: string, about: Behaviour, proxy: string }} job behaviour: its name
 * @param {{ temp: string, program: ProxyProgram, change?: (text: string) => string }} options as of checkConfigs()
 * @returns {Promise<ConfigCell>}
 */
async function tryBehaviour ({ behaviour, about, proxy }, { temp, program, change }) {
  const toCell = (/** @type {ConfigCell['outcome']} */ outcome, /** @type {string | null} */ detail) =>
    ({ behaviour, proxy, outcome, detail })
  const missing = await findMissing(about, proxy)
  if (missing) return toCell('not-offered', missing)
  const { options = {}, processes = 1 } = about
  const word = `${proxy}:keepalive${Object.entries(options).map(([name, value]) => `+${name}=${value}`).join('')}` +
    `/express-json${processes > 1 ? `@node:${processes}` : ''}`
  try {
    const subject = await startSubject({ proxy, word, program, change, dir: makeTempDir(temp, `${behaviour}${proxy}`) })
    try {
      const fault = await about.run(subject)
      return toCell(fault === null ? 'holds' : 'fails', fault)
    } finally {
      await subject.stop()
    }
  } catch (error) {
    return toCell('fails', getErrorMessage(error))
  }
}

/**
 * Returns why a proxy does not offer a behaviour, or null if it does.
 * @param {Behaviour} behaviour
 * @param {string} proxy
 */
async function findMissing ({ options = {}, notOffered = {} }, proxy) {
  if (notOffered[proxy]) return notOffered[proxy]
  /** @type {{ default: ProxyPlugin }} */
  const { default: { about } } = await loadPlugin('proxy', proxy)
  const option = Object.keys(options).find(name => !Object.hasOwn(about.options, name))
  return option === undefined ? null : `${about.title} has no option ${option} here`
}
