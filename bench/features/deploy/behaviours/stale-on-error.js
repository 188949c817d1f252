import { setTimeout as sleep } from 'node:timers/promises'
import { ask } from '../configs/client.js'

/** @type {import('../configs/types.js').Behaviour} */
export default {
  title: 'while the app fails, an expired page is sent instead of the error',
  options: { cache: '2s', stale: 'on' },
  notOffered: { varnish: 'Varnish sends an expired page only while it is renewed (grace)' },
  async run (subject) {
    const first = await ask(subject, '/news')
    // From here on the app fails. Authorization keeps the response out of the cache.
    await ask(subject, '/fail', { headers: { Authorization: 'x' } })
    // Longer than the cache lifetime of 2 s.
    await sleep(3000)
    const later = await ask(subject, '/news')
    if (later.status === 200 && later.body === first.body) return null
    return `status ${later.status}: ${later.body.slice(0, 60)}`
  }
}
