/** Engines and generators on another machine, as if they were here. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { enginesFrom } from '../find-engine.js'
import { loadPlugin } from '../plugins.js'
import { unpackError } from './channel.js'
import { packTarget } from './pack.js'

/** @typedef {import('./channel.js').Channel} Channel */

/**
 * @param {Channel} channel
 * @returns {import('../find-engine.js').Engines}
 */
export const enginesOver = channel => enginesFrom(async name => {
  // What an engine can do is the same wherever it runs.
  const { default: plugin } = await loadPlugin('engine', name)
  const { version } = await channel.ask('load/engine', name)
  return { name, plugin, program: '', env: {}, version, start: order => startOver(channel, name, order) }
})

/**
 * @param {Channel} channel
 * @param {string} engine
 * @param {import('../generator.js').GeneratorOrder} order
 * @returns {Promise<import('../generator.js').Generator>}
 */
async function startOver (channel, engine, { name, load, target, dir, maxSeconds, part }) {
  const id = await channel.ask('load/start', { engine, order: { name, load, target: packTarget(target), maxSeconds, part } })
  const ask = (/** @type {string} */ method) => channel.ask(`load/${method}`, id)
  const kept = (/** @type {{ report: any, logs: Record<string, string> }} */ { report, logs }) => {
    mkdirSync(dir, { recursive: true })
    for (const [file, text] of Object.entries(logs)) writeFileSync(join(dir, file), text)
    return report
  }
  return {
    thaw: () => ask('thaw'),
    freeze: () => ask('freeze'),
    look: () => ask('look'),
    cpu: () => ask('cpu'),
    errors: () => ask('errors'),
    async failure () {
      const failure = await ask('failure')
      return failure && (unpackError(failure) ?? new Error('the load generator failed'))
    },
    end: async () => kept(await ask('end')),
    finished: async graceSeconds => kept(await channel.ask('load/finished', { id, graceSeconds })),
    // Where the machine is gone, so is the generator.
    kill: () => ask('kill').catch(() => {})
  }
}
