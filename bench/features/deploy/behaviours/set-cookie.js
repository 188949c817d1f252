import { ask, isHit } from '../configs/client.js'

/** @type {import('../configs/types.js').Behaviour} */
export default {
  title: 'no response from the cache sets a cookie',
  options: { cache: '30s' },
  async run (subject) {
    for (let i = 0; i < 3; i++) {
      const reply = await ask(subject, '/login')
      const cookie = String(reply.headers['set-cookie'] ?? '')
      if (isHit(reply) && cookie) return `a HIT set ${cookie}`
      if (i === 0 && !cookie) return 'the app\'s own Set-Cookie did not arrive'
    }
    return null
  }
}
