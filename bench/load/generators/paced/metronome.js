/** A timer with a resolution of microseconds. Node's timers have whole milliseconds, and an event loop that waits by
 * spinning would use the CPU time of what it measures. A thread sleeps on a futex and wakes the main thread. */
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads'

/** Indices of the shared flags. */
const ARMED = 0
const NEVER = 1
const READINGS = 1000 // Number of readings of the clocks, which take about a millisecond.
/** Time by which the thread wakes early, because its message takes so long; the main thread spins for the rest. */
const LEAD_MS = 0.1

/**
 * @param {() => void} wake
 * @returns {Promise<{ now: () => number, wakeAt: (at: number) => void }>} now: ms since the start; wakeAt: calls `wake`
 * once, at this time, and is ignored while another call is due
 */
export async function startMetronome (wake) {
  const epoch = process.hrtime.bigint()
  const shared = new SharedArrayBuffer(16)
  const flags = new Int32Array(shared, 0, 2)
  const due = new Float64Array(shared, 8, 1)
  const worker = new Worker(new URL(import.meta.url), { workerData: { epoch, shared } })
  await new Promise(resolve => worker.once('message', resolve))
  worker.on('message', at => {
    while (now() < at); // for LEAD_MS at most
    wake()
  })
  worker.unref()
  // performance.now() has the same monotonic clock, and needs no BigInt for each request.
  const offset = compareClocks(clockFrom(epoch), () => performance.now())
  const now = () => performance.now() + offset
  return {
    now,
    wakeAt (at) {
      if (Atomics.load(flags, ARMED) === 1) return
      due[0] = at
      Atomics.store(flags, ARMED, 1)
      Atomics.notify(flags, ARMED)
    }
  }
}

/**
 * Returns what one clock is ahead of another, by the narrowest of many readings: the first ones are slow. With an error
 * of a millisecond the thread woke the main thread before each request, again and again, and responses waited.
 *
 * @param {() => number} clock
 * @param {() => number} other
 */
function compareClocks (clock, other) {
  let narrowest = { width: Infinity, ahead: 0 }
  for (let i = 0; i < READINGS; i++) {
    const before = clock()
    const between = other()
    const after = clock()
    if (after - before < narrowest.width) narrowest = { width: after - before, ahead: (before + after) / 2 - between }
  }
  return narrowest.ahead
}

/** @param {bigint} epoch */
const clockFrom = epoch => () => Number(process.hrtime.bigint() - epoch) / 1e6

if (!isMainThread && workerData?.shared) {
  const flags = new Int32Array(workerData.shared, 0, 2)
  const due = new Float64Array(workerData.shared, 8, 1)
  const now = clockFrom(workerData.epoch)
  parentPort?.postMessage(null)
  while (true) {
    Atomics.wait(flags, ARMED, 0)
    const at = due[0]
    const left = at - LEAD_MS - now()
    if (left > 0) Atomics.wait(flags, NEVER, 0, left)
    Atomics.store(flags, ARMED, 0)
    parentPort?.postMessage(at)
  }
}
