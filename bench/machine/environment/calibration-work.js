/**
 * Fixed work whose speed is that of the machine. environment.js starts this file as a process of its own, so that
 * compiled code and garbage of hopbench do not change the result. Prints a Calibration as JSON.
 */
import { openSync, readSync } from 'node:fs'
import { connectToEcho } from './echo.js'

/** @typedef {{ operations: number, runBatch: () => void | Promise<void> }} Work operations: of one batch */

/** Length of one turn of one kind of work, in seconds: less than a time slice of the kernel (3 ms), so that a core that
 * another program uses has undisturbed turns (docs/method.md). */
const TURN_SECONDS = 0.0015
/** Turns of each kind of work, so that all kinds take 1.5 s. The kinds alternate, so that noise of less than a second
 * leaves turns of each kind undisturbed. */
const TURNS = 240
/** Bytes of one copy. Two buffers are more than an L2 cache holds (1 or 2 MiB) and less than an L3 cache. Copies of
 * 8 MiB and more differ by 9 % and more from run to run, because other guests use the same L3 cache. */
const COPY_BYTES = 2 << 20
const ROUND_TRIP_BYTES = 64

/** @returns {Work} integer operations, each of which needs the result of the one before */
function createArithmetic () {
  const operations = 200_000
  let state = 1
  return {
    operations,
    runBatch () {
      let value = state
      for (let i = 0; i < operations; i++) value = (Math.imul(value, 1664525) + 1013904223) ^ (value >>> 13)
      state = value
    }
  }
}

/** @returns {Work} copied bytes */
function createCopies () {
  const [from, to] = [Buffer.alloc(COPY_BYTES, 1), Buffer.alloc(COPY_BYTES, 2)]
  return { operations: COPY_BYTES, runBatch: () => { from.copy(to) } }
}

/** @returns {Work} reads of one byte */
function createSystemCalls () {
  const operations = 300
  const fd = openSync('/dev/zero', 'r')
  const byte = Buffer.alloc(1)
  return {
    operations,
    runBatch () {
      for (let i = 0; i < operations; i++) readSync(fd, byte, 0, 1, null)
    }
  }
}

/** @returns {Promise<Work & { close: () => Promise<unknown> }>} round trips over TCP to a second thread */
async function createRoundTrips () {
  const { socket, close } = await connectToEcho()
  const operations = 10
  const message = Buffer.alloc(ROUND_TRIP_BYTES)
  return {
    operations,
    runBatch: () => new Promise((resolve, reject) => {
      let left = operations
      const onData = () => {
        if (--left > 0) return socket.write(message)
        socket.off('data', onData).off('error', reject)
        resolve(undefined)
      }
      socket.on('data', onData).on('error', reject)
      socket.write(message)
    }),
    close
  }
}

/**
 * Repeats a batch for one turn.
 *
 * @param {Work} work
 * @returns {Promise<number>} operations per second
 */
async function measureTurn ({ operations, runBatch }) {
  const startedAt = performance.now()
  let batches = 0
  let seconds = 0
  while (seconds < TURN_SECONDS) {
    await runBatch()
    batches++
    seconds = (performance.now() - startedAt) / 1000
  }
  return batches * operations / seconds
}

async function calibrate () {
  const roundTrips = await createRoundTrips()
  const works = Object.entries({
    arithmetic: createArithmetic(), memory: createCopies(), systemCalls: createSystemCalls(), roundTrips
  })
  /** @type {Record<string, number>} */
  const fastest = {}
  // The fastest turn counts, because V8 has compiled the loops by then and other programs can only slow a turn down.
  for (let turn = 0; turn < TURNS; turn++) {
    for (const [name, work] of works) fastest[name] = Math.max(fastest[name] ?? 0, await measureTurn(work))
  }
  await roundTrips.close()
  process.stdout.write(JSON.stringify(fastest))
}

await calibrate()
