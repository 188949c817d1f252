/**
 * Time that a turn loses, because a process that was paused finds the caches cold. Compares the first part of a turn
 * with its rest, so that noise of the machine, which lasts longer than a turn, cancels.
 */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { allowedCores } from '../cores.js'
import { readLastLines, start, waitUntil } from '../process.js'
import { makeTempRoot } from '../files/temp.js'

/** @import { Child } from '../types.js' */

const WORK = fileURLToPath(new URL('turn-loss-work.js', import.meta.url))
const TURN_MS = 50
const READY_SECONDS = 5 // Node starts within a second, also on a busy machine.
/** Limits the measurement, which takes 2 s on an idle core. */
const MAX_TURNS = 120

/**
 * Measures the time that a turn loses, on the first core.
 *
 * @returns {Promise<number | null>} in ms; below 0: by noise; null: the work could not be done
 */
export async function measureTurnLoss () {
  const { cores: [core], pinnable } = allowedCores()
  const temp = makeTempRoot()
  const logs = ['first', 'second'].map(name => join(temp.path, name))
  /** @type {Child[]} */
  const children = []
  try {
    for (const log of logs) {
      const cores = pinnable ? [core] : null
      const child = start({ name: 'the loss of a turn', argv: [process.execPath, WORK], cores, log })
      children.push(child)
      await waitUntil(child, () => readLastLines(log).includes('ready'), { timeoutSeconds: READY_SECONDS })
      child.pause()
    }
    for (let turn = 0; turn < MAX_TURNS && children.every(({ ended }) => !ended()); turn++) {
      const child = children[turn % 2]
      child.resume()
      await sleep(TURN_MS)
      child.pause()
    }
    const done = children.findIndex(({ ended }) => ended()?.code === 0)
    const lostMs = done < 0 ? NaN : Number(readLastLines(logs[done]).trim().split('\n').at(-1))
    return Number.isFinite(lostMs) ? lostMs : null
  } catch {
    return null
  } finally {
    await Promise.all(children.map(child => child.stop({ signal: 'SIGKILL' })))
    temp.remove()
  }
}
