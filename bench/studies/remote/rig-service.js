/** Opens the rig of a run that another machine leads. The other machine provides the load generators. */
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { allCoresServe } from '../../machine/cores.js'
import { HopbenchError } from '../../errors.js'
import { openRig } from '../../measure/rig.js'
import { enginesOver } from './load-client.js'
import { ALL_KEPT_BYTES, KEPT_BYTES } from './messages.js'
import { makeFolder } from '../../machine/make-folder.js'
import { isLog } from '../../measure/kept-files.js'

/** @import { Rig } from '../../types.js' */
/** @import { Channel } from './channel.js' */

/**
 * Registers the handlers for rig requests.
 *
 * @param {Channel} channel
 * @param {{ temp: string, address: string }} machine address: by which the other machine reached this one
 * @returns {{ close: () => Promise<void> }}
 */
export function serveRig (channel, { temp, address }) {
  /** @type {Rig | null} */
  let rig = null
  const keepIn = join(temp, 'kept')
  const current = () => {
    if (rig) return rig
    const why = 'no rig is open there'
    throw new HopbenchError('host-unfit', { host: address, why, remedy: 'Start the run again.' })
  }
  /** Returns the part of a rig that can change with each trial. */
  const readState = () => ({
    lost: [...current().lost()],
    refused: [...current().refused],
    tools: current().tools,
    slowerUsers: current().slowerUsers
  })

  channel.serve('rig/open', async ({ plan, options }) => {
    makeFolder(keepIn)
    rig = await openRig(plan, {
      ...options,
      temp,
      keepIn,
      lab: false,
      address,
      cores: allCoresServe(),
      engines: enginesOver(channel),
      cwd: temp,
      note: text => channel.notify('rig/note', text)
    })
    return { ...readState(), engine: rig.engine, switchedFor: rig.switchedFor, instead: rig.instead }
  })
  channel.serve('rig/trial', async ({ arm, block }) => {
    let sample
    for await (const samples of current().trials([arm], block)) sample = samples[0]
    return { sample, ...readState() }
  })
  channel.serve('rig/finish', async () => [...await current().finish()])
  channel.serve('rig/close', async () => {
    await rig?.close()
    rig = null
    return readFiles(keepIn)
  })
  return { close: async () => { await rig?.close() } }
}

/**
 * Reads the configurations and then the last part of each log, up to the limit of all files.
 *
 * @param {string} dir
 * @returns {Record<string, string>}
 */
function readFiles (dir) {
  const paths = readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
    .sort((a, b) => Number(isLog(a)) - Number(isLog(b)))
  let room = ALL_KEPT_BYTES
  return Object.fromEntries(paths.flatMap(path => {
    const text = readFileSync(path).subarray(-KEPT_BYTES).toString()
    room -= text.length
    return room >= 0 ? [[path.slice(dir.length + 1), text]] : []
  }))
}
