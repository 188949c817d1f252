/**
 * Fixed work that is paused and resumed in turns. turn-loss.js starts this file twice, so that each process finds the
 * caches cold after the turn of the other one. Counts round trips over TCP between two threads beside
 * reads of memory, as in a cheap request, and prints the time that a turn loses, in ms.
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
/** Memory that the work reads, like the code and the heap of a server: more than an L2 cache holds. Each batch reads a
 * part of it. */
const WORKING_SET = { bytes: 2 << 20, partBytes: 64 << 10, lineBytes: 64 }
const MESSAGE_BYTES = 1024
const BATCH = 4

async function measure () {
  const { socket, close } = await connectToEcho()
  process.stdout.write('ready\n')
  const message = Buffer.alloc(MESSAGE_BYTES)
  const memory = Buffer.alloc(WORKING_SET.bytes, 1)
  let offset = 0
  /** End of each batch of the current turn, in ms from its beginning. @type {number[]} */
  let batches = []
  const counts = { cold: 0, warm: 0 }
  for (let turn = 0, startedAt = performance.now(), last = startedAt; turn <= TURNS.skipped + TURNS.counted;) {
    await exchange(socket, message)
    offset = (readPart(memory, offset) + WORKING_SET.partBytes) % WORKING_SET.bytes
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
 * Reads a byte of each cache line of a part of the memory.
 *
 * @param {Buffer} memory
 * @param {number} offset of the part
 * @returns {number} the offset, so that no compiler removes the loop
 */
function readPart (memory, offset) {
  let sum = 0
  for (let i = offset; i < offset + WORKING_SET.partBytes; i += WORKING_SET.lineBytes) sum += memory[i]
  return sum < 0 ? 0 : offset
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
