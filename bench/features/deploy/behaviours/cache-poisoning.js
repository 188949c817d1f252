import { ask } from '../configs/client.js'

/** @type {import('../configs/types.js').Behaviour} */
export default {
  title: 'a request with forged headers cannot put a page into the cache for others',
  options: { cache: '30s' },
  async run (subject) {
    const headers = { 'X-Forwarded-Host': 'evil.example', 'X-Forwarded-Prefix': '/evil', 'X-Host': 'evil.example' }
    await ask(subject, '/reset', { headers })
    const { body } = await ask(subject, '/reset')
    return body === 'https://example.com/reset' ? null : `everybody got ${body}`
  }
}
