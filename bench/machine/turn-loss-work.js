/**
 * Fixed work that is paused and resumed in turns. turn-loss.js starts this file twice, so that each process finds the
 * caches cold after the turn of the other one. Counts round trips over TCP between two threads, which are the cheapest
 * part of a request, and prints the time that a turn loses, in ms.
 */
import { connectToEcho } from './echo.js'

/** @import { Socket } from 'node:net' */

/** Turns that are counted. The first ones compile the code. */
const TURNS = { skipped: 4, counted: 16 }
/** Gap between two batches, in ms, that shows a pause. The kernel's time slices are shorter. */
const PAUSE_MS = 25
/** Length of a turn that is counted, in ms: less than TURN_MS of turn-loss.js, because the signals come late. */
const COUNTED_MS = 42
/** Part of a turn, in ms, after which the caches are warm. */
const COLD_MS = 14
const MESSAGE_BYTES = 1024
const BATCH = 4

async function measure () {
  const { socket, close } = await connectToEcho()
  process.stdout.write('ready\n')
  const message = Buffer.alloc(MESSAGE_BYTES)
  /** End of each batch of the current turn, in ms from its beginning. @type {number[]} */
  let batches = []
  const counts = { cold: 0, warm: 0 }
  for (let turn = 0, startedAt = performance.now(), last = startedAt; turn <= TURNS.skipped + TURNS.counted;) {
    await exchange(socket, message)
    const now = performance.now()
    if (now - last > PAUSE_MS) {
      if (turn > TURNS.skipped) {
        counts.cold += batches.filter(ms => ms < COLD_MS).length
        counts.warm += batches.filter(ms => ms >= COLD_MS && ms < COUNTED_MS).length
      }
      turn++
      batches = []
      startedAt = now
    }
    batches.push(now - startedAt)
    last = now
  }
  await close()
  const warmPerMs = counts.warm / (COUNTED_MS - COLD_MS)
  process.stdout.write(`${COLD_MS - counts.cold / warmPerMs}\n`)
}

/**
 * Makes a batch of round trips.
 *
 * @param {Socket} socket
 * @param {Buffer} message
 */
const exchange = (socket, message) => new Promise(resolve => {
  let left = BATCH * MESSAGE_BYTES
  const onData = (/** @type {Buffer} */ data) => {
    left -= data.length
    if (left <= 0) {
      socket.off('data', onData)
      resolve(undefined)
    } else if (left % MESSAGE_BYTES === 0) socket.write(message)
  }
  socket.on('data', onData)
  socket.write(message)
})

await measure()
