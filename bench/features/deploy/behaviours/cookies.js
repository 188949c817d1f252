import { ask, isHit } from '../configs/client.js'

/** @type {import('../configs/types.js').Behaviour} */
export default {
  title: 'clients with different cookies never get each other\'s pages from the cache',
  options: { cache: '30s' },
  async run (subject) {
    for (const sid of ['alice', 'bob', 'alice']) {
      const reply = await ask(subject, '/me', { headers: { Cookie: `sid=${sid}` } })
      if (reply.body !== `the page of sid=${sid}`) return `sid=${sid} got "${reply.body}"`
      if (isHit(reply)) return `sid=${sid} was answered from the cache`
    }
    const without = await ask(subject, '/me')
    return without.body === 'the page of a stranger' ? null : `a client without a cookie got "${without.body}"`
  }
}
