import { ask } from '../configs/client.js'

/** @type {import('../configs/types.js').Behaviour} */
export default {
  title: 'behind TLS the app sees X-Forwarded-Proto: https, and no scheme that a client invented',
  options: { tls: 'ecdsa-p256' },
  async run (subject) {
    for (const forged of ['http', 'ftp']) {
      const { status, body } = await ask(subject, '/headers', { headers: { 'X-Forwarded-Proto': forged } })
      if (status !== 200) return `status ${status}: ${body.slice(0, 60)}`
      const seen = JSON.parse(body)['x-forwarded-proto']
      if (seen !== 'https') return `X-Forwarded-Proto: ${seen}`
    }
    return null
  }
}
