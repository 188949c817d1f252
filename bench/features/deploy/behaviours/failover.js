import { setTimeout as sleep } from 'node:timers/promises'
import { ask } from '../configs/client.js'

/** @type {import('../configs/types.js').Behaviour} */
export default {
  title: 'one second after one of two processes died, no request fails',
  processes: 2,
  isTimed: true,
  async run (subject) {
    // Lets the proxy open connections to both processes.
    for (let i = 0; i < 10; i++) await ask(subject, '/page')
    const { body: pid } = await ask(subject, '/pid')
    process.kill(Number(pid), 'SIGKILL')
    await sleep(1000)
    /** @type {string[]} */
    const failures = []
    for (let i = 0; i < 40; i++) {
      const started = performance.now()
      const { status } = await ask(subject, '/page')
      const ms = performance.now() - started
      if (status !== 200) failures.push(`status ${status} after ${Math.round(ms)} ms`)
      else if (ms > 1000) failures.push(`a response after ${Math.round(ms)} ms`)
    }
    return failures.length === 0 ? null : `${failures.length} of 40 requests: ${failures[0]}`
  }
}
