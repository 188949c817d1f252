/** What a person typed → a plan that can be carried out, or one sentence why it cannot. */
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { refuseImpossible } from './capabilities.js'
import { HopbenchError } from './errors.js'
import { PATHS } from './fixtures.js'
import { localEngines } from './find-engine.js'
import { mayOutrun } from './measure/load.js'
import { mixOfFile, mixOfFolder, sequenceOf } from './request/mix.js'
import { nearest } from './nearest.js'
import { hasProxyOrigin, originPluginOf } from './origin.js'
import { planOf } from './plan.js'
import { loadPlugin, pluginNames } from './plugins.js'
import { moduleOf, proxyNames } from './measure/stage.js'
import { readRun } from './store.js'
import { findTools } from './tools.js'
import { resolveOptions } from './topology/options.js'
import { isPath, parse, print } from './topology/word.js'
import { workersOf } from './topology/workers.js'

/** @typedef {import('./types.d.ts').Plan} Plan */
/** @typedef {import('./types.d.ts').Experiment} Experiment */

/** Loaded with less than this many further descriptors, nginx and Node run out before the connections do. */
const DESCRIPTORS_BESIDE_CONNECTIONS = 128
/** npm changes into the project's folder; this is where the person stood. */
export const whereTyped = () => process.env.INIT_CWD ?? process.cwd()

/**
 * @typedef {object} RunOptions the flags of `hopbench run`
 * @property {boolean} [quick]
 * @property {number} [budget] seconds
 * @property {number} [precision] share
 * @property {number} [detect] share
 * @property {number} [connections]
 * @property {string} [engine]
 * @property {string} [path]
 * @property {number} [seed]
 * @property {string} [resume]
 * @property {string} [results]
 * @property {string} [root] folder of one's own
 * @property {string} [paths] list of paths or access log
 * @property {boolean} lab
 * @property {import('./hosts/ssh.js').Host} [server] the machine of the served side
 * @property {import('./hosts/ssh.js').Host[]} [load] the machines that make load
 * @property {import('./hosts/ssh.js').Host[]} [locustWorkers] the machines of Locust's workers
 * @property {number} [expectWorkers] of Locust, that a person starts
 * @property {'gigabit'} [net] two hosts on such a link in place of the loopback
 */

/**
 * @typedef {object} Request
 * @property {Plan} plan
 * @property {RunOptions} options
 */

/**
 * @param {string[]} words an experiment's name, or topologies
 * @param {RunOptions} options
 * @returns {Promise<Request>}
 * @throws {HopbenchError} misuse of every kind
 */
export async function planFrom (words, options) {
  if (options.resume !== undefined) return { plan: await storedPlan(options.resume, options.results), options }
  const { name, experiment } = await experimentFrom(words)
  const own = options.root === undefined ? null : await ownFiles(experiment, { ...options, root: options.root })
  const plan = planOf(name, own?.experiment ?? experiment, {
    connections: options.connections,
    engine: options.engine,
    path: pathFrom(options.path),
    quick: options.quick,
    budgetSeconds: options.budget,
    precision: options.precision,
    detect: options.detect,
    adaptive: options.budget !== undefined || options.detect !== undefined,
    net: options.net,
    seed: options.seed ?? Math.floor(Math.random() * 2 ** 32)
  }, parse)
  if (own) useOwnFiles(plan, own)
  else if (options.paths !== undefined) throw new HopbenchError('bad-option', { option: '--paths', value: options.paths, why: 'it goes with --root, the folder that the paths are in' })
  refuseElsewhere(plan, options)
  await check(plan)
  return { plan, options }
}

/**
 * What has a meaning on this machine only.
 * @param {Plan} plan
 * @param {RunOptions} options
 * @throws {HopbenchError} bad-option
 */
function refuseElsewhere ({ arms, root }, { server, load, locustWorkers, expectWorkers, net }) {
  const asked = Object.entries({ '--server': server && [server], '--load': load, '--locust-workers': locustWorkers, '--expect-workers': expectWorkers })
    .filter(([, hosts]) => hosts !== undefined)
  if (asked.length === 0) return
  const [option, hosts] = asked[0]
  const value = Array.isArray(hosts) ? hosts.map(({ name }) => name).join(',') : hosts
  const refuse = (/** @type {string} */ why, /** @type {string} */ remedy) => { throw new HopbenchError('bad-option', { option, value, why, remedy }) }
  if (load && (locustWorkers || expectWorkers)) refuse('Locust spreads itself, or --load spreads it', 'Take one of the two.')
  if (net) refuse(`--net ${net} is a private network of this machine`, 'Take one of the two.')
  const lab = arms.find(({ topology }) => topology.lab?.sysctl)
  if (lab) refuse(`the arm ${lab.name} changes settings of its network, which must be a private one`, `Leave ${option} out.`)
  if (!server) return
  const own = arms.find(({ topology }) => topology.server && isPath(topology.server.name))
  if (own) refuse(`${own.topology.server?.name} is an app on this machine`, 'Run hopbench on the machine of the app, with --load for this one.')
  if (root !== undefined) refuse('the files of --root are on this machine', 'Run hopbench on the machine that has them, with --load for this one.')
}

