import { setTimeout as sleep } from 'node:timers/promises'
import { openWebSocket } from '../configs/client.js'

/** Time for which the WebSocket may be idle: longer than any platform waits. */
const IDLE_MS = 120_000

/** @type {import('../configs/types.js').Behaviour} */
export default {
  isSlow: true,
  title: 'SIGTERM ends it while a WebSocket is open, before the platform would kill it (docker 10 s, others 30 s)',
  notOffered: { varnish: 'Varnish passes on no upgrade, because it does not read the requests after one' },
  async run (subject) {
    const socket = await openWebSocket(subject, IDLE_MS)
    try {
      if (!await socket.echo('echo of the check')) return 'the WebSocket did not work'
      subject.askToEnd()
      const late = sleep(subject.stopSeconds * 1000, true, { ref: false })
      const isLate = await Promise.race([subject.exited.then(() => false), late])
      return isLate ? `it was still running ${subject.stopSeconds} s after SIGTERM` : null
    } finally {
      socket.close()
    }
  }
}
