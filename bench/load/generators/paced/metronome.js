/** A timer with a resolution of microseconds. Node's timers have whole milliseconds, and an event loop that waits by
 * spinning would use the CPU time of what it measures. A thread sleeps on a futex and wakes the main thread. */
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads'

/** Indices of the shared flags. */
const ARMED = 0
const NEVER = 1

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
  worker.on('message', wake)
  worker.unref()
  // performance.now() has the same monotonic clock, and needs no BigInt for each request.
  const offset = clockFrom(epoch)() - performance.now()
  return {
    now: () => performance.now() + offset,
    wakeAt (at) {
      if (Atomics.load(flags, ARMED) === 1) return
      due[0] = at
      Atomics.store(flags, ARMED, 1)
      Atomics.notify(flags, ARMED)
    }
  }
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
    const left = due[0] - now()
    if (left > 0) Atomics.wait(flags, NEVER, 0, left)
    Atomics.store(flags, ARMED, 0)
    parentPort?.postMessage(null)
  }
}