/**
 * Brings every program of a plan before its wall time begins.
 * @param {Request} request
 */
export async function prepare ({ plan, options }) {
  if (!options.server) await prepareProxies(plan.arms)
  if (options.load) return
  for (const name of namesOf(plan.arms, 'engine')) await localEngines.findOrNext(name, { insist: options.engine !== undefined })
  if (options.engine === undefined && plan.arms.some(({ topology }) => mayOutrun(topology))) await localEngines.findFaster()
}

/** @param {import('./types.d.ts').Arm[]} arms */
export async function prepareProxies (arms) {
  const plugins = await Promise.all(namesOf(arms, 'proxy').map(name => loadPlugin('proxy', name)))
  await findTools(plugins.map(({ default: { about: { program, packages } } }) => ({ program, packages })))
}

/**
 * One topology as an arm of its own, checked.
 * @param {string} word
 * @param {{ connections: number, path?: string }} load
 * @returns {Promise<import('./types.d.ts').Arm>}
 */
export async function armOf (word, { connections, path }) {
  const topology = parse(word)
  const arm = { name: print(topology), word: print(topology), topology, load: { engine: 'autocannon', connections, path: path ?? await usualPath([topology]), headers: {} }, twinOf: null }
  await checkArm(arm)
  return arm
}

/**
 * @param {string[]} words
 * @returns {Promise<{ name: string, experiment: Experiment }>}
 */
async function experimentFrom (words) {
  if (words.length === 0) {
    throw new HopbenchError('bad-option', { option: 'hopbench run', why: `it takes an experiment (${pluginNames('experiment').join(', ')}) or topologies` })
  }
  const experiments = pluginNames('experiment')
  if (words.length === 1 && experiments.includes(words[0])) {
    return { name: words[0], experiment: (await loadPlugin('experiment', words[0])).default }
  }
  const canonical = words.map(word => {
    // A bare word can only be an experiment or a server: the nearer name of both is the better advice.
    if (/^[a-z0-9-]+$/i.test(word) && !pluginNames('server').includes(word)) {
      throw new HopbenchError('unknown-experiment', { name: word, nearest: nearest(word, [...experiments, ...pluginNames('server')]) })
    }
    return print(parse(word))
  })
  const twice = canonical.find((word, i) => canonical.indexOf(word) !== i)
  if (twice) throw new HopbenchError('bad-option', { option: 'A further topology', value: twice, why: 'it is typed twice, and every run has an A/A arm of its own', remedy: 'Name it once.' })
  return {
    name: 'typed',
    experiment: {
      title: canonical.join(' against '),
      question: canonical.length === 1 ? `What does ${canonical[0]} do?` : `How do ${canonical.slice(1).join(' and ')} compare with ${canonical[0]}?`,
      source: null,
      arms: Object.fromEntries(canonical.map(word => [word, word])),
      protocol: 'slices',
      unit: 'requests',
      load: { path: await usualPath(canonical.map(parse)) },
      cores: canonical.map(parse).some(hasMoreProcesses) ? 'shared' : 'split'
    }
  }
}

/**
 * What is asked for when nobody says: the published page of servers that all serve files, else "/".
 * @param {import('./types.d.ts').Topology[]} topologies
 */
export async function usualPath (topologies) {
  const files = await Promise.all(topologies.map(async topology => {
    const { server } = topology
    if (!server || hasProxyOrigin(topology)) return true
    return !isPath(server.name) && (await loadPlugin('server', server.name)).about.serves.includes('static')
  }))
  return files.every(Boolean) ? PATHS.page : '/'
}

/** Pinned to the cores that the load leaves, more processes could not win. @param {import('./types.d.ts').Topology} topology */
const hasMoreProcesses = ({ proxy, server }) => (server !== null && server.instances !== 1) || [proxy, server].some(hop => Number(hop?.options.workers ?? 1) > 1)

