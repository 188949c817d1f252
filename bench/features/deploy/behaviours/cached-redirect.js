import { ask } from '../configs/client.js'

/** @type {import('../configs/types.js').Behaviour} */
export default {
  title: 'a cached redirect to HTTPS is sent to clients of HTTP only, so that it does not loop behind a router that ' +
    'ends TLS',
  options: { cache: '30s' },
  async run (subject) {
    const redirected = async (/** @type {Parameters<typeof ask>[2]} */ options = {}) =>
      (await ask(subject, '/secure', options)).status
    const forged = await redirected({ headers: { 'X-Forwarded-Proto': 'https' } })
    if (forged !== 302) return `a client of HTTP that claims HTTPS got ${forged} in place of the redirect`
    if (subject.router) {
      for (const [scheme, expected] of /** @type {const} */ ([['http', 302], ['https', 200], ['http', 302]])) {
        const status = await redirected({ from: subject.router, headers: { 'X-Forwarded-Proto': scheme } })
        if (status !== expected) return `a client of ${scheme} behind the router got ${status}`
      }
    }
    const direct = await redirected()
    return direct === 302 ? null : `a client of HTTP got ${direct} in place of the redirect`
  }
}
