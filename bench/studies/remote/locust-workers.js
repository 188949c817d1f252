/** Distributes Locust over machines by its own protocol. The master runs here and makes no load. The workers are
 * started over ssh, or by hand. Locust itself distributes the users and collects the counts. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { HopbenchError } from '../../errors.js'
import { enginesFrom } from '../../load/find-engine.js'
import { freePort } from '../../machine/ports.js'
import { addReadings, GeneratorGroup, refuseDifferentVersions } from './several.js'

/** @import { Engines, FoundEngine, Generator, GeneratorOrder } from '../../load/shapes.js' */
/** @import { Loader } from './types.js' */

/** Default port of Locust's master. */
const MASTER_PORT = 5557
const POLL_SECONDS = 1
/** Limit for all workers to connect: it includes typing a command and starting Python. */
const WAIT_SECONDS = 120
/** All addresses of a machine, in Locust's notation. */
const ALL_ADDRESSES = '*'
/** Line of the master's log when all workers are connected. */
const SPAWNING = /Sending spawn jobs of \d+ users/

/**
 * @param {Engines} local engines of this machine, which runs the master
 * @param {object} options
 * @param {Pick<Loader, 'name' | 'engines' | 'seenFrom' | 'workers'>[]} options.hosts on which workers are started over
 * ssh
 * @param {number} options.byHand number of workers that are started by hand
 * @param {string} options.address of this machine, for workers that are started by hand
 * @param {(text: string) => void} options.print prints a line for the user
 * @param {number} [options.waitSeconds] time for all workers to connect
 * @returns {Engines}
 */
export const enginesWithWorkers = (local, options) => enginesFrom(async name => {
  const found = await local.find(name)
  const workers = await findWorkers(name, found, options)
  return { ...found, start: order => startDistributed(found, workers, order, options) }
})

/**
 * @param {string} name
 * @param {FoundEngine} master
 * @param {{ hosts: Pick<Loader, 'name' | 'engines'>[], byHand: number }} options
 * @throws {HopbenchError} engine-cannot, hosts-differ
 */
async function findWorkers (name, { plugin, version }, { hosts, byHand }) {
  if (!plugin.about.workers) {
    throw new HopbenchError('engine-cannot', {
      engine: plugin.about.title,
      arm: byHand > 0 ? '--expect-workers' : '--locust-workers',
      what: 'be spread over workers of its own'
    })
  }
  const workers = await Promise.all(hosts.map(({ engines }) => engines.find(name)))
  /** @type {[string, string][]} */
  const versions = workers.map((worker, i) => [hosts[i].name, worker.version])
  refuseDifferentVersions(name, [['this machine', version], ...versions])
  return workers
}

/**
 * Returns the address on which the master listens. The master accepts any client, so it listens only on the address
 * that its workers use. If they use several, it listens on all, because Locust supports one address or all.
 *
 * @param {{ hosts: Pick<Loader, 'seenFrom'>[], byHand: number, address: string }} options
 * @returns {string}
 */
export function addressOfMaster ({ hosts, byHand, address }) {
  const addresses = new Set(hosts.map(({ seenFrom }) => seenFrom))
  if (byHand > 0) addresses.add(address)
  return addresses.size === 1 ? [...addresses][0] : ALL_ADDRESSES
}

/**
 * @param {FoundEngine} engine of the master
 * @param {FoundEngine[]} workers
 * @param {GeneratorOrder} order
 * @param {Parameters<typeof enginesWithWorkers>[1]} options
 */
async function startDistributed (engine, workers, order, options) {
  const { hosts, byHand, address, print, waitSeconds = WAIT_SECONDS } = options
  const port = await freePort(MASTER_PORT, address)
  const host = addressOfMaster(options)
  if (host === ALL_ADDRESSES) {
    print("Locust's master listens on all addresses of this machine, because its workers reach it by different ones.")
  }
  if (byHand > 0) {
    const missing = byHand === 1 ? 'a worker' : `${byHand} workers`
    print(`Start ${missing} now, on any machine with Locust ${engine.version}:\n` +
      `    locust -f - --worker --master-host ${address} --master-port ${port}`)
  }
  const expected = hosts.reduce((sum, host) => sum + host.workers, byHand)
  const master = await engine.start({
    ...order, part: { role: 'master', host, port, workers: expected, waitSeconds }
  })
  try {
    const started = await Promise.all(workers.map((worker, i) =>
      worker.start({ ...order, part: { role: 'worker', host: hosts[i].seenFrom, port } })))
    await waitForLoad(master, { log: join(order.dir, '0.err'), waitSeconds })
    return new DistributedLocust(master, started, order.maxSeconds)
  } catch (error) {
    await master.kill()
    throw error
  }
}

/**
 * Waits until the last worker has connected, with which the load starts.
 *
 * @param {Generator} master
 * @param {{ log: string, waitSeconds: number }} options
 */
async function waitForLoad (master, { log, waitSeconds }) {
  const deadline = performance.now() + waitSeconds * 1000
  while (!SPAWNING.test(readFileSync(log, 'utf8'))) {
    const failure = await master.failure()
    const isOtherFailure = failure && !/waiting for workers/i.test(String(failure.details.output))
    if (isOtherFailure) throw failure
    if (failure || performance.now() > deadline) throw new HopbenchError('no-workers', { seconds: waitSeconds })
    await sleep(POLL_SECONDS * 100)
  }
}

/** @implements {Generator} */
class DistributedLocust extends GeneratorGroup {
  errors = () => this.#master.errors()
  counts = () => this.#master.counts()
  #master
  #workers
  #endsAt

  /**
   * @param {Generator} master
   * @param {Generator[]} workers
   * @param {number} seconds until the master ends by itself
   */
  constructor (master, workers, seconds) {
    super([master, ...workers])
    this.#master = master
    // A worker that ends early takes its users along, which changes the load.
    this.#workers = new GeneratorGroup(workers)
    this.#endsAt = performance.now() + seconds * 1000
  }

  async cpu () {
    const readings = await this.all(generator => generator.cpu())
    return { ...addReadings(readings), alive: readings[0].alive }
  }

  /** @override */
  async failure () {
    return await this.#master.failure() ?? (performance.now() < this.#endsAt ? await this.#workers.failure() : null)
  }

  async end () {
    const report = await this.#master.end()
    await this.#workers.kill()
    return report
  }

  /** @param {number} graceSeconds */
  async finished (graceSeconds) {
    const finished = new AbortController()
    try {
      return await Promise.race([this.#master.finished(graceSeconds), this.#watchWorkers(finished.signal)])
    } finally {
      finished.abort()
      await this.#workers.kill()
    }
  }

  /**
   * Rejects when a worker ends early. Ignores the last second, in which the master ends its workers.
   *
   * @param {AbortSignal} signal of the end
   * @returns {Promise<never>}
   */
  async #watchWorkers (signal) {
    const isRunning = () => !signal.aborted && performance.now() < this.#endsAt - POLL_SECONDS * 1000
    while (isRunning()) {
      const failure = await this.#workers.failure()
      if (failure && isRunning()) throw failure
      await sleep(POLL_SECONDS * 1000)
    }
    return new Promise(() => {})
  }
}
