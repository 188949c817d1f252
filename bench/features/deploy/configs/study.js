/**
 * Starts each proxy with the configuration that `hopbench config` prints, and each deploy kit, and tries behaviours of
 * production. The files in behaviours/ hold them.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { getErrorMessage } from '../../../errors.js'
import { makeTempDir } from '../../../machine/files/temp.js'
import { findProxies } from '../../../measure/find-programs.js'
import { parse } from '../../../plan/spec.js'
import { loadPlugin, pluginNames } from '../../../plan/plugins.js'
import { findCertificate } from '../../../topology/certificates.js'
import { TARGETS } from '../kit/targets.js'
import { TLS_BY_NOTE } from './private-paths.js'
import { openNetwork } from '../../../machine/network/lab.js'
import { waitUntilListening } from '../../../topology/start/wait-until-listening.js'
import { HOST, ask, openSocket } from './client.js'
import { startKit } from './kit-subject.js'
import { startProxy } from './proxy-subject.js'

/** @import { Arm, ConfigCell, ConfigsRecord, ProxyProgram } from '../../../types.js' */
/** @import { Behaviour, Certificate, Subject, SubjectName, SubjectOptions } from './types.js' */
/** @import { Child, Network } from '../../../machine/types.js' */

/** Lowest ports to try. Of each kind, the first free one is used. */
const PORTS = { front: 18100, origin: 13100, admin: 16082, redirect: 19100 }
/** Ports between those of two processes of the app. */
const ORIGIN_STEP = 10
/** Timeout for a subject to listen. Dozens of subjects start at once. */
const START_SECONDS = 60

/**
 * Starts a subject and its app. The proxy listens on all addresses, as its recommended configuration demands.
 * @param {SubjectOptions} options
 * @returns {Promise<Subject>}
 * @throws {HopbenchError} proxy-refused, process-died, not-ready
 */
export async function startSubject (options) {
  const { subject: { name, kind }, behaviour, dir } = options
  const network = await openNetwork({ name, dir, private: false })
  /** @type {Child[]} */
  const children = []
  const stop = async () => {
    for (const child of children.toReversed()) await child.stop()
    await network.close()
  }
  try {
    const ports = await choosePorts(network, behaviour.processes ?? 1)
    const started = kind === 'kit'
      ? await startKit(options, ports, network)
      : await startProxy(options, ports, network, child => children.push(child))
    children.push(started.child)
    const address = /** @type {const} */ ({ kind: 'tcp', host: HOST, port: ports.front })
    const subject = { name, port: ports.front, exited: started.child.exited, stop, ...started.subject }
    const isUp = kind === 'proxy' && options.program.plugin.listensEarly
      ? () => isRouting(subject)
      : () => isListening(ports.front)
    await waitUntilListening(started.child, address, isUp, START_SECONDS)
    return subject
  } catch (error) {
    await stop()
    throw error
  }
}

/** @typedef {Awaited<ReturnType<typeof choosePorts>>} Ports */

/**
 * Reserves the ports of the proxy and of each process of the app.
 * @param {Network} network
 * @param {number} processes of the app
 */
async function choosePorts (network, processes) {
  const origins = []
  for (let i = 0; i < processes; i++) origins.push(await network.port(PORTS.origin + ORIGIN_STEP * i))
  return {
    front: await network.port(PORTS.front),
    admin: await network.port(PORTS.admin),
    redirect: await network.port(PORTS.redirect),
    origin: origins[0],
    origins
  }
}

/**
 * Returns whether a program accepts connections on a port.
 * @param {number} port
 * @returns {Promise<boolean>}
 */
const isListening = async port => {
  const socket = await openSocket({ port }).catch(() => null)
  socket?.destroy()
  return socket !== null
}

/**
 * Returns whether a proxy that listens before it has its routes has them. Without routes the proxy sends 404, or no
 * certificate.
 * @param {Subject} subject
 */
async function isRouting (subject) {
  const { status } = await ask(subject, '/pid')
  return status !== 0 && status !== 404
}

const folder = new URL('../behaviours/', import.meta.url)
/** Largest number of behaviours tried at once. Slow behaviours are not limited, because they mostly wait. */
const AT_ONCE = 8
/**
 * Largest number of behaviours with time limits tried at once. Such behaviours run last, because starting other
 * programs delays requests.
 */
const TIMED_AT_ONCE = 2
/** Kits contain nginx. */
const KIT_PROXY = 'nginx'
const KEY_KIND = 'ecdsa-p256'

/** Returns the behaviours by name. @returns {Promise<Map<string, Behaviour>>} */
export async function loadBehaviours () {
  const modules = await Promise.all(readdirSync(folder).map(file => import(new URL(file, folder).href)))
  const behaviours = modules.flatMap(module => Object.entries(module.default))
  return new Map(behaviours.sort(([a], [b]) => a < b ? -1 : 1))
}

/** Returns the proxies and the targets of kits. @returns {SubjectName[]} */
export const getSubjects = () => [
  ...pluginNames('proxy').map(name => /** @type {const} */ ({ name, kind: 'proxy' })),
  ...Object.keys(TARGETS).map(name => /** @type {const} */ ({ name, kind: 'kit' }))
]

/**
 * Returns an arm for each proxy of the subjects. Programs are looked up and installed for arms.
 * @param {SubjectName[]} subjects
 * @returns {Arm[]}
 */
export const getConfigArms = subjects => [...new Set(subjects.map(getProxy))].map(name => {
  const spec = `${name}:keepalive/express-json`
  const load = { engine: 'autocannon', connections: 1, path: '/', headers: {} }
  return { name: spec, spec, topology: parse(spec), load, twinOf: null }
})

