/** Locust spread over machines by its own means: its master is here and makes no load, its workers are started on other
 * machines over ssh, or by hand. Users are dealt out and counts collected by Locust itself. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { HopbenchError } from '../../errors.js'
import { enginesFrom } from '../../load/find-engine.js'
import { freePort } from '../../machine/ports.js'
import { addedUp } from './several.js'

/** @import { Engines, FoundEngine } from '../../load/find-engine.js' */
/** @import { Generator, GeneratorOrder } from '../../load/generator.js' @import { WorkerOptions } from './types.js' */

const MASTER_PORT = 5557 // Locust's own.
const LOOK_SECONDS = 1
const WAIT_SECONDS = 120 // A person types, machines start Python.
const ANY = '*' // Every address of a machine, as Locust expects it.
const BEGINS = /Sending spawn jobs of \d+ users/ // What its master says once all workers are there.

/** @param {Engines} local where the master runs @param {WorkerOptions} options @returns {Engines} */
export const enginesWithWorkers = (local, options) => enginesFrom(async name => {
  const found = await local.find(name)
  const workers = await findWorkers(name, found, options)
  return { ...found, start: order => startSpread(found, workers, order, options) }
})

/** @param {string} name @param {FoundEngine} master @param {WorkerOptions} options
 * @throws {HopbenchError} engine-cannot, hosts-differ */
async function findWorkers (name, { plugin, version }, { hosts, byHand }) {
  if (!plugin.about.workers) {
    throw new HopbenchError('engine-cannot', {
      engine: plugin.about.title,
      arm: byHand > 0 ? '--expect-workers' : '--locust-workers',
      what: 'be spread over workers of its own'
    })
  }
  const workers = await Promise.all(hosts.map(({ engines }) => engines.find(name)))
  const other = workers.findIndex(worker => worker.version !== version)
  if (other >= 0) {
    throw new HopbenchError('hosts-differ', {
      what: name,
      hosts: [['this machine', version], [hosts[other].name, workers[other].version]]
    })
  }
  return workers
}

/** Its master takes orders and counts from anyone who connects, so it listens where its workers look for it and nowhere
 * else. It can listen on one address only, or on all. @param {WorkerOptions} options @returns {string} */
export function addressOfMaster ({ hosts, byHand, address }) {
  const wanted = new Set([...hosts.map(({ seenFrom }) => seenFrom), ...byHand > 0 ? [address] : []])
  return wanted.size === 1 ? [...wanted][0] : ANY
}

/** @param {FoundEngine} engine of the master
 * @param {FoundEngine[]} workers @param {GeneratorOrder} order @param {WorkerOptions} options */
async function startSpread (engine, workers, order, options) {
  const { hosts, byHand, address, say, waitSeconds = WAIT_SECONDS } = options
  const port = await freePort(MASTER_PORT, address)
  const host = addressOfMaster(options)
  if (host === ANY) {
    say("Locust's master listens on all addresses of this machine, since its workers reach it by different ones.")
  }
  if (byHand > 0) {
    const workers = byHand === 1 ? 'a worker' : `${byHand} workers`
    say(`Start ${workers} now, on any machine with Locust ${engine.version}:\n` +
      `    locust -f - --worker --master-host ${address} --master-port ${port}`)
  }
  const expected = hosts.reduce((sum, host) => sum + host.workers, byHand)
  const part = /** @type {const} */ ({ role: 'master', host, port, workers: expected, waitSeconds })
  const master = await engine.start({ ...order, part })
  try {
    const started = await Promise.all(workers.map((worker, i) =>
      worker.start({ ...order, part: { role: 'worker', host: hosts[i].seenFrom, port } })))
    await untilItBegins(master, { log: join(order.dir, '0.err'), waitSeconds })
    return spread(master, started, order.maxSeconds)
  } catch (error) {
    await master.kill()
    throw error
  }
}

/** The window begins with the load, and that with the last worker.
 * @param {Generator} master @param {{ log: string, waitSeconds: number }} options */
async function untilItBegins (master, { log, waitSeconds }) {
  const deadline = performance.now() + waitSeconds * 1000
  while (!BEGINS.test(readFileSync(log, 'utf8'))) {
    const failure = await master.failure()
    // It gives up by itself, and says so.
    if (failure && !/waiting for workers/i.test(String(failure.details.output))) throw failure
    if (failure || performance.now() > deadline) throw new HopbenchError('no-workers', { seconds: waitSeconds })
    await sleep(LOOK_SECONDS * 100)
  }
}

/** @param {Generator} master @param {Generator[]} workers @param {number} seconds until it ends by itself
 * @returns {Generator} */
function spread (master, workers, seconds) {
  const all = [master, ...workers]
  const each = (/** @type {(generator: Generator) => Promise<any>} */ ask) => Promise.all(all.map(ask))
  const endsAt = performance.now() + seconds * 1000
  /** A worker that goes before its time takes its users with it: what the others do then is another load. */
  const lost = async () =>
    (await Promise.all(workers.map(worker => worker.failure()))).find(failure => failure) ?? null
  /** Rejects when one of them goes; near the end all do, as the master asks them to.
   * @param {AbortSignal} over @returns {Promise<never>} */
  const goes = async over => {
    while (!over.aborted && performance.now() < endsAt - LOOK_SECONDS * 1000) {
      const failure = await lost()
      if (failure && !over.aborted && performance.now() < endsAt - LOOK_SECONDS * 1000) throw failure
      await sleep(LOOK_SECONDS * 1000)
    }
    return new Promise(() => {})
  }
  return {
    thaw: async () => { await each(generator => generator.thaw()) },
    freeze: async () => { await each(generator => generator.freeze()) },
    look: async () => { await each(generator => generator.look()) },
    async cpu () {
      const readings = await each(generator => generator.cpu())
      return { ...addedUp(readings), alive: readings[0].alive }
    },
    errors: () => master.errors(),
    counts: () => master.counts(),
    failure: async () => await master.failure() ?? (performance.now() < endsAt ? await lost() : null),
    async end () {
      const report = await master.end()
      await Promise.all(workers.map(worker => worker.kill()))
      return report
    },
    async finished (graceSeconds) {
      const over = new AbortController()
      try {
        return await Promise.race([master.finished(graceSeconds), goes(over.signal)])
      } finally {
        over.abort()
        await Promise.all(workers.map(worker => worker.kill()))
      }
    },
    kill: async () => { await each(generator => generator.kill()) }
  }
}