/**
 * A person's own folder, and what is asked for in it.
 * @param {Experiment} experiment
 * @param {RunOptions & { root: string }} options
 * @returns {Promise<{ root: string, mix: import('./request/mix.js').Mix | null, experiment: Experiment }>}
 */
async function ownFiles (experiment, { root, paths, path }) {
  const refuse = (/** @type {string} */ why) => new HopbenchError('bad-option', { option: '--root', value: root, why })
  const entries = Object.values(experiment.arms)
  if (entries.some(entry => typeof entry !== 'string' && (entry.load?.path ?? entry.load?.paths))) throw refuse('this experiment is about files of its own')
  for (const entry of entries) {
    const topology = parse(typeof entry === 'string' ? entry : entry.topology)
    const { server } = topology
    if (!server || hasProxyOrigin(topology)) continue
    if (isPath(server.name)) throw refuse(`${server.name} is an app of your own, and nobody can know which files it serves`)
    const { about } = await loadPlugin('server', server.name)
    if (!about.serves.includes('static')) throw refuse(`${server.name} serves JSON, no files`)
  }
  const dir = resolve(whereTyped(), root)
  const whole = mixOfFolder(dir)
  if (path !== undefined) return { root: dir, mix: null, experiment }
  if (paths === undefined) return { root: dir, mix: whole, experiment }
  const { mix, missing } = mixOfFile(resolve(whereTyped(), paths), dir)
  if (missing > 0) process.stderr.write(`${missing} of the paths in ${paths} are no files below ${root} and are left out.\n`)
  return { root: dir, mix, experiment }
}

/**
 * @param {Plan} plan
 * @param {{ root: string, mix: import('./request/mix.js').Mix | null }} own
 */
function useOwnFiles (plan, { root, mix }) {
  plan.root = root
  if (!mix) return
  const paths = sequenceOf(mix, plan.seed)
  for (const arm of plan.arms) arm.load = { ...arm.load, path: paths[0], paths }
}

/** @param {string} [path] */
function pathFrom (path) {
  if (path !== undefined && !path.startsWith('/')) throw new HopbenchError('bad-option', { option: '--path', value: path, why: 'a path begins with /' })
  return path
}

/**
 * Everything that can be refused before anything starts.
 * @param {Plan} plan
 */
async function check (plan) {
  for (const arm of plan.arms) {
    await checkArm(arm)
    refuseImpossible((await loadPlugin('engine', arm.load.engine)).default, arm, plan.protocol)
  }
}

/** @param {import('./types.d.ts').Arm} arm */
async function checkArm ({ topology }) {
  if (topology.proxy) {
    const { default: { about } } = await loadPlugin('proxy', topology.proxy.name)
    resolveOptions(topology.proxy.name, about.options, topology.proxy.options)
  }
  const origin = await originPluginOf(topology)
  if (topology.server && origin) resolveOptions(topology.server.name, origin.about.options, topology.server.options)
  else if (topology.server) {
    await moduleOf(topology.server.name, whereTyped())
    resolveOptions(topology.server.name, {}, topology.server.options)
    workersOf(topology, availableParallelism())
  }
}

/**
 * More connections than files that may be open fail in ways that look like the server's fault.
 * @param {Pick<Plan, 'arms'>} plan
 * @param {number | null} openFiles the limit that children inherit
 * @throws {HopbenchError} too-many-connections
 */
export function checkLimits (plan, openFiles) {
  if (openFiles === null) return
  for (const { name, topology, load: { connections } } of plan.arms) {
    // A proxied request holds a connection on each side.
    const needed = connections * (topology.proxy && topology.server ? 2 : 1) + DESCRIPTORS_BESIDE_CONNECTIONS
    if (needed > openFiles) throw new HopbenchError('too-many-connections', { name, connections, needed, openFiles })
  }
}

/**
 * @param {string} run
 * @param {string} [results]
 */
async function storedPlan (run, results) {
  const { plan, record, dir } = await readRun(run, results)
  if (!plan) throw new HopbenchError('bad-run-file', { file: dir, why: 'there is no plan in it to go on with' })
  if (record?.complete) throw new HopbenchError('bad-option', { option: '--resume', value: run, why: 'that run is complete; start a new one' })
  return plan
}

/**
 * @param {import('./types.d.ts').Arm[]} arms
 * @param {'proxy' | 'engine'} kind
 */
export const namesOf = (arms, kind) => [...new Set(arms.flatMap(arm => kind === 'engine' ? arm.load.engine : proxyNames(arm.topology)))]
