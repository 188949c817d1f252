/** Generators on several machines as one: started together, counts added, histograms merged, and with one of them lost
 * all is lost. */
import { HopbenchError } from '../../errors.js'
import { enginesFrom } from '../../load/find-engine.js'
import { addUp } from '../../load/generator.js'
import { mergeMeasurements } from './merge.js'

/** @import { Engines, FoundEngine } from '../../load/find-engine.js' */
/** @import { CpuReading, Generator, Report } from '../../load/generator.js' @import { Load } from '../../types.js' */

/** @param {{ name: string, engines: Engines }[]} hosts @returns {Engines} */
export const enginesOfSeveral = hosts =>
  hosts.length === 1 ? hosts[0].engines : enginesFrom(name => findAll(hosts, name))

/** @param {{ name: string, engines: Engines }[]} hosts @param {string} name @returns {Promise<FoundEngine>} */
async function findAll (hosts, name) {
  const found = await Promise.all(hosts.map(({ engines }) => engines.find(name)))
  const other = found.findIndex(({ version }) => version !== found[0].version)
  if (other > 0) {
    throw new HopbenchError('hosts-differ', {
      what: name,
      hosts: [[hosts[0].name, found[0].version], [hosts[other].name, found[other].version]]
    })
  }
  return {
    ...found[0],
    start: async order => together(await Promise.all(found.map((engine, i) =>
      engine.start({ ...order, load: shareOf(order.load, i, found.length) }))))
  }
}

/** What one of several generators does of a load. @param {Load} load @param {number} i which of them, from 0
 * @param {number} of how many @returns {Load} */
export const shareOf = (load, i, of) => ({
  ...load,
  // Spread like the cards of a pack.
  connections: Math.max(1, Math.ceil((load.connections - i) / of)),
  ...load.spawnPerSecond !== undefined && { spawnPerSecond: load.spawnPerSecond / of },
  ...load.rate !== undefined && { rate: load.rate / of, seed: ((load.seed ?? 1) + i) % 2 ** 32 }
})

/** CPU time of several machines, each read by its own clock: what is of use is how far the middle of them goes.
 * @param {CpuReading[]} readings one at least */
export function addedUp (readings) {
  const sum = (/** @type {'seconds' | 'atSeconds'} */ of) => readings.reduce((total, reading) => total + reading[of], 0)
  return { seconds: sum('seconds'), atSeconds: sum('atSeconds') / readings.length }
}

/** @param {Generator[]} generators @returns {Generator} */
function together (generators) {
  const all = (/** @type {(generator: Generator) => Promise<any>} */ ask) => Promise.all(generators.map(ask))
  const merged = (/** @type {Report[]} */ reports) => ({
    measurement: mergeMeasurements(reports.map(({ measurement }) => measurement)),
    sampled: reports.reduce((sum, report) => sum + report.sampled, 0)
  })
  return {
    thaw: async () => { await all(generator => generator.thaw()) },
    freeze: async () => { await all(generator => generator.freeze()) },
    look: async () => { await all(generator => generator.look()) },
    async cpu () {
      const readings = await all(generator => generator.cpu())
      return { ...addedUp(readings), alive: readings.every(({ alive }) => alive) }
    },
    errors: async () => addUp(await all(generator => generator.errors())),
    async counts () {
      const counts = await all(generator => generator.counts())
      return {
        requests: counts.reduce((sum, { requests }) => sum + requests, 0),
        atSeconds: counts.reduce((sum, { atSeconds }) => sum + atSeconds, 0) / counts.length,
        isIdle: counts.every(({ isIdle }) => isIdle)
      }
    },
    failure: async () => (await all(generator => generator.failure())).find(failure => failure) ?? null,
    async end () {
      const reports = await all(generator => generator.end())
      return reports.some(report => report === null) ? null : merged(reports)
    },
    finished: async graceSeconds => merged(await all(generator => generator.finished(graceSeconds))),
    kill: async () => { await all(generator => generator.kill()) }
  }
}
