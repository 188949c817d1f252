/** Engines and generators on another machine, as if they were here. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { enginesFrom } from '../../load/find-engine.js'
import { loadPlugin } from '../../plugins.js'
import { packTarget } from './pack.js'
import { unpackError } from './received.js'

/** @import { Engines } from '../../load/find-engine.js' */
/** @import { Generator, GeneratorOrder, Report } from '../../load/generator.js' */
/** @import { Channel } from './channel.js' */

const REPORT_SECONDS = 60 // A report is read, and a sampler ended, when the load is over.

/** @param {Channel} channel @returns {Engines} */
export const enginesOver = channel => enginesFrom(async name => {
  // What an engine can do is the same wherever it runs.
  const { default: plugin } = await loadPlugin('engine', name)
  const { version } = await channel.ask('load/engine', name)
  return { name, plugin, program: '', env: {}, version, start: order => startOver(channel, name, order) }
})

/** @param {Channel} channel @param {string} engine @param {GeneratorOrder} order @returns {Promise<Generator>} */
async function startOver (channel, engine, { name, load, target, dir, maxSeconds, part }) {
  const order = { name, load, target: packTarget(target), maxSeconds, part }
  const id = await channel.ask('load/start', { engine, order })
  const ask = (/** @type {string} */ method) => channel.ask(`load/${method}`, id)
  const kept = (/** @type {{ report: any, logs: Record<string, string> }} */ { report, logs }) => {
    mkdirSync(dir, { recursive: true })
    // Plain names only: the channel lets no others through.
    for (const [file, text] of Object.entries(logs)) writeFileSync(join(dir, file), text)
    return report
  }
  return {
    thaw: () => ask('thaw'),
    freeze: () => ask('freeze'),
    look: () => ask('look'),
    cpu: () => ask('cpu'),
    errors: () => ask('errors'),
    counts: () => ask('counts'),
    async failure () {
      const failure = await ask('failure')
      return failure && (unpackError(failure) ?? new Error('the load generator failed'))
    },
    end: async () => kept(await ask('end')),
    async finished (graceSeconds) {
      const seconds = maxSeconds + graceSeconds + REPORT_SECONDS
      /** @type {Report | null} */
      const report = kept(await channel.ask('load/finished', { id, graceSeconds }, seconds))
      if (!report) throw channel.refuse('the answer to "load/finished" has no report')
      return report
    },
    // Where the machine is gone, so is the generator.
    kill: () => ask('kill').catch(() => {})
  }
}
