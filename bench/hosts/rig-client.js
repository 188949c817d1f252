/** A rig on another machine, as if it were here. A machine that is lost ends the run; what was measured by then stays. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { EMPTY } from '../measure/rig.js'

/** @typedef {import('../types.d.ts').Reason} Reason */

/**
 * @param {import('./channel.js').Channel} channel
 * @param {import('../types.d.ts').Plan} plan
 * @param {Pick<import('../measure/rig.js').RigOptions, 'keepIn' | 'engine' | 'mayswitch' | 'maxSeconds' | 'note'>} options
 * @returns {Promise<import('../measure/rig.js').Rig>}
 * @throws {import('../errors.js').HopbenchError} whatever kept it from opening there; host-lost
 */
export async function openRigOver (channel, plan, { keepIn, note, ...options }) {
  channel.heed('rig/note', note)
  const { engine, switchedFor, instead, ...opened } = await channel.ask('rig/open', { plan, options })
  let state = opened
  let gone = false
  return {
    engine,
    switchedFor,
    instead,
    lost: () => new Set(gone ? plan.arms.map(({ name }) => name) : state.lost),
    refused: () => new Map(state.refused),
    tools: () => state.tools,
    slowerUsers: () => state.slowerUsers ?? null,
    async trial (arm, block, how) {
      const startedAt = new Date().toISOString()
      try {
        const { sample, ...after } = await channel.ask('rig/trial', { arm, block, how })
        state = after
        return sample
      } catch (error) {
        gone = true
        return { ...EMPTY, arm, block, startedAt, invalid: { code: 'host-lost', text: /** @type {Error} */ (error).message } }
      }
    },
    finish: async () => gone ? new Map() : new Map(await channel.ask('rig/finish')),
    async close () {
      if (gone) return
      /** @type {Record<string, string>} */
      const files = await channel.ask('rig/close').catch(() => ({}))
      for (const [file, text] of Object.entries(files)) {
        // Another machine does not choose where this one writes.
        const path = join(keepIn, normalize(join('/', file)))
        mkdirSync(dirname(path), { recursive: true })
        writeFileSync(path, text)
      }
    }
  }
}
