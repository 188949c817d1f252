/** Finds and starts engines on other machines: on one machine any engine that is a program, and Locust on several. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { HopbenchError } from '../../errors.js'
import { loadPlugin } from '../../plan/plugins.js'
import { freePort } from '../../machine/network/ports.js'
import { enginesFrom, FASTER, localEngines } from '../find-engine.js'
import { StartedGenerator, startLoaders } from '../generator.js'
import { RemoteProcess } from './process.js'
import { findVersion } from './ssh.js'

/** @import { Engines, FoundEngine, GeneratorOptions, LoadHost } from '../types.js' */
/** @import { EnginePlugin } from '../../types.js' */

/** Default port of Locust's master. */
const MASTER_PORT = 5557
/** Program of Locust's workers. */
const WORKER = 'locust'
/** Limit for all workers to connect: each starts Python, once for every core. */
const WAIT_SECONDS = 120
const POLL_MS = 100
/** Line of the master's log when all workers are connected. */
const SPAWNING = /Sending spawn jobs of \d+ users/

/**
 * Returns the engines of machines that make load.
 *
 * @param {LoadHost[]} hosts
 * @param {{ ofUsers: boolean, local?: Engines, waitSeconds?: number }} options ofUsers: Locust makes the load on the
 *   hosts, and other engines warm up on this machine; else the first host makes all load. local: engines of this
 *   machine; waitSeconds: limit for Locust's workers to connect
 * @returns {Engines}
 */
export const enginesOnHosts = (hosts, { ofUsers, local = localEngines, waitSeconds = WAIT_SECONDS }) => ofUsers
  ? enginesFrom(async name => {
    const found = await local.find(name)
    return found.plugin.about.users ? withWorkers(found, hosts, waitSeconds) : found
  })
  : enginesFrom(name => findOnHost(hosts[0], name), FASTER)

/**
 * @param {LoadHost} host
 * @param {string} name
 * @returns {Promise<FoundEngine>}
 * @throws {HopbenchError} engine-cannot, host-unfit, and failures of ssh
 */
async function findOnHost (host, name) {
  /** @type {{ default: EnginePlugin }} */
  const { default: plugin } = await loadPlugin('engine', name)
  const { about: { title, program, python } } = plugin
  if (typeof plugin.version === 'string' || 'npm' in plugin.version || python) {
    throw new HopbenchError('engine-cannot', { engine: title, what: 'run on another machine', arm: '--load-hosts' })
  }
  const version = await findVersion(host, program, plugin.version)
  return { name, plugin, program, env: {}, version, start: order => startOnHost(host, { plugin, program }, order) }
}

/**
 * @param {LoadHost} host
 * @param {Pick<FoundEngine, 'plugin' | 'program'>} engine
 * @param {GeneratorOptions} order
 */
async function startOnHost (host, { plugin, program }, order) {
  // The working directory is a folder of the generator.
  const { files, processes } = plugin.command(order.load, order.target, {
    program, dir: '.', maxSeconds: order.maxSeconds, cores: host.cpu.cores
  })
  const name = `the load generator of ${order.name} (${plugin.about.title})`
  const child = new RemoteProcess(host, { name, dir: order.dir, files, processes })
  const generator = new StartedGenerator(plugin, order, { remote: [child] })
  return untilReady(generator, child.cpu())
}

/**
 * Adds workers on other machines to Locust. Its master runs here and makes no load. Locust itself divides the users and
 * collects the counts.
 *
 * @param {FoundEngine} found
 * @param {LoadHost[]} hosts
 * @param {number} waitSeconds
 * @returns {Promise<FoundEngine>}
 * @throws {HopbenchError} hosts-differ, host-unfit, and failures of ssh
 */
async function withWorkers (found, hosts, waitSeconds) {
  const { parse } = /** @type {Exclude<EnginePlugin['version'], string | { npm: string }>} */ (found.plugin.version)
  const versions = await Promise.all(hosts.map(host => findVersion(host, WORKER, { args: ['--version'], parse })))
  const other = versions.findIndex(version => version !== found.version)
  if (other !== -1) {
    throw new HopbenchError('hosts-differ', {
      what: found.plugin.about.title, hosts: [['this machine', found.version], [hosts[other].name, versions[other]]]
    })
  }
  return { ...found, start: order => startWithWorkers(found, { hosts, waitSeconds }, order) }
}

/**
 * @param {FoundEngine} found
 * @param {{ hosts: LoadHost[], waitSeconds: number }} options
 * @param {GeneratorOptions} order
 */
async function startWithWorkers (found, { hosts, waitSeconds }, order) {
  // The master accepts any client, so it listens only on the address that also gets the load.
  const [{ address }] = hosts
  const port = await freePort(MASTER_PORT, address)
  const workers = hosts.reduce((sum, { cpu }) => sum + cpu.cores, 0)
  const part = { host: address, port, workers, waitSeconds }
  const loaders = startLoaders(found, { ...order, part })
  const remote = hosts.map((host, i) => new RemoteProcess(host, {
    name: `the worker of ${order.name} (${found.plugin.about.title})`,
    dir: join(order.dir, `worker-${i}`),
    // The master sends its file with the load to the workers.
    processes: [{
      argv: [WORKER, '-f', '-', '--worker', '--master-host', address, '--master-port', `${port}`,
        ...host.cpu.cores > 1 ? ['--processes', `${host.cpu.cores}`] : []]
    }]
  }))
  const generator = new StartedGenerator(found.plugin, order, { loaders, remote })
  await untilReady(generator, untilSpawning(generator, { log: join(order.dir, '0.err'), waitSeconds }))
  generator.startedAt = performance.now() / 1000
  return generator
}

/**
 * Returns a generator when it is ready, and ends it if it fails before.
 *
 * @param {StartedGenerator} generator
 * @param {Promise<unknown>} ready
 */
async function untilReady (generator, ready) {
  await ready.catch(async error => {
    await generator.kill()
    throw error
  })
  return generator
}

/**
 * Waits until the last worker has connected, with which the load starts.
 *
 * @param {StartedGenerator} generator
 * @param {{ log: string, waitSeconds: number }} options log: of the master
 * @throws {HopbenchError} no-workers, process-died, host-lost
 */
async function untilSpawning (generator, { log, waitSeconds }) {
  const deadline = performance.now() + waitSeconds * 1000
  while (!SPAWNING.test(readFileSync(log, 'utf8'))) {
    const failure = await generator.failure()
    const isWaiting = failure && /waiting for workers/i.test(String(failure.details.output))
    if (failure && !isWaiting) throw failure
    if (failure || performance.now() > deadline) throw new HopbenchError('no-workers', { seconds: waitSeconds })
    await sleep(POLL_MS)
  }
}
