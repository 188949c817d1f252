import { setTimeout as sleep } from 'node:timers/promises'
import { ask } from '../configs/client.js'

const SECONDS = 10

/** @type {import('../configs/types.js').Behaviour} */
export default {
  title: 'the access log has a line with the status for each request, at most 10 s later',
  notOffered: {
    varnish: 'varnishncsa writes the log of Varnish, as a service of its own',
    systemd: 'nginx writes no log file: journalctl shows its access log'
  },
  async run (subject) {
    await ask(subject, '/logged-page')
    for (let i = 0; i < SECONDS; i++) {
      const lines = subject.readLogs().split('\n').filter(line => line.includes('/logged-page'))
      if (lines.some(line => line.includes('200'))) return null
      await sleep(1000)
    }
    return 'no line of the request was logged'
  }
}
