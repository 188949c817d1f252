import { setTimeout as sleep } from 'node:timers/promises'
import { PAGE, ask } from '../configs/client.js'

const INTERVAL_MS = 10
/** Time before and after the restarts. A kit takes the end of a process within its first second for a failed start. */
const CALM_MS = 1200
/** Longest response, because clients should not wait until the proxy tries a process again. */
const MAX_MS = 1000

/** @type {import('../configs/types.js').Behaviour} */
export default {
  title: 'a restart of one process of the app after the other loses no request, and delays none by more than 1 s',
  processes: 4,
  isTimed: true,
  async run (subject) {
    /** @type {string[]} */
    const failures = []
    const send = async () => {
      const startMs = performance.now()
      const { status } = await ask(subject, PAGE.path)
      const ms = Math.round(performance.now() - startMs)
      if (status !== PAGE.status) failures.push(`status ${status} after ${ms} ms`)
      else if (ms > MAX_MS) failures.push(`a response after ${ms} ms`)
    }
    /** @type {Promise<void>[]} */
    const sent = []
    const timer = setInterval(() => sent.push(send()), INTERVAL_MS)
    try {
      await sleep(CALM_MS)
      await subject.restartProcesses()
      await sleep(CALM_MS)
    } finally {
      clearInterval(timer)
    }
    await Promise.all(sent)
    return failures.length === 0 ? null : `${failures.length} of ${sent.length} requests: ${failures[0]}`
  }
}