/** @param {SubjectName} subject */
const getProxy = ({ name, kind }) => kind === 'kit' ? KIT_PROXY : name

/**
 * @typedef {object} Job one cell of the table
 * @property {string} name of the behaviour
 * @property {Behaviour} behaviour
 * @property {SubjectName} subject
 * @property {ProxyProgram} program
 * @property {string} dir
 */

/**
 * Tries every behaviour with every subject.
 * @param {object} options
 * @param {SubjectName[]} [options.subjects]
 * @param {string} options.temp folder in which each trial gets a folder
 * @param {(line: string) => void} options.printProgress prints progress
 * @param {Map<string, Behaviour>} [options.behaviours]
 * @param {(text: string) => string} [options.change] changes the text of each configuration, to plant a fault in tests
 * @returns {Promise<ConfigsRecord>}
 */
export async function checkConfigs ({ subjects = getSubjects(), temp, printProgress, behaviours, change }) {
  const started = performance.now()
  const tried = behaviours ?? await loadBehaviours()
  const programs = await findProxies(getConfigArms(subjects))
  // The second certificate renews the first one.
  const certificates = await Promise.all(['first', 'second'].map(name => findCertificate(KEY_KIND, join(temp, name))))
  const jobs = [...tried].flatMap(([name, behaviour]) => subjects.map(subject => ({ name, behaviour, subject })))
    .map((job, i) => ({ ...job, program: getProgram(programs, job.subject), dir: makeTempDir(temp, String(i)) }))
  let done = 0
  const tryOne = async (/** @type {Job} */ job) => {
    const cell = await tryBehaviour(job, { certificates, change })
    printProgress(`${++done} of ${jobs.length}  ${job.subject.name}: ${job.name} ${cell.outcome}`)
    return cell
  }
  const slow = jobs.filter(({ behaviour }) => behaviour.isSlow)
  const timed = jobs.filter(({ behaviour }) => behaviour.isTimed)
  const others = jobs.filter(({ behaviour }) => !behaviour.isSlow && !behaviour.isTimed)
  const tryOthers = async () => [
    ...await Readable.from(others).map(tryOne, { concurrency: AT_ONCE }).toArray(),
    ...await Readable.from(timed).map(tryOne, { concurrency: TIMED_AT_ONCE }).toArray()
  ]
  const cells = await Promise.all([Promise.all(slow.map(tryOne)), tryOthers()])
  const order = [...tried.keys()]
  return {
    schema: 1,
    seconds: (performance.now() - started) / 1000,
    checkedAt: new Date().toISOString(),
    subjects: subjects.map(subject => ({ ...subject, version: getProgram(programs, subject).version })),
    behaviours: [...tried].map(([name, { title }]) => ({ name, title })),
    cells: cells.flat().sort((a, b) => order.indexOf(a.behaviour) - order.indexOf(b.behaviour))
  }
}

/**
 * Returns the program of a proxy, or nginx for a kit.
 * @param {Map<string, ProxyProgram>} programs
 * @param {SubjectName} subject
 */
export function getProgram (programs, subject) {
  const program = programs.get(getProxy(subject))
  if (!program) throw new TypeError(`the program of ${subject.name} is missing`)
  return program
}

/**
 * Tries one behaviour with one subject, in processes of its own.
 * @param {Job} job
 * @param {{ certificates: Certificate[], change?: (text: string) => string }} options as of checkConfigs()
 * @returns {Promise<ConfigCell>}
 */
async function tryBehaviour ({ name, behaviour, subject, program, dir }, options) {
  const toCell = (/** @type {ConfigCell['outcome']} */ outcome, /** @type {string | null} */ detail) =>
    ({ behaviour: name, subject: subject.name, outcome, detail })
  const missing = findMissing(behaviour, subject, program)
  if (missing) return toCell('not-offered', missing)
  try {
    const running = await startSubject({ subject, behaviour, dir, program, ...options })
    try {
      const fault = await behaviour.run(running)
      return toCell(fault === null ? 'holds' : 'fails', fault)
    } finally {
      await running.stop()
    }
  } catch (error) {
    return toCell('fails', getErrorMessage(error))
  }
}

/**
 * Returns what the recommended configuration of a proxy, or the kit for a target, does not offer.
 * @param {SubjectName} subject
 * @returns {Promise<string[]>} different sentences without a full stop
 */
export async function listNotOffered (subject) {
  const { default: plugin } = await loadPlugin('proxy', getProxy(subject))
  const reasons = [...(await loadBehaviours()).values()].map(behaviour => findMissing(behaviour, subject, { plugin }))
  return [...new Set(reasons.filter(reason => reason !== null))]
}

/**
 * Returns why a subject does not offer a behaviour, or null if it does.
 * @param {Behaviour} behaviour
 * @param {SubjectName} subject
 * @param {Pick<ProxyProgram, 'plugin'>} program
 */
function findMissing ({ options = {}, processes = 1, notOffered = {} }, { name, kind }, { plugin }) {
  if (notOffered[name]) return notOffered[name]
  if (options.tls && name === 'varnish') return 'Hitch ends TLS in front of Varnish, as hopbench config prints'
  if (kind === 'kit') return options.tls && TARGETS[name].endsTls ? 'The router of the platform ends TLS' : null
  const { title, options: offered, lacks = {} } = plugin.about
  const needed = [...Object.keys(options), ...processes > 1 ? ['balance'] : []]
  const option = needed.find(option => !Object.hasOwn(offered, option) &&
    !(option === 'tls' && TLS_BY_NOTE.includes(name)))
  return option === undefined ? null : lacks[option] ?? `${title} has no option ${option} here`
}
