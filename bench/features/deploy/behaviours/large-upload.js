import { randomBytes } from 'node:crypto'
import { sha256 } from '../../../shared/sha256.js'
import { ask } from '../configs/client.js'

/** @type {import('../configs/types.js').Behaviour} */
export default {
  title: 'an upload of 10 MB arrives whole',
  async run (subject) {
    const body = randomBytes(10_000_000)
    const reply = await ask(subject, '/upload', { method: 'POST', body, limitMs: 60_000 })
    const expected = JSON.stringify({ bytes: body.length, sha256: sha256(body) })
    return reply.body === expected ? null : `status ${reply.status}: ${reply.body.slice(0, 80)}`
  }
}
