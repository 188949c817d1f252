/** A rig on another machine, as if it were here. A machine that is lost ends the run; what was measured by then stays.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileName } from '../../measure/kept-files.js'
import { EMPTY } from '../../shared/trial.js'
import { ALL_KEPT_BYTES } from './messages.js'
import { asLine, isPlainPath } from './received.js'

/** @import { HopbenchError } from '../../errors.js' @import { Plan, Rig } from '../../types.js' */
/** @import { Channel } from './channel.js' @import { RigOrder } from './types.js' */

/** @param {Channel} channel @param {Plan} plan
 * @param {Pick<RigOrder, 'keepIn' | 'engine' | 'mayswitch' | 'maxSeconds' | 'note'>} order @returns {Promise<Rig>}
 * @throws {HopbenchError} whatever kept it from opening there; host-lost, host-answer */
export async function openRigOver (channel, plan, { keepIn, note, ...options }) {
  const names = plan.arms.map(({ name }) => name)
  // No request to a rig lasts longer than its generators live.
  const ask = (/** @type {string} */ method, /** @type {object} */ params) =>
    channel.ask(method, params, options.maxSeconds)
  const known = (/** @type {{ lost: string[], refused: [string, any][] }} */ { lost, refused }) => {
    const stranger = [...lost, ...refused.map(([arm]) => arm)].find(arm => !names.includes(arm))
    if (stranger !== undefined) throw channel.refuse(`it reports an arm "${stranger}", which the plan does not have`)
  }
  channel.heed('rig/note', text => note(asLine(text)))
  const { engine, switchedFor, instead, ...opened } = await ask('rig/open', { plan, options })
  known(opened)
  let state = opened
  let gone = false
  return {
    engine,
    switchedFor,
    instead,
    lost: () => new Set(gone ? names : state.lost),
    refused: () => new Map(state.refused),
    tools: () => state.tools,
    slowerUsers: () => state.slowerUsers,
    async trial (arm, block, how) {
      const startedAt = new Date().toISOString()
      try {
        const { sample, ...after } = await ask('rig/trial', { arm, block, how })
        known(after)
        if (sample.arm !== arm || sample.block !== block) throw channel.refuse('it reports an unrequested trial')
        state = after
        return sample
      } catch (error) {
        gone = true
        const { message } = /** @type {Error} */ (error)
        return { ...EMPTY, arm, block, startedAt, invalid: { code: 'host-lost', text: message } }
      }
    },
    finish: async () => gone ? new Map() : new Map(await channel.ask('rig/finish')),
    async close () {
      if (!gone) keep(await channel.ask('rig/close').catch(() => ({})), { channel, keepIn, names })
    }
  }
}

/** Stores configurations and logs as `keepFiles` does it for a rig on this machine: in a folder for each arm. A machine
 * that names others is given up, and the run ends as it is: what was measured stays.
 * @param {Record<string, string>} files
 * @param {{ channel: Channel, keepIn: string, names: string[] }} where names: of the arms */
function keep (files, { channel, keepIn, names }) {
  const folders = names.map(fileName)
  const wrong = Object.keys(files).find(file =>
    !isPlainPath(file) || !folders.includes(file.split('/')[0]) || !/.\/.*\.(conf|log|err)$/.test(file))
  if (wrong !== undefined) return channel.refuse(`"${wrong}" is not a valid name of a file to copy back`)
  const characters = Object.values(files).reduce((sum, text) => sum + text.length, 0)
  if (characters > ALL_KEPT_BYTES) return channel.refuse('the files to copy back are too large')
  for (const [file, text] of Object.entries(files)) {
    const path = join(keepIn, file)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
}
